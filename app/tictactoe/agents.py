"""Agents on disk: `<id>.npz` holds the arrays, `<id>.json` the card that describes them.

A file is believed only after everything about it has been checked; what is wrong with it is said
with its name.  Nothing is ever unpickled.
"""

import hashlib
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.tictactoe.card import Card, card_text, check_card, numbering
from app.tictactoe.game import Game
from app.tictactoe.npz import read_arrays, size_limit

MAX_CARD = 1 << 20  # bytes


class ModelError(ValueError):
    """A model file that cannot be believed: the message names the file and the reason."""


@dataclass(frozen=True, eq=False)
class Agent:
    """A learned table in the mover's view, with its card and its history."""

    card: Card
    q: NDArray[np.float32]  # [D, cells] NaN exactly where illegal
    visits: NDArray[np.uint32]  # [D, cells] how often training updated the pair
    snapshot_updates: NDArray[np.int64]  # [T]
    snapshot_q: NDArray[np.float16]  # [T, D, cells] the last one is q
    npz: bytes = field(default=b"", repr=False)  # the file of these arrays, once there is one


def save(folder: Path, game: Game, agent: Agent) -> Agent:
    """Write an agent's two files and return it with the digests in its card.

    Both are written aside and renamed, so an interruption leaves the old ones.
    Raises ModelError, and writes nothing, if what would be written could not be loaded.
    """
    arrays = io.BytesIO()
    np.savez_compressed(
        arrays,
        q=agent.q,
        visits=agent.visits,
        snapshot_updates=agent.snapshot_updates,
        snapshot_q=agent.snapshot_q,
    )
    digest = hashlib.sha256(arrays.getvalue()).hexdigest()
    card = msgspec.structs.replace(agent.card, numbering=numbering(game), arrays=digest)
    card = msgspec.convert(msgspec.to_builtins(card), Card)  # 1 becomes 1.0 where that is declared
    text = card_text(card).encode()
    saved = _checked(game, card.id, text, arrays.getvalue(), Path(card.id))
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".") as aside:
        files = {card.id + ".npz": arrays.getvalue(), card.id + ".json": text}
        for name, content in files.items():
            (Path(aside) / name).write_bytes(content)
        for name in files:
            os.replace(Path(aside) / name, folder / name)
    return saved


def load(folder: Path, game: Game, agent_id: str) -> Agent:
    """Read an agent, having checked all of it.

    Raises ModelError, naming the file and what is wrong with it.
    """
    card_path, arrays_path = folder / f"{agent_id}.json", folder / f"{agent_id}.npz"
    card = _read(card_path, MAX_CARD)
    arrays = _read(arrays_path, size_limit(_layout(game)))
    return _checked(game, agent_id, card, arrays, folder / agent_id)


def load_all(folder: Path, game: Game) -> dict[str, Agent]:
    """Read every agent of a folder, by id.

    Raises ModelError if one of them is broken or there is none.
    """
    ids = sorted({path.stem for ending in ("json", "npz") for path in folder.glob(f"*.{ending}")})
    if not ids:
        raise ModelError(f"{folder}: no model in this folder; `make train` makes them")
    return {agent_id: load(folder, game, agent_id) for agent_id in ids}


def _checked(
    game: Game, agent_id: str, card_bytes: bytes, arrays_bytes: bytes, path: Path
) -> Agent:
    """Build the agent from its two files' contents, or say which of them is wrong and why."""
    try:
        card = msgspec.json.decode(card_bytes, type=Card)
        check_card(game, agent_id, card)
    except (ValueError, UnicodeDecodeError) as error:
        raise ModelError(f"{path}.json: {error}") from error
    try:
        if hashlib.sha256(arrays_bytes).hexdigest() != card.arrays:
            raise ValueError("the file is not the one that the card describes: its sha256 differs")
        agent = Agent(card, **read_arrays(arrays_bytes, _layout(game)), npz=arrays_bytes)
        _check_arrays(game, agent)
    except ValueError as error:
        raise ModelError(f"{path}.npz: {error}") from error
    return agent


def _layout(game: Game) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Name each array's dtype and shape, -1 for the number of snapshots."""
    pairs = game.legal.shape
    return {
        "q": ("<f4", pairs),
        "visits": ("<u4", pairs),
        "snapshot_updates": ("<i8", (-1,)),
        "snapshot_q": ("<f2", (-1, *pairs)),
    }


def _check_arrays(game: Game, agent: Agent) -> None:
    updates = agent.snapshot_updates.tolist()
    if len(updates) != len(agent.snapshot_q):
        raise ValueError("snapshot_updates and snapshot_q differ in length")
    if updates != sorted(set(updates)) or updates[0] < 0:
        raise ValueError("snapshot_updates do not rise")
    if updates != agent.card.figures.updates or updates[-1] != agent.card.updates:
        raise ValueError("snapshot_updates are not those of the card")
    tables: dict[str, NDArray[np.floating]] = {"q": agent.q, "snapshot_q": agent.snapshot_q}
    for name, table in tables.items():
        if not (np.isfinite(table) == game.legal).all() or np.isinf(table).any():
            raise ValueError(f"{name} is not a number exactly where a move is legal, else NaN")
    if agent.visits[~game.legal].any():
        raise ValueError("visits counts updates of illegal moves")
    last = agent.q.astype(np.float16)
    if not np.array_equal(last, agent.snapshot_q[-1], equal_nan=True):
        raise ValueError("the last snapshot is not q")


def _read(path: Path, limit: int) -> bytes:
    """Read a file, but not more of it than could be right."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    if len(content) > limit:
        raise ModelError(f"{path}: larger than any right one, {limit} bytes")
    return content
