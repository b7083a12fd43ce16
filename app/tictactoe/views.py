"""Convert values from one player's view to the other's, and from one scale to another.

Exact values are in X's view, and learned values are in the view of the player to move. Each agent
can have its own rewards, so its values can have their own scale.
"""

from math import isfinite
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.tictactoe.game import SEATS, FloatArray, Game, X

VALUE_DECIMALS = 2
# the rewards of a loss, a draw and a win, in this order
Rewards = Annotated[tuple[float, ...], Meta(min_length=3, max_length=3)]
# On this common scale the values of agents with different rewards can be compared.
COMMON_REWARDS = (-1.0, 0.0, 1.0)


class RewardScale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rewards of a loss, a draw and a win for the player to move, in each seat.

    Attributes:
        x: The rewards of X for a loss, a draw and a win.
        o: The rewards of O for a loss, a draw and a win.
    """

    x: Rewards = COMMON_REWARDS
    o: Rewards = COMMON_REWARDS

    def __post_init__(self) -> None:
        for seat in SEATS:
            loss, draw, win = getattr(self, seat)
            if not all(map(isfinite, (loss, draw, win))):
                raise ValueError(f"worth in seat {seat} is made of numbers")
            if not (loss <= draw <= win and loss < win):
                raise ValueError(f"worth in seat {seat} rises from loss to draw to win")

    def get_rewards(self, seat: str) -> tuple[float, float, float]:
        """Return the rewards of a loss, a draw and a win in a seat, "x" or "o", for scaling.

        They become -1, 0 and +1 on the common scale. If a draw has the same reward as a win or a
        loss, the middle between win and loss stands for the draw.
        """
        loss, draw, win = getattr(self, seat)
        return loss, draw if loss < draw < win else (loss + win) / 2, win


def convert_view(game: Game, decision_values: NDArray[Any]) -> NDArray[Any]:
    """Convert values of decisions, [D, ...], from X's view to the mover's view, or back."""
    sign = game.to_move.reshape(-1, *[1] * (decision_values.ndim - 1))
    return decision_values * sign


def scale_values(
    learned_values: NDArray[np.floating], reward_scale: RewardScale, player: int
) -> FloatArray:
    """Convert values that a player (+1 X, -1 O) learned to the common scale, from -1 to +1."""
    scaled_values: FloatArray = np.interp(
        learned_values,
        reward_scale.get_rewards("x" if player == X else "o"),
        [-1, 0, 1],
    )
    return scaled_values


def round_for_display(scaled_values: NDArray[np.floating]) -> FloatArray:
    """Round values to the decimals that pages show; -0.0 becomes 0.0."""
    rounded_values: FloatArray = np.round(scaled_values, VALUE_DECIMALS) + 0.0
    return rounded_values


def compute_colour_level(
    scaled_values: NDArray[np.floating], colour_steps: int
) -> FloatArray:
    """Return colours from -`colour_steps` to +`colour_steps` for values from -1 to +1.

    A colour has the same sign as the rounded value, so only values shown as 0.00 have colour 0.
    """
    number = round_for_display(scaled_values)
    strength = np.rint(np.abs(number) * colour_steps)
    colour_level: FloatArray = np.sign(number) * np.fmax(1, strength)
    return colour_level


def scale_values_of_movers(
    movers: NDArray[np.int8], q: NDArray[np.floating], reward_scale: RewardScale
) -> FloatArray:
    """Convert the values of positions to the common scale: loss -1, draw 0, win +1.

    `q`, [..., N], has the value of each position for the player to move; `movers`, [N], are these
    players (+1 X, -1 O). The scale is linear between the rewards of `RewardScale.get_rewards`.
    """
    scaled = np.empty(q.shape)
    for player in SEATS.values():
        scaled[..., movers == player] = scale_values(
            q[..., movers == player], reward_scale, player
        )
    return scaled
