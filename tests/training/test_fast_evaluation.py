"""The compiled evaluation of many policies equals the evaluation of the app."""

from dataclasses import replace

import numpy as np
import pytest

from app.recipes import parse_recipe
from app.tictactoe.game import Game, O, X, build_game
from app.tictactoe.policy import PlayRule, greedy_policy
from app.tictactoe.report import compute_figures, find_lost_game
from app.tictactoe.values import compute_successor_values, solve_game
from app.tictactoe.views import RewardScale, convert_view
from training.fast_evaluation import evaluate_policies_fast, is_unbeatable
from training.learners import learn
from training.run import find_next_round_number


@pytest.mark.parametrize("board", [(3, 3, 3), (2, 4, 3), (3, 2, 3), (2, 2, 2)])
@pytest.mark.parametrize("plays", ["greedy", "first", "proportional"])
def test_tables_right_and_wrong_on_any_board(board: tuple[int, int, int], plays: PlayRule) -> None:
    """Tables between exact and random values, with many ties."""
    game = build_game(*board)
    truth = (
        convert_view(game, compute_successor_values(game, solve_game(game).values))[game.legal] + 1
    )
    random = np.random.default_rng(0)
    tables = np.stack(
        [
            np.where(random.random(game.pairs) < errors, random.integers(0, 4, game.pairs), truth)
            for errors in (0, 0.001, 0.01, 0.1, 1)
        ]
    )
    judged = [
        compute_figures(game, tables, range(len(tables)), RewardScale(), plays, None, *faster)
        for faster in ([], [evaluate_policies_fast])
    ]
    assert judged[0] == judged[1]


@pytest.mark.parametrize("name", ["q-table,games=2000", "menace,games=2000"])
def test_tables_that_are_being_learned(game: Game, name: str) -> None:
    recipe = parse_recipe(name)
    tables = np.stack(
        [moment.q[game.legal] for moment in learn(game, recipe, find_next_round_number)]
    )
    settings = (
        game,
        tables,
        range(len(tables)),
        recipe.get_reward_scale(),
        recipe.plays,
        recipe.build_training_task(),
    )
    assert compute_figures(*settings) == compute_figures(*settings, evaluate_policies_fast)


# The quick proof that nobody beats a table says what the analysis of the app says.


def by_analysis(game: Game, q: np.ndarray) -> bool:
    return all(find_lost_game(game, greedy_policy(q), seat) is None for seat in (X, O))


def quick(game: Game, q: np.ndarray) -> bool:
    return all(is_unbeatable(game, greedy_policy(q.astype(np.float32)), seat) for seat in (X, O))


@pytest.mark.parametrize("sign", [1, -1], ids=["whoever has a line wins", "or loses"])
@pytest.mark.parametrize("board", [(3, 3, 3), (2, 4, 3), (3, 2, 3), (2, 2, 2)])
def test_almost_right_tables(board: tuple[int, int, int], sign: int) -> None:
    """Exact tables with a few random pairs, so that both answers occur."""
    game = build_game(*board)
    game = replace(game, outcome=sign * game.outcome)
    truth = convert_view(game, compute_successor_values(game, solve_game(game).values))
    random, answers = np.random.default_rng(0), set()
    for errors in np.tile([0.0, 0.0005, 0.002, 0.01, 1.0], 5):
        wrong = random.random(truth.shape) < errors
        q = np.where(wrong & game.legal, random.integers(-2, 3, truth.shape), truth)
        assert quick(game, q) == by_analysis(game, q)
        answers.add(quick(game, q))
    assert answers == ({False, True} if solve_game(game).values[0] == 0 else {False})
