"""The exact results as O of a table, and the positions of its training and of test games."""

from time import perf_counter

import msgspec
import numpy as np

from app.recipes import Recipe
from app.tictactoe.game import SEATS, Game, O, X, tic_tac_toe
from app.tictactoe.policy import BASELINES, Policy, policy_from_values
from app.tictactoe.report import compute_chances
from app.tictactoe.values import Numbers
from training.experiments.quantities import single
from training.learners import learn
from training.measures import Measure

TEST_GAMES = 1_000  # games against random in each seat, as in the source


class TestGamesResult(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "won_percent": "won",
        "lost_percent": "lost",
        "updated_positions": "learned",
        "known_or_tested_positions": "tested",
    },
):
    """The results of an agent as O against random, and numbers of positions, up to symmetry."""

    seconds: float
    won_percent: float  # percent of games won as O
    lost_percent: float  # percent of games lost as O
    updated_positions: int  # number of positions with an updated move
    # number of positions that were updated or occur in the test games
    known_or_tested_positions: int


def measure_test_games(recipe: Recipe) -> TestGamesResult:
    """Train a recipe; return its exact results as O, and the positions of its test games."""
    game = tic_tac_toe()
    begin = perf_counter()
    *_, end = learn(game, recipe)
    policy = policy_from_values(end.q, recipe.plays)
    random = BASELINES["random"].build_policy(game)
    won, _, lost = compute_chances(game, random, policy, O)
    known = np.flatnonzero((end.visits > 0).any(axis=1))
    drawn = np.random.default_rng(recipe.seed)
    tested = [
        _play_test_games(game, policy, random, seat, drawn) for seat in SEATS.values()
    ]
    classes = game.symmetry_class
    return TestGamesResult(
        perf_counter() - begin,
        100 * won,
        100 * lost,
        len(np.unique(classes[known])),
        len(np.unique(classes[np.concatenate([known, *tested])])),
    )


def _play_test_games(
    game: Game,
    policy: Policy,
    random_policy: Policy,
    player: int,
    rng: np.random.Generator,
) -> Numbers:
    """Return the decisions in which a policy moves in TEST_GAMES games against `random_policy`."""
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
        positions = game.successor[positions, cells].astype(np.intp)
        positions = positions[positions < game.decisions]
        mover = -mover
    return np.concatenate(decisions)


MEASURES = {
    "test games": Measure("met-in-tests", 1, TestGamesResult, measure_test_games)
}
QUANTITIES = {
    "won": single(
        "Games won as O against the random player", "%", lambda run: run.won_percent
    ),
    "lost": single(
        "Games lost as O against the random player", "%", lambda run: run.lost_percent
    ),
    "positions updated": single(
        "Positions that the training has updated (of 627)",
        "positions",
        lambda run: run.updated_positions,
    ),
    "positions updated or tested": single(
        "Positions that the training has updated or that occur in 1,000 test games in each seat",
        "positions",
        lambda run: run.known_or_tested_positions,
    ),
}
