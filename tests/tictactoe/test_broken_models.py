"""Invalid models are rejected with the file and the reason: arrays, archive or card.

Wrong arrays have a card with their digest, so that the digest is not the reason.  msgspec tests the
types of fields; randomly changed cards show that every accepted card can be displayed.

"""

import io
import json
import os
import signal
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from app.tictactoe.agents import Agent, read_arrays_file, save_agent
from app.tictactoe.card import format_card
from app.tictactoe.game import Game, build_game
from app.tictactoe.policy import BASELINES
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
    put,
    write,
    zipped,
)

SMALL = build_game(2, 2, 2)  # small files consist mostly of structure, where damage matters
ILLEGAL = (-1, 0)  # a pair that is illegal: in the last decision only one cell is empty


def set_one(name: str, where: Any, value: float) -> Callable[[Arrays], Arrays]:
    """Return the arrays with one number changed."""

    def change(arrays: Arrays) -> Arrays:
        changed = arrays[name].copy()
        changed[where] = value
        return arrays | {name: changed}

    return change


def each(name: str, change: Callable[[Any], Any]) -> Callable[[Arrays], Arrays]:
    """Return the arrays with one array replaced."""
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
    "an array missing": (
        lambda arrays: {name: arrays[name] for name in arrays if name != "visits"},
        "holds q.npy, snapshot_q.npy, snapshot_updated.npy, snapshot_updates.npy instead of q, v",
    ),
    "no value for a legal cell": (set_one("q", (0, 0), np.nan), "q is not a number exactly where"),
    "a value for a illegal move": (set_one("q", ILLEGAL, 0), "q is not a number exactly where"),
    "infinity in a illegal move": (
        set_one("q", ILLEGAL, np.inf),
        "q is not a number exactly where",
    ),
    "no value in the history": (set_one("snapshot_q", (0, 0), np.nan), "snapshot_q is not a num"),
    "visits to a illegal move": (set_one("visits", ILLEGAL, 1), "visits counts updates of illegal"),
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
    "a last snapshot that is not q": (set_one("q", (0, 0), 9), "the last snapshot is not q"),
    "an update that visits do not count": (
        each("visits", np.zeros_like),
        "what the last snapshot had updated is not what visits counts",
    ),
    "a pair that is forgotten": (
        each("snapshot_updated", lambda u: u | [[True], [False]]),
        "snapshot_updated forgets a pair",
    ),
    "no snapshot": (snapshots(0), r"snapshot_updates has shape \(0,\), not \(1 to 24,\)"),
    "25 snapshots": (snapshots(25), r"snapshot_updates has shape \(25,\), not \(1 to 24,\)"),
}


@pytest.mark.parametrize("case", BROKEN_ARRAYS)
def test_broken_arrays(tmp_path: Path, game: Game, card: Keys, arrays: Arrays, case: str):
    change, reason = BROKEN_ARRAYS[case]
    forge(tmp_path, card, npz(change(arrays)))
    assert_refused(tmp_path, game, "npz", reason)


class Trap:
    """An object that leaves a file behind when it is unpickled."""

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


# What is no npz file, or no file at all, takes no more memory than a valid file.


BOMB = 24 << 20


def bomb(arrays: Arrays) -> dict[str, bytes]:
    """Return an archive whose q unpacks to far more than any valid q."""
    members = {name: npy(array) for name, array in arrays.items()}
    return members | {"q": members["q"] + bytes(BOMB)}


def understated(content: bytes, size: int) -> bytes:
    """Return a zip file that states this size for its first member, q, in both places."""
    central = content.index(b"PK\1\2")
    changed = bytearray(content)
    struct.pack_into("<I", changed, 22, size)
    struct.pack_into("<I", changed, central + 24, size)
    return bytes(changed)


@pytest.mark.parametrize(
    "compression",
    [
        zipfile.ZIP_DEFLATED,
        zipfile.ZIP_BZIP2,
        pytest.param(zipfile.ZIP_LZMA, marks=pytest.mark.long),
    ],
)
def test_a_zip_bomb_that_lies(tmp_path, game: Game, card: Keys, arrays, compression: int):
    """The archive states the right size for q, and unpacks to 24 MB more."""
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
    """Fail a test that hangs, however busy the machine is."""
    signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(300)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_what_is_no_plain_file_is_refused(tmp_path: Path, game: Game, files, ending: str):
    """A pipe is rejected at once, without waiting for a writer."""
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


# Arrays changed at random: if they are not refused, they are a valid agent.


