"""The page that explains: what it says is what the code, the cards and the arrays say."""

import gzip
import re
import shutil
from html import unescape
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from flask import Flask, render_template_string
from flask.testing import FlaskClient

from app.tictactoe.game import O, X
from app.tictactoe.notation import replay
from app.tictactoe.policy import greedy, uniform
from app.tictactoe.report import losing_game, reachable
from app.tictactoe.values import best_response, successor_values
from app.web import algorithms, create_app
from app.web.deployment import ROOT
from app.web.how.page import address
from app.web.how.sections import SECTIONS
from app.web.players import TRUTH, Players, losing

HTMX = {"HX-Request": "true"}
MATHML_CORE = {
    "math", "mfrac", "mi", "mn", "mo", "mrow", "msub", "msup",
    "mtable", "mtd", "mtext", "mtr", "munder",
}  # fmt: skip
EXTRA = {"powers"}  # a second formula of a section


@pytest.fixture(scope="module")
def html(site: Flask) -> str:
    return site.test_client().get("/how").text


def section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found, name
    return found[0]


def words(part: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", part)).split())


def position(players: Players, name: str) -> int:
    return replay(players.game, SECTIONS[name].start.record)[-1]


def test_every_section_is_there_and_in_the_contents(html: str) -> None:
    assert html.count("<h1") == 1
    for name, about in SECTIONS.items():
        assert f'href="#{name}"' in html
        assert f'id="{name}-title">{about.title}</h2>' in section(html, name)
    explained = {algorithm.section for algorithm in algorithms.ALGORITHMS.values()}
    assert explained <= set(SECTIONS)


def test_every_agent_is_linked_from_its_algorithms_section(html: str, players: Players) -> None:
    for name, agent in players.agents.items():
        assert f'href="/agents/{name}"' in section(html, algorithms.section(agent.card))
    assert html.count('href="/agents/') == len(players.agents)


def test_every_section_has_its_formula_in_mathml_core(site: Flask) -> None:
    with site.test_request_context():
        source = '{% from "_formulas.html" import formula %}{{ formula(name) }}'
        assert not render_template_string(source, name="nobody").strip()
        for name in [*SECTIONS, *EXTRA]:
            text = render_template_string(source, name=name).replace("&nbsp;", " ")
            blocks = list(ElementTree.fromstring(f"<all>{text}</all>"))
            assert blocks
            for block in blocks:
                assert (block.tag, block.get("display")) == ("math", "block")
                assert {element.tag for element in block.iter()} <= MATHML_CORE


def symbols(part: str) -> list[str]:
    """List the letters of formulas as they appear, each once, with their primes and exponents."""
    found: dict[str, None] = {}
    for element in ElementTree.fromstring(f"<all>{part.replace('&nbsp;', ' ')}</all>").iter():
        below = list(element)
        if element.tag in ("mrow", "msup") and [child.tag for child in below] == ["mi", "mo"]:
            found["".join(child.text or "" for child in below)] = None
            below[0].tag = "part of a symbol"
        elif element.tag == "mi":
            found[element.text or ""] = None
    return list(found)


def test_every_formula_has_its_symbols_right_under_it(html: str) -> None:
    boxes = re.findall(
        r'class="formula[^>]*>(.*?)</div>\s*<dl class="symbols">(.*?)</dl>', html, re.S
    )
    assert len(boxes) == len(SECTIONS) + len(EXTRA)
    for formulas, explained in boxes:
        aside = {"x", "A", "B", "O", "X"}  # told with another symbol
        assert [name for name in symbols(formulas) if name not in aside] == symbols(explained)
        assert "<dd></dd>" not in explained


@pytest.mark.parametrize("name", SECTIONS)
def test_a_click_moves_one_board_and_no_other(client: FlaskClient, html: str, name: str) -> None:
    link = re.search(r'href="(/how\?at=[^"]+record=[^"]+)"', section(html, name))
    assert link
    url = unescape(link[1])
    assert url.endswith(f"#{name}")
    moved = client.get(url).text
    for other in SECTIONS:
        assert (section(moved, other) != section(html, other)) == (other == name)
    assert f'href="{address(name)}"' in section(moved, name)
    assert section(client.get(address(name)).text, name) == section(html, name)


@pytest.mark.parametrize("url", ["/how?at=dqn", "/how?at=dqn&record=4853"])
def test_the_fragment_is_the_part_of_the_page_that_it_replaces(
    client: FlaskClient, url: str
) -> None:
    whole, fragment = client.get(url).text, client.get(url, headers=HTMX).text
    notice = '<div id="notice" role="alert"></div>\n'
    assert fragment.startswith(notice)
    assert notice in whole
    assert fragment.removeprefix(notice).strip() in whole
    assert len(gzip.compress(fragment.encode())) < 2 * 1024


def test_each_board_leads_to_the_same_view_of_the_play_page(client: FlaskClient, html: str) -> None:
    for name, about in SECTIONS.items():
        link = re.search(r'href="(/play/[^"]+)"', section(html, name))
        assert link
        assert f"lens={about.start.lens}" in link[1]
        assert client.get(unescape(link[1])).status_code == 200


def test_a_board_can_be_played_to_the_end(client: FlaskClient) -> None:
    over = section(client.get("/how?at=minimax&record=40123").text, "minimax")
    assert "O to move" in over
    over = section(client.get("/how?at=minimax&record=03142").text, "minimax")
    assert "X wins" in over
    assert "record=" not in over


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("/how?at=nowhere", 400, "q-iteration"),
        ("/how?record=4", 400, "at"),
        ("/how?at=dqn&record=4x", 400, "cells are 0 to 8"),
        ("/how?at=dqn&record=44", 409, "move 2"),
        ("/how?at=dqn&record=0314256", 409, "ply 5"),
    ],
)
def test_a_wrong_address_is_explained(client: FlaskClient, url: str, code: int, said: str) -> None:
    response = client.get(url)
    assert response.status_code == code
    assert said in response.text


