"""The figures of a card by the reference implementation: slow and exact."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.tasks import TrainingTask
from app.tictactoe.views import RewardScale
from tests.tictactoe.both import Both
from tests.tictactoe.reference import SIGN, Chances, Policy, in_floats, mover

Table = NDArray[np.float32]
Players = Mapping[str, Policy]
EMPTY = "." * 9
SEATS = ("X", "O")


def own_side(chances: Chances, seat: str) -> list[float]:
    """Return win, draw, loss in the view of a seat."""
    return [float(chance) for chance in chances[:: SIGN[seat]]]


class SlowTask(NamedTuple):
    """The values of a training task by the reference."""

    q: NDArray[np.float64]  # [D, cells] what each move is worth, NaN where illegal
    reach: NDArray[np.bool_]  # [D] where the learner can come to move, if it tries everything


def slow_figures(
    both: Both,
    q: Table,
    worth: RewardScale | None,
    players: Players,
    plays: str,
    task: SlowTask | None,
) -> Any:
    """Return the figures of a table after 7 updates; the players are in floats."""
    rules, policy = both.rules, in_floats(both.policy_of(q, plays))
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
        "classes_right": None if worth is None else [slow_classes_right(both, q, worth)],
        "task": None if task is None else slow_distance(q, task),
    }


def slow_classes_right(both: Both, q: Table, worth: RewardScale) -> float:
    right = pairs = 0
    for board, row in zip(both.decisions, q.tolist(), strict=True):
        for cell, after in both.rules.children[board].items():
            true_class = both.rules.solved[after][0] * SIGN[mover(board)]
            right += true_class == nearest(row[cell], getattr(worth, mover(board).lower()))
            pairs += 1
    return right / pairs


def nearest(value: float, worth: tuple[float, float, float]) -> int:
    """Return the outcome nearest to a value; the steps from loss to draw and to win count equally."""
    loss, draw, win = worth
    middle = draw if loss < draw < win else (loss + win) / 2
    if value < middle:
        return -1 if value - loss < middle - value else 0
    return 1 if win - value < value - middle else 0


def slow_task(both: Both, task: TrainingTask, players: Players) -> SlowTask:
    """Return a task's values: floats if the players are, fractions for self-play."""

    def number(given: float) -> Fraction | float:
        return Fraction(str(given)) if task.opponent is None else given

    told = both.rules.task(
        None if task.opponent is None else players[task.opponent],
        number(task.gamma),
        {"X": [*map(number, task.reward_scale.x)], "O": [*map(number, task.reward_scale.o)]},
        number(task.step_reward),
        task.discounted_plies,
        number(task.epsilon),
    )
    reach = slow_reach(both, task, players)
    return SlowTask(both.pairs(told, np.nan), np.array([b in reach for b in both.decisions]))


def slow_reach(both: Both, task: TrainingTask, players: Players) -> set[str]:
    reach = set[str]()
    for seat in task.seats.upper():
        rival = both.rules.uniform() if task.opponent is None else players[task.opponent]
        met = (
            both.boards
            if task.starts_everywhere
            else both.rules.met(rival, "O" if seat == "X" else "X")
        )
        reach |= {board for board in met if both.rules.is_to_move(seat, board)}
    return reach


def slow_distance(q: Table, task: SlowTask) -> dict[str, list[float]]:
    off = np.abs(q - task.q)
    return {
        "largest": [np.nanmax(off)],
        "mean": [np.nanmean(off)],
        "largest_reached": [np.nanmax(off[task.reach])],
        "mean_reached": [np.nanmean(off[task.reach])],
    }


def flat(figures: Any) -> Any:
    """Return all numbers of nested values by path; missing values are left out."""
    if figures is None:
        return {}
    if isinstance(figures, Mapping):
        return {
            f"{key}/{path}": number
            for key, below in figures.items()
            for path, number in flat(below).items()
        }
    if isinstance(figures, list | tuple):
        return flat(dict(enumerate(figures)))
    return {"": figures}
