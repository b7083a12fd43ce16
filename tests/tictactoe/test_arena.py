"""All pairs at once are what they are pair by pair; known figures are among the facts."""

import numpy as np
import pytest

from app.tictactoe.arena import join, league, round_robin, score
from app.tictactoe.game import Game
from app.tictactoe.policy import BASELINES
from app.tictactoe.values import line_up, outcome_chances

NAMES = list(BASELINES)


@pytest.fixture(scope="module")
def chances(game: Game) -> np.ndarray:
    return round_robin(game, [baseline.policy(game) for baseline in BASELINES.values()])


def test_every_pair_is_what_it_is_alone(game: Game, chances: np.ndarray) -> None:
    policies = [BASELINES[name].policy(game) for name in NAMES]
    alone = [[outcome_chances(game, x, o)[0] for o in policies] for x in policies]
    np.testing.assert_allclose(chances, alone, rtol=0, atol=1e-9)


def test_who_joins_meets_everybody_as_if_there_from_the_start(
    game: Game, chances: np.ndarray
) -> None:
    *others, newcomer = [BASELINES[name].policy(game) for name in NAMES]
    policies = line_up(game, np.stack(others)[:, game.legal])
    joined = join(game, chances[:-1, :-1], policies, newcomer)
    np.testing.assert_allclose(joined, chances, rtol=0, atol=1e-9)


def test_what_is_certain_is_exactly_so(chances: np.ndarray) -> None:
    fixed = NAMES.index("fixed")
    assert chances[fixed, fixed].tolist() == [1, 0, 0]
    np.testing.assert_allclose(chances.sum(axis=-1), 1, rtol=0, atol=2e-9)


def test_a_league_sees_each_player_from_its_own_side(chances: np.ndarray) -> None:
    table, random = league(chances), NAMES.index("random")
    np.testing.assert_allclose(table.as_x[random], chances[random].mean(axis=0))
    np.testing.assert_allclose(table.as_o[random][::-1], chances[:, random].mean(axis=0))
    # Whatever X gains, O loses.
    assert score(table.as_x).sum() == pytest.approx(-score(table.as_o).sum())
    assert table.score.sum() == pytest.approx(0)


def test_a_league_counts_who_can_be_beaten_by_how_many(chances: np.ndarray) -> None:
    beaten_by = dict(zip(NAMES, league(chances).beaten_by.tolist(), strict=True))
    assert beaten_by == {
        "random": 6,
        "fixed": 6,
        "t-hand": 6,
        "minimax": 0,
        "minimax-random": 0,
        "strongest": 0,
    }
