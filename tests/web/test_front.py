"""The front page: its statements are true of the shipped agents."""

import re
from html import unescape
from urllib.parse import parse_qsl

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.notation import replay_record
from app.tictactoe.policy import mix_policies
from app.tictactoe.values import compute_outcome_chances
from app.web.doors import WATCHED_EPSILON, WATCHED_PLAYERS
from app.web.facts import find_losing_game
from app.web.match import parse_match
from app.web.match_controls import compute_reply_chances
from app.web.move_values import HEAT_STEPS, evaluate_moves
from app.web.pages.front import CAST_AGENTS, FrontPage
from app.web.pages.parts.learning import (
    MOVING_PAUSE_MS,
    STILL_PAUSE_MS,
    film_all_positions,
    film_position,
)
from app.web.site_data import BEATABLE_AGENT, SiteData
from app.web.wording import BLOCK_EXAMPLE, grade_strength

BLOCK = 6  # the square that stops X's diagonal


def test_the_film_begins_with_nothing_and_ends_with_the_block(site: SiteData) -> None:
    name = site.first_opponent
    film = film_position(site, name, BLOCK_EXAMPLE)
    first, last = film.frames[0], film.frames[-1]
    assert [square.heat for square in first.squares.values()] == [None] * 6
    assert first.caption == "The program has not learned a value of this position yet."
    assert [cell for cell, square in last.squares.items() if square.is_best] == [BLOCK]
    assert last.caption == "The program has learned to block."
    heats = sorted(square.heat or 0 for square in last.squares.values())
    assert heats[-1] >= 0.7 * HEAT_STEPS
    assert heats[-1] - heats[-2] >= 0.5 * HEAT_STEPS
    assert heats[0] <= -0.3 * HEAT_STEPS
    assert film.last_frame == len(film.frames) - 1 == site.get_last_snapshot(name)


def test_its_position_has_one_right_move_which_blocks_a_line(site: SiteData) -> None:
    position = replay_record(site.game, BLOCK_EXAMPLE)[-1]
    assert np.flatnonzero(site.is_move_correct[position]).tolist() == [BLOCK]
    board = site.game.board[position]
    lines = [line for line in site.game.lines if BLOCK in line]
    assert any(sorted(board[line]) == [0, 1, 1] for line in lines)  # X has the other two


def test_each_caption_says_what_the_squares_show(site: SiteData) -> None:
    """Computed again from the frames only."""
    film = film_position(site, site.first_opponent, BLOCK_EXAMPLE)
    told = set()
    for frame in film.frames:
        known = [square for square in frame.squares.values() if square.heat is not None]
        stars = [square.cell for square in frame.squares.values() if square.is_best]
        said = frame.caption
        told.add(said)
        if "not learned a value" in said:
            assert not known
        elif "almost at random" in said:
            assert len(stars) > 1
        elif "a losing move" in said:
            assert len(stars) == 1
            assert stars != [BLOCK]
        else:
            assert stars == [BLOCK]
            heats = sorted(square.heat or 0 for square in frame.squares.values())
            assert ("begins to prefer" in said) == (heats[-1] - heats[-2] < 0.3 * HEAT_STEPS)
    assert len(told) >= 4  # it is a story


def test_the_film_lasts_some_six_seconds_and_moves_within_five(site: SiteData) -> None:
    film = film_position(site, site.first_opponent, BLOCK_EXAMPLE)
    begins = np.cumsum([0, *(frame.pause_ms for frame in film.frames[:-1])]) / 1000 + 0.5
    assert 4 <= begins[-1] <= 8
    changed = {
        (frame.caption, tuple(square.heat for square in frame.squares.values()))
        for begin, frame in zip(begins, film.frames, strict=True)
        if begin <= 5
    }
    assert len(changed) >= 4
    for one, other in zip(film.frames, film.frames[1:], strict=False):
        moves = (one.squares, one.caption) != (other.squares, other.caption)
        assert one.pause_ms == (MOVING_PAUSE_MS if moves else STILL_PAUSE_MS)


def test_the_curve_is_that_of_the_blunders(site: SiteData) -> None:
    name = site.first_opponent
    film = film_all_positions(site, name)
    points = [tuple(map(float, point.split())) for point in film.curve_paths[0][1][1:].split("L")]
    blunders = site.agents[name].card.figures.blunders
    assert [x for x, _ in points] == [frame.curve_x for frame in film.frames]
    for (_, y), number in zip(points, blunders, strict=True):
        assert y == pytest.approx(28 * (1 - number / max(blunders)), abs=0.01)


