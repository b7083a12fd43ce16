"""The pages of agents: the same facts as their cards, and files to download."""

import csv
import io
import re
from collections.abc import Iterable
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app import recipes
from app.tictactoe.card import Card, format_card
from app.tictactoe.game import SEATS
from app.tictactoe.notation import parse_position, replay_record
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances
from app.web import urls
from app.web.algorithms import ALGORITHMS
from app.web.facts import find_losing_game, judge_policy
from app.web.formatting import format_count, format_percent, format_signed
from app.web.match import Match
from app.web.pages.agents import (
    ARIA_SORT_VALUES,
    COLUMNS,
    OPPOSITE_ORDER,
    Column,
    TableOrder,
    build_comparison_url,
    list_agent_rows,
    parse_order,
)
from app.web.pages.parts.learning import list_opponents
from app.web.site_data import SiteData
from app.web.wording import describe_character
from tests.service.server import ROOT

HTMX = {"HX-Request": "true"}
AGENTS = sorted(path.stem for path in (ROOT / "models").glob("*.json"))
FILES = ["npz", "json", "csv"]


class Table(HTMLParser):
    """The rows of a table of a page, as texts of cells."""

    def __init__(self, page: str, id: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = self.in_cell = False
        self.id = id
        self.feed(page)
        assert self.rows, f"no table {id}"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.inside |= tag == "table" and given.get("id") == self.id
        if self.inside and tag == "tr":
            self.rows.append([])
        elif self.inside and tag in ("td", "th"):
            self.rows[-1].append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self.inside &= tag != "table"
        self.in_cell &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside and self.in_cell:
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
    return re.findall(r'<a href="/agents/[^"]+">([^<]+)</a>', body)


@pytest.fixture(params=AGENTS)
def card(site: SiteData, request: pytest.FixtureRequest) -> Card:
    return site.agents[request.param].card


@pytest.fixture(scope="module")
def all_agents(app: Flask) -> str:
    return app.test_client().get("/agents").text


def in_both_seats(texts: Iterable[str]) -> str:
    """Return the texts of a cell for X and, below, for O."""
    return " ".join(f"{mark} {text}" for mark, text in zip("XO", texts, strict=True))


def test_the_table_says_what_the_card_says(all_agents: str, card: Card, site: SiteData) -> None:
    figures, who = card.figures, describe_character(site, card.id)
    chances = [
        figures.baseline_chances["random"],
        figures.baseline_chances["t-hand"],
        figures.best_response,
    ]
    first = f"{card.title}: {who.strength_name}. {who.description}"
    by_opponent = [
        in_both_seats(outcome(getattr(one, seat)[-1], 1) for seat in SEATS) for one in chances
    ]
    assert Table(all_agents, "ranking").cells(first) == {
        "Agent": first,
        "Blunders": format_count(figures.blunders[-1]),
        "Unbeatable": in_both_seats(
            "no" if find_losing_game(site, card.id, seat) else "yes" for seat in SEATS.values()
        ),
        "Against Random": by_opponent[0],
        "Against T-hand": by_opponent[1],
        "Best responder": by_opponent[2],
        "Method": f"{ALGORITHMS[card.algorithm].title} {card.origin}",
        "Training": f"{format_count(card.updates)} {format_count(card.games)}",
    }
    assert f'<a href="/agents/{card.id}">{card.title}</a>' in all_agents
    assert f'<a href="/how/{card.algorithm}">{ALGORITHMS[card.algorithm].title}</a>' in all_agents


def test_unbeatable_is_what_the_best_responder_finds(site: SiteData) -> None:
    for player in list_agent_rows(site, site.agents):
        for seat in SEATS:
            lost = player.judgement.outcome_chances["best-responder", seat][2]
            assert player.judgement.is_unbeatable[seat] == (lost == 0)


def test_the_baselines_are_there_to_compare_with(all_agents: str, site: SiteData) -> None:
    table = Table(all_agents, "ranking")
    assert {" ".join(row[0].split()) for row in table.rows if row} >= {
        f"{baseline.title}: {describe_character(site, name).strength_name}. "
        f"{describe_character(site, name).description}"
        for name, baseline in BASELINES.items()
    }
    minimax, random = (
        table.cells(f"{title}: {strength}. {BASELINES[name].description}")
        for name, title, strength in [
            ("minimax", "Minimax", "unbeatable"),
            ("random", "Random", "beginner"),
        ]
    )
    assert (minimax["Blunders"], minimax["Unbeatable"]) == ("0", "X yes O yes")
    assert random["Against Random"] == "X 58.5 / 12.7 / 28.8 O 28.8 / 12.7 / 58.5"
    assert random["Method"] == random["Training"] == ""  # it never learned


def test_the_heads_are_those_of_the_columns(all_agents: str) -> None:
    assert all_agents.count(' id="sort-') == len(COLUMNS)
    groups = dict.fromkeys(column.group for column in COLUMNS)
    heads = [head.split() for head in Table(all_agents, "ranking").rows[0]]
    assert len(heads) == len(groups)
    for head, group in zip(heads, groups, strict=True):
        words = group.title.split()
        assert head[: len(words)] == words
    assert all_agents.count('aria-sort="ascending"') == 1


def test_on_a_narrow_screen_every_group_of_figures_is_a_tap_away(all_agents: str) -> None:
    groups = re.findall(r'<th scope="col" data-group="([^"]+)"', all_agents)
    assert groups[:2] == ["agent", "blunders"]
    assert re.findall(r'id="pick-([^"]+)" type="radio"', all_agents) == groups[2:]
    rules = (ROOT / "static" / "agents/agents.css").read_text()
    for group in groups[2:]:
        assert f':has(#pick-{group}:checked) [data-group="{group}"]' in rules


@pytest.mark.parametrize("way", OPPOSITE_ORDER)
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
def test_every_column_sorts_both_ways(
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


def test_the_first_click_shows_the_best_or_the_most_first(client: FlaskClient) -> None:
    page = client.get("/agents").text
    assert 'href="/agents?sort=random-x&amp;order=desc"' in page
    assert 'href="/agents?sort=title&amp;order=asc"' in page
    assert (
        client.get("/agents?sort=random-x").data
        == client.get("/agents?sort=random-x&order=desc").data
    )


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
@pytest.mark.parametrize("way", OPPOSITE_ORDER)
def test_an_order_and_its_address_are_one(column: Column, way: str) -> None:
    order = TableOrder(column.key, way)
    query = order.url.partition("?")[2]
    assert parse_order(dict(parse_qsl(query))) == order


def test_a_page_says_what_the_card_says(client: FlaskClient, card: Card, site: SiteData) -> None:
    page = client.get(f"/agents/{card.id}").text
    results = Table(page, "results").rows[1:]
    assert len(results) == len(list_opponents(card))
    for row, opponent in zip(results, list_opponents(card), strict=True):
        chances = list_opponents(card)[opponent]
        assert row[0] in (site.display_titles.get(opponent), "its best responder")
        cells = [" ".join(cell.split()) for cell in row[1:]]
        assert cells == [outcome(getattr(chances, seat)[-1]) for seat in SEATS]
    if card.reward_scale is not None:  # test_beads.py tests agents with beads
        worth = Table(page, "worth")
        for seat in SEATS:
            assert worth.row(seat.upper())[1:] == [
                format_signed(v) for v in getattr(card.reward_scale, seat)
            ]
    title = ALGORITHMS[card.algorithm].title
    for fact in (card.title, title, card.origin, card.arrays_digest, card.numbering_digest):
        assert str(fact) in unescape(page)
    for name, version in card.versions.items():
        assert f"{name} {version}" in page


def test_a_page_leads_with_who_it_is(client: FlaskClient, card: Card, site: SiteData) -> None:
    lead = client.get(f"/agents/{card.id}").text.partition("Exact figures")[0]
    who = describe_character(site, card.id)
    assert f">{who.strength_name}</i>" in lead
    assert who.description in unescape(lead)
    assert f'href="{urls.mind_url(card.id)}"' in lead
    assert 'class="mind small"' in lead
    compare = re.findall(r'href="(/compare/[^"]*lens[^"]*)"', lead)
    assert [unescape(href) for href in compare] == [build_comparison_url(site, card.id)]


def test_beside_best_play_it_errs_at_once(site: SiteData) -> None:
    for name in site.agents:
        record = urlsplit(build_comparison_url(site, name)).path.removeprefix("/compare/")
        position = replay_record(site.game, record)[-1]
        played = site.policies[name][position] > 0
        errs = not site.is_move_correct[position][played].all()
        assert errs == bool(judge_policy(site, name).blunder_count)


def test_a_page_has_the_other_figures(client: FlaskClient, card: Card, site: SiteData) -> None:
    shown = dict(
        re.findall(
            r"<dt>([^<]+)</dt>\s*<dd><strong>([^<]+)<", client.get(f"/agents/{card.id}").text
        )
    )
    figures = card.figures
    for name in ("Largest difference, all moves", "Mean difference, all moves"):
        shown.pop(name, None)
    for name in ("Largest difference, reachable moves", "Mean difference, reachable moves"):
        shown.pop(name, None)
    assert shown == {
        "Unbeatable as X": "no" if find_losing_game(site, card.id, 1) else "yes, proved",
        "Unbeatable as O": "no" if find_losing_game(site, card.id, -1) else "yes, proved",
        "Blunders": f"{format_count(figures.blunders[-1])} of 4,520",
        "Reachable blunders as X": format_count(figures.reachable_blunders.x[-1]),
        "Reachable blunders as O": format_count(figures.reachable_blunders.o[-1]),
        "NashConv": f"{figures.nash_conv[-1]:.4g}",
    } | _only_of_some(card)


def _only_of_some(card: Card) -> dict[str, str]:
    """Return the facts that only agents with expected results have, or only agents with boxes."""
    fit, refills = card.figures.correct_class_shares, card.refill_count
    told = {} if fit is None else {"Values that match optimal play": f"{format_percent(fit[-1])}%"}
    return told if refills is None else told | {"Boxes refilled": format_count(refills)}


def listed(page: str, id: str) -> list[str]:
    """Return the entries of a list of a page."""
    found = re.search(rf'<ul id="{id}" class="bullets">(.*?)</ul>', page, re.DOTALL)
    entries = re.findall(r"<li>(.*?)</li>", found[1], re.DOTALL) if found else []
    return [" ".join(unescape(re.sub(r"<[^>]*>", "", entry)).split()) for entry in entries]


def test_what_its_source_said_and_what_we_found_are_two_lists(
    client: FlaskClient, card: Card
) -> None:
    page = client.get(f"/agents/{card.id}").text
    reported = [f"{fact.text} ({fact.source_location})".replace("`", "") for fact in card.reported]
    assert listed(page, "reported") == reported
    assert listed(page, "found") == [sentence.replace("`", "") for sentence in card.findings]
    assert page.count("<h2>Results that the source reports</h2>") == bool(card.reported)
    assert page.count("<h3>Our measurements</h3>") == bool(card.findings)


def test_a_page_says_how_far_it_is_from_its_task(
    client: FlaskClient, card: Card, site: SiteData
) -> None:
    page = client.get(f"/agents/{card.id}").text
    off = card.figures.task_distance
    assert ("Difference from the exact values of the agent’s training task" in page) == (
        off is not None
    )
    if off is None:
        return
    task = urls.play_url(Match(o=card.id, value_source=f"{card.id}_task"))
    assert f'href="{task}"' in page.replace("&amp;", "&")
    shown = dict(re.findall(r"<dt>([^<]+)</dt>\s*<dd><strong>([^<]+)<", page))
    for name, numbers in [
        ("Largest difference, all moves", off.largest_distance),
        ("Mean difference, all moves", off.mean_distance),
        ("Largest difference, reachable moves", off.largest_reachable_distance),
        ("Mean difference, reachable moves", off.mean_reachable_distance),
    ]:
        assert shown[name] == f"{numbers[-1]:.4g}"


def test_every_parameter_is_explained(client: FlaskClient, card: Card) -> None:
    assert card.algorithm in ALGORITHMS
    shown = Table(client.get(f"/agents/{card.id}").text, "parameters")
    recipe = recipes.parse_recipe(card.recipe)
    assert len(shown.rows) == 1 + len(recipes.list_parameters(recipe))
    for parameter in recipes.list_parameters(recipe):
        name = f"{parameter.name} {parameter.symbol}".strip()
        _, written, meaning = shown.row(name)
        if isinstance(parameter.value, bool):
            assert written == ("yes" if parameter.value else "no")
        elif isinstance(parameter.value, str):
            assert written == parameter.value
        else:
            assert float(written.replace(",", "")) == parameter.value
        assert meaning == parameter.meaning


def test_the_curves_are_the_figures(client: FlaskClient, card: Card) -> None:
    figures = card.figures
    usual, *_, other = list_opponents(card)
    for opponent in (usual, other):
        page = client.get(f"/agents/{card.id}?against={opponent}").text
        table, chances = Table(page, "learning"), list_opponents(card)[opponent]
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


def test_every_snapshot_leads_to_the_board_as_it_was(client: FlaskClient, card: Card) -> None:
    page = client.get(f"/agents/{card.id}").text
    linked = re.findall(r'<th scope="row"><a href="(/play/[^"]*)">', page)
    *during, end = [dict(parse_qsl(urlsplit(unescape(href)).query)) for href in linked]
    assert [int(query["step"]) for query in during] == list(
        range(len(card.figures.snapshot_updates) - 1)
    )
    assert "step" not in end  # no step means the final agent
    assert {query["lens"] for query in (*during, end)} == {card.id}


def test_the_games_won_in_training_are_those_of_the_card(client: FlaskClient, card: Card) -> None:
    page = client.get(f"/agents/{card.id}").text
    assert ('id="win-rate"' in page) == (card.win_rate is not None)
    if card.win_rate is not None:
        rates = zip(card.win_rate.x, card.win_rate.o, strict=True)
        assert Table(page, "win-rate").rows[2:] == [
            [format_count(epoch), format_percent(as_x), format_percent(as_o)]
            for epoch, (as_x, as_o) in enumerate(rates, 1)
        ]


def test_the_npz_and_the_card_are_the_files_that_were_loaded(
    client: FlaskClient, card: Card
) -> None:
    for ending in ("npz", "json"):
        served = client.get(f"/agents/{card.id}.{ending}").data
        assert served == (ROOT / "models" / f"{card.id}.{ending}").read_bytes()
    assert client.get(f"/agents/{card.id}.json").text == format_card(card)


def test_the_csv_holds_the_arrays(client: FlaskClient, card: Card, site: SiteData) -> None:
    game, agent = site.game, site.agents[card.id]
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
    np.testing.assert_array_equal(truth, site.optimal_q[game.legal])


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
