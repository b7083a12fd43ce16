"""The judgement on an agent's page: the numbers of its card, and a valid proof."""

import csv
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import SEATS
from app.web.facts import find_losing_game
from app.web.formatting import format_percent
from app.web.match import Match, parse_match
from app.web.site_data import SiteData
from tests.tictactoe.both import Both
from tests.tictactoe.checker import flaw
from tests.tictactoe.reference import SIGN, Policy, Told, mover

Seat = tuple[str, str]  # the id of an agent, and "x" or "o"
BEATABLE = ["observing", "q-learning-3", "dqn-vs-random", "q-table-vs-minimax"]


@pytest.fixture(scope="module")
def both() -> Both:
    return Both()


@pytest.fixture(scope="module")
def policies(both: Both, site: SiteData) -> dict[str, Policy]:
    """The reference's policy of each agent."""
    agents = site.agents
    return Told(lambda name: both.policy_of(agents[name].q, agents[name].card.play_rule))


def seats(site: SiteData) -> Iterator[Seat]:
    return ((name, seat) for name in site.agents for seat in SEATS)


def section(page: str, id: str) -> str:
    found = re.search(
        rf'(?s)<div id="{id}" class="folded">.*?(?=<details class="panel|</main>)',
        page,
    )
    assert found
    return found[0]


def plays(html: str) -> list[str]:
    """Return the URLs of the play page in pictures."""
    return [unescape(href) for href in re.findall(r'<a href="(/play/[^"]*)"><svg', html)]


def match_of(href: str, site: SiteData) -> Match:
    url = urlsplit(href)
    return parse_match(url.path.removeprefix("/play/"), dict(parse_qsl(url.query)), site).match


def certificate(client: FlaskClient, name: str, seat: str) -> list[dict[str, str]]:
    response = client.get(f"/agents/{name}/certificate-{seat}.csv")
    assert (response.status_code, response.mimetype) == (200, "text/csv")
    assert f"{name}-{seat}.csv" in response.headers["Content-Disposition"]
    return list(csv.DictReader(response.text.splitlines()))


@pytest.mark.long
def test_whoever_cannot_be_beaten_has_a_certificate_and_nobody_else(
    client: FlaskClient, site: SiteData, both: Both, policies: dict[str, Policy]
) -> None:
    for name, seat in seats(site):
        beatable = both.rules.can_lose(policies[name], seat.upper())
        for ending in ("", ".csv"):
            answer = client.get(f"/agents/{name}/certificate-{seat}{ending}")
            assert answer.status_code == (404 if beatable else 200), (name, seat)
            assert ("can be beaten as" in answer.text) == beatable


def test_every_certificate_is_a_proof(client: FlaskClient, site: SiteData, both: Both) -> None:
    proved = [
        (name, seat) for name, seat in seats(site) if not find_losing_game(site, name, SEATS[seat])
    ]
    assert {("champion", "x"), ("q-iteration", "o"), ("q-learning-2", "x")} <= set(proved)
    for name, seat in proved:
        rows = certificate(client, name, seat)
        lines = [(row["position"], list(map(int, row["moves"].split()))) for row in rows]
        assert flaw(both.rules, seat.upper(), lines) is None, (name, seat)
        assert flaw(both.rules, seat.upper(), lines[1:]) is not None, (name, seat)


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", BEATABLE)
def test_the_line_is_a_game_that_the_agent_can_have_and_loses(
    client: FlaskClient,
    site: SiteData,
    both: Both,
    policies: dict[str, Policy],
    name: str,
    seat: str,
) -> None:
    verdict = section(client.get(f"/agents/{name}").text, "verdict")
    link = re.search(rf'id="line-{seat}"[^>]* href="([^"]*)"', verdict)
    assert link
    match, board = match_of(unescape(link[1]), site), both.rules.boards[0]
    assert (match.ply, match.get_player_name(SEATS[seat]), match.get_player_name(-SEATS[seat])) == (
        0,
        name,
        "human",
    )
    for cell in map(int, match.record):
        assert mover(board) != seat.upper() or cell in policies[name][board]
        board = both.rules.children[board][cell]
    assert both.rules.result(board) == -SIGN[seat.upper()]
    assert sum(href.startswith(f"/play/{match.record}?") for href in plays(verdict)) == len(
        match.record
    )


def test_a_line_says_where_the_agent_blunders_and_how_surely_it_loses(
    client: FlaskClient, site: SiteData, both: Both
) -> None:
    for name in BEATABLE:
        verdict = section(client.get(f"/agents/{name}").text, "verdict")
        own = 0
        for seat, player in SEATS.items():
            win, draw, loss = getattr(site.agents[name].card.figures.best_response, seat)[-1]
            won, drawn, lost = (format_percent(chance) for chance in (win, draw, loss))
            told = f"wins {won}%, draws {drawn}% and loses {lost}%"
            assert told in verdict
            board, record = both.rules.boards[0], find_losing_game(site, name, player)
            assert record is not None
            for cell in map(int, record):
                ours = mover(board) == seat.upper()
                own += ours and cell in both.rules.blunder_cells(board)
                board = both.rules.children[board][cell]
        assert own >= 2  # nobody loses from the start of the game without one
        assert verdict.count('<li class="blunder">') == verdict.count("✗ Blunder: ") == own


def test_the_blunders_are_counted_as_on_the_card(client: FlaskClient, site: SiteData) -> None:
    for name, agent in site.agents.items():
        figures = agent.card.figures
        html = section(client.get(f"/agents/{name}").text, "blunders")
        if not figures.blunders[-1]:
            assert not plays(html)
            continue
        numbers = [int(n.replace(",", "")) for n in re.findall(r"<td>([\d,]+)</td>", html)]
        *kinds, (total, met) = zip(numbers[::2], numbers[1::2], strict=True)
        assert (total, met) == tuple(map(sum, zip(*kinds, strict=True)))
        assert total == figures.blunders[-1]
        assert met == figures.reachable_blunders.x[-1] + figures.reachable_blunders.o[-1]
