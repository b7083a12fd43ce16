"""The table of everybody against everybody holds the exact chances of each pair."""

import html
import re

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.values import outcome_chances
from app.web.arena import SHOWS, Row, Standing, view
from app.web.lens import HEAT_STEPS
from app.web.match import Match, build
from app.web.numbers import MINUS, percent
from app.web.players import Players

PLACES = {"win": 0, "draw": 1, "loss": 2}


def table(players: Players, show: str) -> list[Row]:
    rows: list[Row] = view(show, players)["rows"]  # type: ignore[assignment]
    return rows


def league(players: Players) -> dict[str, Standing]:
    standings: list[Standing] = view("score", players)["standings"]  # type: ignore[assignment]
    return {standing.title: standing for standing in standings}


def test_every_square_shows_the_chances_of_its_pair(players: Players) -> None:
    tables = {show: table(players, show) for show in SHOWS}
    names = [row.id for row in tables["score"]]
    assert sorted(names) == sorted(players.policies)
    for x, name in enumerate(names):
        for o, other in enumerate(names):
            policies = players.policies[name], players.policies[other]
            chances = outcome_chances(players.game, *policies)[0].round(9)
            for show, place in PLACES.items():
                cell = tables[show][x].cells[o]
                assert cell.text == percent(chances[place])
                assert abs(cell.heat) == round(chances[place] * HEAT_STEPS)
                assert f"{cell.text}%" in cell.label
            cell, score = tables["score"][x].cells[o], chances[0] - chances[2]
            assert float(cell.text.replace(MINUS, "-")) == pytest.approx(score, abs=0.005 + 1e-9)
            assert cell.heat == round(score * HEAT_STEPS)
            assert cell.href == build(Match(x=name, o=other))
            assert cell.label.startswith(
                f"{players.titles[name]} as X against {players.titles[other]} as O"
            )


def test_what_is_good_for_x_is_coloured_like_a_win(players: Players) -> None:
    for show in SHOWS:
        heats = {cell.heat for row in table(players, show) for cell in row.cells}
        assert heats <= set(range(-HEAT_STEPS, HEAT_STEPS + 1))
        assert (min(heats) < 0, max(heats) > 0) == (show in ("score", "loss"), show != "loss")


def test_random_against_random_is_on_the_page(client: FlaskClient) -> None:
    page = client.get("/arena").text
    label = f"X wins {percent(737 / 1260)}%, draw {percent(8 / 63)}%, O wins {percent(121 / 420)}%"
    assert f"Random as X against Random as O: {label}, score +0.30" in page


def test_the_league_is_sorted_and_equals_share_a_rank(players: Players) -> None:
    standings = league(players)
    ranks = [standing.rank for standing in standings.values()]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    # Three ways to play any best move with equal chances.
    same = {players.titles[name] for name in ("q-iteration", "champion", "minimax-random")}
    assert len({standings[title].rank for title in same}) == 1


def test_the_league_says_who_can_be_beaten(players: Players) -> None:
    standings = league(players)
    for name in ("minimax", "strongest", "q-learning-4", "self-play"):
        assert standings[players.titles[name]].beaten_by == 0
        assert standings[players.titles[name]].chances[2] == "0"
    assert standings[players.titles["random"]].beaten_by == len(players.policies)


def test_the_score_of_the_league_is_the_mean_of_its_squares(players: Players) -> None:
    rows, standings = table(players, "score"), league(players)
    for number, row in enumerate(rows):
        as_x = np.mean([float(cell.text.replace(MINUS, "-")) for cell in row.cells])
        columns = [other.cells[number].text for other in rows]
        as_o = -np.mean([float(text.replace(MINUS, "-")) for text in columns])
        shown = standings[row.title]
        for text, mean in [
            (shown.as_x, as_x),
            (shown.as_o, as_o),
            (shown.score, as_x / 2 + as_o / 2),
        ]:
            assert float(text.replace(MINUS, "-")) == pytest.approx(mean, abs=0.011)


@pytest.mark.parametrize("show", ["", *SHOWS])
def test_each_figure_has_its_address(client: FlaskClient, players: Players, show: str) -> None:
    page = client.get(f"/arena?show={show}").text
    shown = re.findall(r'href="/arena\?show=(\w+)"\s+aria-current="true"', page)
    assert shown == [show or "score"]
    assert page.count("<td data-heat=") == len(players.policies) ** 2


def test_a_wrong_figure_is_named(client: FlaskClient) -> None:
    response = client.get("/arena?show=points")
    assert response.status_code == 400
    assert all(name in response.text for name in ("points", *SHOWS))


def test_every_link_is_answered(client: FlaskClient) -> None:
    links = {
        html.unescape(href) for href in re.findall(r'href="(/[^"]*)"', client.get("/arena").text)
    }
    links = {href for href in links if href.startswith(("/play", "/arena", "/agents/"))}
    assert len(links) > 23 * 23
    for href in links:
        assert client.get(href).status_code == 200, href
