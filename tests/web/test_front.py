"""The front page: its board, its ways on, and its sentences are true of the shipped agents."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from flask.testing import FlaskClient

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
    position = replay_record(site.game, FRONT_PAGE_RECORD)[-1]
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
