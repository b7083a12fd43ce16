"""Arrays that are no agent, and files that are no arrays, are refused, naming file and reason.

Their card vouches for them, so that it is not the digest that refuses them.
"""

import io
import json
import os
import signal
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from app.tictactoe.agents import arrays_file, load, save
from app.tictactoe.card import card_text
from app.tictactoe.game import Game, connect
from tests.tictactoe.models import (
    ID,
    Arrays,
    Keys,
    assert_refused,
    assert_same,
    damage,
    forge,
    load_or_refuse,
    make_agent,
    npy,
    npz,
    write,
    zipped,
)

SMALL = connect(2, 2, 2)  # of files that are mostly structure, which is what breaks a reader
ILLEGAL = (-1, 0)  # in the last decision all cells but one are taken


def test_the_forged_files_differ_from_good_ones_in_nothing_else(tmp_path, game, card, arrays):
    forge(tmp_path, card, npz(arrays))
    load(tmp_path, game, ID)


def set_one(name: str, where: Any, value: float) -> Callable[[Arrays], Arrays]:
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
    "q of integers": (
        each("q", lambda q: np.nan_to_num(q).astype("<i4")),
        "q is int32, not float32",
    ),
    "Fortran order": (each("q", np.asfortranarray), "q is float32, not float32 in C order"),
    "fewer decisions": (each("q", lambda q: q[:-1]), r"q has shape \(4519, 9\), not \(4520, 9\)"),
    "another dimension": (each("q", lambda q: q[None]), r"q has shape \(1, 4520, 9\)"),
    "half-precision history": (
        each("snapshot_q", lambda h: h.astype("<f2")),
        "snapshot_q is float16, not float32",
    ),
    "a history of tables": (
        each("snapshot_q", lambda h: np.zeros((2, 4520, 9), "<f4")),
        r"snapshot_q has shape \(2, 4520, 9\), not \(1 to 24, 16167\)",
    ),
    "an array missing": (
        lambda arrays: {name: arrays[name] for name in arrays if name != "visits"},
        "holds q.npy, snapshot_q.npy, snapshot_updated.npy, snapshot_updates.npy instead of q, v",
    ),
    "an array too many": (
        lambda arrays: arrays | {"extra": np.zeros(3)},
        "holds extra.npy, q.npy, .* instead of q, visits",
    ),
    "no value for a legal cell": (set_one("q", (0, 0), np.nan), "q is not a number exactly where"),
    "a value for a taken cell": (set_one("q", ILLEGAL, 0), "q is not a number exactly where"),
    "an infinite value": (set_one("q", (0, 0), np.inf), "q is not a number exactly where"),
    "infinity in a taken cell": (set_one("q", ILLEGAL, np.inf), "q is not a number exactly where"),
    "no value in the history": (set_one("snapshot_q", (0, 0), np.nan), "snapshot_q is not a num"),
    "visits to a taken cell": (set_one("visits", ILLEGAL, 1), "visits counts updates of illegal"),
    "updates that fall": (set_one("snapshot_updates", 0, 21), "snapshot_updates do not rise"),
    "updates that stand still": (set_one("snapshot_updates", 0, 20), "snapshot_updates do not"),
    "updates below 0": (set_one("snapshot_updates", 0, -1), "snapshot_updates do not rise"),
    "updates not of the card": (
        set_one("snapshot_updates", 0, 1),
        "snapshot_updates are not those of the card",
    ),
    "a snapshot without updates": (
        each("snapshot_updates", lambda u: u[1:]),
        "the arrays of the snapshots differ in length",
    ),
    "a snapshot of no pair": (
        each("snapshot_updated", lambda u: u[1:]),
        "the arrays of the snapshots differ in length",
    ),
    "a last snapshot that is not q": (set_one("q", (0, 0), 9), "the last snapshot is not q"),
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