@pytest.mark.long
def test_damaged_arrays_with_a_new_digest_are_refused_or_are_arrays(memory: Path, saved: Agent):
    """With a changed card too, any valid agent can be written, but no invalid one."""
    card, good = json.loads(format_card(saved.card)), read_arrays_file(SMALL, saved)
    random, times, refused = Random(8), 2_000, 0
    for _ in range(times):
        forge(memory, card, damage(random, good))
        loaded = load_or_refuse(memory, SMALL)
        if loaded is None:
            refused += 1
        else:
            np.testing.assert_array_equal(np.isfinite(loaded.q), SMALL.legal)
            np.testing.assert_array_equal(loaded.history.get_values(-1), loaded.q[SMALL.legal])
            assert loaded.snapshot_updates.tolist() == [0, 20]
            assert loaded.visits.shape == SMALL.legal.shape
            updated = loaded.history.find_all_updated_moves()
            np.testing.assert_array_equal(updated[-1], loaded.visits[SMALL.legal] > 0)
            assert (updated[-1] | ~updated[0]).all()
    assert refused > times / 2


# The card.

NO_WIN_RATE = "win_rate is not a share of games in each seat for each epoch"
ONE_EACH = "figures do not have one entry a snapshot"
AGAINST = "figures are against .* and have to be against random, fixed, t-hand"
UP_TO_1 = "chances of win, draw and loss add up to 1"


def figure(*path: Any) -> Callable[[Any], None]:
    return put("figures", *path)


def unknown_opponent(card: Any) -> None:
    card["figures"]["vs"]["chance"] = card["figures"]["vs"]["random"]


TASK = {name: [1.0, 0.5] for name in ("largest", "mean", "largest_reached", "mean_reached")}
BROKEN_CARDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a key of older cards": (put("opponents", ["random"]), ".*unknown field `opponents`"),
    "worth that falls": (put("worth", {"o": [1, 0, -1]}), ".*worth in seat o rises"),
    "another id": (put("id", "other-agent"), "id 'other-agent' is not the file's name"),
    "the numbering of another game": (
        put("numbering", "0" * 64),
        "numbering is that of another game",
    ),
    "win rates of no epoch": (put("win_rate", {"x": [], "o": []}), NO_WIN_RATE),
    "one win rate more": (put("win_rate", {"x": [0.5], "o": [0.5, 0.5]}), NO_WIN_RATE),
    "nobody met": (
        figure("vs", {}),
        "figures are against no opponent and have to be against random",
    ),
    "an opponent nobody knows": (unknown_opponent, AGAINST),
    "more than 1 together": (figure("vs", "minimax", "o", 0, [0.5, 0.5, 0.5]), UP_TO_1),
    "no snapshot": (figure("updates", []), ONE_EACH),
    "more blunders than decisions": (
        figure("blunders", 0, 4521),
        "there are no more blunders than decisions, 4520",
    ),
    "more of them in a seat": (
        figure("reachable_blunders", "o", 1, 4521),
        "there are no more blunders than decisions, 4520",
    ),
    "a name with a capital": (put("algorithm", "Q-learning"), "Expected `"),
    "a seed below 0": (put("seed", -1), "Expected `"),
    "games below 0": (put("games", -3), "Expected `"),
    "seconds below 0": (put("seconds", -0.25), "Expected `"),
    "nothing found, as a text": (put("found", [""]), "Expected `"),
    "a chance below 0": (figure("vs", "random", "x", 0, [-0.5, 0.5, 1]), "Expected `"),
    "nash_conv below 0": (figure("nash_conv", 0, -0.1), "Expected `"),
    "nash_conv above 2": (figure("nash_conv", 0, 2.1), "Expected `"),
    "blunders below 0": (figure("blunders", 0, -1), "Expected `"),
    "a share above 1": (figure("classes_right", 0, 1.5), "Expected `"),
    "a distance below 0": (figure("task", TASK | {"mean": [1, -1]}), "Expected `"),
}


@pytest.mark.parametrize("case", BROKEN_CARDS)
def test_broken_cards(tmp_path: Path, game: Game, card: Keys, files, case: str):
    change, reason = BROKEN_CARDS[case]
    broken = deepcopy(card)
    change(broken)
    write(tmp_path, json.dumps(broken).encode(), files[1])
    assert_refused(tmp_path, game, "json", reason)


def lists(figures: Any) -> list[list[Any]]:
    """Return all lists with one entry for each snapshot."""
    if isinstance(figures, list):
        return [figures]
    return [found for below in figures.values() for found in lists(below)]


