"""Find its mistake: nothing is given away before it is answered, and all is in the address."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.exceptions import HTTPException

from app.tictactoe.puzzles import ROUND
from app.web import addresses
from app.web.pages.puzzle import WORDS, parse
from app.web.world import World

HTMX = {"HX-Request": "true"}
NUMBERS = [1, 6, 9, 20, 60]


def squares(page: str) -> list[str]:
    return re.findall(r'<a id="board-\d".*?</a>', page, re.DOTALL)


def links(page: str) -> list[str]:
    """The addresses of the squares that can be pressed."""
    return [unescape(href) for href in re.findall(r'href="(/puzzle[^"]*)" data-key', page)]


def answered(world: World, number: int, plays: int, right: int, **more: int) -> str:
    return addresses.puzzle(number, "31", plays, right, **more)


@pytest.mark.parametrize("number", NUMBERS)
def test_before_it_is_answered_no_value_is_told(
    client: FlaskClient, world: World, number: int
) -> None:
    puzzle = world.puzzles[number - 1]
    free = int(world.game.legal[puzzle.position].sum())
    for url in (addresses.puzzle(number), addresses.puzzle(number, "", puzzle.wrong)):
        page = client.get(url).text
        board = "".join(squares(page))
        assert "data-heat" not in board
        assert "value" not in board
        assert "★" not in board
        assert "blunder," not in board
        assert len(links(page)) == free


@pytest.mark.parametrize("number", NUMBERS)
def test_two_presses_open_it(client: FlaskClient, world: World, number: int) -> None:
    puzzle = world.puzzles[number - 1]
    url = addresses.puzzle(number)
    for cell in (puzzle.wrong, puzzle.right[0]):
        url = next(href for href in links(client.get(url).text) if href.endswith(f"={cell}"))
    page = client.get(url).text
    assert "You saw what it would play." in page
    assert "You knew a right move." in page
    board = squares(page)
    assert "✗ blunder, your guess" in board[puzzle.wrong]
    assert "data-heat" in board[puzzle.wrong]
    for cell in puzzle.right:
        assert "✓ right" in board[cell]
        assert ", right" in board[cell]  # in its label too
    assert links("".join(board)) == []


def test_what_was_known_is_counted_for_the_round(client: FlaskClient, world: World) -> None:
    puzzle = world.puzzles[5]
    right, wrong = puzzle.right[0], puzzle.wrong
    for plays, said, answer in (
        (wrong, right, 3),
        (wrong, wrong, 1),
        (right, right, 2),
        (right, wrong, 0),
    ):
        page = client.get(answered(world, 6, plays, said)).text
        assert f'href="/puzzle/7?answers=31{answer}"' in page
        assert ("You saw what it would play." in page) == (answer in (1, 3))
        assert ("You knew a right move." in page) == (answer in (2, 3))


@pytest.mark.parametrize("number", NUMBERS)
def test_the_punishment_is_played_through_to_the_end(
    client: FlaskClient, world: World, number: int
) -> None:
    puzzle = world.puzzles[number - 1]
    url = answered(world, number, puzzle.wrong, puzzle.right[0])
    stones = len(puzzle.record)
    for ply in range(len(puzzle.refutation) + 1):
        page = client.get(url).text
        assert "".join(squares(page)).count('class="mark"') == stones + ply
        step = re.search(r'<a id="step"[^>]*?href="([^"]+)"', page)
        assert bool(step) == (ply < len(puzzle.refutation))
        if step:
            url = unescape(step[1])
    assert ("strike" in page) == (puzzle.after != 0)


def test_the_last_of_ten_leads_to_the_score(client: FlaskClient, world: World) -> None:
    puzzle = world.puzzles[ROUND - 1]
    url = addresses.puzzle(ROUND, "301230123", puzzle.wrong, puzzle.right[0])
    page = client.get(url).text
    assert 'href="/puzzle/10/score?answers=3012301233"' in page
    score = client.get("/puzzle/10/score?answers=3012301233").text
    assert '<p class="score">6 of 10</p>' in score
    assert "<b>6 of 10</b>" in score
    for word in WORDS:
        assert score.count(f'data-known="{word}"') == "3012301233".count(str(WORDS.index(word)))
    assert 'href="/puzzle/11"' in score
    assert 'href="/puzzle/1"' in score


def test_the_preview_gives_nothing_away(client: FlaskClient) -> None:
    page = client.get("/puzzle/6").text
    found = re.search(r'property="og:image" content="http://localhost([^"]+)"', page)
    assert found
    assert "hide=1" in found[1]
    assert client.get(unescape(found[1])).mimetype == "image/png"


def test_after_the_last_puzzle_comes_the_first(client: FlaskClient, world: World) -> None:
    total, puzzle = len(world.puzzles), world.puzzles[-1]
    page = client.get(addresses.puzzle(total, "", puzzle.wrong, puzzle.right[0])).text
    assert 'href="/puzzle/1?answers=3"' in page
    assert 'href="/puzzle/1"' in client.get(f"/puzzle/{total}/score?answers={'0' * ROUND}").text


def test_every_puzzle_is_in_the_index_by_agent_and_level(client: FlaskClient, world: World) -> None:
    page = client.get("/puzzle").text
    numbers = re.findall(r'href="/puzzle/(\d+)" aria-label', page)
    assert sorted(map(int, numbers)) == [*range(1, len(world.puzzles) + 1)]
    for name in {puzzle.agent for puzzle in world.puzzles}:
        assert f"<h3>{world.titles[name]}</h3>" in page


def test_every_puzzle_has_a_page_that_opens(client: FlaskClient, world: World) -> None:
    for number, puzzle in enumerate(world.puzzles, 1):
        page = client.get(answered(world, number, puzzle.wrong, puzzle.right[0])).text
        assert world.titles[puzzle.agent] in page


def test_the_fragment_is_a_part_of_the_page(client: FlaskClient) -> None:
    for url in ("/puzzle/6", "/puzzle/6?plays=4", "/puzzle/6?plays=4&right=0&ply=2"):
        page, fragment = client.get(url), client.get(url, headers=HTMX)
        assert fragment.text.strip() in page.text
        assert fragment.text.count('id="notice"') == page.text.count('id="notice"') == 1
        again = client.get(url, headers={"If-None-Match": page.headers["ETag"]})
        assert again.status_code == 304


@given(data=st.data())
def test_an_address_is_read_as_it_was_written(world: World, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(world.puzzles)))
    puzzle = world.puzzles[number - 1]
    cells = st.sampled_from([c for c in range(9) if world.game.legal[puzzle.position, c]])
    plays = data.draw(st.none() | cells)
    right = None if plays is None else data.draw(st.none() | cells)
    ply = 0 if right is None else data.draw(st.integers(0, len(puzzle.refutation)))
    answers = data.draw(st.text("0123", max_size=ROUND - 1))
    address = addresses.puzzle(number, answers, plays, right, ply)
    query = dict(pair.split("=") for pair in address.partition("?")[2].split("&") if pair)
    attempt = parse(number, query, world)
    assert (attempt.plays, attempt.right, attempt.ply) == (plays, right, ply)
    assert attempt.answers == answers
    assert attempt.address == address


@given(
    query=st.dictionaries(
        st.sampled_from(["answers", "plays", "right", "ply"]),
        st.text("0123456789-x²", max_size=12) | st.text(max_size=3),
    )
)
def test_whatever_is_sent_is_read_or_refused(world: World, query: dict[str, str]) -> None:
    refusal = None
    try:
        assert parse(6, query, world).place.position >= 0
    except HTTPException as refused:
        refusal = refused
    assert refusal is None or (refusal.code in (400, 409) and refusal.description)
