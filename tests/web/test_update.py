"""One update, step by step: pages show the numbers of the training."""

import re
from html import unescape

import msgspec
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.recipes.games import TrainingUpdate, UpdateExample
from app.tictactoe.notation import find_record, format_position, parse_position, replay_record
from app.web.algorithms import SECTIONS
from app.web.match import Match
from app.web.pages.parts.update import STEP_COUNT, TRIED_DECIMALS
from app.web.site_data import SiteData
from app.web.urls import how_url, why_url

ALGORITHMS = (
    "q-learning", "sarsa", "expected-sarsa", "self-play", "td-afterstates", "league", "q-table",
    "double-q", "monte-carlo", "menace", "champion", "q-iteration", "mcts", "dqn", "sarsa-lambda",
    "minimax",
)  # fmt: skip
TOKEN = re.compile(r'data-symbol="(\w+)"[^>]*><b[^>]*>([^<]*)</b><small>([^<]*)</small>')


def tokens(html: str) -> dict[str, str]:
    """Return the numbers in the formula, by symbol."""
    return {symbol: number for symbol, number, _ in TOKEN.findall(html)}


def steps(html: str) -> list[str]:
    found = re.search(r'<ol class="update-steps".*?</ol>', html, re.DOTALL)
    assert found
    items = re.findall(r"<span>(.*?)</span></li>", found[0], re.DOTALL)
    return [" ".join(unescape(re.sub("<[^>]+>", "", item)).split()) for item in items]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def shown(example: UpdateExample) -> TrainingUpdate:
    return example.updates[example.shown_index]


@pytest.mark.parametrize("slug", ALGORITHMS)
def test_each_algorithm_shows_its_updates(client: FlaskClient, site: SiteData, slug: str) -> None:
    for example in site.update_examples[slug]:
        html = client.get(how_url(slug, update=example.kind)).text
        change, seen = shown(example), tokens(html)
        old, new = change.in_table or (change.old, change.new)
        shown_new = number(seen.get("new") or seen["lower"])  # for minimax both bounds
        assert any(shown_new == round(new, decimals) for decimals in TRIED_DECIMALS)
        if slug not in ("champion", "minimax"):
            assert any(number(seen["old"]) == round(old, decimals) for decimals in TRIED_DECIMALS)
        if "target" in seen and change.target is not None:
            assert any(
                number(seen["target"]) == round(change.target, decimals)
                for decimals in TRIED_DECIMALS
            )
        sentences = steps(html)
        assert len(sentences) == STEP_COUNT
        assert all(sentence.endswith(".") for sentence in sentences)


@pytest.mark.parametrize(
    "slug", [slug for slug in ALGORITHMS if slug not in ("menace", "champion", "dqn", "minimax")]
)
def test_the_formula_makes_its_target_and_its_new_value(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    """Within the rounding of the numbers shown."""
    for example in site.update_examples[slug]:
        for index in range(len(example.updates)):
            html = client.get(how_url(slug, update=f"{example.kind}-{index + 1}")).text
            seen = {name: number(text) for name, text in tokens(html).items()}
            if "reward" not in seen:  # an earlier move, by the error of the last one
                moved = seen["old"] + seen["alpha"] * seen["error"]
                assert moved == pytest.approx(seen["new"], abs=0.011)
                continue
            later = len(re.findall(r'data-symbol="gamma"', html)) if "next" not in seen else 0
            gamma, sign = seen.get("gamma", 1.0), -1 if slug == "self-play" else 1
            made = seen["reward"] * gamma**later + sign * gamma * seen.get("next", 0.0)
            assert made == pytest.approx(seen["target"], abs=0.011)
            moved = seen["old"] + seen["alpha"] * (seen["target"] - seen["old"])
            assert moved == pytest.approx(seen["new"], abs=0.011)


def test_as_it_is_shown_the_first_update_of_q_learning_adds_up(client: FlaskClient) -> None:
    seen = {
        name: number(text) for name, text in tokens(client.get(how_url("q-learning")).text).items()
    }
    assert (seen["old"], seen["new"]) == (0.36, 0.37)
    assert round(seen["reward"] + seen["gamma"] * seen["next"], 2) == seen["target"]
    assert round(seen["old"] + seen["alpha"] * (seen["target"] - seen["old"]), 2) == seen["new"]


@pytest.mark.parametrize(
    "slug", [slug for slug in ALGORITHMS if slug not in ("menace", "mcts", "dqn", "minimax")]
)
def test_at_the_end_of_a_game_the_next_value_is_said_to_be_0(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    if slug == "league":  # its finished boards keep the reward as their value
        said = steps(client.get(how_url(slug, update="end")).text)
        assert said[3].startswith("The value of the finished board is the reward")
        assert "3 + 0.65 × 3.00 = 4.95" in said[4]
        return
    kinds = {"end", "lost", "played"} & {example.kind for example in site.update_examples[slug]}
    told = steps(client.get(how_url(slug, update=kinds.pop())).text)
    assert re.search("next value is 0|would be 0|no next move", told[3])


def test_every_update_of_a_game_has_a_link_and_every_step_too(
    client: FlaskClient, site: SiteData
) -> None:
    for example in site.update_examples["q-table"]:
        html = client.get(how_url("q-table", update=example.kind)).text
        linked = dict(re.findall(r'id="update-(?!step)\w+-(\d+)" href="([^"]+)"', html))
        # The boards are in the order of the moves, the updates of this learner in the other.
        assert [int(index) for index in linked] == [*range(len(example.updates), 0, -1)]
        for index, change in enumerate(example.updates, 1):
            href = unescape(linked[str(index)])
            assert number(tokens(client.get(href).text)["target"]) == pytest.approx(
                change.target, abs=0.005
            )
        stages = re.findall(r'href="([^"]+)" data-step="(\d)"', html)
        for href, step in stages:
            page = client.get(unescape(href)).text
            assert f'data-stage="{step}"' in page
            assert page.count('aria-current="step"') == 1


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"update": "other"}, "There are: usual, first, end, random, mistake"),
        ({"update": "usual-99"}, "usual-1, is one update of that game"),
        ({"stage": "7"}, "stage"),
    ],
)
def test_an_update_that_does_not_exist_is_named(
    client: FlaskClient, query: dict[str, str], message: str
) -> None:
    answer = client.get(how_url("q-learning", **query))
    assert answer.status_code == 400
    assert message in unescape(answer.text)


