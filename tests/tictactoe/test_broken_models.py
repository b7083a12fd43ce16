"""Every way in which a model can be broken is refused, naming the file and what is wrong.

The arrays here have a card that vouches for them, so that it is not the digest that refuses them.
"""

import io
import json
import re
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.tictactoe.agents import ModelError, load, save
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import BASELINES
from tests.tictactoe.models import ID, Arrays, arrays_of, forge, make_agent, npz, write

Card = dict[str, Any]
ILLEGAL = (-1, 0)  # in the last decision all cells but one are taken


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, game: Game) -> tuple[bytes, bytes]:
    """A good card and its arrays."""
    folder = tmp_path_factory.mktemp("models")
    save(folder, game, make_agent(game))
    return (folder / f"{ID}.json").read_bytes(), (folder / f"{ID}.npz").read_bytes()


@pytest.fixture(scope="module")
def card(files: tuple[bytes, bytes]) -> Card:
    parsed: Card = json.loads(files[0])
    return parsed


@pytest.fixture(scope="module")
def arrays(game: Game) -> Arrays:
    return arrays_of(make_agent(game))


def assert_refused(folder: Path, game: Game, ending: str, reason: str) -> None:
    with pytest.raises(ModelError) as refused:
        load(folder, game, ID)
    assert re.match(rf"{re.escape(str(folder / ID))}\.{ending}: {reason}", str(refused.value)), (
        refused.value
    )


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
        history = np.repeat(arrays["snapshot_q"][-1:], number, axis=0)
        updates = np.arange(20 - number + 1, 21, dtype=np.int64)
        return arrays | {"snapshot_q": history, "snapshot_updates": updates}

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
    "single-precision history": (
        each("snapshot_q", lambda h: h.astype("<f4")),
        "snapshot_q is float32, not float16",
    ),
    "a history of one table": (
        each("snapshot_q", lambda h: h[-1]),
        r"snapshot_q has shape \(4520, 9\), not \(1 to 24, 4520, 9\)",
    ),
    "an array missing": (
        lambda arrays: {name: arrays[name] for name in arrays if name != "visits"},
        "holds q.npy, snapshot_q.npy, snapshot_updates.npy instead of q, visits",
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
    "no value in the history": (
        put("snapshot_q", (0, 0, 0), np.nan),
        "snapshot_q is not a number exactly where",
    ),
    "a taken cell in the history": (
        put("snapshot_q", (0, *ILLEGAL), 0),
        "snapshot_q is not a number exactly where",
    ),
    "an infinite history": (
        put("snapshot_q", (0, 0, 0), -np.inf),
        "snapshot_q is not a number exactly where",
    ),
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
        "snapshot_updates and snapshot_q differ in length",
    ),
    "a last snapshot that is not q": (
        put("snapshot_q", (-1, 0, 0), 9),
        "the last snapshot is not q",
    ),
    "a q that is not the last snapshot": (put("q", (0, 0), 9), "the last snapshot is not q"),
    "no snapshot": (snapshots(0), r"snapshot_updates has shape \(0,\), not \(1 to 24,\)"),
    "25 snapshots": (snapshots(25), r"snapshot_updates has shape \(25,\), not \(1 to 24,\)"),
    "a history too long": (
        lambda arrays: arrays | {"snapshot_q": np.zeros((30, 4520, 9), "<f2")},
        "snapshot_q would unpack to 2440928 bytes, more than any right one",
    ),
    "objects": (
        each("q", lambda _: np.array([{"not": "an array"}])),
        "q is object, not float32",
    ),
}


