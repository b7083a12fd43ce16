"""The pages of algorithms: their statements agree with code, cards and arrays."""

import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from msgspec.structs import asdict

from app.tictactoe.game import GAME, Game, O, X
from app.tictactoe.notation import format_position, parse_position, replay_record
from app.tictactoe.policy import uniform_policy
from app.tictactoe.values import compute_successor_values, find_best_response
from app.web.algorithms import SECTIONS
from app.web.facts import find_losing_game
from app.web.formatting import format_signed
from app.web.links.how import how_url
from app.web.pages.how import (
    WORKED_ALPHA,
    compute_won_game,
    describe_position,
)
from app.web.pages.parts.update_examples import build_example, list_examples
from app.web.site_data import SiteData
from tests.web.conftest import unled

MATHML_CORE = {
    "math", "mfrac", "mi", "mn", "mo", "mrow", "mspace", "msqrt", "msub", "msup",
    "mtable", "mtd", "mtext", "mtr", "munder",
}  # fmt: skip


@pytest.fixture(scope="module")
def html(app: Flask) -> dict[str, str]:
    """Return every section by its name."""
    return {name: section(app.test_client().get(how_url(name)).text) for name in SECTIONS}


def section(page: str) -> str:
    """Return the content of a page without the table of contents."""
    found = re.search(r'<main.*?(?=<nav aria-label="How it works)', page, re.DOTALL)
    assert found
    return found[0]


