"""The games of many policies, followed by compiled code, say what the report of the app says."""

import numpy as np
import pytest

from app.recipes import parse
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import Plays
from app.tictactoe.report import report
from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import Worth, movers_view
from training.following import follow
from training.learners import learn
from training.run import next_mark


@pytest.mark.parametrize("board", [(3, 3, 3), (2, 4, 3), (3, 2, 3), (2, 2, 2)])
@pytest.mark.parametrize("plays", ["greedy", "first", "proportional"])
def test_tables_right_and_wrong_on_any_board(board: tuple[int, int, int], plays: Plays) -> None:
    """From the truth to chance, with many ties."""
    game = connect(*board)
    truth = movers_view(game, successor_values(game, optimal(game).value))[game.legal] + 1
    random = np.random.default_rng(0)
    tables = np.stack(
        [
            np.where(random.random(game.pairs) < errors, random.integers(0, 4, game.pairs), truth)
            for errors in (0, 0.001, 0.01, 0.1, 1)
        ]
    )
    judged = [
        report(game, tables, range(len(tables)), Worth(), plays, None, *faster)
        for faster in ([], [follow])
    ]
    assert judged[0] == judged[1]


@pytest.mark.parametrize("name", ["q-table,games=2000", "menace,games=2000"])
def test_tables_that_are_being_learned(game: Game, name: str) -> None:
    recipe = parse(name)
    tables = np.stack([moment.q[game.legal] for moment in learn(game, recipe, next_mark)])
    settings = (game, tables, range(len(tables)), recipe.worth(), recipe.plays, recipe.task())
    assert report(*settings) == report(*settings, follow)
