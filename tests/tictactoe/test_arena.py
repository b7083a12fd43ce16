"""The arena: all pairs computed together equal single pairs, and known figures."""

import numpy as np
import pytest

from app.tictactoe.arena import (
    compute_round_robin,
    compute_score,
    list_disagreements,
    summarize_round_robin,
)
from app.tictactoe.game import Game
from app.tictactoe.policy import (
    BASELINES,
    Policy,
    first_empty_policy,
    t_hand_policy,
)
from app.tictactoe.values import compute_outcome_chances

NAMES = list(BASELINES)


@pytest.fixture(scope="module")
def chances(game: Game) -> np.ndarray:
    return compute_round_robin(
        game, [baseline.build_policy(game) for baseline in BASELINES.values()]
    )


def test_every_pair_is_what_it_is_alone(game: Game, chances: np.ndarray) -> None:
    policies = [BASELINES[name].build_policy(game) for name in NAMES]
    alone = [[compute_outcome_chances(game, x, o)[0] for o in policies] for x in policies]
    np.testing.assert_allclose(chances, alone, rtol=0, atol=1e-9)


def test_what_is_certain_is_exactly_so(chances: np.ndarray) -> None:
    fixed = NAMES.index("fixed")
    assert chances[fixed, fixed].tolist() == [1, 0, 0]
    np.testing.assert_allclose(chances.sum(axis=-1), 1, rtol=0, atol=2e-9)


def test_a_league_sees_each_player_from_its_own_side(chances: np.ndarray) -> None:
    table, random = summarize_round_robin(chances), NAMES.index("random")
    np.testing.assert_allclose(table.results_as_x[random], chances[random].mean(axis=0))
    np.testing.assert_allclose(table.results_as_o[random][::-1], chances[:, random].mean(axis=0))
    # Whatever X gains, O loses.
    assert compute_score(table.results_as_x).sum() == pytest.approx(
        -compute_score(table.results_as_o).sum()
    )
    assert table.mean_score.sum() == pytest.approx(0)


def test_a_league_counts_who_can_be_beaten_by_how_many(chances: np.ndarray) -> None:
    everybody = range(len(NAMES))
    beaten = [
        sum(chances[one, other, 2] > 0 or chances[other, one, 0] > 0 for other in everybody)
        for one in everybody
    ]
    assert summarize_round_robin(chances).beaten_by_count.tolist() == beaten
    assert beaten[NAMES.index("strongest")] == 0 < beaten[NAMES.index("random")]


# The positions in which players differ, found again one by one.


def likeliest(policy: Policy, position: int) -> set[int]:
    row = policy[position]
    return set(np.flatnonzero(row == row.max()).tolist())


def test_it_is_where_two_share_no_move(game: Game) -> None:
    one, other = first_empty_policy(game), t_hand_policy(game)
    listed = list_disagreements(game, [one, other]).tolist()
    parted = {
        position
        for position in range(game.decisions)
        if not likeliest(one, position) & likeliest(other, position)
    }
    assert set(listed) <= parted
    classes = game.symmetry_class
    assert {int(classes[position]) for position in parted} == set(classes[listed].tolist())
    assert len(set(classes[listed].tolist())) == len(listed)  # each class once
