"""Files that are no npz are refused, and without taking more memory than a right one would.

Their card vouches for them, so that it is not the digest that refuses them.
"""

import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.tictactoe.game import Game
from tests.tictactoe.models import (
    ID,
    Arrays,
    Keys,
    assert_refused,
    forge,
    npy,
    write,
    zipped,
)


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


BOMB = 40 << 20


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
    """It declares the right size for q, and unpacks to 40 MB more."""
    content = zipped(bomb(arrays))
    forge(tmp_path, card, understated(content, len(npy(arrays["q"]))))
    assert_refused_within_memory(tmp_path, game, "")


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_bomb_of_another_kind(tmp_path, game: Game, card: Keys, arrays, compression: int):
    content = zipped(bomb(arrays), compression)
    forge(tmp_path, card, understated(content, len(npy(arrays["q"]))))
    assert_refused_within_memory(tmp_path, game, "")


def assert_refused_within_memory(folder: Path, game: Game, reason: str) -> None:
    tracemalloc.start()
    try:
        assert_refused(folder, game, "npz", reason)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 << 20


def test_a_file_larger_than_any_right_one_is_not_read(tmp_path: Path, game: Game, files):
    for ending, size in [("npz", 1 << 30), ("json", 1 << 30)]:
        write(tmp_path, *files)
        with (tmp_path / f"{ID}.{ending}").open("r+b") as file:
            file.truncate(size)
        tracemalloc.start()
        try:
            assert_refused(tmp_path, game, ending, r"larger than any right one, \d+ bytes")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 20 << 20