@pytest.mark.parametrize("case", BROKEN_ARRAYS)
def test_broken_arrays(tmp_path: Path, game: Game, card: Card, arrays: Arrays, case: str):
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


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


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
def test_broken_array_files(tmp_path: Path, game: Game, card: Card, arrays: Arrays, case: str):
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
def test_no_zip_file(tmp_path: Path, game: Game, card: Card, content: bytes, reason: str):
    forge(tmp_path, card, content)
    assert_refused(tmp_path, game, "npz", reason)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(tmp_path: Path, game: Game, card: Card, files, part: float):
    forge(tmp_path, card, files[1][: int(part * len(files[1]))])
    assert_refused(tmp_path, game, "npz", "no readable zip file")


def test_an_array_twice(tmp_path: Path, game: Game, card: Card, files):
    file = io.BytesIO(files[1])
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("q.npy", archive.read("q.npy"))
    forge(tmp_path, card, file.getvalue())
    assert_refused(tmp_path, game, "npz", "holds q.npy, q.npy, ")


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


def test_a_zip_bomb_that_says_so(tmp_path: Path, game: Game, card: Card, arrays: Arrays):
    forge(tmp_path, card, zipped(bomb(arrays)))
    assert_refused_within_memory(tmp_path, game, "q would unpack to .* bytes, more than any right")


def test_a_zip_bomb_that_lies(tmp_path: Path, game: Game, card: Card, arrays: Arrays):
    """It declares the right size for q, and unpacks to 40 MB more."""
    content = zipped(bomb(arrays))
    forge(tmp_path, card, understated(content, len(npy(arrays["q"]))))
    assert_refused_within_memory(tmp_path, game, "")


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_bomb_of_another_kind(tmp_path, game: Game, card: Card, arrays, compression: int):
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


def test_arrays_that_the_card_does_not_vouch_for(tmp_path: Path, game: Game, files, arrays):
    write(tmp_path, files[0], npz(arrays | {"visits": 2 * arrays["visits"]}))
    reason = "the file is not the one that the card describes: its sha256 differs"
    assert_refused(tmp_path, game, "npz", reason)


# What replaces a key of the card, and why the card is then refused.
BROKEN_CARDS: dict[str, tuple[Card, str]] = {
    "an unknown key": ({"author": "nobody"}, ".*unknown field `author`"),
    "a title that is a number": ({"title": 3}, r"Expected `str`, got `int` - at `\$.title`"),
    "no title": ({"title": None}, "Expected `str`, got `null`"),
    "a seed that is text": ({"seed": "0"}, "Expected `int`, got `str`"),
    "half a game": ({"games": 0.5}, "Expected `int`, got `float`"),
    "seconds as text": ({"seconds": "long"}, "Expected `float`, got `str`"),
    "opponents as text": ({"opponents": "random"}, "Expected `array`, got `str`"),
    "parameters in a list": ({"parameters": []}, "Expected `object`, got `array`"),
    "a list of parameters": ({"parameters": {"alpha": [1]}}, r".*at `\$.parameters\[...\]`"),
    "a version that is a number": ({"versions": {"numpy": 2}}, "Expected `str`, got `int`"),
    "worth of one seat": ({"worth": {"x": [-1, 0, 1]}, "nothing": 0}, ".*unknown field"),
    "worth of two outcomes": ({"worth": {"x": [-1, 1]}}, "Expected `array` of length 3"),
    "worth that falls": ({"worth": {"o": [1, 0, -1]}}, ".*worth in seat o rises"),
    "worth of a third seat": ({"worth": {"z": [-1, 0, 1]}}, ".*unknown field `z`"),
    "no figures": ({"figures": {}}, "Object missing required field `updates`"),
    "another id": ({"id": "other-agent"}, "id 'other-agent' is not the file's name"),
    "an id in capitals": ({"id": "Some-Agent"}, "id 'Some-Agent' is not lower-case words"),
    "an id that is a path": ({"id": "../some-agent"}, "id '../some-agent' is not lower-case words"),
    "an id and a line": ({"id": "some-agent\n"}, r"id 'some-agent\\n' is not lower-case words"),
    "no id": ({"id": ""}, "id '' is not lower-case words"),
    "the numbering of another game": ({"numbering": "0" * 64}, "numbering is that of another game"),
}


