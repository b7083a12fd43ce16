"""The figures of a card by the reference: slow, exact, and nothing of the app's arithmetic."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.views import Worth
from tests.tictactoe.both import Both
from tests.tictactoe.reference import SIGN, Chances, Policy, mover

Table = NDArray[np.float32]
EMPTY = "." * 9
SEATS = ("X", "O")


def own_side(chances: Chances, seat: str) -> list[float]:
    """Win, draw, loss."""
    return [float(chance) for chance in chances[:: SIGN[seat]]]


def slow_figures(both: Both, q: Table, worth: Worth, players: Mapping[str, Policy]) -> Any:
    rules, policy = both.rules, both.greedy(q)
    blundered = {b for b in both.decisions if set(policy[b]) & rules.blunder_cells(b)}
    worst = {
        seat: own_side(rules.best_response(policy, rival)[1][EMPTY], seat)
        for seat, rival in [("X", "O"), ("O", "X")]
    }
    return {
        "updates": [7],
        "vs": {
            name: {
                "x": [own_side(rules.chances(policy, player)[EMPTY], "X")],
                "o": [own_side(rules.chances(player, policy)[EMPTY], "O")],
            }
            for name, player in players.items()
        },
        "best_response": {"x": [worst["X"]], "o": [worst["O"]]},
        "nash_conv": [sum(loss - win for win, _, loss in worst.values())],
        "blunders": [len(blundered)],
        "reachable_blunders": {
            seat.lower(): [len(blundered & rules.reachable(policy, seat))] for seat in SEATS
        },
        "classes_right": [slow_classes_right(both, q, worth)],
    }


def slow_classes_right(both: Both, q: Table, worth: Worth) -> float:
    right = pairs = 0
    for board, row in zip(both.decisions, q.tolist(), strict=True):
        for cell, after in both.rules.children[board].items():
            true_class = both.rules.solved[after][0] * SIGN[mover(board)]
            right += true_class == nearest(row[cell], getattr(worth, mover(board).lower()))
            pairs += 1
    return right / pairs


def nearest(value: float, worth: tuple[float, float, float]) -> int:
    """The class whose worth is nearest, where the way to a draw is as long as the way from it."""
    loss, draw, win = worth
    middle = draw if loss < draw < win else (loss + win) / 2
    if value < middle:
        return -1 if value - loss < middle - value else 0
    return 1 if win - value < value - middle else 0


def flat(figures: Any) -> Any:
    """All numbers by the path to them."""
    if isinstance(figures, Mapping):
        return {
            f"{key}/{path}": number
            for key, below in figures.items()
            for path, number in flat(below).items()
        }
    if isinstance(figures, list | tuple):
        return flat(dict(enumerate(figures)))
    return {"": figures}