@pytest.mark.parametrize("name", ["champion", "q-table", "dqn-vs-heuristic"])
def test_with_other_models_it_says_what_is_left(tmp_path: Path, name: str) -> None:
    for file in (ROOT / "models").glob(f"{name}.*"):
        shutil.copy(file, tmp_path)
    client = create_app(tmp_path).test_client()
    page = client.get("/how").text
    for at, about in SECTIONS.items():
        text = section(page, at)
        assert 'class="formula' in text
        shown = about.start.lens in (name, TRUTH)
        assert ('class="try"' in text) == ('class="look"' in text) == shown
        assert client.get(f"/how?at={at}").status_code == (200 if shown else 400)
    assert set(re.findall(r'href="/agents/([^"]+)"', page)) == {name}
    assert "minimax" in client.get("/how?at=q-learning").text
    assert client.get("/how?at=minimax&record=65874").status_code == 200


def test_the_page_is_small_and_its_ids_are_its_own(html: str) -> None:
    size = len(gzip.compress(html.encode()))
    print(f"/how is {size / 1024:.1f} KB compressed")
    assert size < 40 * 1024
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert not re.search(r"\sstyle=|\son\w+=|hx-on|<style", html)


# What the text says.  Most of its figures come from the arrays; these are the claims around them.


def test_minimax_board(players: Players) -> None:
    here = position(players, "minimax")
    truths = players.true_values[here]
    assert [(truths == value).sum() for value in (1, 0, -1)] == [2, 2, 1]
    after = players.game.successor[here][truths == 1]
    assert (players.solution.plies[after] == 2).all()


def test_q_iteration_found_the_truth_and_its_losses_stuck(html: str, players: Players) -> None:
    agent, legal = players.agents["q-iteration"], players.game.legal
    assert (agent.q[legal] == players.true_values[legal]).all()
    here = position(players, "q-iteration")
    parameters = agent.card.parameters
    sweeps = sum(int(parameters[f"iterations_vs_{name}"]) for name in ("random", "self"))
    assert (agent.visits[here][[0, 2, 6, 8]] == sweeps).all()
    assert (agent.q[here][[1, 3, 5, 7]] == -1).all()
    stuck = ", ".join(str(n) for n in agent.visits[here][[1, 3, 5]])
    assert f"only {stuck} and" in words(section(html, "q-iteration"))


def test_q_learning_leaves_the_centre_to_lose(players: Players) -> None:
    here = position(players, "q-learning")
    assert players.policies["q-learning-1"][here].argmax() == 7
    assert np.flatnonzero(players.true_values[here] == 0).tolist() == [4]
    assert (np.delete(players.true_values[here], [0, 4]) == -1).all()


def test_symmetric_never_tried_the_win_that_it_meets(html: str, players: Players) -> None:
    here, agent = position(players, "exploration"), players.agents["symmetric"]
    policy = players.policies["symmetric"]
    assert reachable(players.game, policy, O)[here]
    assert policy[here].argmax() == 2
    assert players.true_values[here][[0, 2]].tolist() == [1, 0]
    assert players.game.is_over(players.game.successor[here, 0])
    assert agent.visits[here, 0] == 0
    odds = round(float(agent.card.parameters["k_limit"]) ** float(agent.q[here, 2]))
    assert f"every {odds:,} times" in words(section(html, "exploration"))


