"""How games end, as numbers in percent and as a bar."""

from typing import NamedTuple

from app.tictactoe.report import Chances
from app.web.numbers import percent

KINDS = {"win": "won", "draw": "drawn", "loss": "lost"}


class Share(NamedTuple):
    """One of the three parts of a bar that is 100 wide."""

    kind: str  # "win", "draw" or "loss"
    text: str
    start: float
    width: float


def shares(chances: Chances, decimals: int = 2) -> list[Share]:
    """Divide a bar among win, draw and loss."""
    starts = (0.0, chances[0], chances[0] + chances[1])
    return [
        Share(kind, percent(chance, decimals), round(100 * start, 2), round(100 * chance, 2))
        for kind, chance, start in zip(KINDS, chances, starts, strict=True)
    ]
