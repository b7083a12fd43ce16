"""What the answers of the API are made of, and the answer to what cannot be answered.

All answers are types with a meaning on each field: the description of the API is read off them.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from app.tictactoe.game import O, X
from app.tictactoe.report import DECIMALS
from app.web.api.parameters import POSITION

Mark = Literal["X", "O"]
Result = Literal["X", "draw", "O"]
Outcome = Literal["win", "draw", "loss"]
Position = Annotated[str, POSITION]
Record = Annotated[
    str, Meta(description="The cells played, one digit each, as in the address of a page.")
]
Address = Annotated[str, Meta(description="A path on this site.")]
Cell = Annotated[int, Meta(ge=0, le=8, description="A cell, 0 to 8 in reading order.")]
Chance = Annotated[float, Meta(ge=0, le=1)]
SIDES: dict[int, Mark] = {X: "X", O: "O"}


class Error(Struct, frozen=True):
    """What is wrong."""

    code: Annotated[int, Meta(description="The HTTP status again.")]
    message: Annotated[str, Meta(description="What is wrong, and what would be right.")]


class Fault(Struct, frozen=True):
    """The answer to whatever cannot be answered."""

    error: Annotated[Error, Meta(description="What is wrong.")]


def rounded(number: float) -> float:
    """Return a number with as many decimals as cards have."""
    return round(float(number), DECIMALS)
