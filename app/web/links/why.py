"""Links to the explanation of a value."""

from app.tictactoe.notation import DIGITS
from app.web.links.play import MATCH_PARAMETERS, match_url
from app.web.match import Match
from app.web.routes import Route

WHY_ROUTE = Route("/why/<record>", f"{MATCH_PARAMETERS} cell answer")


def why_url(match: Match, cell: int | None = None, case_name: str = "") -> str:
    """Return the URL that explains the value of a cell, by default of the best move.

    `case_name` says after which reply of the opponent the page shows the update: its cell, such as
    "4", or the result of the game.
    """
    parts = [f"cell={DIGITS[cell]}"] if cell is not None else []
    parts += [f"answer={case_name}"] * bool(case_name)
    return match_url(WHY_ROUTE, match, *parts)
