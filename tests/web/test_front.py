"""The front page: its board, its ways on, and its sentences are true of the shipped agents."""

import re
from html import unescape
from urllib.parse import parse_qsl, quote, urlsplit

import numpy as np
from flask.testing import FlaskClient

from app.tictactoe.game import GAME
from app.tictactoe.notation import replay_record
from app.web.match import MatchState, parse_match
from app.web.move_values import evaluate_moves
from app.web.site_data import SiteData
from app.web.wording import FRONT_PAGE_AGENT, FRONT_PAGE_RECORD


def leads_to(page: str, id: str, site: SiteData) -> MatchState:
    """Return the match to which a link of the page leads."""
    (href,) = re.findall(f'<a id="{id}"[^>]*?href="([^"]+)"', page)
    url = urlsplit(unescape(href))
    return parse_match(url.path.removeprefix("/play/"), dict(parse_qsl(url.query)), site)


def test_the_first_paint_shows_a_trained_agent_from_red_to_green(
    client: FlaskClient, site: SiteData
) -> None:
    """At least one square at +0.8 or more and one at -0.8 or less, in the middle of a game."""
    position = replay_record(GAME, FRONT_PAGE_RECORD)[-1]
    view = evaluate_moves(site, position, FRONT_PAGE_AGENT)
    assert np.nanmax(view.scaled_values) >= 0.8
    assert np.nanmin(view.scaled_values) <= -0.8
    page = client.get("/").text
    squares = re.findall(r'id="board-(\d)"[^>]*data-heat="(-?\d+)"', page)
    assert squares == [
        (str(cell), str(view.heats[cell]))
        for cell in range(9)
        if str(cell) not in FRONT_PAGE_RECORD
    ]


def test_an_address_of_the_film_shows_the_agent_at_that_snapshot(
    client: FlaskClient, site: SiteData
) -> None:
    assert leads_to(client.get("/?step=5").text, "board-4", site).match.snapshot == 5
    last = site.get_last_snapshot(FRONT_PAGE_AGENT)
    assert client.get(f"/?step={last}").data == client.get("/").data


def test_another_agent_takes_over_the_game_that_was_begun(
    client: FlaskClient, site: SiteData
) -> None:
    """In the prepared position each agent is shown as from the link of its card."""
    for at, choice, address in [
        ("/play/027643?o=q-learning-4", "agent=menace", "/play/027643?o=menace"),
        ("/play/5?x=q-learning-4&o=human", "agent=menace", "/play/5?x=menace&o=human"),
        ("/play/4?o=human&lens=q-learning-4", "agent=menace", "/play/4?o=human&lens=menace"),
        ("/play/027684?o=q-learning-4", "agent=menace", "/play/?o=menace"),  # it was over
        ("/play/0276?o=q-learning-4", "agent=menace", "/?agent=menace"),
        ("/play/0276?o=menace", "step=8", "/?step=8"),
    ]:
        answer = client.get(f"/?{choice}&at={quote(at)}")
        assert answer.headers["HX-Push-Url"] == address
        shown = client.get(address).text
        for cell in range(9):
            pattern = rf'<[^>]*id="board-{cell}"[^>]*>'
            assert re.findall(pattern, answer.text) == re.findall(pattern, shown)
    assert client.get("/?agent=menace&at=/play/00").status_code == 409


def test_who_swaps_sides_in_the_prepared_position_begins_a_game(
    client: FlaskClient, site: SiteData
) -> None:
    match = leads_to(client.get("/").text, "swap", site).match
    assert (match.record, match.x, match.o) == ("", FRONT_PAGE_AGENT, "human")
    begun = client.get(f"/play/{FRONT_PAGE_RECORD}43?o={FRONT_PAGE_AGENT}").text
    assert leads_to(begun, "swap", site).match.record == f"{FRONT_PAGE_RECORD}43"
