"""Puzzles: solved by thinking and by the values shown; the whole state is in the URL."""

import re
from datetime import UTC, date, datetime, timedelta
from html import escape, unescape

import numpy as np
import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.exceptions import HTTPException

from app.tictactoe.game import GAME
from app.tictactoe.puzzles import PUZZLES_PER_ROUND
from app.web.facts import list_puzzles
from app.web.links.puzzle import puzzle_url
from app.web.pages.parts.attempt import PuzzleAttempt, list_daily_puzzles, parse_attempt
from app.web.site_data import SiteData

NUMBERS = [1, 5, 9, 20, 60]
SAW, KNEW = "You found the program’s move.", "You found a right move."
DAY = date(2026, 11, 23)
LINES = [*((n, n + 1, n + 2) for n in (0, 3, 6)), *((n, n + 3, n + 6) for n in (0, 1, 2))]
LINES += [(0, 4, 8), (2, 4, 6)]


def squares(page: str) -> list[str]:
    return re.findall(r'<a id="board-\d".*?</a>', page, re.DOTALL)


def links(page: str) -> list[str]:
    """Return the URLs of the squares that are links."""
    return [unescape(href) for href in re.findall(r'href="(/puzzle[^"]*)" data-key', page)]


def answered(number: int, right: int, plays: int, answers: str = "31") -> str:
    return puzzle_url(number, None, answers, right, plays)


def labels(page: str) -> list[str]:
    """Return the labels of the squares."""
    return [re.findall('aria-label="(.*?)"', square)[0] for square in squares(page)]


def worth(stones: str, mover: str) -> int:
    """Return the value of a position for the mover, by search over nine cells."""
    waits = "XO".replace(mover, "")
    if any(stones[a] == stones[b] == stones[c] == waits for a, b, c in LINES):
        return -1
    played = [stones[:n] + mover + stones[n + 1 :] for n in range(9) if stones[n] == "."]
    return max((-worth(after, waits) for after in played), default=0)


def solve(client: FlaskClient, url: str) -> str:
    """Solve a puzzle: look ahead from the labels of its squares, then name its program's move."""
    asked = client.get(url).text
    words = [label.split(", ")[2] for label in labels(asked)]
    stones = "".join("." if word == "empty" else word for word in words)
    mover = "XO"[stones.count("X") > stones.count("O")]
    offered = [int(href[-1]) for href in links(asked)]
    moves = {n: stones[:n] + mover + stones[n + 1 :] for n in offered}
    best = min(moves, key=lambda n: worth(moves[n], "XO".replace(mover, "")))
    shown = client.get(next(href for href in links(asked) if href.endswith(f"right={best}"))).text
    site = client.application.extensions["site"]
    puzzle = list_puzzles(site)[int(re.findall("/puzzle/([0-9]+)", url)[0]) - 1]
    plays = f"plays={puzzle.blunder_cell}"
    return client.get(next(href for href in links(shown) if href.endswith(plays))).text


def is_solved(page: str) -> bool:
    return SAW in page and KNEW in page


def test_random_clicks_solve_few(client: FlaskClient, site: SiteData) -> None:
    by_chance = 0.0
    for number, puzzle in enumerate(list_puzzles(site)[:PUZZLES_PER_ROUND], 1):
        cells = np.flatnonzero(GAME.legal[puzzle.position]).tolist()
        pages = [client.get(answered(number, cell, cell)).text for cell in cells]
        solved = [sum(word in page for page in pages) for word in (SAW, KNEW)]
        by_chance += solved[0] * solved[1] / len(cells) ** 2
    assert by_chance < 1


def test_there_are_five_kinds_and_each_can_be_solved(client: FlaskClient, site: SiteData) -> None:
    numbers_by_kind = {
        PuzzleAttempt(site, number).kind: number for number in range(1, len(list_puzzles(site)) + 1)
    }
    assert len(numbers_by_kind) == 5
    for number in numbers_by_kind.values():
        assert is_solved(solve(client, puzzle_url(number)))
    pair = client.get(puzzle_url(numbers_by_kind["two"])).text
    assert len(links(pair)) == 2


@pytest.mark.parametrize("number", NUMBERS)
def test_before_it_is_answered_nothing_is_given_away(
    client: FlaskClient, site: SiteData, number: int
) -> None:
    puzzle = list_puzzles(site)[number - 1]
    free = int(GAME.legal[puzzle.position].sum())
    asked = client.get(puzzle_url(number)).text
    shown = client.get(puzzle_url(number, chosen_correct_cell=puzzle.blunder_cell)).text
    for page in (asked, shown):
        board = "".join(squares(page))
        assert site.display_titles[puzzle.agent_id] in page
        assert "data-heat" not in board
        assert "value" not in board
        assert "★" not in board
        assert ", best" not in board
        assert "blunder" not in board
        assert len(links(page)) in (2 if page is asked else free, free)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_right_move_stays_on_the_board_while_a_wrong_one_is_asked(
    client: FlaskClient, site: SiteData, number: int
) -> None:
    puzzle = list_puzzles(site)[number - 1]
    page = client.get(puzzle_url(number, chosen_correct_cell=puzzle.correct_cells[0])).text
    assert "your move" in labels(page)[puzzle.correct_cells[0]]
    offered = {int(href[-1]) for href in links(page)}
    assert puzzle.blunder_cell in offered
    assert not offered & {*puzzle.correct_cells}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_punishment_is_played_through_to_the_end(
    client: FlaskClient, site: SiteData, number: int
) -> None:
    puzzle = list_puzzles(site)[number - 1]
    url = answered(number, puzzle.correct_cells[0], puzzle.blunder_cell)
    stones = len(puzzle.record)
    for ply in range(len(puzzle.refutation) + 1):
        page = client.get(url).text
        assert "".join(squares(page)).count('class="mark"') == stones + ply
        step = re.search(r'<a id="step"[^>]*?href="([^"]+)"', page)
        assert bool(step) == (ply < len(puzzle.refutation))
        if step:
            url = unescape(step[1])
    assert ("strike" in page) == (puzzle.value_after != 0)


