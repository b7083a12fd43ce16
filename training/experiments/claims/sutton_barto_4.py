"""Results against the random player of greedy play, and of play with exploring moves."""

from time import perf_counter

import msgspec

from app.recipes import Recipe
from app.tictactoe.game import SEATS, tic_tac_toe
from app.tictactoe.policy import BASELINES, mix_policies, policy_from_values
from app.tictactoe.report import compute_chances
from training.experiments.quantities import OUTCOMES, single
from training.learners import learn
from training.measures import Measure

TRAINING_EPSILON = 0.1  # exploration rate during training
GAMES = "Games {} the random player in {}, mean of both seats"


class GreedyAndExploringResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Results of an agent against Random, in percent of the games in both seats.

    The agent plays greedily, and with the exploration of its training.
    """

    seconds: float
    greedy: float  # percent of games won without exploration
    exploring: float  # percent of games won with the exploration of the training
    greedy_lost: float
    exploring_lost: float


def measure_greedy_and_exploring(recipe: Recipe) -> GreedyAndExploringResult:
    """Return the exact results of a recipe's greedy play and of its exploring play."""
    game = tic_tac_toe()
    begin = perf_counter()
    *_, end = learn(game, recipe)
    greedy = policy_from_values(end.q, recipe.plays)
    random = BASELINES["random"].build_policy(game)
    chances = [
        [compute_chances(game, random, policy, seat) for seat in SEATS.values()]
        for policy in (greedy, mix_policies(greedy, random, TRAINING_EPSILON))
    ]
    won, lost = (
        [50 * (as_x[outcome] + as_o[outcome]) for as_x, as_o in chances]
        for outcome in (OUTCOMES["won"], OUTCOMES["lost"])
    )
    return GreedyAndExploringResult(perf_counter() - begin, *won, *lost)


MEASURES = {
    "greedy and exploring play": Measure(
        "greedy-and-exploring",
        1,
        GreedyAndExploringResult,
        measure_greedy_and_exploring,
    )
}
QUANTITIES = {
    "won in greedy play": single(
        GAMES.format("won against", "greedy play"), "%", lambda run: run.greedy
    ),
    "won in exploring play": single(
        GAMES.format("won against", "play with exploring moves"),
        "%",
        lambda run: run.exploring,
    ),
    "lost in exploring play": single(
        GAMES.format("lost to", "play with exploring moves"),
        "%",
        lambda run: run.exploring_lost,
    ),
}
