"""The pages of agents: the same facts as their cards, and files to download."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import cycle, pairwise
from typing import Any

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.tictactoe.card import Card, format_card
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import parse_position
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances
from app.web.algorithms import ALGORITHM_PAGES
from app.web.facts import (
    find_losing_game,
    find_reachable_play,
    judge_policy,
    list_policy_blunders,
    play_round_robin,
)
from app.web.formatting import format_count, format_percent, format_signed
from app.web.pages.agents import (
    ARIA_SORT_VALUES,
    COLUMNS,
    OPPOSITE_ORDER,
    Column,
    TableOrder,
    list_agent_rows,
)
from app.web.pages.parts.learning import list_card_opponents
from app.web.site_data import SiteData
from app.web.wording import FRONT_PAGE_AGENTS, build_player_profile, select_agents
from tests.service.server import ROOT


def list_agents() -> Iterator[Any]:
    """Yield all agents; all but one of each algorithm are for the long tests."""
    seen = set[str]()
    for path in sorted((ROOT / "models").glob("*.json")):
        algorithm = json.loads(path.read_bytes())["algorithm"]
        yield pytest.param(path.stem, marks=[pytest.mark.long] if algorithm in seen else [])
        seen.add(algorithm)


class Table(HTMLParser):
    """The rows of a table of a page, as texts of cells."""

    def __init__(self, page: str, id: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.in_cell = False
        table = re.search(rf'<table[^>]* id="{id}".*?</table>', page, re.DOTALL)
        assert table, f"no table {id}"
        self.feed(table[0])

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.in_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[-1][-1] += data

    def row(self, first: str) -> list[str]:
        """Return the cells of the row with this beginning, with single spaces."""
        rows = [[" ".join(cell.split()) for cell in row] for row in self.rows]
        return next(row for row in rows if row and row[0] == first)

    def cells(self, first: str) -> dict[str, str]:
        """Return the cells of the row with this beginning, by the start of their headings."""
        headings = [re.split(r"\s{2,}", head.strip())[0] for head in self.rows[0]]
        return dict(zip(headings, self.row(first), strict=True))


def outcome(chances: Chances, decimals: int = 2) -> str:
    return " / ".join(format_percent(chance, decimals) for chance in chances)


def titles(page: str) -> list[str]:
    """Return the agents in the order of the table."""
    body = page.split("<tbody")[1]
    return re.findall(r'<a href="/agents/[^"#]+">([^<]+)</a>', body)


@pytest.fixture(params=list_agents())
def card(site: SiteData, request: pytest.FixtureRequest) -> Card:
    return site.agents[request.param].card


@pytest.fixture(scope="module")
def all_agents(app: Flask) -> str:
    return app.test_client().get("/agents").text


@pytest.fixture(scope="module")
def ranking(all_agents: str) -> Table:
    return Table(all_agents, "ranking")


def test_why_an_unbeatable_agent_blunders(client: FlaskClient, site: SiteData) -> None:
    explained = []
    for name, agent in site.agents.items():
        blunders = agent.card.figures.blunders[-1]
        page = client.get(f"/agents/{name}").text if blunders else ""
        reason = re.search(r'<p id="unbeatable">(.*?)</p>', page)
        losses = [find_losing_game(site, name, player) for player in SEATS.values()]
        assert bool(reason) == (bool(blunders) and losses == [None, None])
        if not reason:
            continue
        explained.append(name)
        found = list_policy_blunders(site, name)
        reached = find_reachable_play(site, name).is_reachable[found.positions]
        # In its own games it gives away wins, but no draws.
        assert (found.value_before[reached] == 1).all()
        assert (found.value_after[reached] == 0).all()
        counts = [int(number) for number in re.findall(r"\d+", reason[1])]
        assert counts == [reached.sum(), (~reached).sum()]
        assert ("a draw is worth as much" in reason[1]) == (agent.card.recipe.find("draw=1") >= 0)
    assert explained == ["q-table-draw-1"]


def in_both_seats(texts: Iterable[str]) -> str:
    """Return the texts of a cell for X and, below, for O."""
    return " ".join(f"{mark} {text}" for mark, text in zip("XO", texts, strict=True))


def test_the_table_says_what_the_card_says(
    all_agents: str, ranking: Table, card: Card, site: SiteData
) -> None:
    figures, who = card.figures, build_player_profile(site, card.id)
    chances = [
        figures.outcome_chances_by_baseline["random"],
        figures.outcome_chances_by_baseline["t-hand"],
        figures.best_response,
    ]
    first = f"{card.title}: {who.strength_name}. {who.training_text} Play"
    may_surprise = who.strength_name == "unbeatable" and figures.blunders[-1]
    by_opponent = [
        in_both_seats(outcome(getattr(one, seat)[-1], 1) for seat in SEATS) for one in chances
    ]
    assert ranking.cells(first) == {
        "Agent": first,
        "Blunders": format_count(figures.blunders[-1]) + (", why?" if may_surprise else ""),
        "Unbeatable": in_both_seats(
            "no" if find_losing_game(site, card.id, seat) else "yes" for seat in SEATS.values()
        ),
        "Against Random": by_opponent[0],
        "Against T-hand": by_opponent[1],
        "Best responder": by_opponent[2],
        "Method": f"{ALGORITHM_PAGES[card.algorithm].name} {card.origin}",
        "Training": f"{format_count(card.updates)} {format_count(card.games)}",
    }
    assert f'<a href="/agents/{card.id}">{card.title}</a>' in all_agents
    assert (
        f'<a href="/how/{card.algorithm}">{ALGORITHM_PAGES[card.algorithm].name}</a>' in all_agents
    )


@pytest.mark.parametrize(("column", "way"), [*zip(COLUMNS, cycle(OPPOSITE_ORDER), strict=False)])
def test_every_column_sorts_its_rows(
    client: FlaskClient, site: SiteData, column: Column, way: str
) -> None:
    page = client.get(f"/agents?sort={column.key}&order={way}").text
    by_title = {player.title: player for player in list_agent_rows(site, site.agents)}
    shown = titles(page)
    assert sorted(shown) == sorted(by_title)
    values = [column.get_value(by_title[title]) for title in shown]
    assert values == sorted(values, reverse=way == "desc")
    for (above, below), (title, after) in zip(pairwise(values), pairwise(shown), strict=True):
        assert above != below or title.lower() < after.lower()
    found = re.findall(r'<a id="([^"]+)" href="([^"]+)" data-sorted="(\w+)"', page)
    other = TableOrder(column.key, OPPOSITE_ORDER[way]).url.replace("&", "&amp;")
    assert found == [(f"sort-{column.key}", other, ARIA_SORT_VALUES[way])]
    assert re.findall(r'<th[^>]* aria-sort="(\w+)"', page) == [ARIA_SORT_VALUES[way]]


def test_a_page_says_what_the_card_says(client: FlaskClient, card: Card, site: SiteData) -> None:
    page = client.get(f"/agents/{card.id}").text
    results = Table(page, "results").rows[1:]
    assert len(results) == len(list_card_opponents(card))
    for row, opponent in zip(results, list_card_opponents(card), strict=True):
        chances = list_card_opponents(card)[opponent]
        assert row[0] in (site.display_titles.get(opponent), "its best responder")
        cells = [" ".join(cell.split()) for cell in row[1:]]
        assert cells == [outcome(getattr(chances, seat)[-1]) for seat in SEATS]
    if card.reward_scale is not None:  # test_beads.py tests agents with beads
        worth = Table(page, "worth")
        for seat in SEATS:
            assert worth.row(seat.upper())[1:] == [
                format_signed(v) for v in getattr(card.reward_scale, seat)
            ]
    title = ALGORITHM_PAGES[card.algorithm].name
    for fact in (card.title, title, card.origin, card.arrays_digest, card.numbering_digest):
        assert str(fact) in unescape(page)
    for name, version in card.versions.items():
        assert f"{name} {version}" in page


def test_the_curves_are_the_figures(client: FlaskClient, card: Card) -> None:
    figures = card.figures
    usual, *_, other = list_card_opponents(card)
    for opponent in (usual, other):
        page = client.get(f"/agents/{card.id}?against={opponent}").text
        table, chances = Table(page, "learning"), list_card_opponents(card)[opponent]
        off = (
            (figures.task_distance.mean_distance, figures.task_distance.mean_reachable_distance)
            if figures.task_distance
            else ()
        )
        columns = zip(
            map(format_count, figures.snapshot_updates),
            *(
                map(format_percent, share)
                for seat in (chances.x, chances.o)
                for share in zip(*seat, strict=True)
            ),
            map(format_count, figures.blunders),
            *([f"{value:.4g}" for value in values] for values in (figures.nash_conv, *off)),
            strict=True,
        )
        assert table.rows[2:] == [list(row) for row in columns]
        assert table.rows[-1][0] == format_count(card.updates)
        assert f'id="against-{opponent}"' in page
        assert re.search(rf'id="against-{opponent}"[^>]*aria-current="true"', page)


def test_the_npz_and_the_card_are_the_files_that_were_loaded(
    client: FlaskClient, card: Card
) -> None:
    for ending in ("npz", "json"):
        served = client.get(f"/agents/{card.id}.{ending}").data
        assert served == (ROOT / "models" / f"{card.id}.{ending}").read_bytes()
    assert client.get(f"/agents/{card.id}.json").text == format_card(card)


@pytest.mark.parametrize("name", ["q-table", "menace", "dqn-vs-random"])
def test_the_csv_holds_the_arrays(client: FlaskClient, site: SiteData, name: str) -> None:
    game, agent = GAME, site.agents[name]
    rows = list(csv.DictReader(io.StringIO(client.get(f"/agents/{name}.csv").text)))
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
    np.testing.assert_array_equal(truth, site.optimal_q[game.legal])


def test_the_whole_table_can_be_downloaded(client: FlaskClient, site: SiteData) -> None:
    """Each agent and baseline occurs once, with the figures of its card."""
    assert 'href="/agents.csv"' in client.get("/agents").text
    answer = client.get("/agents.csv")
    assert answer.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["id"] for row in rows] == [*site.agents, *BASELINES]
    for row in rows:
        judged = judge_policy(site, row["id"])
        assert int(row["blunders"]) == judged.blunder_count
        for seat in "xo":
            assert row[f"unbeatable-{seat}"] == str(judged.is_unbeatable[seat])
            for opponent in ("random", "t-hand", "best-responder"):
                shares = [row[f"{opponent}-{seat}-{end}"] for end in ("won", "drawn", "lost")]
                assert [*map(float, shares)] == list(judged.outcome_chances[opponent, seat])


def test_the_recommended_agents_are_the_strongest_and_the_weakest_to_begin_with(
    client: FlaskClient, site: SiteData
) -> None:
    unbeatable, strongest, easiest = select_agents(site)
    figures = {name: agent.card.figures for name, agent in site.shipped_agents.items()}
    assert unbeatable == [name for name, each in figures.items() if each.nash_conv[-1] == 0]
    chances = play_round_robin(site, "")
    points = chances[..., 0] - chances[..., 2]
    scores = dict(zip(site.policies, points.mean(axis=1) - points.mean(axis=0), strict=True))
    assert strongest == max(figures, key=scores.__getitem__)
    losses = {
        name: max(
            figures[name].outcome_chances_by_baseline["random"].x[-1][2],
            figures[name].outcome_chances_by_baseline["random"].o[-1][2],
        )
        for name in FRONT_PAGE_AGENTS
    }
    assert easiest == max(losses, key=losses.__getitem__)
    for url in ("/agents", "/players/"):
        page = unescape(client.get(url).text)
        (sentences,) = re.findall(r'<p class="hint">(.*?href="/arena".*?)</p>', page, re.DOTALL)
        for name in (*unbeatable, strongest, easiest):
            assert site.display_titles[name] in sentences
        assert f"{100 * losses[easiest]:.1f}%" in sentences


def test_what_the_page_says_about_training_is_true(site: SiteData) -> None:
    """MCTS simulates equally many games from each position, and Q-iteration plays none."""
    mcts, q_iteration = (site.agents[name].card for name in ("mcts", "q-iteration"))
    assert mcts.updates == mcts.games
    assert mcts.games % GAME.decisions == 0
    assert q_iteration.games == 0
