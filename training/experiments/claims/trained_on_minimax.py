"""How a table that learned against minimax plays as O, and how many positions it has met."""

import numpy as np

from app.recipes import Recipe
from app.tictactoe.game import GAME, SEATS, O, X
from app.tictactoe.policy import BASELINES, Policy, policy_from_values
from app.tictactoe.report import compute_chances
from app.tictactoe.values import Numbers
from training.learners import learn
from training.measures import Measure, count_known_positions

# The author's program plays this many test games as X, and as many as O.
TEST_GAMES = 1_000


def measure_test_games(recipe: Recipe) -> dict[str, float]:
    """Train a recipe; return its exact results as O against random moves, in percent.

    "learned" counts the positions with an updated move. "tested" counts these positions and all
    that test games against random moves reach. Symmetric positions count once.
    """
    *_, end = learn(GAME, recipe)
    policy = policy_from_values(end.q, recipe.plays)
    random = BASELINES["random"].build_policy(GAME)
    won, _, lost = compute_chances(GAME, random, policy, O)
    known = np.flatnonzero((end.visits > 0).any(axis=1))
    drawn = np.random.default_rng(recipe.seed)
    tested = [_play_test_games(policy, random, seat, drawn) for seat in SEATS.values()]
    classes = GAME.symmetry_class
    return {
        "won": 100 * won,
        "lost": 100 * lost,
        "learned": count_known_positions(end.visits),
        "tested": len(np.unique(classes[np.concatenate([known, *tested])])),
    }


def _play_test_games(
    policy: Policy,
    random_policy: Policy,
    player: int,
    rng: np.random.Generator,
) -> Numbers:
    """Return the positions in which `policy` moves in test games against `random_policy`."""
    positions = np.zeros(TEST_GAMES, np.intp)
    decisions: list[Numbers] = []
    mover = X
    while len(positions):
        if mover == player:
            decisions.append(positions)
        chances = (policy if mover == player else random_policy)[positions].cumsum(
            axis=1
        )
        drawn = rng.random((len(positions), 1)) * chances[:, -1:]
        cells = (drawn >= chances).sum(axis=1)
        positions = GAME.successor[positions, cells].astype(np.intp)
        positions = positions[positions < GAME.decisions]
        mover = -mover
    return np.concatenate(decisions)


MEASURES = {"test games": Measure("met-in-tests", 1, measure_test_games)}
