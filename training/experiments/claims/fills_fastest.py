"""Compare three learners by their updates per game, and by the games until k reaches its limit."""

from app.recipes import parse_recipe
from app.recipes.algorithms import League
from training.experiments.quantities import QUANTITIES, parse_quantity
from training.experiments.results import Results, write_count

LEARNERS = ("plain", "observing", "one-stage")
UPDATES_PER_GAME = QUANTITIES["updates per game"]
GAMES_WON = parse_quantity("won against random", {})


def have_same_order(results: Results) -> bool:
    """Return whether the learners have the same order by updates per game as by games won."""
    by_updates, by_wins = (
        sorted(LEARNERS, key=lambda label: results.compute_median(label, quantity))
        for quantity in (UPDATES_PER_GAME, GAMES_WON)
    )
    return by_updates == by_wins


def format_games_to_limit(results: Results) -> dict[str, str]:
    """Return how many games each learner plays until its k reaches the limit (median seed), as texts."""
    texts = {}
    for label in LEARNERS:
        recipe = parse_recipe(results.recipe_by_label[label])
        assert isinstance(recipe, League)
        updates = (recipe.k_limit - recipe.k_start) / recipe.k_step
        games = updates / results.compute_median(label, UPDATES_PER_GAME)
        texts[label] = write_count(round(games))
    return texts