MOVES = {  # lens -> a position and a move
    "q-learning-1": ("8", 1), "sarsa": ("408", 2), "sarsa-lambda": ("40", 8), "q-table": ("408", 5),
    "monte-carlo": ("8", 4), "menace": ("04", 2), "mcts": ("4", 8), "observing": ("0", 4),
    "self-play": ("40", 8), "champion": ("40", 8), "td-afterstates": ("8", 0),
    "q-learning-2_task": ("408", 2), "self-play_task": ("40", 8), "truth": ("4081", 7),
}  # fmt: skip


@pytest.mark.parametrize("lens", MOVES)
def test_why_shows_the_update_of_the_very_value(
    client: FlaskClient, site: SiteData, lens: str
) -> None:
    """In every case the old value is that of the table, and the numbers give the new value."""
    record, cell = MOVES[lens]
    state = replay_record(site.game, record)[-1]
    value = float(site.get_values(lens)[state, cell])
    first = client.get(why_url(Match(record, value_source=lens), cell)).text
    assert "An example" not in first
    cases = re.findall(r'id="why-after-\w+" href="([^"]+)"', first)
    for href in cases or [why_url(Match(record, value_source=lens), cell)]:
        seen = tokens(client.get(unescape(href)).text)
        if lens == "menace":  # two squares are one move by symmetry, and share its beads
            beads = {"wins": 3, "draws": 1, "loses": -1}
            assert number(seen["old"]) == round(2 * value)
            assert number(seen["new"]) - number(seen["old"]) in beads.values()
            assert number(seen["new"]) - number(seen["old"]) == number(seen["reward"])
        elif "alpha" in seen:
            assert number(seen["old"]) == pytest.approx(value, abs=0.006)
            way = number(seen["target"]) - number(seen["old"])
            moved = number(seen["old"]) + number(seen["alpha"]) * way
            assert moved == pytest.approx(number(seen["new"]), abs=0.011)
        else:  # exact: nothing is learned
            shown_value = seen.get("new") or seen["lower"]
            assert number(shown_value) == pytest.approx(value, abs=0.006)


def test_an_exact_value_of_a_task_is_the_mean_of_the_targets_shown(
    client: FlaskClient, site: SiteData
) -> None:
    html = client.get(why_url(Match("408", value_source="q-learning-2_task"), 2)).text
    line = re.findall(r'<p class="sum">(.*?)</p>', html, re.DOTALL)[1]
    value, *terms = [number(text) for text in re.findall(r"<b[^>]*>([^<]+)</b>", line)]
    assert sum(a * b for a, b in zip(terms[::2], terms[1::2], strict=True)) == pytest.approx(value)
    assert sum(terms[::2]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("lens", "record"), [("dqn-vs-random", "408"), ("double-q", "4082"), ("observing", "04")]
)
def test_where_the_table_is_not_enough_why_shows_an_example_and_says_so(
    client: FlaskClient, lens: str, record: str
) -> None:
    html = client.get(why_url(Match(record, value_source=lens))).text
    assert "An example, not an update of this value." in html
    assert "A real update from the training of" in html
    assert 'id="why-update"' in html


