"""Save agents in files, and load them.

An agent has two files: its arrays in `<id>.npz`, and all other facts in `<id>.json`, its card. The
card contains the agent's recipe, its results and its texts. Files are checked completely before
they are used; an error names the file and the reason. Nothing is ever unpickled, because unpickling
can run foreign code.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.tictactoe.card import (
    EMPTY_FIGURES,
    Card,
    check_card,
    check_figures,
    compute_numbering_digest,
    format_card,
)
from app.tictactoe.files import lock_folder, read_plain_file
from app.tictactoe.game import BoolArray, Game
from app.tictactoe.history import History
from app.tictactoe.npz import compute_size_limit, read_arrays, write_arrays
from app.tictactoe.policy import policy_from_values
from app.tictactoe.report import find_blunders

MAX_CARD_BYTES = 1 << 20
# New arrays have this suffix until the card that belongs to them is saved.
NEW_ARRAYS_SUFFIX = ".npz.newer"
# The names of files begin with this until they are written completely.
UNFINISHED_PREFIX = ".saving-"
FILE_MODE = 0o644


AgentDecoder = Callable[[Game, str, bytes, bytes, Path], "Agent"]


class ModelError(ValueError):
    """Raised for a model file that is not valid; the message names the file and the reason."""


@dataclass(frozen=True, eq=False)
class Agent:
    """A learned table of values, with its card and the history of its training.

    The action values `q`, [D, cells], are in the mover's view, and NaN for illegal moves.
    `visits`, [D, cells], counts the updates of each move. A snapshot is a copy of the values at
    some time of the training; `snapshot_updates`, [T], counts the updates before each of them, and
    the last snapshot has the values of `q`. D is the number of positions with a player to move, P
    the number of legal moves in all of them, T the number of snapshots. All arrays are read-only.
    """

    card: Card
    q: NDArray[np.float32]
    visits: NDArray[np.uint32]
    snapshot_updates: NDArray[np.int64]
    history: History
    arrays_file: Path | None = None

    def build_value_table(
        self, game: Game, snapshot: int | None = None
    ) -> NDArray[np.float32]:
        """Return the values at a snapshot, or at the end, [D, cells]; illegal moves have NaN."""
        return (
            self.q
            if snapshot is None
            else game.spread_pairs(self.history.get_values(snapshot))
        )

    def find_updated_moves(self, game: Game, snapshot: int | None = None) -> BoolArray:
        if snapshot is None:
            return self.visits > 0
        return game.spread_pairs(
            self.history.find_updated_moves(snapshot), illegal_value=False
        )

    @property
    def table_digest(self) -> str:
        """The SHA-256 of the bytes of `q` and then `visits`.

        If the recipe is trained again, this digest is the same. The digest of the npz file may
        differ, because it also depends on the program that packs the file.
        """
        return hashlib.sha256(self.q.tobytes() + self.visits.tobytes()).hexdigest()

    def collect_arrays(self) -> dict[str, NDArray[Any]]:
        return {
            "q": self.q,
            "visits": self.visits,
            "snapshot_updates": self.snapshot_updates,
            "snapshot_q": self.history.get_all_values(),
            "snapshot_updated": self.history.find_all_updated_moves(),
        }


def save_agent(folder: Path, game: Game, agent: Agent) -> Agent:
    """Write an agent's two files, and return the agent with the digests in its card.

    If the process is stopped at any time, `load_agent` finds both old files or both new ones.
    Raises ModelError, and writes nothing, if the files could not be loaded again.
    """
    text, arrays = encode_agent(game, agent)
    card = agent.card
    saved = decode_agent(game, card.id, text, arrays, Path(card.id))
    folder.mkdir(parents=True, exist_ok=True)
    described = folder / f"{card.id}.json"
    here = folder / f"{card.id}.npz"
    newer = folder / f"{card.id}{NEW_ARRAYS_SUFFIX}"
    with _lock_for_saving(folder) as write:
        new_arrays = write(arrays)
        new_card = write(text)
        with suppress(ModelError):
            if _read_newer_arrays(
                newer,
                _read_file(described, MAX_CARD_BYTES),
                compute_size_limit(_get_layout(game)),
            ):
                # An earlier save was interrupted when only its last step was missing, so make it now.
                os.replace(newer, here)
        # Between the last two lines, `load_agent` reads the new arrays from `newer`.
        os.replace(new_arrays, newer)
        os.replace(new_card, described)
        os.replace(newer, here)
    return saved


def save_card(folder: Path, game: Game, agent: Agent) -> None:
    """Replace the card of an agent whose arrays are on disk already.

    Raises ModelError, and writes nothing, if the card does not fit the arrays.
    """
    id = agent.card.id
    text = format_card(
        msgspec.structs.replace(
            agent.card, numbering_digest=compute_numbering_digest(game)
        )
    ).encode()
    with _lock_for_saving(folder) as write:
        arrays = _read_file(folder / f"{id}.npz", compute_size_limit(_get_layout(game)))
        decode_agent(game, id, text, arrays, folder / id)
        os.replace(write(text), folder / f"{id}.json")


def encode_agent(game: Game, agent: Agent) -> tuple[bytes, bytes]:
    """Return an agent's two files as bytes: the card, with digests, and the arrays.

    Equal arrays always give equal bytes.
    """
    arrays = write_arrays(agent.collect_arrays())
    digest = hashlib.sha256(arrays).hexdigest()
    card = msgspec.structs.replace(
        agent.card,
        numbering_digest=compute_numbering_digest(game),
        arrays_digest=digest,
    )
    return format_card(card).encode(), arrays


def pack_agent(game: Game, agent: Agent) -> bytes:
    history = agent.history
    arrays = (
        history.snapshot_of_change,
        history.value_after_change,
        history.first_update,
        game.gather_pairs(agent.visits),
    )
    return msgspec.msgpack.encode((agent.card, *(array.tobytes() for array in arrays)))


def unpack_agent(game: Game, packed_agent: bytes, recipe_name: str) -> Agent:
    """Return the agent that `pack_agent` packed.

    Raises ModelError if the bytes are no agent, or an agent of another recipe.
    """
    with name_file_in_errors(recipe_name):
        card, *arrays = msgspec.msgpack.decode(
            packed_agent, type=tuple[Card, bytes, bytes, bytes, bytes]
        )
        if card.recipe != recipe_name:
            raise ValueError(f"this is {card.recipe}")
        check_card(game, card.id, card)
        check_figures(game, card.figures)
        since, value, met, visits = map(
            np.frombuffer, arrays, ("u1", "<f4", "u1", "<u4")
        )
        starts = np.flatnonzero(since == 0)
        first = np.append(starts, len(since)).astype(np.int32)
        if not (
            len(first) - 1 == len(met) == len(visits) == game.pairs
            and len(since) == len(value)
        ):
            raise ValueError("the arrays have not the lengths of a history")
    history = History(len(card.figures.snapshot_updates), first, since, value, met)
    agent = Agent(
        card=card,
        q=game.spread_pairs(history.get_values(-1)),
        visits=game.spread_pairs(visits, 0),
        snapshot_updates=np.array(card.figures.snapshot_updates),
        history=history,
    )
    for array in (agent.q, agent.visits, agent.snapshot_updates, history.first_change):
        array.flags.writeable = False
    return agent


def load_agent(folder: Path, game: Game, agent_id: str) -> Agent:
    """Load and check an agent, even while another process saves it.

    Raises ModelError, naming the file and the reason, if a file is not valid.
    """
    return _retry_load(folder, game, agent_id, decode_agent)


def load_agent_without_figures(folder: Path, game: Game, agent_id: str) -> Agent:
    """Load an agent whose exact results (figures) may be out of date, so that they are not read.

    Raises ModelError, with file and reason, if anything else is not valid.
    """
    return _retry_load(folder, game, agent_id, _decode_without_figures)


def _retry_load(folder: Path, game: Game, agent_id: str, decode: AgentDecoder) -> Agent:
    """Load an agent; if its files do not match, try again when no other process saves it."""

    def try_load() -> Agent:
        card = _read_file(folder / f"{agent_id}.json", MAX_CARD_BYTES)
        limit = compute_size_limit(_get_layout(game))
        arrays = _read_newer_arrays(
            folder / f"{agent_id}{NEW_ARRAYS_SUFFIX}", card, limit
        )
        file = folder / f"{agent_id}.npz"
        agent = decode(
            game, agent_id, card, arrays or _read_file(file, limit), folder / agent_id
        )
        return replace(agent, arrays_file=file)

    try:
        return try_load()
    except ModelError:
        if not folder.is_dir():
            raise
        # Another process may have replaced only one of the files. It holds the lock until both are new.
        with lock_folder(folder):
            return try_load()


def load_agents(folder: Path, game: Game) -> dict[str, Agent]:
    """Return the agents of a folder by id.

    Raises ModelError if a file is broken or the folder has no agents.
    """
    ids = list_agent_ids(folder)
    # Threads make loading faster, because decompression releases Python's lock.
    with ThreadPoolExecutor() as pool:
        agents = pool.map(partial(load_agent, folder, game), ids)
        return dict(zip(ids, agents, strict=True))


def list_agent_ids(folder: Path) -> list[str]:
    ids = sorted(
        {path.stem for ending in ("json", "npz") for path in folder.glob(f"*.{ending}")}
    )
    if not ids:
        raise ModelError(f"{folder}: no model in this folder; `make train` makes them")
    return ids


def decode_agent(
    game: Game,
    agent_id: str,
    card_bytes: bytes,
    arrays_bytes: bytes,
    path_without_suffix: Path,
) -> Agent:
    """Return the agent with this id from the bytes of its two files.

    Raises ModelError, which names the file and the fault, if a file is not valid. The files are
    `path_without_suffix` with .json and .npz.
    """
    with name_file_in_errors(f"{path_without_suffix}.json"):
        card = msgspec.json.decode(card_bytes, type=Card)
        check_card(game, agent_id, card)
        check_figures(game, card.figures)
    agent = _add_arrays(game, card, arrays_bytes, path_without_suffix)
    if agent.snapshot_updates.tolist() != card.figures.snapshot_updates:
        raise ModelError(
            f"{path_without_suffix}.npz: snapshot_updates are not those of the card"
        )
    number = int(find_blunders(game, policy_from_values(agent.q, card.play_rule)).sum())
    if card.figures.blunders[-1] != number:
        raise ModelError(
            f"{path_without_suffix}.json: it says another number of blunders than {number}"
        )
    return agent


def _decode_without_figures(
    game: Game,
    agent_id: str,
    card_bytes: bytes,
    arrays_bytes: bytes,
    path_without_suffix: Path,
) -> Agent:
    with name_file_in_errors(f"{path_without_suffix}.json"):
        known = msgspec.json.decode(card_bytes, type=dict[str, Any])
        card = msgspec.convert(known | {"figures": EMPTY_FIGURES}, Card)
        check_card(game, agent_id, card)
    return _add_arrays(game, card, arrays_bytes, path_without_suffix)


def _add_arrays(
    game: Game, card: Card, arrays_bytes: bytes, path_without_suffix: Path
) -> Agent:
    with name_file_in_errors(f"{path_without_suffix}.npz"):
        if hashlib.sha256(arrays_bytes).hexdigest() != card.arrays_digest:
            raise ValueError(
                "the file is not the one that the card describes: its sha256 differs"
            )
        arrays = read_arrays(arrays_bytes, _get_layout(game))
        _check_arrays(game, card, arrays)
    return Agent(
        card=card,
        q=arrays["q"],
        visits=arrays["visits"],
        snapshot_updates=arrays["snapshot_updates"],
        history=History.from_snapshots(
            arrays["snapshot_q"], arrays["snapshot_updated"]
        ),
    )


@contextmanager
def name_file_in_errors(file_name: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ModelError(f"{file_name}: {error}") from error


def read_arrays_file(game: Game, agent: Agent) -> bytes:
    """Return the content of an agent's npz file, whose digest is on the agent's card.

    If the file is missing or has changed, the same bytes are made from the agent's arrays.
    """
    # All files together would need too much memory, so none is kept.
    if agent.arrays_file:
        with suppress(ModelError):
            content = _read_file(
                agent.arrays_file, compute_size_limit(_get_layout(game))
            )
            if hashlib.sha256(content).hexdigest() == agent.card.arrays_digest:
                return content
    return write_arrays(agent.collect_arrays())


def add_arrays_digest(agent: Agent) -> Card:
    """Return the card with the digest of the npz file; a missing digest is computed."""
    if agent.card.arrays_digest:
        return agent.card
    digest = hashlib.sha256(write_arrays(agent.collect_arrays())).hexdigest()
    return msgspec.structs.replace(agent.card, arrays_digest=digest)


def _get_layout(game: Game) -> dict[str, tuple[str, tuple[int, ...]]]:
    pairs = game.legal.shape
    return {
        "q": ("<f4", pairs),
        "visits": ("<u4", pairs),
        "snapshot_updates": ("<i8", (-1,)),
        "snapshot_q": ("<f4", (-1, game.pairs)),
        "snapshot_updated": ("|b1", (-1, game.pairs)),
    }


def _check_arrays(game: Game, card: Card, arrays: Mapping[str, NDArray[Any]]) -> None:
    q = arrays["q"]
    visits = arrays["visits"]
    updates = arrays["snapshot_updates"].tolist()
    values = arrays["snapshot_q"]
    updated = arrays["snapshot_updated"]
    if not len(updates) == len(values) == len(updated):
        raise ValueError("the arrays of the snapshots differ in length")
    if updates != sorted(set(updates)) or updates[0] < 0:
        raise ValueError("snapshot_updates do not rise")
    if updates[-1] != card.updates:
        raise ValueError("snapshot_updates are not those of the card")
    _check_q(game, q)
    if not np.isfinite(values).all():
        raise ValueError("snapshot_q is not a number everywhere")
    if visits[~game.legal].any():
        raise ValueError("visits counts updates of illegal moves")
    if not np.array_equal(q[game.legal], values[-1]):
        raise ValueError("the last snapshot is not q")
    if not np.array_equal(visits[game.legal] > 0, updated[-1]):
        raise ValueError("what the last snapshot had updated is not what visits counts")
    if (updated[1:] < updated[:-1]).any():
        raise ValueError("snapshot_updated forgets a pair")
    # This raises ValueError if an agent that plays in proportion to its values has one below 0.
    policy_from_values(game.spread_pairs(values.min(axis=0)), card.play_rule)


def _check_q(game: Game, q: NDArray[Any]) -> None:
    if not (np.isfinite(q) == game.legal).all() or np.isinf(q).any():
        raise ValueError("q is not a number exactly where a move is legal, else NaN")


@contextmanager
def _lock_for_saving(folder: Path) -> Iterator[Callable[[bytes], Path]]:
    """Lock a folder, and yield a function that writes a temporary file there.

    At the end all temporary files are removed, also the files of interrupted processes.
    """

    def write_temporary(content: bytes) -> Path:
        with NamedTemporaryFile(
            dir=folder, prefix=UNFINISHED_PREFIX, delete=False
        ) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(file.name, FILE_MODE)
        return Path(file.name)

    with lock_folder(folder):
        try:
            yield write_temporary
        finally:
            for path in folder.glob(f"{UNFINISHED_PREFIX}*"):
                path.unlink()


def _read_newer_arrays(path: Path, card_bytes: bytes, max_bytes: int) -> bytes:
    """Return the arrays that an interrupted save has not moved yet, if their card is saved."""
    with suppress(ModelError):
        arrays = _read_file(path, max_bytes)
        if hashlib.sha256(arrays).hexdigest().encode() in card_bytes:
            return arrays
    return b""


def _read_file(path: Path, max_bytes: int) -> bytes:
    try:
        return read_plain_file(path, max_bytes)
    except ValueError as error:
        raise ModelError(str(error)) from error