@pytest.mark.parametrize("name", ["q", "extra"])
def test_nothing_is_ever_unpickled(tmp_path: Path, game: Game, card, arrays, name: str):
    trap = np.empty(1, object)
    trap[0] = Trap(tmp_path / "executed")
    content = npz(arrays | {name: trap})
    forge(tmp_path, card, content)
    assert_refused(tmp_path, game, "npz", "q is object" if name == "q" else "holds extra")
    assert not (tmp_path / "executed").exists()
    if name == "q":  # the trap would have worked
        with np.load(io.BytesIO(content), allow_pickle=True) as trusting:
            trusting["q"]
        assert (tmp_path / "executed").exists()


# Files that are no npz, or no files: they take no more memory than right ones.


def with_header(header: str) -> Callable[[bytes], bytes]:
    """The same numbers under another header."""

    def change(content: bytes) -> bytes:
        length = struct.unpack_from("<H", content, 8)[0]
        text = header.encode("latin-1") + b"\n"
        return content[:8] + struct.pack("<H", len(text)) + text + content[10 + length :]

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda _: b"", ""),
        (lambda npy: npy[:6] + b"\3" + npy[7:], "q is not in version 1.0"),
        (lambda npy: npy[:40], ""),
        (lambda npy: npy[:-4], "q has 162716 bytes of numbers, too few or too many"),
        (lambda npy: npy + b"\0\0\0\0", "q has 162724 bytes of numbers"),
        (with_header("exit(1)"), ""),
        (with_header("(" * 9000), ""),
        (
            with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-4520, -9)}"),
            r"q has shape \(-4520, -9\)",
        ),
    ],
    ids=["empty", "version", "half", "less", "more", "a call", "deep", "negative"],
)
def test_broken_array_files(tmp_path: Path, game: Game, card: Keys, arrays, change, reason: str):
    members = {name: npy(array) for name, array in arrays.items()}
    forge(tmp_path, card, zipped(members | {"q": change(members["q"])}))
    assert_refused(tmp_path, game, "npz", reason)


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (lambda _: b"", "no readable zip file"),
        (lambda _: b"not a zip file", "no readable zip file"),
        (lambda _: b"PK\5\6" + b"\0" * 18, "holds  ?instead of q"),
        (lambda content: content[: len(content) // 2], "no readable zip file"),
        (lambda content: content[:-1], "no readable zip file"),
    ],
    ids=["empty", "text", "no member", "half", "a byte less"],
)
def test_no_zip_file(tmp_path: Path, game: Game, card: Keys, files, cut, reason: str):
    forge(tmp_path, card, cut(files[1]))
    assert_refused(tmp_path, game, "npz", reason)


def test_an_array_twice(tmp_path: Path, game: Game, card: Keys, files):
    file = io.BytesIO(files[1])
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("q.npy", archive.read("q.npy"))
    forge(tmp_path, card, file.getvalue())
    assert_refused(tmp_path, game, "npz", "holds q.npy, q.npy, ")


def test_the_checksum_of_the_zip_file_is_checked_too(tmp_path: Path, game: Game, card, arrays):
    """One stored number changed, which nothing else would notice."""
    members = {name: npy(array) for name, array in arrays.items()}
    content = zipped(members, zipfile.ZIP_STORED)
    counted = members["visits"]
    where = content.index(counted) + len(counted) - 4 * 9 + int(np.argmax(arrays["visits"][-1])) * 4
    changed = content[:where] + bytes([content[where] ^ 1]) + content[where + 1 :]
    assert zlib.crc32(changed) != zlib.crc32(content)
    forge(tmp_path, card, changed)
    assert_refused(tmp_path, game, "npz", "no readable zip file: Bad CRC-32 for file 'visits.npy'")


BOMB = 24 << 20


def bomb(arrays: Arrays) -> dict[str, bytes]:
    """A q that unpacks to far more than any right one."""
    members = {name: npy(array) for name, array in arrays.items()}
    return members | {"q": members["q"] + bytes(BOMB)}