def words(part: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", unled(part))).split())


def position(site: SiteData, name: str) -> int:
    return replay_record(GAME, SECTIONS[name].start_match.record)[-1]


FORMULAS = [
    formula
    for about in SECTIONS.values()
    for formula in (about.formula, about.second_formula)
    if formula
]


def test_every_section_has_its_formula_in_mathml_core() -> None:
    for formula in FORMULAS:
        blocks = list(ElementTree.fromstring(f"<all>{formula.mathml}</all>"))
        assert len(blocks) == len(formula.latex_lines)
        for drawn in blocks:
            assert (drawn.tag, drawn.get("display")) == ("math", "block")
            assert {element.tag for element in drawn.iter()} <= MATHML_CORE


# What the text says.  Most of its figures come from the arrays; these are the claims around them.


def test_q_iteration_found_the_truth_and_its_losses_stuck(
    html: dict[str, str], site: SiteData
) -> None:
    agent, legal = site.agents["q-iteration"], GAME.legal
    assert (agent.q[legal] == site.optimal_q[legal]).all()
    here = position(site, "q-iteration")
    sweeps = sum(turns for _, turns in site.get_recipe("q-iteration").phases)
    assert (agent.visits[here][[0, 2, 6, 8]] == sweeps).all()
    assert (agent.q[here][[1, 3, 5, 7]] == -1).all()
    stuck = ", ".join(str(n) for n in agent.visits[here][[1, 3, 5]])
    assert f"only {stuck} and" in words(html["q-iteration"])


def test_neither_table_overestimates(html: dict[str, str], site: SiteData) -> None:
    best = np.empty(GAME.decisions)
    for seat in (X, O):
        chances = find_best_response(GAME, uniform_policy(GAME), seat).outcome_chances
        expected = seat * compute_successor_values(GAME, chances[:, 0] - chances[:, 2])
        rows = GAME.to_move == seat
        best[rows] = np.nanmax(expected[rows], axis=1)
    biases = []
    for name in ("q-table", "double-q"):
        agent = site.agents[name]
        met = agent.visits.any(axis=1)
        biases.append((np.nanmax(agent.q, axis=1) - best)[met].mean())
    said = re.findall(r"0\.\d\d(?= too low)", words(html["double-q"]))
    assert [f"{-bias:.2f}" for bias in biases] == said
    for finding in site.agents["double-q"].card.findings:
        assert finding in words(html["double-q"])


def test_self_play_discounts_minimax(html: dict[str, str], site: SiteData) -> None:
    here, agent = position(site, "self-play"), site.agents["self-play"]
    assert np.allclose(agent.q[here][[0, 2, 6, 8]], -0.5 * 0.9**7, atol=1e-3)
    assert np.allclose(agent.q[here][[1, 3, 5, 7]], -(0.9**5), atol=1e-3)
    fewest = agent.visits[GAME.legal].min()
    assert f"at least {fewest} updates" in words(html["self-play"])
    left = 100 * (1 - asdict(site.get_recipe("self-play"))["alpha"]) ** fewest
    said = re.search(r"initial value has a weight of at most ([\d.]+)%", words(html["self-play"]))
    assert said
    assert left <= float(said[1]) < left + 0.1


def test_what_loses_is_seldom_punished(html: dict[str, str], site: SiteData) -> None:
    here = position(site, "exact")
    assert site.policies["q-learning-1"][here].argmax() == 2
    assert np.flatnonzero(site.optimal_q[here] == 0).tolist() == [0, 6]
    assert np.nanmax(site.optimal_q[here]) == 0
    rarely = site.agents["q-learning-2"].card.figures
    loss = rarely.outcome_chances_by_baseline["random"].o[-1][2]
    assert rarely.best_response.o[-1] == (0, 0, 1)
    text = words(html["exact"])
    for chance in (loss, (1 - loss) ** 100, (1 - loss) ** 1000):
        assert f"{100 * chance:.2f}%" in text
    assert str(find_losing_game(site, "q-learning-1", O)) in text


# A position in all its writings, and the worked example: all of it by plain links.


@pytest.fixture
def game(site: SiteData) -> Game:
    return GAME


def board_of(href: str) -> str:
    found = re.search(r"board=([XO.]+)$", href)
    assert found
    return found[1]


def test_a_press_never_leads_to_a_board_that_no_game_reaches(game: Game) -> None:
    for position in range(0, game.positions, 29):
        text = format_position(game, position)
        for square in describe_position(position)["squares"]:
            if square["toggled_url"]:
                after = board_of(square["toggled_url"])
                parse_position(game, after)
                assert sum(a != b for a, b in zip(text, after, strict=True)) == 1


def test_one_won_game_gives_what_was_published(client: FlaskClient, game: Game) -> None:
    """The values are 0.9, 0.81, 0.73, from the last move to the first."""
    assert WORKED_ALPHA == 0.9
    after = ["0.73", "0.81", "0.90"]
    assert [f"{move['new_value']:.2f}" for move in compute_won_game()] == after[::-1]
    for stage in range(len(after) + 1):
        page = client.get(how_url("won-game", stage=stage)).text
        values = re.findall(r'<span class="value">([^<]+)</span>', page)
        assert values == ["0.00"] * (3 - stage) + after[3 - stage :]


@pytest.mark.parametrize(
    ("formula", "value"), [("−0.5 · 0.9^7", -0.5 * 0.9**7), ("−0.9^5", -(0.9**5))]
)
def test_a_power_on_the_page_has_the_value_beside_it(
    client: FlaskClient, formula: str, value: float
) -> None:
    page = client.get(how_url("self-play")).text
    text = re.sub(r"\s+", " ", re.sub(r"<sup>(\d)</sup>", r"^\1", page))
    (said,) = re.findall(re.escape(formula) + r", or ([−\d.]+\d)", text)
    assert said == format_signed(value)


def test_a_move_has_the_number_that_its_board_shows(site: SiteData) -> None:
    """A game in which the learner plays O, or that begins later, has no other numbers."""
    for slug in site.update_examples:
        for example in list_examples(site, slug):
            for number, update in enumerate(example.updates):
                board = example.moves[update.move_index].board
                name = f"{example.kind}-{number + 1}"
                picture = build_example(site, list_examples(site, slug), name, 1, lambda **_: "")
                assert picture["move_number"] == len(board) - board.count(".") + 1
