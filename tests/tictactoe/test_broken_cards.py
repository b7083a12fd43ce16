"""A card that is none, or not that of its arrays, is refused, naming the file and the reason."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from app.tictactoe.agents import Agent, arrays_file, save
from app.tictactoe.card import card_text
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import BASELINES
from tests.tictactoe.models import (
    ID,
    Keys,
    assert_refused,
    assert_same,
    damage,
    load_or_refuse,
    make_agent,
    npz,
    write,
)

SMALL = connect(2, 2, 2)
NO_WIN_RATE = "win_rate is not a share of games in each seat for each epoch"
NO_ID = r"Expected `str` matching regex .* at `\$.id`"
ONE_EACH = "figures do not have one entry a snapshot"
AGAINST = "figures are against .* and have to be against random, fixed, t-hand"
UP_TO_1 = "chances of win, draw and loss add up to 1"
LOW, HIGH = "Expected `float` >= 0.0", "Expected `float` <= 1.0"
TASK = {name: [1.0, 0.5] for name in ("largest", "mean", "largest_reached", "mean_reached")}

# What replaces a key of the card, and why the card is then refused.
BROKEN_CARDS: dict[str, tuple[Keys, str]] = {
    "an unknown key": ({"author": "nobody"}, ".*unknown field `author`"),
    "a key of older cards": ({"opponents": ["random"]}, ".*unknown field `opponents`"),
    "a title that is a number": ({"title": 3}, r"Expected `str`, got `int` - at `\$.title`"),
    "no title": ({"title": None}, "Expected `str`, got `null`"),
    "an empty title": ({"title": ""}, r"Expected `str` of length >= 1 - at `\$.title`"),
    "an empty origin": ({"origin": ""}, r".*length >= 1 - at `\$.origin`"),
    "an empty recipe": ({"recipe": ""}, r".*length >= 1 - at `\$.recipe`"),
    "no algorithm": ({"algorithm": ""}, r".*matching regex .* at `\$.algorithm`"),
    "an algorithm and a line": ({"algorithm": "none\n"}, r".*regex .* at `\$.algorithm`"),
    "reports as text": ({"reported": "never lost"}, "Expected `array`, got `str`"),
    "an empty report": ({"reported": [{"text": "", "where": "here"}]}, ".*length >= 1"),
    "a report from nowhere": ({"reported": [{"text": "won"}]}, ".*missing required field `where`"),
    "an empty finding": ({"found": ["", "lost"]}, r".*length >= 1 - at `\$.found\[0\]`"),
    "another way to play": ({"plays": "best"}, r"Invalid enum value 'best' - at `\$.plays`"),
    "a seed that is text": ({"seed": "0"}, "Expected `int`, got `str`"),
    "a seed below 0": ({"seed": -1}, "Expected `int` >= 0"),
    "half a game": ({"games": 0.5}, "Expected `int`, got `float`"),
    "games below 0": ({"games": -3}, "Expected `int` >= 0"),
    "updates below 0": ({"updates": -20}, "Expected `int` >= 0"),
    "seconds as text": ({"seconds": "long"}, "Expected `float`, got `str`"),
    "seconds below 0": ({"seconds": -0.25}, LOW),
    "a version that is a number": ({"versions": {"numpy": 2}}, "Expected `str`, got `int`"),
    "a digest too short": ({"arrays": "0" * 63}, r".*matching regex .* at `\$.arrays`"),
    "worth of one seat": ({"worth": {"x": [-1, 0, 1]}, "nothing": 0}, ".*unknown field"),
    "worth of two outcomes": ({"worth": {"x": [-1, 1]}}, "Expected `array` of length 3"),
    "worth that falls": ({"worth": {"o": [1, 0, -1]}}, ".*worth in seat o rises"),
    "worth of a third seat": ({"worth": {"z": [-1, 0, 1]}}, ".*unknown field `z`"),
    "no figures": ({"figures": {}}, "Object missing required field `updates`"),
    "another id": ({"id": "other-agent"}, "id 'other-agent' is not the file's name"),
    "an id in capitals": ({"id": "Some-Agent"}, NO_ID),
    "an id that is a path": ({"id": "../some-agent"}, NO_ID),
    "an id and a line": ({"id": "some-agent\n"}, NO_ID),
    "no id": ({"id": ""}, NO_ID),
    "a win rate in one seat": ({"win_rate": {"x": [0.5]}}, ".*missing required field `o`"),
    "win rates of no epoch": ({"win_rate": {"x": [], "o": []}}, NO_WIN_RATE),
    "one win rate more": ({"win_rate": {"x": [0.5], "o": [0.5, 0.5]}}, NO_WIN_RATE),
    "win rates in percent": ({"win_rate": {"x": [0.5], "o": [50]}}, HIGH),
    "a win rate below 0": ({"win_rate": {"x": [-0.5], "o": [0.5]}}, LOW),
    "the numbering of another game": ({"numbering": "0" * 64}, "numbering is that of another game"),
}


@pytest.mark.parametrize("case", BROKEN_CARDS)
def test_broken_cards(tmp_path: Path, game: Game, card: Keys, files, case: str):
    change, reason = BROKEN_CARDS[case]
    write(tmp_path, json.dumps(card | change).encode(), files[1])
    assert_refused(tmp_path, game, "json", reason)


def put(*path: Any) -> Callable[[Any], None]:
    """Put a value, the last of these, where the others lead to."""

    def change(figures: Any) -> None:
        *keys, last, value = path
        for key in keys:
            figures = figures[key]
        figures[last] = value

    return change


BROKEN_FIGURES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "nobody met": (put("vs", {}), "figures are against nobody and have to be against random"),
    "an opponent missing": (lambda figures: figures["vs"].pop("t-hand"), AGAINST),
    "an opponent nobody knows": (
        lambda figures: figures["vs"].update({"chance": figures["vs"]["random"]}),
        AGAINST,
    ),
    "a chance below 0": (put("vs", "random", "x", 0, [-0.5, 0.5, 1]), LOW),
    "a chance above 1": (put("best_response", "o", 1, [2, 0, 0]), HIGH),
    "two chances": (put("vs", "fixed", "x", 1, [0.5, 0.5]), "Expected `array` of length 3"),
    "more than 1 together": (put("vs", "minimax", "o", 0, [0.5, 0.5, 0.5]), UP_TO_1),
    "less than 1 together": (put("best_response", "x", 0, [0.5, 0.25, 0]), UP_TO_1),
    "no chance at all": (put("vs", "strongest", "o", 1, [0, 0, 0]), UP_TO_1),
    "no snapshot": (put("updates", []), ONE_EACH),
    "updates below 0": (put("updates", 0, -1), "Expected `int` >= 0"),
    "a NashConv below 0": (put("nash_conv", 0, -0.1), LOW),
    "a NashConv above 2": (put("nash_conv", 0, 2.1), "Expected `float` <= 2.0"),
    "blunders below 0": (put("blunders", 0, -1), "Expected `int` >= 0"),
    "half a blunder": (put("blunders", 0, 0.5), "Expected `int`, got `float`"),
    "more blunders than decisions": (put("blunders", 0, 4521), "there are no more blunders than"),
    "more of them in a seat": (put("reachable_blunders", "o", 1, 4521), ".* decisions, 4520"),
    "reachable ones below 0": (put("reachable_blunders", "x", 1, -1), "Expected `int` >= 0"),
    "more right than there are": (put("classes_right", 0, 1.5), HIGH),
    "a task that says nothing": (put("task", {}), ".*missing required field `largest`"),
    "a distance below 0": (put("task", TASK | {"mean": [1, -1]}), LOW),
    "a distance missing": (put("task", TASK | {"mean_reached": [1]}), ONE_EACH),
    "a third seat": (put("vs", "random", "z", []), ".*unknown field `z`"),
}


@pytest.mark.parametrize("case", BROKEN_FIGURES)
def test_broken_figures(tmp_path: Path, game: Game, card: Keys, files, case: str):
    change, reason = BROKEN_FIGURES[case]
    broken = deepcopy(card)
    change(broken["figures"])
    write(tmp_path, json.dumps(broken).encode(), files[1])
    assert_refused(tmp_path, game, "json", reason)


def test_every_key_of_a_card_is_needed(tmp_path: Path, game: Game, card: Keys, files):
    for missing in card:
        left = {key: value for key, value in card.items() if key != missing}
        write(tmp_path, json.dumps(left).encode(), files[1])
        assert_refused(tmp_path, game, "json", f"Object missing required field `{missing}`")


def test_every_figure_of_a_card_is_needed_and_no_other(tmp_path: Path, game, card: Keys, files):
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


def test_every_figure_has_one_entry_a_snapshot(tmp_path: Path, game: Game, card: Keys, files):
    good = card | {"figures": card["figures"] | {"task": TASK}}
    write(tmp_path, json.dumps(good).encode(), files[1])
    assert load_or_refuse(tmp_path, game) is not None
    assert len(lists(good["figures"])) == 1 + 2 * len(BASELINES) + 2 + 1 + 1 + 2 + 1 + 4
    for i in range(len(lists(good["figures"]))):
        broken = deepcopy(good)
        lists(broken["figures"])[i].pop()
        write(tmp_path, json.dumps(broken).encode(), files[1])
        assert_refused(tmp_path, game, "json", ONE_EACH)


def test_the_arrays_are_those_of_the_card_s_updates(tmp_path: Path, game: Game, card, files):
    write(tmp_path, json.dumps(card | {"updates": 21}).encode(), files[1])
    assert_refused(tmp_path, game, "npz", "snapshot_updates are not those of the card")


def test_nobody_plays_in_proportion_to_a_value_below_0(tmp_path: Path, game: Game, card, files):
    write(tmp_path, json.dumps(card | {"plays": "proportional"}).encode(), files[1])
    assert_refused(tmp_path, game, "npz", "nobody can play in proportion to a value below 0")


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


def test_arrays_that_the_card_does_not_vouch_for(tmp_path: Path, game: Game, files, arrays):
    write(tmp_path, files[0], npz(arrays | {"visits": 2 * arrays["visits"]}))
    reason = "the file is not the one that the card describes: its sha256 differs"
    assert_refused(tmp_path, game, "npz", reason)


@pytest.mark.parametrize("rules", ["two in a row", "who has a line loses"])
def test_a_model_of_another_game(tmp_path: Path, game: Game, rules: str):
    other = connect(3, 3, 2) if rules == "two in a row" else replace(game, outcome=-game.outcome)
    save(tmp_path, other, make_agent(other))
    assert_refused(tmp_path, game, "json", "numbering is that of another game")


# Changed at random: what is not refused can be shown, and shows the same table.


@pytest.fixture(scope="module")
def saved(memory: Path) -> Agent:
    return save(memory, SMALL, make_agent(SMALL))


def assert_sound(agent: Agent, saved: Agent) -> None:
    """It is what was saved but for words and numbers, and they are what a page takes them for."""
    assert_same(agent, saved)
    card, figures = agent.card, msgspec.to_builtins(agent.card.figures)
    assert (card.id, card.arrays, card.numbering) == (ID, saved.card.arrays, saved.card.numbering)
    assert msgspec.json.decode(card_text(card), type=type(card)) == card
    texts = [card.title, card.origin, card.recipe, card.algorithm, *card.found]
    assert all([*texts, *(word for fact in card.reported for word in (fact.text, fact.where))])
    assert min(card.seed, card.games, card.seconds) >= 0
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


def test_a_damaged_card_is_refused_or_describes_the_same_arrays(memory: Path, saved: Agent):
    """A changed letter of a title cannot be told from an edit."""
    good = card_text(saved.card).encode()
    random, times, refused = Random(7), 5_000, 0
    for _ in range(times):
        write(memory, damage(random, good), arrays_file(SMALL, saved))
        loaded = load_or_refuse(memory, SMALL)
        if loaded is None:
            refused += 1
        else:
            assert_sound(loaded, saved)
    assert refused > 0.5 * times


JUNK: list[Any] = json.loads(
    '[null, true, -1, 0, 0.5, 7, 1e300, "", "x", "1", [], {}, [[]], [0, 1], {"x": [], "o": []}]'
)


def places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every list and object of a card, with each of its keys."""
    if isinstance(tree, list | dict):
        for key in range(len(tree)) if isinstance(tree, list) else tree:
            yield tree, key
            yield from places(tree[key])


def mutate(random: Random, card: Keys) -> None:
    """Change one thing, wherever: take it away, double it, or put another in its place."""
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


def test_a_mutated_card_is_refused_or_can_be_shown(memory: Path, saved: Agent):
    good = card_text(saved.card)
    random, times, refused = Random(9), 2_000, 0
    for _ in range(times):
        card = json.loads(good)
        for _ in range(random.choice([1, 1, 1, 2, 3])):
            mutate(random, card)
        write(memory, json.dumps(card).encode(), arrays_file(SMALL, saved))
        loaded = load_or_refuse(memory, SMALL)
        if loaded is None:
            refused += 1
        else:
            assert_sound(loaded, saved)
    assert 0.5 * times < refused < 0.98 * times
