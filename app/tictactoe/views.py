"""Whose view a number is, and on what scale.

Exact values are X's view, learned ones the mover's; rewards differ from agent to agent.  This is
the one place that turns one into the other.
"""

from math import isfinite
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.tictactoe.game import SEATS, Game, X

DECIMALS = 2  # of a value on a square
Rewards = Annotated[tuple[float, ...], Meta(min_length=3, max_length=3)]  # of loss, draw and win
COMMON = (-1.0, 0.0, 1.0)  # the scale on which agents with different rewards are compared


class Worth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a loss, a draw and a win are worth to the mover, in each seat."""

    x: Annotated[Rewards, Meta(description="What a loss, a draw, a win bring X.")] = COMMON
    o: Annotated[Rewards, Meta(description="What a loss, a draw, a win bring O.")] = COMMON

    def __post_init__(self) -> None:
        for seat in SEATS:
            loss, draw, win = getattr(self, seat)
            if not all(map(isfinite, (loss, draw, win))):
                raise ValueError(f"worth in seat {seat} is made of numbers")
            if not (loss <= draw <= win and loss < win):
                raise ValueError(f"worth in seat {seat} rises from loss to draw to win")

    def scale(self, seat: str) -> tuple[float, float, float]:
        """Return the values that stand for -1, 0 and +1 in a seat, "x" or "o".

        Where a draw is worth as much as a win or a loss, halfway between the two stands for 0.
        """
        loss, draw, win = getattr(self, seat)
        return loss, draw if loss < draw < win else (loss + win) / 2, win


def movers_view(game: Game, values: NDArray[Any]) -> NDArray[Any]:
    """Turn X's view into the mover's, or the mover's into X's.

    `values` is [D, ...], one row a decision, and so is what comes back.
    """
    return values * game.to_move.reshape(-1, *[1] * (values.ndim - 1))


def on_scale(values: NDArray[np.floating], worth: Worth, player: int) -> NDArray[np.float64]:
    """Put learned values of one mover (+1 X, -1 O) on the common scale: loss -1, draw 0, win +1."""
    scaled: NDArray[np.float64] = np.interp(
        values, worth.scale("x" if player == X else "o"), [-1, 0, 1]
    )
    return scaled


def shown(scaled: NDArray[np.floating]) -> NDArray[np.float64]:
    """Round values of the common scale to what a square shows of them; none is -0.0."""
    rounded: NDArray[np.float64] = np.round(scaled, DECIMALS) + 0.0
    return rounded


def heat(scaled: NDArray[np.floating], steps: int) -> NDArray[np.float64]:
    """Return the colour of values of the common scale, from a loss (-steps) to a win (+steps).

    It is that of the number which is `shown`, and has its sign: only 0.00 is neutral.
    """
    number = shown(scaled)
    step: NDArray[np.float64] = np.sign(number) * np.fmax(1, np.rint(np.abs(number) * steps))
    return step


def common_scale(
    mover: NDArray[np.int8], q: NDArray[np.floating], worth: Worth
) -> NDArray[np.float64]:
    """Put learned values of many movers on one scale: loss -1, draw 0, win +1, straight lines.

    `q` is [..., N] in the mover's view and `mover` [N] says whose (+1 X, -1 O); see `Worth.scale`.
    """
    scaled = np.empty(q.shape)
    for player in SEATS.values():
        scaled[..., mover == player] = on_scale(q[..., mover == player], worth, player)
    return scaled
