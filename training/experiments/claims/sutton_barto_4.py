"""Compare greedy play with play that explores as in training, against the random player."""

from app.recipes import Recipe
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.policy import BASELINES, mix_policies, policy_from_values
from app.tictactoe.report import compute_chances
from training.experiments.quantities import OUTCOMES
from training.learners import learn
from training.measures import Measure

TRAINING_EPSILON = 0.1


def measure_greedy_and_exploring(recipe: Recipe) -> dict[str, float]:
    """Train a recipe; return its exact wins and losses in percent (mean of both seats).

    "greedy" and "exploring" are wins, "greedy_lost" and "exploring_lost" are losses.
    """
    *_, end = learn(GAME, recipe)
    greedy = policy_from_values(end.q, recipe.plays)
    random = BASELINES["random"].build_policy(GAME)
    exploring = mix_policies(greedy, random, TRAINING_EPSILON)
    results = {}
    for name, policy in {"greedy": greedy, "exploring": exploring}.items():
        as_x, as_o = (
            compute_chances(GAME, random, policy, seat) for seat in SEATS.values()
        )
        for key, outcome in {name: "won", f"{name}_lost": "lost"}.items():
            place = OUTCOMES[outcome]
            results[key] = 50 * (as_x[place] + as_o[place])
    return results


MEASURES = {
    "greedy and exploring play": Measure(
        "greedy-and-exploring", 1, measure_greedy_and_exploring
    )
}
