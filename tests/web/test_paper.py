"""MENACE on paper: its sheets, and typed games that become a learner."""

import re
from collections import Counter
from html import unescape
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient

from app.tictactoe.boxes import list_boxes
from app.tictactoe.game import GAME

TYPED = "5 1 6 4 9 7\n\n5-1-4-2-6\r\n519328467"  # lost, won, drawn
RECIPE = "menace,vs=you,seat=x,opening=centre,paper=yes,games=3,taught=405386.40315.408217356"


def sheets(client: FlaskClient, **query: str) -> str:
    answer = client.get("/teach/paper", query_string=query)
    assert answer.status_code == 200
    return answer.text


def typed(client: FlaskClient, text: str, **query: str) -> tuple[int, str]:
    """Return the status, and the URL of the redirect or the error message."""
    answer = client.get("/teach/paper", query_string={"taught": text, **query})
    fault = re.search(r'<p id="fault"[^>]*>(.*?)</p>', answer.text)
    return answer.status_code, unescape(fault[1]) if fault else unquote(answer.location or "")


@pytest.mark.parametrize(("chosen", "number"), [("short", 85), ("all", 304)])
def test_a_sheet_has_each_box_once(client: FlaskClient, chosen: str, number: int) -> None:
    page = sheets(client, set=chosen)
    labels = re.findall(r'<text class="number"[^>]*>(\d+)</text>', page)
    assert labels == [str(one) for one in range(1, number + 1)]
    assert page.count('class="label"') == number
    assert f"sheet 1 of {-(-number // 24)}" in page


def test_the_label_of_a_box_is_its_board(client: FlaskClient) -> None:
    """Stones in their places, a numbered bead for each move, and nothing for symmetric moves."""
    page, game = sheets(client, set="all"), GAME
    drawn = re.findall(r'<svg class="label".*?</svg>', page)
    for box, label in zip(list_boxes(game), drawn, strict=True):
        signs = re.findall(r'<use href="#([xob])(\d)"/>', label)
        stones = [(sign, int(cell)) for sign, cell in signs if sign != "b"]
        board = game.board[box.position].tolist()
        assert stones == [("xo"[stone < 0], cell) for cell, stone in enumerate(board) if stone]
        assert tuple(int(cell) for sign, cell in signs if sign == "b") == box.cells


def test_the_beads_are_those_with_which_menace_begins(client: FlaskClient) -> None:
    """The numbers of beads of each colour for all boxes, by the recipe."""
    page, game = sheets(client, set="all"), GAME
    assert page.count("4 beads of each<") == 1
    assert page.count("3 beads of each<") == 12
    assert page.count("2 beads of each<") == 108
    assert page.count("1 bead of each<") == 183
    needed = Counter[int]()
    for box in list_boxes(game):
        for cell in box.cells:
            needed[cell + 1] += (4, 3, 2, 1)[box.get_move_number(game) - 1]
    shown = re.findall(r'<span class="bead-(\d)">\d</span> [a-z ]+ <small>× (\d+)</small>', page)
    assert {int(square): int(number) for square, number in shown} == needed
    assert f"{sum(needed.values())} beads in nine colours" in page


def test_typed_games_are_a_learner(client: FlaskClient) -> None:
    assert typed(client, TYPED) == (303, f"/teach/{RECIPE}")
    page = client.get(f"/teach/{RECIPE}").text
    results = re.search(r'aria-label="Results of the games in order: ([^"]*)"', page)
    assert results
    assert results[1] == "lost, won, drawn"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("5 1 6 4 9 7\n5 1 x", "Line 2: 'x' is not a square: squares have the numbers 1 to 9."),
        ("\n\n5 1 5", "Line 3: move 3 is on square 5, which is taken."),
        ("5 1 6 4", "Line 1: the game is not over after 4 moves."),
        ("5 1 4 2 6 9", "Line 1: move 6 comes after the end of the game."),
        (
            "5 1 4 2 6\n\n1 4 2 5 3",
            "Line 3: MENACE cannot have played this game, because a box had no bead left for one of "
            "its moves.",
        ),
    ],
)
def test_a_wrong_game_is_named_by_its_line(client: FlaskClient, text: str, fault: str) -> None:
    status, said = typed(client, text)
    assert (status, said[: len(fault)]) == (400, fault)


def test_the_labels_of_a_machine_that_played_have_its_beads_of_now(client: FlaskClient) -> None:
    page = sheets(client, of=RECIPE)
    numbers = [int(one) for one in re.findall(r'<text class="number"[^>]*>(\d+)<', page)]
    assert numbers[0] == 1
    assert len(numbers) < 85
    label = re.findall(r'<svg class="label".*?</svg>', page)[0]
    assert list_boxes(GAME, 4)[0].cells == (0, 1, 2, 5)  # O is in the corner 8
    # Opposite corner: drawn; far edge: lost; near corner: not played; near edge: won.
    assert re.findall(r'class="tally"[^>]*>(\d+)<', label) == ["4", "2", "3", "6"]
    assert ">5 1 6 4 9 7\n" in unescape(page)
