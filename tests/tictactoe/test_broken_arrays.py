"""Arrays that are no agent are refused, naming the file and what is wrong with which array.

Their card vouches for them, so that it is not the digest that refuses them.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.tictactoe.agents import load
from app.tictactoe.game import Game
from tests.tictactoe.models import ID, Arrays, Keys, assert_refused, forge, npz

ILLEGAL = (-1, 0)  # in the last decision all cells but one are taken


def test_the_forged_files_differ_from_good_ones_in_nothing_else(tmp_path, game, card, arrays):
    forge(tmp_path, card, npz(arrays))
    load(tmp_path, game, ID)


def put(name: str, where: Any, value: float) -> Callable[[Arrays], Arrays]:
    """The arrays with one number changed."""

    def change(arrays: Arrays) -> Arrays:
        changed = arrays[name].copy()
        changed[where] = value
        return arrays | {name: changed}

    return change


def each(name: str, change: Callable[[Any], Any]) -> Callable[[Arrays], Arrays]:
    """The arrays with one of them changed as a whole."""
    return lambda arrays: arrays | {name: change(arrays[name])}


def snapshots(number: int) -> Callable[[Arrays], Arrays]:
    def change(arrays: Arrays) -> Arrays:
        last = {name: array[-1:] for name, array in arrays.items() if "snapshot" in name}
        history = {name: np.repeat(array, number, axis=0) for name, array in last.items()}
        updates = np.arange(20 - number + 1, 21, dtype=np.int64)
        return arrays | history | {"snapshot_updates": updates}

    return change


BROKEN_ARRAYS: dict[str, tuple[Callable[[Arrays], Arrays], str]] = {
    "q in double precision": (
        each("q", lambda q: q.astype("<f8")),
        "q would unpack to .* bytes|q is float64, not float32 in C order",
    ),
    "q of integers": (
        each("q", lambda q: np.nan_to_num(q).astype("<i4")),
        "q is int32, not float32",
    ),
    "big-endian q": (each("q", lambda q: q.astype(">f4")), "q is >f4, not float32"),
    "Fortran order": (each("q", np.asfortranarray), "q is float32, not float32 in C order"),
    "fewer decisions": (each("q", lambda q: q[:-1]), r"q has shape \(4519, 9\), not \(4520, 9\)"),
    "fewer cells": (each("q", lambda q: q[:, :8]), r"q has shape \(4520, 8\)"),
    "flat": (each("q", lambda q: q.ravel()), r"q has shape \(40680,\)"),
    "another dimension": (each("q", lambda q: q[None]), r"q has shape \(1, 4520, 9\)"),
    "a single number": (each("q", lambda _: np.float32(0)), r"q has shape \(\)"),
    "signed visits": (each("visits", lambda v: v.astype("<i4")), "visits is int32, not uint32"),
    "half the visits": (each("visits", lambda v: v[::2]), r"visits has shape \(2260, 9\)"),
    "32-bit updates": (
        each("snapshot_updates", lambda u: u.astype("<i4")),
        "snapshot_updates is int32, not int64",
    ),
    "half-precision history": (
        each("snapshot_q", lambda h: h.astype("<f2")),
        "snapshot_q is float16, not float32",
    ),
    "a history of one table": (
        each("snapshot_q", lambda h: h[-1]),
        r"snapshot_q has shape \(16167,\), not \(1 to 24, 16167\)",
    ),
    "a history of tables": (
        each("snapshot_q", lambda h: np.zeros((2, 4520, 9), "<f4")),
        r"snapshot_q has shape \(2, 4520, 9\), not \(1 to 24, 16167\)",
    ),
    "a history of fewer pairs": (
        each("snapshot_q", lambda h: h[:, 1:].copy()),
        r"snapshot_q has shape \(2, 16166\), not \(1 to 24, 16167\)",
    ),
    "a history of visits": (
        each("snapshot_updated", lambda u: u.astype("<u4")),
        "snapshot_updated is uint32, not bool",
    ),
    "an array missing": (
        lambda arrays: {name: arrays[name] for name in arrays if name != "visits"},
        "holds q.npy, snapshot_q.npy, snapshot_updated.npy, snapshot_updates.npy instead of q, v",
    ),
    "an array too many": (
        lambda arrays: arrays | {"extra": np.zeros(3)},
        "holds extra.npy, q.npy, .* instead of q, visits",
    ),
    "nothing": (lambda _: {}, "holds  ?instead of q, visits"),
    "no value for a legal cell": (put("q", (0, 0), np.nan), "q is not a number exactly where"),
    "a value for a taken cell": (put("q", ILLEGAL, 0), "q is not a number exactly where"),
    "an infinite value": (put("q", (0, 0), np.inf), "q is not a number exactly where"),
    "infinity in a taken cell": (put("q", ILLEGAL, -np.inf), "q is not a number exactly where"),
    "no value in the history": (put("snapshot_q", (0, 0), np.nan), "snapshot_q is not a number"),
    "an infinite history": (put("snapshot_q", (0, 0), -np.inf), "snapshot_q is not a number"),
    "visits to a taken cell": (put("visits", ILLEGAL, 1), "visits counts updates of illegal"),
    "updates that fall": (put("snapshot_updates", 0, 21), "snapshot_updates do not rise"),
    "updates that stand still": (put("snapshot_updates", 0, 20), "snapshot_updates do not rise"),
    "updates below 0": (put("snapshot_updates", 0, -1), "snapshot_updates do not rise"),
    "updates not of the card": (
        put("snapshot_updates", 0, 1),
        "snapshot_updates are not those of the card",
    ),
    "a snapshot without updates": (
        each("snapshot_updates", lambda u: u[1:]),
        "the arrays of the snapshots differ in length",
    ),
    "a snapshot without values": (
        each("snapshot_q", lambda h: h[1:]),
        "the arrays of the snapshots differ in length",
    ),
    "a snapshot of no pair": (
        each("snapshot_updated", lambda u: u[1:]),
        "the arrays of the snapshots differ in length",
    ),
    "a last snapshot that is not q": (put("snapshot_q", (-1, 0), 9), "the last snapshot is not q"),
    "a q that is not the last snapshot": (put("q", (0, 0), 9), "the last snapshot is not q"),
    "an update that visits do not count": (
        each("visits", np.zeros_like),
        "what the last snapshot had updated is not what visits counts",
    ),
    "a pair that is visited and not updated": (
        each("snapshot_updated", np.zeros_like),
        "what the last snapshot had updated is not what visits counts",
    ),
    "a pair that is forgotten": (
        each("snapshot_updated", lambda u: u | [[True], [False]]),
        "snapshot_updated forgets a pair",
    ),
    "no snapshot": (snapshots(0), r"snapshot_updates has shape \(0,\), not \(1 to 24,\)"),
    "25 snapshots": (snapshots(25), r"snapshot_updates has shape \(25,\), not \(1 to 24,\)"),
    "a history too long": (
        lambda arrays: arrays | {"snapshot_q": np.zeros((30, 16167), "<f4")},
        "snapshot_q would unpack to 1940168 bytes, more than any right one",
    ),
    "objects": (
        each("q", lambda _: np.array([{"not": "an array"}])),
        "q is object, not float32",
    ),
}


@pytest.mark.parametrize("case", BROKEN_ARRAYS)
def test_broken_arrays(tmp_path: Path, game: Game, card: Keys, arrays: Arrays, case: str):
    change, reason = BROKEN_ARRAYS[case]
    forge(tmp_path, card, npz(change(arrays)))
    assert_refused(tmp_path, game, "npz", reason)


class Trap:
    """Leaves a trace as soon as it is unpickled."""

    def __init__(self, trace: Path):
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., None], tuple[Path]]:
        return Path.mkdir, (self.trace,)


@pytest.mark.parametrize("name", ["q", "snapshot_q", "extra"])
def test_nothing_is_ever_unpickled(tmp_path: Path, game: Game, card, arrays, name: str):
    trap = np.empty(1, object)
    trap[0] = Trap(tmp_path / "executed")
    content = npz(arrays | {name: trap})
    forge(tmp_path, card, content)
    assert_refused(tmp_path, game, "npz", "")
    assert not (tmp_path / "executed").exists()
    if name == "q":  # the trap would have worked
        with np.load(io.BytesIO(content), allow_pickle=True) as trusting:
            trusting["q"]
        assert (tmp_path / "executed").exists()
