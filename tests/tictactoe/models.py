"""Model files for the tests: a small agent, and any two files written as if they were one."""

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from app.tictactoe.agents import Agent, ModelError, load
from app.tictactoe.card import Card
from app.tictactoe.game import Game
from app.tictactoe.report import report
from app.tictactoe.views import Worth

ID = "some-agent"
Arrays = dict[str, NDArray[Any]]
Keys = dict[str, Any]  # of a card


def make_agent(game: Game, seed: int = 0, **card: Any) -> Agent:
    """An agent of two snapshots that learned nothing."""
    random = np.random.default_rng(seed)
    history = np.where(game.legal, random.integers(-9, 10, (2, *game.legal.shape)) / 8, np.nan)
    worth = Worth(x=(-10.0, 0.5, 10.0))
    plain = Card(
        id=ID,
        title="Some agent",
        origin="nowhere",
        reported="never lost",
        algorithm="none",
        parameters={"alpha": 0.5, "games": 3, "rule": "none", "decay": True},
        opponents=["random", "self"],
        seed=seed,
        games=3,
        updates=20,
        seconds=0.25,
        versions={"numpy": np.__version__},
        numbering="",  # saving fills in both digests
        arrays="",
        worth=worth,
        figures=report(game, history, [0, 20], worth),
    )
    return Agent(
        card=msgspec.structs.replace(plain, **card),
        q=history[-1].astype(np.float32),
        visits=np.where(game.legal, random.integers(0, 9, game.legal.shape), 0).astype(np.uint32),
        snapshot_updates=np.array([0, 20], np.int64),
        snapshot_q=history.astype(np.float16),
    )


def arrays_of(agent: Agent) -> Arrays:
    names = ["q", "visits", "snapshot_updates", "snapshot_q"]
    return {name: getattr(agent, name).copy() for name in names}


def npz(arrays: Arrays) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # its second one is allow_pickle
    return file.getvalue()


def write(folder: Path, card: bytes, arrays: bytes, name: str = ID) -> None:
    (folder / f"{name}.json").write_bytes(card)
    (folder / f"{name}.npz").write_bytes(arrays)


def forge(folder: Path, card: Keys, arrays: bytes) -> None:
    """Write a model whose card vouches for its arrays, whatever they are."""
    card = card | {"arrays": hashlib.sha256(arrays).hexdigest()}
    write(folder, json.dumps(card).encode(), arrays)


def assert_same(agent: Agent, other: Agent) -> None:
    for name, array in arrays_of(other).items():
        np.testing.assert_array_equal(getattr(agent, name), array)
        assert getattr(agent, name).dtype == array.dtype


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
        load(folder, game, ID)
    assert re.match(rf"{re.escape(str(folder / ID))}\.{ending}: {reason}", str(refused.value)), (
        refused.value
    )