@pytest.mark.parametrize("case", BROKEN_CARDS)
def test_broken_cards(tmp_path: Path, game: Game, card: Card, files, case: str):
    change, reason = BROKEN_CARDS[case]
    write(tmp_path, json.dumps(card | change).encode(), files[1])
    assert_refused(tmp_path, game, "json", reason)


def test_every_key_of_a_card_is_needed(tmp_path: Path, game: Game, card: Card, files):
    for missing in card:
        left = {key: value for key, value in card.items() if key != missing}
        write(tmp_path, json.dumps(left).encode(), files[1])
        assert_refused(tmp_path, game, "json", f"Object missing required field `{missing}`")


def test_every_figure_of_a_card_is_needed_and_no_other(tmp_path: Path, game, card: Card, files):
    figures = card["figures"]
    for missing in figures:
        left = {key: value for key, value in figures.items() if key != missing}
        write(tmp_path, json.dumps(card | {"figures": left}).encode(), files[1])
        assert_refused(tmp_path, game, "json", f"Object missing required field `{missing}`")
    write(tmp_path, json.dumps(card | {"figures": figures | {"elo": [1]}}).encode(), files[1])
    assert_refused(tmp_path, game, "json", ".*unknown field `elo`")


def lists(figures: Any) -> list[list[Any]]:
    """The lists with one entry a snapshot, wherever they are."""
    if isinstance(figures, list):
        return [figures]
    return [found for below in figures.values() for found in lists(below)]


def test_every_figure_has_one_entry_a_snapshot(tmp_path: Path, game: Game, files):
    good = json.loads(files[0])["figures"]
    assert len(lists(good)) == 1 + 2 * len(BASELINES) + 2 + 1 + 1 + 2 + 1
    for i in range(len(lists(good))):
        broken = json.loads(files[0])
        lists(broken["figures"])[i].pop()
        write(tmp_path, json.dumps(broken).encode(), files[1])
        assert_refused(tmp_path, game, "json", "figures do not have one entry a snapshot")


def test_the_arrays_are_those_of_the_card_s_updates(tmp_path: Path, game: Game, card, files):
    write(tmp_path, json.dumps(card | {"updates": 21}).encode(), files[1])
    assert_refused(tmp_path, game, "npz", "snapshot_updates are not those of the card")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b"{",
        b"{}",
        b"{'id': 1}",
        b"\xff\xfe{}",
        b'{"id": "\xff"}',
        b'{"id": "\\ud800"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_card_at_all(tmp_path: Path, game: Game, files, content: bytes):
    write(tmp_path, content, files[1])
    assert_refused(tmp_path, game, "json", "")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "01", "0x1", "1_0"])
def test_a_number_that_is_none(tmp_path: Path, game: Game, files, number: str):
    broken = files[0].replace(b'"seconds": 0.25', f'"seconds": {number}'.encode())
    assert broken != files[0]
    write(tmp_path, broken, files[1])
    assert_refused(tmp_path, game, "json", "")


def test_a_good_card_with_something_after_it(tmp_path: Path, game: Game, files):
    write(tmp_path, files[0] + b"{}", files[1])
    assert_refused(tmp_path, game, "json", "")


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_missing_file_and_a_folder_in_its_place(tmp_path: Path, game: Game, files, ending: str):
    write(tmp_path, *files)
    path = tmp_path / f"{ID}.{ending}"
    path.unlink()
    assert_refused(tmp_path, game, ending, "No such file or directory")
    path.mkdir()
    assert_refused(tmp_path, game, ending, "Is a directory")


def test_a_model_of_another_game(tmp_path: Path, game: Game):
    other = connect(3, 3, 2)
    save(tmp_path, other, make_agent(other))
    assert_refused(tmp_path, game, "json", "numbering is that of another game")


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
