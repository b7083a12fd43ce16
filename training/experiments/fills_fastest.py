"""Whether those are favoured whose k grows fastest."""

from app.recipes import parse
from app.recipes.algorithms import League
from training.experiments import claim, table
from training.experiments.claim import chance, number, percent
from training.measures import MARKS

LEARNERS = {
    "plain": "league",
    "observing": "league,observing=yes",
    "one-stage": "league,stages=one",
}
STEPS = {
    "k grows by 0.00025": "league,k_step=0.00025",
    "k grows by 0.001": "league",
    "k grows by 0.004": "league,k_step=0.004",
}
SLOW, USUAL, FAST = STEPS


def tell(results: claim.Results) -> claim.Conclusion:
    """Count the updates a game, and see what a faster growth alone does."""
    counts = results.medians(table.updates_per_game, LEARNERS)
    end = results.medians(table.wins)
    favoured, p = results.higher(FAST, SLOW, table.wins)
    by_count = sorted(LEARNERS, key=lambda label: counts[label])
    in_order = by_count == sorted(LEARNERS, key=lambda label: end[label])
    title = "Games won against random, both seats, by how fast k grows"
    by_growth = table.WINS_LINE._replace(title=title)
    limits = {label: games_to_limit(results, label) for label in LEARNERS}
    return claim.Conclusion(
        [
            results.bars("Updates a game, at each of which k grows", "updates", counts),
            table.curves(results, by_growth, STEPS, by_games=True),
            results.strips(table.WINS_IN_THE_END, (*STEPS, "observing", "one-stage")),
        ],
        [favoured],
        claim.compare(
            results.recipes,
            {
                "updates a game": ("{:.1f}".format, counts),
                "games until k is at its limit": (number, limits),
                "won against random": (percent, end),
                "against a growth by 0.00025 (sign test)": (chance, {FAST: p}),
            },
            "median seed",
        ),
        claim.verdict_on(favoured and in_order, favoured),
    )


def games_to_limit(results: claim.Results, label: str) -> float:
    """Return after how many games k is at its limit, for the median seed."""
    recipe = parse(results.recipes[label])
    assert isinstance(recipe, League)
    updates = (recipe.k_limit - recipe.k_start) / recipe.k_step
    return round(updates / results.median(label, table.updates_per_game))


EXPERIMENT = claim.Experiment("fills-fastest", tell, [claim.Sweep({**LEARNERS, **STEPS}, MARKS)])
