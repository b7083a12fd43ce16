"""The pages of the agents say what the cards say, and hand out what was trained."""

import csv
import io
import re
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.tictactoe.card import Card, card_text
from app.tictactoe.game import SEATS
from app.tictactoe.notation import parse_position
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances
from app.web.agents.columns import COLUMNS, Column
from app.web.agents.curves import chances_against, opponents
from app.web.agents.standings import learned
from app.web.agents.table import ARIA, OTHER, Order, build_order, parse_order
from app.web.agents.training_words import LENGTH, MEANINGS
from app.web.algorithms import ALGORITHMS, section
from app.web.numbers import count, percent, signed
from app.web.players import Players, losing
from tests.service.server import ROOT

HTMX = {"HX-Request": "true"}
AGENTS = sorted(path.stem for path in (ROOT / "models").glob("*.json"))
FILES = ["npz", "json", "csv"]


class Table(HTMLParser):
    """The rows of one table of a page: the text of each cell, and the values of its data."""

    def __init__(self, page: str, id: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.values: list[list[float]] = []
        self.inside = self.in_cell = False
        self.id = id
        self.feed(page)
        assert self.rows, f"no table {id}"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.inside |= tag == "table" and given.get("id") == self.id
        if self.inside and tag == "tr":
            self.rows.append([])
            self.values.append([])
        elif self.inside and tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True
        elif self.inside and tag == "data":
            self.values[-1].append(float(given["value"] or ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside &= tag != "table"
        self.in_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside and self.in_cell:
            self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        """The cells of the row that begins so, spaces made one."""
        rows = [[" ".join(cell.split()) for cell in row] for row in self.rows]
        return next(row for row in rows if row and row[0] == first)


def outcome(chances: Chances, decimals: int = 2) -> str:
    return " / ".join(percent(chance, decimals) for chance in chances)


def titles(page: str) -> list[str]:
    """The agents in the order of the table."""
    body = page.split("<tbody")[1]
    return re.findall(r'<th scope="row"><a href="/agents/[^"]+">([^<]+)</a>', body)


@pytest.fixture(params=AGENTS)
def card(players: Players, request: pytest.FixtureRequest) -> Card:
    return players.agents[request.param].card


@pytest.fixture(scope="module")
def all_agents(site: Flask) -> str:
    return site.test_client().get("/agents").text


def test_the_table_says_what_the_card_says(all_agents: str, card: Card, players: Players) -> None:
    figures = card.figures
    chances = [figures.vs["random"], figures.vs["t-hand"], figures.best_response]
    assert Table(all_agents, "ranking").row(card.title) == [
        card.title,
        card.algorithm.split(",")[0],
        count(figures.blunders[-1]),
        *("no" if losing(players, card.id, player) else "yes" for player in SEATS.values()),
        *(outcome(getattr(one, seat)[-1], 1) for one in chances for seat in SEATS),
        count(card.games),
        count(card.updates),
        card.origin,
    ]
    assert f'<a href="/agents/{card.id}">{card.title}</a>' in all_agents
    assert f'<a href="/how#{section(card)}">{card.algorithm.split(",")[0]}</a>' in all_agents


def test_unbeatable_is_what_the_best_responder_finds(players: Players) -> None:
    for standing in learned(players):
        for seat in SEATS:
            lost = standing.chances["best-responder", seat][2]
            assert standing.unbeatable[seat] == (lost == 0)


def test_the_baselines_are_there_to_compare_with(all_agents: str) -> None:
    table = Table(all_agents, "ranking")
    assert {baseline.title for baseline in BASELINES.values()} <= {
        row[0] for row in table.rows if row
    }
    assert table.row("Minimax")[1:5] == ["", "0", "yes", "yes"]
    assert table.row("Random")[5] == "58.5 / 12.7 / 28.8"
    assert table.row("Random")[-3:] == ["", "", ""]  # it never learned


def test_the_heads_are_those_of_the_columns(all_agents: str) -> None:
    groups, heads = Table(all_agents, "ranking").rows[:2]
    assert len(groups) + len(heads) - 5 == len(COLUMNS)  # five groups have a head of their own
    assert 'aria-sort="ascending"' in all_agents


@pytest.mark.parametrize("way", OTHER)
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
def test_every_column_sorts_both_ways(
    client: FlaskClient, players: Players, column: Column, way: str
) -> None:
    page = client.get(f"/agents?sort={column.key}&order={way}").text
    by_title = {standing.title: standing for standing in learned(players)}
    shown = titles(page)
    assert sorted(shown) == sorted(by_title)
    values = [column.value(by_title[title]) for title in shown]
    assert values == sorted(values, reverse=way == "desc")
    for (above, below), (title, after) in zip(pairwise(values), pairwise(shown), strict=True):
        assert above != below or title.lower() < after.lower()
    found = re.findall(r'aria-sort="(\w+)"[^>]*>\s*<a id="([^"]+)" href="([^"]+)"', page)
    other = build_order(Order(column.key, OTHER[way])).replace("&", "&amp;")
    assert found == [(ARIA[way], f"sort-{column.key}", other)]


def test_the_first_click_shows_the_best_or_the_most_first(client: FlaskClient) -> None:
    page = client.get("/agents").text
    assert 'href="/agents?sort=random-x&amp;order=desc"' in page
    assert 'href="/agents?sort=title&amp;order=asc"' in page
    assert (
        client.get("/agents?sort=random-x").data
        == client.get("/agents?sort=random-x&order=desc").data
    )


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
@pytest.mark.parametrize("way", OTHER)
def test_an_order_and_its_address_are_one(column: Column, way: str) -> None:
    order = Order(column.key, way)
    query = build_order(order).partition("?")[2]
    assert parse_order(dict(parse_qsl(query))) == order


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("/agents?sort=size", 400, "blunders, unbeatable-x"),
        ("/agents?sort=title&order=up", 400, "asc or desc"),
        ("/agents/nobody", 404, "q-iteration, q-learning-1"),
        ("/agents/random", 404, "q-iteration"),
        *((f"/agents/nobody.{ending}", 404, "q-iteration") for ending in FILES),
        ("/agents/q-table.txt", 404, "q-iteration"),
        ("/agents/q-table?against=nobody", 400, "minimax-random, strongest, best-responder"),
    ],
)
def test_what_is_wrong_is_said(client: FlaskClient, url: str, code: int, said: str) -> None:
    response = client.get(url)
    assert response.status_code == code
    assert said in response.text


@pytest.mark.parametrize("url", ["/agents?sort=random-o", "/agents/q-table?against=minimax"])
def test_the_fragment_is_the_part_of_the_page_that_it_replaces(
    client: FlaskClient, url: str
) -> None:
    page, fragment = client.get(url).text, client.get(url, headers=HTMX).text
    assert fragment.strip() in page
    assert len(fragment) < len(page)


@pytest.mark.parametrize("url", ["/agents", "/agents/q-learning-4", "/agents/dqn-vs-random"])
def test_every_link_leads_somewhere(client: FlaskClient, url: str) -> None:
    addresses = set(re.findall(r'(?:href|src)="(/[^"]*)"', client.get(url).text))
    assert len(addresses) > 20
    for address in addresses:
        assert client.get(address.replace("&amp;", "&").partition("#")[0]).status_code == 200


def test_a_page_says_what_the_card_says(client: FlaskClient, card: Card, players: Players) -> None:
    page = client.get(f"/agents/{card.id}").text
    results = Table(page, "results").rows[1:]
    assert len(results) == len(opponents(card))
    for row, opponent in zip(results, opponents(card), strict=True):
        chances = chances_against(card, opponent)
        assert row[0] in (players.titles.get(opponent), "its best responder")
        cells = [" ".join(cell.split()) for cell in row[1:]]
        assert cells == [outcome(getattr(chances, seat)[-1]) for seat in SEATS]
    worth = Table(page, "worth")
    for seat in SEATS:
        assert worth.row(seat.upper())[1:] == [signed(v) for v in getattr(card.worth, seat)]
    for fact in (card.title, card.algorithm, card.origin, card.arrays, card.numbering):
        assert str(fact) in page
    for name, version in card.versions.items():
        assert f"{name} {version}" in page
    for words in re.split("`|'", card.reported):
        assert words in page


def test_a_page_has_the_other_figures(client: FlaskClient, card: Card, players: Players) -> None:
    shown = dict(
        re.findall(
            r"<dt>([^<]+)</dt>\s*<dd><strong>([^<]+)<", client.get(f"/agents/{card.id}").text
        )
    )
    figures = card.figures
    assert shown == {
        "Unbeatable as X": "no" if losing(players, card.id, 1) else "yes, proved",
        "Unbeatable as O": "no" if losing(players, card.id, -1) else "yes, proved",
        "Blunders": f"{count(figures.blunders[-1])} of 4,520",
        "Blunders it can meet as X": count(figures.reachable_blunders.x[-1]),
        "Blunders it can meet as O": count(figures.reachable_blunders.o[-1]),
        "NashConv": f"{figures.nash_conv[-1]:.4g}",
        "Values that fit the truth": f"{percent(figures.classes_right[-1])}%",
    }


def test_every_parameter_is_explained(client: FlaskClient, card: Card) -> None:
    assert card.algorithm in ALGORITHMS
    parameters = Table(client.get(f"/agents/{card.id}").text, "parameters")
    assert len(parameters.rows) == 1 + len(card.parameters)
    for name, value in card.parameters.items():
        assert name in MEANINGS or name.startswith(LENGTH)
        _, written, meaning = parameters.row(name)
        if isinstance(value, bool):
            assert written == ("yes" if value else "no")
        elif isinstance(value, str):
            assert written == value
        else:
            assert float(written.replace(",", "")) == value
        assert meaning


def test_the_curves_are_the_figures(client: FlaskClient, card: Card) -> None:
    figures = card.figures
    for opponent in opponents(card):
        page = client.get(f"/agents/{card.id}?against={opponent}").text
        table, chances = Table(page, "learning"), chances_against(card, opponent)
        np.testing.assert_allclose(
            np.array(table.values[2:]),
            np.column_stack(
                [
                    figures.updates,
                    100 * np.array(chances.x),
                    100 * np.array(chances.o),
                    figures.blunders,
                    figures.nash_conv,
                ]
            ),
            atol=1e-12,
        )
        last = table.rows[-1]
        assert last[0] == count(card.updates)
        assert last[1:7] == [percent(share) for share in chances.x[-1] + chances.o[-1]]
        assert f'id="against-{opponent}"' in page
        assert re.search(rf'id="against-{opponent}"[^>]*aria-current="true"', page)


def test_every_snapshot_leads_to_the_board_as_it_was(client: FlaskClient, card: Card) -> None:
    page = client.get(f"/agents/{card.id}").text
    linked = re.findall(r'href="(/play/[^"]*)"><data', page)
    *during, end = [dict(parse_qsl(urlsplit(unescape(href)).query)) for href in linked]
    assert [int(query["step"]) for query in during] == list(range(len(card.figures.updates) - 1))
    assert "step" not in end  # that is the agent as shipped
    assert {query["lens"] for query in (*during, end)} == {card.id}


def test_the_games_won_in_training_are_those_of_the_card(client: FlaskClient, card: Card) -> None:
    page = client.get(f"/agents/{card.id}").text
    assert ('id="win-rate"' in page) == (card.win_rate is not None)
    if card.win_rate is not None:
        shown = np.array(Table(page, "win-rate").values[2:])
        assert shown[:, 0].tolist() == list(range(1, len(card.win_rate.x) + 1))
        np.testing.assert_allclose(shown[:, 1], 100 * np.array(card.win_rate.x), atol=1e-6)
        np.testing.assert_allclose(shown[:, 2], 100 * np.array(card.win_rate.o), atol=1e-6)


def test_the_npz_and_the_card_are_the_files_that_were_loaded(
    client: FlaskClient, card: Card
) -> None:
    for ending in ("npz", "json"):
        served = client.get(f"/agents/{card.id}.{ending}").data
        assert served == (ROOT / "models" / f"{card.id}.{ending}").read_bytes()
    assert client.get(f"/agents/{card.id}.json").text == card_text(card)


def test_the_csv_holds_the_arrays(client: FlaskClient, card: Card, players: Players) -> None:
    game, agent = players.game, players.agents[card.id]
    rows = list(csv.DictReader(io.StringIO(client.get(f"/agents/{card.id}.csv").text)))
    assert list(rows[0]) == ["position", "to_move", "cell", "q", "visits", "true_value"]
    assert len(rows) == game.legal.sum() == 16_167
    positions, cells = np.nonzero(game.legal)
    assert [int(row["cell"]) for row in rows] == cells.tolist()
    for row, position in list(zip(rows, positions.tolist(), strict=True))[::97]:
        assert parse_position(game, row["position"]) == position
        assert row["to_move"] == {1: "X", -1: "O"}[int(game.to_move[position])]
    q = np.array([row["q"] for row in rows], np.float32)
    np.testing.assert_array_equal(q, agent.q[game.legal])
    visits = np.array([row["visits"] for row in rows], np.uint32)
    np.testing.assert_array_equal(visits, agent.visits[game.legal])
    truth = np.array([row["true_value"] for row in rows], float)
    np.testing.assert_array_equal(truth, players.true_values[game.legal])


@pytest.mark.parametrize(
    ("ending", "mimetype"),
    [("npz", "application/octet-stream"), ("json", "application/json"), ("csv", "text/csv")],
)
def test_a_file_is_named_and_kept(client: FlaskClient, ending: str, mimetype: str) -> None:
    url = f"/agents/self-play.{ending}"
    response = client.get(url)
    assert response.mimetype == mimetype
    assert response.headers["Content-Disposition"] == f"attachment; filename=self-play.{ending}"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    tag = response.headers["ETag"]
    again = client.get(url, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    head = client.head(url)
    assert (head.data, head.headers["ETag"]) == (b"", tag)