def test_a_blunder_of_a_shipped_agent_has_the_update_that_made_it(
    client: FlaskClient, site: SiteData
) -> None:
    key, encoded = next(iter(site.blunder_examples["q-table"].items()))
    board, cell = key.split()
    mistake, first = msgspec.json.decode(encoded, type=list[UpdateExample])
    state = parse_position(site.game, board)
    match = Match(find_record(site.game, state), value_source="q-table")
    assert 'id="why-mistake"' in client.get(why_url(match, int(cell))).text
    for example in (mistake, first):
        html = client.get(why_url(match, int(cell), example.kind)).text
        assert number(tokens(html)["old"]) == pytest.approx(shown(example).old, abs=0.006)
        assert f"game {example.game_number:,}" in html
        linked = re.findall(r'id="update-\w+-\d+" href="([^"]+)"', html)
        assert len(linked) == len(example.updates)
        assert client.get(unescape(linked[0])).status_code == 200
    text = " ".join(unescape(client.get(why_url(match, int(cell), "mistake")).text).split())
    assert "The update lowered the value of a better move." in text
    assert "preferred the blunder: here middle left, 0.65." in text
    assert client.get(why_url(match, int(cell), "mistake-99")).status_code == 400


@pytest.mark.parametrize("slug", ["q-learning", "q-table", "double-q"])
def test_an_algorithm_has_the_update_behind_a_blunder_of_its_agent(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    agent = SECTIONS[slug].value_source
    mistake, _ = msgspec.json.decode(
        next(iter(site.blunder_examples[agent].values())), type=list[UpdateExample]
    )
    html = client.get(how_url(slug, update="blunder")).text
    assert f'href="/agents/{agent}"' in html
    assert f"game {mistake.game_number:,}" in html
    assert number(tokens(html)["new"]) == pytest.approx(
        (shown(mistake).in_table or (0, shown(mistake).new))[1], abs=0.006
    )


def test_an_answer_that_is_impossible_is_named(client: FlaskClient) -> None:
    answer = client.get(why_url(Match("04", value_source="menace"), 2, "8"))
    assert answer.status_code == 400
    assert "win (wins), draw (draws), loss (loses)" in unescape(answer.text)


def test_a_page_with_an_update_is_small(app: Flask, client: FlaskClient) -> None:
    for slug in ALGORITHMS:
        answer = client.get(how_url(slug), headers={"Accept-Encoding": "gzip"})
        assert len(answer.data) < 12 * 1024, slug


@pytest.mark.parametrize("slug", ["q-learning", "self-play", "league", "menace"])
def test_random_moves_are_marked_in_the_game_of_an_update(
    client: FlaskClient, site: SiteData, slug: str
) -> None:
    """By a word, for every reader; draws of beads and of a league are no exploration."""
    explores = slug in ("q-learning", "self-play")
    for example in site.update_examples[slug]:
        html = client.get(how_url(slug, update=example.kind)).text
        words = re.findall(r"<span>Move (\d+)(, <em>random</em>)?:</span>", html)
        expected = {
            str(10 - turn.board.count(".")): turn.was_random and explores for turn in example.moves
        }
        assert {ply: bool(word) for ply, word in words}.items() <= expected.items()
        assert ("with a dotted square" in html) == any(bool(word) for _, word in words)


@pytest.mark.parametrize(
    ("lens", "reason"),
    [
        ("mcts", "the value is the average of all games"),
        ("dqn-vs-heuristic", "each step of the network changed all values"),
        ("q-learning-1", "for this agent such updates are recorded for"),
    ],
)
def test_a_blunder_without_a_recorded_update_says_why(
    client: FlaskClient, site: SiteData, lens: str, reason: str
) -> None:
    game, q = site.game, site.get_values(lens)
    recorded = site.blunder_examples.get(lens, {})
    for state in range(game.decisions):
        row = q[state]
        cell = int(np.nanargmax(row))
        truth = site.optimal_q[state]
        alone = np.count_nonzero(row == row[cell]) == 1 and (row[cell] != 0)
        key = f"{format_position(game, state)} {cell}"
        if alone and truth[cell] < np.nanmax(truth) and key not in recorded:
            match = Match(find_record(game, state), value_source=lens)
            assert reason in " ".join(client.get(why_url(match, cell)).text.split())
            other = int(np.nanargmax(truth))
            assert "that caused this blunder" not in client.get(why_url(match, other)).text
            return
    raise AssertionError("no such blunder")
