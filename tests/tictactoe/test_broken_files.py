"""Files that are no npz, or no files, are refused, and take no more memory than right ones.

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

import numpy as np
import pytest

from app.tictactoe.agents import load, save
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
    write,
    zipped,
)

SMALL = connect(2, 2, 2)  # of files that are mostly structure, which is what breaks a reader


def with_header(header: str) -> Callable[[bytes], bytes]:
    """The same numbers under another header."""

    def change(content: bytes) -> bytes:
        length = struct.unpack_from("<H", content, 8)[0]
        text = header.encode("latin-1") + b"\n"
        return content[:8] + struct.pack("<H", len(text)) + text + content[10 + length :]

    return change


BROKEN_MEMBERS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", ""),
    "a magic only": (lambda npy: npy[:6], ""),
    "another magic": (lambda npy: b"PK" + npy[2:], ""),
    "version 3.0": (lambda npy: npy[:6] + b"\3" + npy[7:], "q is not in version 1.0"),
    "half a header": (lambda npy: npy[:40], ""),
    "no number": (lambda npy: npy[: 10 + struct.unpack_from("<H", npy, 8)[0]], "q has 0 bytes"),
    "a number less": (lambda npy: npy[:-4], "q has 162716 bytes of numbers, too few or too many"),
    "a number more": (lambda npy: npy + b"\0\0\0\0", "q has 162724 bytes of numbers"),
    "no dictionary": (with_header("[1, 2]"), ""),
    "a call": (with_header("exit(1)"), ""),
    "an open quote": (with_header("'''"), ""),
    "an open bracket": (with_header("{'descr': '<f4', 'shape': (4520, 9"), ""),
    "bad indentation": (with_header("{\n  1\n 2"), ""),
    "too deep to read": (with_header("(" * 9000), ""),
    "too many signs to read": (with_header("-" * 9000 + "1"), ""),
    "a NUL in it": (with_header("{'descr': '\0'}"), ""),
    "keys of two kinds": (
        with_header("{'descr': '<f4', b'fortran_order': False, 'shape': (4520, 9)}"),
        "",
    ),
    "a negative shape": (
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-4520, -9)}"),
        r"q has shape \(-4520, -9\)",
    ),
    "a giant shape": (
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (10**9, 9)}"),
        "",
    ),
    "no dtype": (
        with_header("{'descr': 'nothing', 'fortran_order': False, 'shape': (4520, 9)}"),
        "",
    ),
}


@pytest.mark.parametrize("case", BROKEN_MEMBERS)
def test_broken_array_files(tmp_path: Path, game: Game, card: Keys, arrays: Arrays, case: str):
    change, reason = BROKEN_MEMBERS[case]
    members = {name: npy(array) for name, array in arrays.items()}
    forge(tmp_path, card, zipped(members | {"q": change(members["q"])}))
    assert_refused(tmp_path, game, "npz", reason)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no readable zip file"),
        (b"not a zip file", "no readable zip file"),
        (b"PK\5\6" + b"\0" * 18, "holds  ?instead of q"),
        (b"\x93NUMPY", "no readable zip file"),
    ],
)
def test_no_zip_file(tmp_path: Path, game: Game, card: Keys, content: bytes, reason: str):
    forge(tmp_path, card, content)
    assert_refused(tmp_path, game, "npz", reason)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(tmp_path: Path, game: Game, card: Keys, files, part: float):
    forge(tmp_path, card, files[1][: int(part * len(files[1]))])
    assert_refused(tmp_path, game, "npz", "no readable zip file")


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


def test_a_zip_bomb_that_lies(tmp_path: Path, game: Game, card: Keys, arrays: Arrays):
    """It declares the right size for q, and unpacks to 24 MB more."""
    content = zipped(bomb(arrays))
    forge(tmp_path, card, understated(content, len(npy(arrays["q"]))))
    assert_refused_within_memory(tmp_path, game, "")


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_bomb_of_another_kind(tmp_path, game: Game, card: Keys, arrays, compression: int):
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


def test_a_file_larger_than_any_right_one_is_not_read(tmp_path: Path, game: Game, files):
    for ending, size in [("npz", 1 << 30), ("json", 1 << 30)]:
        write(tmp_path, *files)
        with (tmp_path / f"{ID}.{ending}").open("r+b") as file:
            file.truncate(size)
        assert_refused_within_memory(
            tmp_path, game, r"larger than any right one, \d+ bytes", ending
        )


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


# Thousands of damaged files: none is ever taken for something else.


def test_no_damaged_arrays_load(memory: Path):
    save(memory, SMALL, make_agent(SMALL))
    path = memory / f"{ID}.npz"
    good = path.read_bytes()
    random, times, refused = Random(6), 5_000, 0
    for _ in range(times):
        bad = damage(random, good)
        if bad == good:
            continue
        path.write_bytes(bad)
        assert load_or_refuse(memory, SMALL) is None
        refused += 1
    assert refused > 0.95 * times


def test_damaged_arrays_with_a_new_digest_are_refused_or_are_arrays(memory: Path):
    """Whoever changes the card too can write any agent, but nothing that is none."""
    save(memory, SMALL, make_agent(SMALL))
    card = json.loads((memory / f"{ID}.json").read_text())
    good = (memory / f"{ID}.npz").read_bytes()
    random, times, refused = Random(8), 2_500, 0
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
