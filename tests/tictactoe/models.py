"""Model files for tests: a small agent, writing of any two files, and damage to files."""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from app.tictactoe.agents import Agent, ModelError, load_agent
from app.tictactoe.card import Card, ReportedResult
from app.tictactoe.game import Game
from app.tictactoe.history import History
from app.tictactoe.report import compute_figures
from app.tictactoe.views import RewardScale

ID = "some-agent"
Arrays = dict[str, NDArray[Any]]
Keys = dict[str, Any]  # the fields of a card


def make_agent(game: Game, seed: int = 0, **card: Any) -> Agent:
    """Return an agent with two snapshots without any update."""
    random = np.random.default_rng(seed)
    history = (random.integers(-9, 10, (2, game.pairs)) / 8).astype(np.float32)
    visits = random.integers(0, 9, game.pairs).astype(np.uint32)
    worth = RewardScale(x=(-10.0, 0.5, 10.0))
    plain = Card(
        id=ID,
        title="Some agent",
        origin="nowhere",
        recipe="none,alpha=0.5,games=3",
        algorithm="none",
        reported=[ReportedResult("never lost", "on its title page")],
        findings=["loses to everybody"],
        play_rule="greedy",
        seed=seed,
        games=3,
        updates=20,
        training_seconds=0.25,
        versions={"numpy": np.__version__},
        numbering_digest="",  # saving fills in both digests
        arrays_digest="",
        reward_scale=worth,
        figures=compute_figures(game, history, [0, 20], worth),
    )
    return Agent(
        card=msgspec.structs.replace(plain, **card),
        q=game.spread_pairs(history[-1]),
        visits=game.spread_pairs(visits, illegal_value=0),
        snapshot_updates=np.array([0, 20], np.int64),
        history=History.from_snapshots(history, np.stack([visits > 4, visits > 0])),
    )


def put(*path: Any) -> Callable[[Any], None]:
    """Return a function that sets the value at a path of keys; the value is the last argument."""

    def change(card: Any) -> None:
        *keys, last, value = path
        for key in keys:
            card = card[key]
        card[last] = value

    return change


def npz(arrays: Arrays) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # its second one is allow_pickle
    return file.getvalue()


def write(folder: Path, card: bytes, arrays: bytes, name: str = ID) -> None:
    (folder / f"{name}.json").write_bytes(card)
    (folder / f"{name}.npz").write_bytes(arrays)


def forge(folder: Path, card: Keys, arrays: bytes) -> None:
    """Write a model whose card has the right digests for its arrays, whatever they contain."""
    card = card | {"arrays": hashlib.sha256(arrays).hexdigest()}
    write(folder, json.dumps(card).encode(), arrays)


def assert_same(agent: Agent, other: Agent) -> None:
    arrays = agent.collect_arrays()
    for name, array in other.collect_arrays().items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def assert_refused(folder: Path, game: Game, ending: str, reason: str) -> None:
    with pytest.raises(ModelError) as refused:
        load_agent(folder, game, ID)
    assert re.match(rf"{re.escape(str(folder / ID))}\.{ending}: {reason}", str(refused.value)), (
        refused.value
    )


def load_or_refuse(folder: Path, game: Game) -> Agent | None:
    """Load a model; ModelError with the file's name is accepted, other errors fail the test."""
    try:
        return load_agent(folder, game, ID)
    except ModelError as error:
        if not str(error).startswith((f"{folder / ID}.json: ", f"{folder / ID}.npz: ")):
            raise
        return None


def damage(random: Random, content: bytes) -> bytes:
    """Return bytes with flipped bits, cut, extended, or with two blocks swapped."""
    start, stop = sorted(random.randrange(len(content) + 1) for _ in range(2))
    match random.choice(["flip", "truncate", "insert", "remove", "swap"]):
        case "flip":
            changed = bytearray(content)
            for _ in range(random.choice([1, 1, 1, 2, 8, 64])):
                changed[random.randrange(len(content))] ^= 1 << random.randrange(8)
            return bytes(changed)
        case "truncate":
            return content[:start]
        case "insert":
            return content[:start] + random.randbytes(random.choice([1, 2, 9])) + content[start:]
        case "remove":
            return content[:start] + content[start + random.choice([1, 2, 9]) :]
        case _:
            middle = random.randint(start, stop)
            return content[:start] + content[middle:stop] + content[start:middle] + content[stop:]
