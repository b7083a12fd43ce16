"""The evaluation of an agent: known figures of known tables, and a slow evaluation of others."""

import msgspec
import numpy as np
import pytest

from app.tictactoe.game import Game
from app.tictactoe.report import (
    Figures,
    compute_figures,
)
from app.tictactoe.tasks import TrainingTask, solve_task
from app.tictactoe.views import RewardScale
from tests.tictactoe.both import Both
from tests.tictactoe.slow_report import Table, flat, slow_classes_right, slow_figures

WORTH = RewardScale(x=(-2, 0.5, 1), o=(0, 1, 1))
NAMES = ["optimal", "zero", "lucky", "noisy", "rough", "first"]


def judged(game: Game, *tables: Table, worth: RewardScale = WORTH, **how) -> Figures:
    """Return the figures of tables after 7, 8, 9, ... updates."""
    pairs = np.stack([q[game.legal] for q in tables])
    return compute_figures(game, pairs, range(7, 7 + len(tables)), worth, **how)


@pytest.mark.parametrize(
    ("name", "plays", "task"),
    [
        ("lucky", "greedy", TrainingTask("t-hand", 0.9, WORTH, step_reward=-0.1)),
        ("noisy", "greedy", None),
        ("lucky", "first", TrainingTask(None, 0.9, discounted_plies=1)),
        ("beads", "proportional", TrainingTask("minimax", 0.5, seats="o")),
        ("rough", "first", TrainingTask("random", seats="x", starts_everywhere=True)),
    ],
)
def test_all_figures_equal_a_slow_evaluation(
    tictactoe: Both,
    tables,
    float_players,
    slow_tasks,
    name: str,
    plays: str,
    task: TrainingTask | None,
):
    q = np.abs(tables["lucky"]) if name == "beads" else tables[name]
    figures = judged(tictactoe.game, q, play_rule=plays, task=task)
    slow = None if task is None else slow_tasks(task)
    expected = slow_figures(tictactoe, q, WORTH, float_players, plays, slow)
    # Nine decimals are kept.
    assert flat(msgspec.to_builtins(figures)) == pytest.approx(flat(expected), rel=0, abs=1e-9)


def test_who_has_learned_its_task_is_nowhere_off(game: Game):
    """The distance is only the rounding error of the table, and a single wrong value is found."""
    task = TrainingTask("minimax-random", 0.9)
    learned = solve_task(game, task).astype(np.float32)
    off = learned.copy()
    off[-1][game.legal[-1]] += np.float32(0.5)  # the last move of a game that O never plays
    distance = judged(game, learned, off, task=task).task_distance
    assert distance is not None
    assert distance.largest_distance == [pytest.approx(0, abs=1e-7), pytest.approx(0.5, abs=1e-6)]
    assert distance.mean_distance == [
        pytest.approx(0, abs=1e-7),
        pytest.approx(0.5 / 16_167, abs=1e-7),
    ]
    assert distance.largest_reachable_distance == [pytest.approx(0, abs=1e-7)] * 2
    assert distance.mean_reachable_distance == [pytest.approx(0, abs=1e-7)] * 2


@pytest.mark.parametrize("worth", [RewardScale(), WORTH])
@pytest.mark.parametrize("name", NAMES)
def test_classes_right(tictactoe: Both, tables, name: str, worth: RewardScale):
    """Figures have nine decimals."""
    right = judged(tictactoe.game, tables[name], worth=worth).correct_class_shares
    assert right
    (found,) = right
    assert found == pytest.approx(slow_classes_right(tictactoe, tables[name], worth), abs=1e-9)
