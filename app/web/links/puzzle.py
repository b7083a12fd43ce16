"""Links to puzzles."""

from datetime import date

from app.tictactoe.notation import DIGITS
from app.web.routes import Route

PUZZLES_ROUTE = Route("/puzzle")
PUZZLE_TODAY_ROUTE = Route("/puzzle/today")
PUZZLE_ROUTE = Route("/puzzle/<int:number>", "day answers friend right plays ply")
SCORE_ROUTE = Route("/puzzle/<int:number>/score", "day answers friend")


def puzzle_url(
    puzzle_number: int,
    day: date | None = None,
    answer_digits: str = "",
    chosen_correct_cell: int | None = None,
    chosen_agent_cell: int | None = None,
    ply: int = 0,
    friend_digits: str = "",
) -> str:
    """Return the URL of a puzzle in the round of a `day` or, without it, in a round of ten.

    `answer_digits` and `friend_digits` have a digit for each puzzle that the visitor, and a friend,
    answered in this round. The chosen cells are the visitor's answers on the right move and on the
    agent's move. The page shows `ply` moves of the solution.
    """
    cells = {"right": chosen_correct_cell, "plays": chosen_agent_cell}
    chosen = {name: DIGITS[cell] for name, cell in cells.items() if cell is not None}
    return PUZZLE_ROUTE.url(
        puzzle_number,
        day=day,
        answers=answer_digits,
        friend=friend_digits,
        **chosen,
        ply=ply or None,
    )
