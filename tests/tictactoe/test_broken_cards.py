"""A card that is none, or not that of its arrays, is refused, naming the file and the reason.

Whether a value has the type of its field is for msgspec to test; cards changed at random show that
whatever is left can be shown.
"""

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
    load_or_refuse,
    make_agent,
    npz,
    write,
)

SMALL = connect(2, 2, 2)
NO_WIN_RATE = "win_rate is not a share of games in each seat for each epoch"
ONE_EACH = "figures do not have one entry a snapshot"
AGAINST = "figures are against .* and have to be against random, fixed, t-hand"
UP_TO_1 = "chances of win, draw and loss add up to 1"
TASK = {name: [1.0, 0.5] for name in ("largest", "mean", "largest_reached", "mean_reached")}


def put(*path: Any) -> Callable[[Any], None]:
    """Put a value, the last of these, where the others lead to."""

    def change(card: Any) -> None:
        *keys, last, value = path
        for key in keys:
            card = card[key]
        card[last] = value

    return change


def figure(*path: Any) -> Callable[[Any], None]:
    return put("figures", *path)


def unknown_opponent(card: Any) -> None:
    card["figures"]["vs"]["chance"] = card["figures"]["vs"]["random"]


BROKEN_CARDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a key of older cards": (put("opponents", ["random"]), ".*unknown field `opponents`"),
    "no title": (lambda card: card.pop("title"), "Object missing required field `title`"),
    "another way to play": (put("plays", "best"), r"Invalid enum value 'best' - at `\$.plays`"),
    "games as text": (put("games", "3"), r"Expected `int`, got `str` - at `\$.games`"),
    "worth that falls": (put("worth", {"o": [1, 0, -1]}), ".*worth in seat o rises"),
    "another id": (put("id", "other-agent"), "id 'other-agent' is not the file's name"),
    "the numbering of another game": (
        put("numbering", "0" * 64),
        "numbering is that of another game",
    ),
    "win rates of no epoch": (put("win_rate", {"x": [], "o": []}), NO_WIN_RATE),
    "one win rate more": (put("win_rate", {"x": [0.5], "o": [0.5, 0.5]}), NO_WIN_RATE),
    "win rates in percent": (put("win_rate", {"x": [0.5], "o": [50]}), "Expected `float` <= 1.0"),
    "nobody met": (figure("vs", {}), "figures are against nobody and have to be against random"),
    "an opponent missing": (lambda card: card["figures"]["vs"].pop("t-hand"), AGAINST),
    "an opponent nobody knows": (unknown_opponent, AGAINST),
    "more than 1 together": (figure("vs", "minimax", "o", 0, [0.5, 0.5, 0.5]), UP_TO_1),
    "less than 1 together": (figure("best_response", "x", 0, [0.5, 0.25, 0]), UP_TO_1),
    "no snapshot": (figure("updates", []), ONE_EACH),
    "more blunders than decisions": (
        figure("blunders", 0, 4521),
        "there are no more blunders than decisions, 4520",
    ),
    "more of them in a seat": (
        figure("reachable_blunders", "o", 1, 4521),
        "there are no more blunders than decisions, 4520",
    ),
}


@pytest.mark.parametrize("case", BROKEN_CARDS)
def test_broken_cards(tmp_path: Path, game: Game, card: Keys, files, case: str):
    change, reason = BROKEN_CARDS[case]
    broken = deepcopy(card)
    change(broken)
    write(tmp_path, json.dumps(broken).encode(), files[1])
    assert_refused(tmp_path, game, "json", reason)


OUT_OF_RANGE: list[Callable[[Any], None]] = [
    put("algorithm", "Q-learning"),
    put("seed", -1),
    put("games", -3),
    put("seconds", -0.25),
    put("found", [""]),
    figure("vs", "random", "x", 0, [-0.5, 0.5, 1]),
    figure("nash_conv", 0, -0.1),
    figure("nash_conv", 0, 2.1),
    figure("blunders", 0, -1),
    figure("classes_right", 0, 1.5),
    figure("task", TASK | {"mean": [1, -1]}),
]


def test_what_can_never_be_true_of_an_agent_is_on_no_card(tmp_path, game: Game, card: Keys, files):
    for change in OUT_OF_RANGE:
        broken = deepcopy(card)
        change(broken)
        write(tmp_path, json.dumps(broken).encode(), files[1])
        assert_refused(tmp_path, game, "json", "Expected `")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda text: text[:-20],
        lambda text: text.decode().encode("utf-16"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b'"seconds": 0.25', b'"seconds": NaN'),
        lambda text: b"<<<<<<< HEAD\n" + text,
    ],
    ids=["empty", "half", "UTF-16", "BOM", "NaN", "conflict"],
)
def test_what_is_no_card_at_all(tmp_path: Path, game: Game, files, spoil):
    write(tmp_path, spoil(files[0]), files[1])
    assert_refused(tmp_path, game, "json", "")


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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"updates": 21}, "snapshot_updates are not those of the card"),
        ({"plays": "proportional"}, "nobody can play in proportion to a value below 0"),
    ],
)
def test_arrays_and_card_fit_together(
    tmp_path: Path, game: Game, card: Keys, files, change, reason
):
    write(tmp_path, json.dumps(card | change).encode(), files[1])
    assert_refused(tmp_path, game, "npz", reason)


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