@given(days=st.integers(0, 2000))
def test_a_day_has_a_puzzle_of_each_level(site: SiteData, days: int) -> None:
    numbers = list_daily_puzzles(site, DAY + timedelta(days))
    assert [list_puzzles(site)[number - 1].level for number in numbers] == [0, 1, 2]


def test_today_is_the_same_for_all_and_kept_until_its_end(
    client: FlaskClient, site: SiteData
) -> None:
    start = datetime.now(UTC)
    answer, framed = client.get("/puzzle/today"), client.get("/embed/puzzle/today")
    end = datetime.now(UTC)
    days = {start.date(), end.date()}  # around midnight both days are possible
    assert answer.location in {puzzle_url(list_daily_puzzles(site, day)[0], day) for day in days}
    assert framed.location in {
        f"/embed{puzzle_url(list_daily_puzzles(site, d)[0], d)}" for d in days
    }
    assert 0 <= (answer.cache_control.max_age or 0) < 24 * 60 * 60
    assert (start + timedelta(seconds=answer.cache_control.max_age or 0)).date() in days


def test_the_day_is_played_to_three_squares(client: FlaskClient, site: SiteData) -> None:
    numbers = list_daily_puzzles(site, DAY)
    url = puzzle_url(numbers[0], DAY)
    for number in numbers:
        assert f"/puzzle/{number}?" in url
        page = solve(client, url)
        assert is_solved(page)
        url = unescape(re.findall(r'id="(?:next|score)"[^>]*?href="([^"]+)"', page)[0])
    assert url == f"/puzzle/{numbers[-1]}/score?day=2026-11-23&answers=333"
    challenge = client.get(url).text
    assert "6 of 6 answers ●●●" in challenge
    assert f"http://localhost{escape(puzzle_url(numbers[0], DAY))}&amp;friend=333" in challenge
    assert "3 of 6 answers ●◐⊗" in client.get(url.replace("333", "310")).text


def test_a_challenged_friend_is_greeted_and_compared(client: FlaskClient, site: SiteData) -> None:
    number, *_ = list_daily_puzzles(site, DAY)
    url = puzzle_url(number, DAY, friend_digits="310")
    greeting = "A friend found 3 of 6 answers."
    assert greeting in client.get(url).text
    solved = solve(client, url)
    following = unescape(re.findall(r'id="next"[^>]*?href="([^"]+)"', solved)[0])
    assert greeting not in client.get(following).text
    assert "Your friend found 3." in client.get(f"{url.replace('?', '/score?')}&answers=333").text
    assert client.get(f"{url}3").status_code == 400


@given(data=st.data())
def test_an_address_is_read_as_it_was_written(site: SiteData, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(list_puzzles(site))))
    puzzle = list_puzzles(site)[number - 1]
    cells = st.sampled_from([c for c in range(9) if GAME.legal[puzzle.position, c]])
    right = data.draw(st.none() | cells)
    plays = None if right is None else data.draw(st.none() | cells)
    ply = 0 if plays is None else data.draw(st.integers(0, len(puzzle.refutation)))
    answers = data.draw(st.text("0123", max_size=PUZZLES_PER_ROUND - 1))
    friend = data.draw(st.just("") | st.text("0123", min_size=10, max_size=10))
    address = puzzle_url(number, None, answers, right, plays, ply, friend)
    query = dict(pair.split("=") for pair in address.partition("?")[2].split("&") if pair)
    attempt = parse_attempt(number, query, site)
    assert (attempt.chosen_agent_cell, attempt.chosen_correct_cell, attempt.shown_plies) == (
        plays,
        right,
        ply,
    )
    assert attempt.answer_digits == answers
    assert attempt.friend_digits == friend
    assert attempt.url == address


@given(
    query=st.dictionaries(
        st.sampled_from(["day", "answers", "plays", "right", "ply", "friend"]),
        st.text("0123456789-x²", max_size=12) | st.text(max_size=3),
    )
)
def test_whatever_is_sent_is_read_or_refused(site: SiteData, query: dict[str, str]) -> None:
    refusal = None
    try:
        assert parse_attempt(5, query, site).state.position >= 0
    except HTTPException as refused:
        refusal = refused
    assert refusal is None or (refusal.code in (400, 409) and refusal.description)