def test_every_figure_has_one_entry_a_snapshot(tmp_path: Path, game: Game, card: Keys, files):
    good = card | {"figures": card["figures"] | {"task": TASK}}
    write(tmp_path, json.dumps(good).encode(), files[1])
    assert load_or_refuse(tmp_path, game) is not None
    for i in range(len(lists(good["figures"]))):
        broken = deepcopy(good)
        lists(broken["figures"])[i].pop()
        write(tmp_path, json.dumps(broken).encode(), files[1])
        assert_refused(tmp_path, game, "json", ONE_EACH)


@pytest.mark.parametrize("rules", ["two in a row", "who has a line loses"])
def test_a_model_of_another_game(tmp_path: Path, game: Game, rules: str):
    other = build_game(3, 3, 2) if rules == "two in a row" else replace(game, outcome=-game.outcome)
    save_agent(tmp_path, other, make_agent(other))
    assert_refused(tmp_path, game, "json", "numbering is that of another game")


# Cards changed at random: if a card is not refused, pages can show it, and the table is the same.


@pytest.fixture(scope="module")
def saved(memory: Path) -> Agent:
    return save_agent(memory, SMALL, make_agent(SMALL))


def assert_sound(agent: Agent, saved: Agent) -> None:
    """Check that an accepted card differs only in texts and numbers, and can be displayed."""
    assert_same(agent, saved)
    card, figures = agent.card, msgspec.to_builtins(agent.card.figures)
    assert (card.id, card.arrays_digest, card.numbering_digest) == (
        ID,
        saved.card.arrays_digest,
        saved.card.numbering_digest,
    )
    assert msgspec.json.decode(format_card(card), type=type(card)) == card
    texts = [card.title, card.origin, card.recipe, card.algorithm, *card.findings]
    assert all(
        [*texts, *(word for fact in card.reported for word in (fact.text, fact.source_location))]
    )
    assert min(card.seed, card.games, card.training_seconds) >= 0
    assert figures["updates"] == [0, 20] == [0, card.updates]
    assert set(figures["vs"]) == set(BASELINES)
    for seats in (figures["best_response"], *figures["vs"].values()):
        for chances in (*seats["x"], *seats["o"]):
            assert len(chances) == 3
            assert min(chances) >= 0
            assert sum(chances) == pytest.approx(1)
    assert all(0 <= share <= 1 for share in figures["classes_right"])
    assert all(0 <= value <= 2 for value in figures["nash_conv"])
    for counts in (figures["blunders"], *figures["reachable_blunders"].values()):
        assert all(count in range(SMALL.decisions + 1) for count in counts)
    assert {len(entries) for entries in lists({**figures, "task": figures["task"] or {}})} == {2}


JUNK: list[Any] = json.loads(
    '[null, true, -1, 0, 0.5, 7, 1e300, "", "x", "1", [], {}, [[]], [0, 1], {"x": [], "o": []}]'
)


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every list and object of a card with each of its keys."""
    if isinstance(tree, list | dict):
        for key in range(len(tree)) if isinstance(tree, list) else tree:
            yield tree, key
            yield from places(tree[key])


def mutate(random: Random, card: Keys) -> None:
    """Delete, repeat or replace a random entry of a card."""
    found = list(places(card))
    within, key = random.choice(found)
    other, there = random.choice(found)
    match random.choice(["remove", "double", "junk", "other", "scale"]):
        case "remove":
            del within[key]
        case "double" if isinstance(within, list):
            within.insert(key, deepcopy(within[key]))
        case "double":
            within[f"{key}2"] = deepcopy(within[key])
        case "other":
            within[key] = deepcopy(other[there])
        case "scale" if isinstance(within[key], int | float):
            within[key] *= random.choice([-1, 0.999, 1.5, 1000])
        case _:
            within[key] = random.choice(JUNK)


@pytest.mark.long
def test_a_mutated_card_is_refused_or_can_be_shown(memory: Path, saved: Agent):
    good = format_card(saved.card)
    random, times, refused = Random(9), 2_000, 0
    for _ in range(times):
        card = json.loads(good)
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            mutate(random, card)
        write(memory, json.dumps(card).encode(), read_arrays_file(SMALL, saved))
        loaded = load_or_refuse(memory, SMALL)
        if loaded is None:
            refused += 1
        else:
            assert_sound(loaded, saved)
    assert 0.5 * times < refused < 0.98 * times
