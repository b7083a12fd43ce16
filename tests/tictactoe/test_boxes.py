"""The boxes of a paper MENACE, counted again on boards as text."""

import pytest

from app.tictactoe.boxes import count_lost_boxes, list_boxes
from app.tictactoe.game import Game
from app.tictactoe.notation import format_position
from tests.tictactoe.checker import images
from tests.tictactoe.reference import Rules, mover


def boards_of_x(rules: Rules, first: str) -> set[str]:
    """Return the unfinished boards of X with two empty cells or more, one for each symmetry class."""
    reached, waiting = {first}, [first]
    while waiting:
        new = {*rules.children[waiting.pop()].values()} - reached
        reached |= new
        waiting += new
    mine = [board for board in reached if mover(board) == "X" and board.count(".") > 1]
    return {min(images(rules, board)) for board in mine if rules.children[board]}


@pytest.mark.parametrize(
    ("opening_cell", "first", "number"),
    [(None, "." * 9, 304), (4, "....X....", 85), (0, "X........", 242), (1, ".X.......", 241)],
)
def test_the_boxes_are_the_boards_up_to_symmetry_in_which_x_has_a_choice(
    game: Game, rules: Rules, opening_cell: int | None, first: str, number: int
) -> None:
    boxes = list_boxes(game, opening_cell)
    boards = [format_position(game, box.position) for box in boxes]
    assert {min(images(rules, board)) for board in boards} == boards_of_x(rules, first)
    assert [box.number for box in boxes] == [*range(1, number + 1)]


def test_without_the_boxes_in_which_x_is_lost_there_are_as_many_as_michie_counted(
    game: Game, rules: Rules
) -> None:
    """In 17 boxes O completes a row with its next move after any move of X."""
    lost = [
        board
        for board in boards_of_x(rules, "." * 9)
        if board.count(".") == 3 and rules.solved[board] == (-1, 2)
    ]
    assert len(lost) == count_lost_boxes(game) == 304 - 287