def understated(content: bytes, size: int) -> bytes:
    """The same zip file, saying in both places that its first member, q, has this size."""
    central = content.index(b"PK\1\2")
    changed = bytearray(content)
    struct.pack_into("<I", changed, 22, size)
    struct.pack_into("<I", changed, central + 24, size)
    return bytes(changed)


def test_a_zip_bomb_that_says_so(tmp_path: Path, game: Game, card: Keys, arrays: Arrays):
    forge(tmp_path, card, zipped(bomb(arrays)))
    assert_refused_within_memory(tmp_path, game, "q would unpack to .* bytes, more than any right")


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_bomb_that_lies(tmp_path, game: Game, card: Keys, arrays, compression: int):
    """It declares the right size for q, and unpacks to 24 MB more."""
    content = zipped(bomb(arrays), compression)
    forge(tmp_path, card, understated(content, len(npy(arrays["q"]))))
    assert_refused_within_memory(tmp_path, game, "")


def assert_refused_within_memory(
    folder: Path, game: Game, reason: str, ending: str = "npz"
) -> None:
    tracemalloc.start()
    try:
        assert_refused(folder, game, ending, reason)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 << 20


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_file_larger_than_any_right_one_is_not_read(tmp_path: Path, game: Game, files, ending):
    write(tmp_path, *files)
    with (tmp_path / f"{ID}.{ending}").open("r+b") as file:
        file.truncate(1 << 30)
    assert_refused_within_memory(tmp_path, game, r"larger than any right one, \d+ bytes", ending)


@contextmanager
def at_once() -> Iterator[None]:
    """Whoever waits 20 seconds has failed."""
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(20)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_what_is_no_plain_file_is_refused(tmp_path: Path, game: Game, files, ending: str):
    """A pipe at once, without waiting for whoever might write to it."""
    write(tmp_path, *files)
    path = tmp_path / f"{ID}.{ending}"
    path.unlink()
    assert_refused(tmp_path, game, ending, "No such file or directory")
    path.mkdir()
    assert_refused(tmp_path, game, ending, "Is a directory")
    path.rmdir()
    os.mkfifo(path)
    with at_once():
        assert_refused(tmp_path, game, ending, "no plain file")


def test_a_pipe_where_arrays_wait_for_their_card_is_passed_by(tmp_path: Path, game: Game):
    agent = save(tmp_path, game, make_agent(game))
    os.mkfifo(tmp_path / f"{ID}.npz.newer")
    with at_once():
        assert_same(load(tmp_path, game, ID), agent)
        save(tmp_path, game, agent)
    assert {path.name for path in tmp_path.iterdir()} == {f"{ID}.json", f"{ID}.npz"}


# Changed at random: what is not refused is an agent.


def test_damaged_arrays_with_a_new_digest_are_refused_or_are_arrays(memory: Path):
    """Whoever changes the card too can write any agent, but nothing that is none."""
    saved = save(memory, SMALL, make_agent(SMALL))
    card, good = json.loads(card_text(saved.card)), arrays_file(SMALL, saved)
    random, times, refused = Random(8), 2_000, 0
    for _ in range(times):
        forge(memory, card, damage(random, good))
        loaded = load_or_refuse(memory, SMALL)
        if loaded is None:
            refused += 1
        else:
            np.testing.assert_array_equal(np.isfinite(loaded.q), SMALL.legal)
            np.testing.assert_array_equal(loaded.history.values(-1), loaded.q[SMALL.legal])
            assert loaded.snapshot_updates.tolist() == [0, 20]
            assert loaded.visits.shape == SMALL.legal.shape
            updated = loaded.history.all_updated()
            np.testing.assert_array_equal(updated[-1], loaded.visits[SMALL.legal] > 0)
            assert (updated[-1] | ~updated[0]).all()
    assert refused > times / 2
