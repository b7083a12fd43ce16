"""The boxes of a paper MENACE, counted again on boards as text."""

import pytest

from app.tictactoe.boxes import count_lost_boxes, list_boxes
from app.tictactoe.game import Game
from app.tictactoe.notation import format_position

ROWS = ("012", "345", "678", "036", "147", "258", "048", "246")
TURN, MIRROR = (6, 3, 0, 7, 4, 1, 8, 5, 2), (2, 1, 0, 5, 4, 3, 8, 7, 6)


def images(board: str) -> set[str]:
    """Return the rotations and reflections of a board."""
    seen: set[str] = set()
    for _ in range(4):
        board = "".join(board[cell] for cell in TURN)
        seen |= {board, "".join(board[cell] for cell in MIRROR)}
    return seen


def is_won(board: str, player: str) -> bool:
    return any(all(board[int(cell)] == player for cell in row) for row in ROWS)


def moves(board: str, player: str) -> list[str]:
    return [board[:c] + player + board[c + 1 :] for c in range(9) if board[c] == "."]


def boards_of_x(first: str) -> set[str]:
    """Return the unfinished boards of X with two empty cells or more, one for each symmetry class."""
    found, boards = set[str](), {first}
    while boards:
        x_to_move = next(iter(boards)).count("X") == next(iter(boards)).count("O")
        player, other = "XO" if x_to_move else "OX"
        boards = {min(images(board)) for board in boards if not is_won(board, other)}
        found |= {board for board in boards if x_to_move and board.count(".") > 1}
        boards = {after for board in boards for after in moves(board, player)}
    return found


@pytest.mark.parametrize(
    ("first_cell", "first", "number"),
    [(None, "." * 9, 304), (4, "....X....", 85), (0, "X........", 242), (1, ".X.......", 241)],
)
def test_the_boxes_are_the_boards_up_to_symmetry_in_which_x_has_a_choice(
    game: Game, first_cell: int | None, first: str, number: int
) -> None:
    boxes = list_boxes(game, first_cell)
    boards = [format_position(game, box.position) for box in boxes]
    assert {min(images(board)) for board in boards} == boards_of_x(first)
    assert [box.number for box in boxes] == [*range(1, number + 1)]


def test_without_the_boxes_in_which_x_is_lost_there_are_as_many_as_michie_counted(
    game: Game,
) -> None:
    """In 17 boxes O completes a row with its next move after any move of X."""
    lost = [
        board
        for board in boards_of_x("." * 9)
        if board.count(".") == 3
        and all(
            not is_won(after, "X") and any(is_won(one, "O") for one in moves(after, "O"))
            for after in moves(board, "X")
        )
    ]
    assert len(lost) == count_lost_boxes(game) == 304 - 287