def test_afterstates_are_two(players: Players) -> None:
    values = players.agents["q-table"].q[position(players, "afterstates")]
    assert len(set(values[[0, 2, 6, 8]])) == len(set(values[[1, 3, 5, 7]])) == 1


def test_neither_table_overestimates(html: str, players: Players) -> None:
    game = players.game
    best = np.empty(game.decisions)
    for seat in (X, O):
        chances = best_response(game, uniform(game), seat).chances
        expected = seat * successor_values(game, chances[:, 0] - chances[:, 2])
        rows = game.to_move == seat
        best[rows] = np.nanmax(expected[rows], axis=1)
    biases = []
    for name in ("q-table", "double-q"):
        agent = players.agents[name]
        met = agent.visits.any(axis=1)
        biases.append((np.nanmax(agent.q, axis=1) - best)[met].mean())
    said = re.findall(r"0\.\d\d(?= too low)", words(section(html, "double-q")))
    assert [f"{-bias:.2f}" for bias in biases] == said
    for name, seeds in (("double-q", "40 are unbeatable"), ("q-table", "42")):
        assert seeds in players.agents["double-q"].card.reported, name


def test_self_play_discounts_minimax(html: str, players: Players) -> None:
    here, agent = position(players, "self-play"), players.agents["self-play"]
    assert np.allclose(agent.q[here][[0, 2, 6, 8]], -0.5 * 0.9**7, atol=1e-3)
    assert np.allclose(agent.q[here][[1, 3, 5, 7]], -(0.9**5), atol=1e-3)
    assert agent.visits[players.game.legal].min() == 12
    assert "12 times or more" in words(section(html, "self-play"))


@pytest.mark.parametrize(
    ("name", "played", "saving"), [("mitchell", 2, 1), ("dqn", 6, 3)], ids=["mitchell", "dqn"]
)
def test_a_threat_that_is_not_seen(players: Players, name: str, played: int, saving: int) -> None:
    here, policy = position(players, name), players.policies[SECTIONS[name].start.lens]
    assert reachable(players.game, policy, O)[here]
    assert policy[here].argmax() == played
    assert np.flatnonzero(players.true_values[here] == 0).tolist() == [saving]


def test_the_network_is_as_large_as_said(html: str) -> None:
    sizes = [30, 120, 840, 120, 9]
    weights = sum(ins * outs + outs for ins, outs in pairwise(sizes))
    assert f"{weights:,} weights" in words(section(html, "dqn"))


def test_the_champion_shows_its_bounds(players: Players) -> None:
    start = SECTIONS["champion"].start
    values = players.agents["champion"].snapshot_q[start.step][position(players, "champion")]
    assert values[[1, 3, 6, 7]].tolist() == [0.25, -0.75, 1, -0.5]


def test_the_best_responder_wins_every_game_here(players: Players) -> None:
    start, card = SECTIONS["best-response"].start, players.agents["q-learning-2"].card
    here = position(players, "best-response")
    assert players.policies["q-learning-2"][here].argmax() == 2
    game = losing(players, "q-learning-2", O)
    assert game is not None
    assert game.startswith(start.record + "26")
    assert card.figures.best_response.o[-1] == (0, 0, 1)
    assert players.agents["q-learning-1"].card.figures.best_response.x[-1] == (0, 0, 1)


def test_nash_conv_zero_and_yet_beaten(players: Players) -> None:
    agent, step = players.agents["double-q"], SECTIONS["nash-conv"].start.step
    assert step is not None
    assert agent.card.figures.best_response.x[step] == (0, 1, 0)
    policy = greedy(agent.snapshot_q[step].astype(np.float32))
    assert losing_game(players.game, policy, X) is not None
    assert reachable(players.game, policy, X)[position(players, "nash-conv")]
    assert policy[position(players, "nash-conv")][[0, 7]].tolist() == [0.5, 0.5]


def test_the_one_square_that_loses(html: str, players: Players) -> None:
    here = position(players, "exact")
    assert players.policies["q-learning-1"][here].argmax() == 3
    assert np.flatnonzero(players.true_values[here] == -1).tolist() == [3]
    loss = players.agents["q-learning-1"].card.figures.vs["random"].x[-1][2]
    text = words(section(html, "exact"))
    for chance in (loss, (1 - loss) ** 100, (1 - loss) ** 1000):
        assert f"{100 * chance:.2f}%" in text
    assert str(losing(players, "q-learning-1", X)) in text