def test_whom_one_is_led_to_play_can_be_beaten_and_shows_many_colours(
    client: FlaskClient, site: SiteData
) -> None:
    play = f"/play/?o={BEATABLE_AGENT}"
    assert f'<a id="way-play" class="way primary" href="{play}">' in client.get("/").text
    assert f'<a href="{play}">Play</a>' in client.get("/agents").text
    assert find_losing_game(site, BEATABLE_AGENT, -1) is not None  # the visitor plays X
    heats = evaluate_moves(site, 0, BEATABLE_AGENT).heats
    assert max(heats) - min(heats) >= HEAT_STEPS / 2
    assert len(set(heats)) >= 4


def test_the_games_that_one_is_led_to_watch_end_in_every_way(site: SiteData) -> None:
    random = site.policies["random"]
    players = [
        mix_policies(site.policies[name], random, WATCHED_EPSILON) for name in WATCHED_PLAYERS
    ]
    assert (compute_outcome_chances(site.game, *players)[0] >= 0.1).all()
    assert WATCHED_PLAYERS[0] in site.agents
    heats = evaluate_moves(site, 0, WATCHED_PLAYERS[0]).heats
    assert max(heats) - min(heats) >= HEAT_STEPS / 2


def test_the_cast_has_every_strength(site: SiteData) -> None:
    assert {grade_strength(site, name) for name in CAST_AGENTS} == {
        "beginner",
        "strong",
        "unbeatable",
    }


def test_every_way_leads_into_its_task(client: FlaskClient) -> None:
    page = client.get("/").text
    hrefs = re.findall(r'<a id="way-\w+" class="way[^"]*" href="([^"]+)"', page)
    beat, play, watch, puzzle, teach = [client.get(unescape(href)).text for href in hrefs]
    for board in (beat, play, watch):
        assert board.count('id="board-') == 9
    assert "/reply/204?" in beat  # the agent is to move
    assert "data-heat" in play
    assert "/reply/" in watch  # it goes on by itself
    assert "Which square is right?" in puzzle
    assert "Teach" in teach


def test_the_agent_is_played_at_the_snapshot_shown(client: FlaskClient, site: SiteData) -> None:
    """Early snapshots do not block and can be beaten at once; from `learned` on they block."""
    name = site.first_opponent
    learned = FrontPage(site, name, snapshot=0, plays_film=False).learned_frame
    assert 0 < learned < site.get_last_snapshot(name)
    for step in (0, learned - 1, learned, site.get_last_snapshot(name)):
        page = client.get(f"/?step={step}").text
        assert (" data-learned>" in page) == (step >= learned)
        found = re.search(r'id="way-beat" class="way primary" href="([^"]+)"', page)
        assert found
        path, _, query = unescape(found[1]).partition("?")
        state = parse_match(path.rpartition("/")[2], dict(parse_qsl(query)), site)
        assert compute_reply_chances(state)[BLOCK] == (
            1 if step >= learned else pytest.approx(0, abs=0.2)
        )


def test_an_early_snapshot_says_its_updates_in_its_seat(client: FlaskClient) -> None:
    page = client.get("/").text
    hrefs = re.findall(r'<a id="age-\d" href="([^"]+)">([^<]+)</a>', page)
    assert [updates for _, updates in hrefs] == [
        "500 updates",
        "20 thousand updates",
        "1.52 million updates",
    ]
    assert "<small>after 500 updates</small>" in client.get(unescape(hrefs[0][0])).text
    assert "<small>strong</small>" in client.get(unescape(hrefs[2][0])).text


def test_whom_one_watches_plays_and_catches_is_one(client: FlaskClient) -> None:
    page = client.get("/").text
    found = re.search(r"<b>([^<]+)</b>\s+starts with only the rules", page)
    assert found
    assert re.search(r'id="emblem" class="emblem" href="/mind/q-learning-1"', page)
    for way in ("way-play", "way-mistake"):
        href = re.search(rf'id="{way}"[^>]*href="([^"]+)"', page)
        assert href
        assert f"<b>{found[1]}</b>" in client.get(unescape(href[1])).text


def test_a_step_of_the_film_has_an_address_for_whoever_has_no_script(client: FlaskClient) -> None:
    end, first = client.get("/").text, client.get("/?step=0").text
    assert "data-autoplay" in end
    assert "data-autoplay" not in first
    assert 'href="/?step=0"' in end  # at the end the button leads to the start
    assert 'href="/?step=1"' in first
    assert "has not learned a value of this position yet" in first


def test_the_front_page_is_no_play_page(client: FlaskClient) -> None:
    front = client.get("/").text
    assert "<h1>Watch a program teach itself tic-tac-toe</h1>" in front
    assert 'id="game"' not in front


@pytest.mark.parametrize(
    ("url", "said"),
    [("/?step=x", "step must be a whole number"), ("/?step=999", "step must be 0 to")],
)
def test_a_wrong_step_is_explained(client: FlaskClient, url: str, said: str) -> None:
    response = client.get(url)
    assert response.status_code == 400
    assert said in response.text
