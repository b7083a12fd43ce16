"""Compare three learners of the league by their updates per game.

These learners choose a move with a probability proportional to k ** Q. k grows with every update up
to a limit.
"""

from app.recipes import parse_recipe
from app.recipes.algorithms import League
from training.experiments.quantities import QUANTITIES, parse_quantity
from training.experiments.results import Results, format_count

LEARNERS = ("plain", "observing", "one-stage")
UPDATES_PER_GAME = QUANTITIES["updates per game"]
GAMES_WON_QUANTITY = parse_quantity("won against random", {})


def have_same_order(results: Results) -> bool:
    by_updates, by_wins = (
        sorted(LEARNERS, key=lambda label: results.compute_median(label, quantity))
        for quantity in (UPDATES_PER_GAME, GAMES_WON_QUANTITY)
    )
    return by_updates == by_wins


def format_games_to_limit(results: Results) -> dict[str, str]:
    """Return {label: games until k, which makes choices greedier, reaches its limit}."""
    texts = {}
    for label in LEARNERS:
        recipe = parse_recipe(results.recipe_by_label[label])
        assert isinstance(recipe, League)
        updates = (recipe.k_limit - recipe.k_start) / recipe.k_step
        games = updates / results.compute_median(label, UPDATES_PER_GAME)
        texts[label] = format_count(round(games))
    return texts
