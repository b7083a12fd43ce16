"""The front page: its board, its ways on, and its sentences are true of the shipped agents."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.notation import replay_record
from app.web.match import MatchState, parse_match
from app.web.match_controls import plan_automatic_step
from app.web.move_values import evaluate_moves
from app.web.pages.front import FRONT_AGENTS
from app.web.site_data import HUMAN, SiteData
from app.web.wording import FIRST_AGENT, FIRST_RECORD


def leads_to(page: str, id: str, site: SiteData) -> MatchState:
    """Return the match to which a link of the page leads."""
    (href,) = re.findall(f'<a id="{id}"[^>]*?href="([^"]+)"', page)
    url = urlsplit(unescape(href))
    return parse_match(url.path.removeprefix("/play/"), dict(parse_qsl(url.query)), site)


def test_the_first_paint_shows_a_trained_agent_from_red_to_green(
    client: FlaskClient, site: SiteData
) -> None:
    """At least one square at +0.8 or more and one at -0.8 or less, in the middle of a game."""
    position = replay_record(site.game, FIRST_RECORD)[-1]
    view = evaluate_moves(site, position, FIRST_AGENT)
    assert np.nanmax(view.scaled_values) >= 0.8
    assert np.nanmin(view.scaled_values) <= -0.8
    page = client.get("/").text
    squares = re.findall(r'id="board-(\d)"[^>]*data-heat="(-?\d+)"', page)
    assert squares == [
        (str(cell), str(view.heats[cell])) for cell in range(9) if str(cell) not in FIRST_RECORD
    ]


@pytest.mark.parametrize("name", FRONT_AGENTS)
def test_a_square_is_played_against_the_agent_that_is_shown(
    client: FlaskClient, site: SiteData, name: str
) -> None:
    page = client.get(f"/?agent={name}").text
    state = leads_to(page, "board-4", site)
    assert (state.match.x, state.match.o, state.match.snapshot) == (HUMAN, name, None)
    assert state.match.record == FIRST_RECORD + "4"
    assert f">{site.display_titles[name]} <i" in page


def test_the_ways_on_lead_where_they_say(client: FlaskClient, site: SiteData) -> None:
    page = client.get("/?agent=self-play").text
    new = leads_to(page, "way-play", site).match
    assert (new.record, new.x, new.o) == ("", HUMAN, "self-play")
    watched = leads_to(page, "way-watch", site)
    assert (watched.match.x, watched.match.o) == ("self-play", "self-play")
    assert watched.match.epsilon > 0  # so that the games differ
    assert plan_automatic_step(watched)
    learning = leads_to(page, "way-learn", site)
    assert (learning.match.record, learning.match.snapshot) == (FIRST_RECORD, 0)
    assert plan_automatic_step(learning)
    both = leads_to(page, "way-both", site).match
    assert (both.record, both.x, both.o, both.value_source) == (
        *(FIRST_RECORD, HUMAN, HUMAN, "self-play"),
    )


def test_an_address_of_the_film_shows_the_agent_at_that_snapshot(
    client: FlaskClient, site: SiteData
) -> None:
    assert leads_to(client.get("/?step=5").text, "board-4", site).match.snapshot == 5
    last = site.get_last_snapshot(FIRST_AGENT)
    assert client.get(f"/?step={last}").data == client.get("/").data
