"""The claims that experiments check: their verdicts, and who they are about."""

from werkzeug.exceptions import NotFound

from app.experiments import Bars, Curves, Grid, Histogram, Summary
from app.web.numbers import choice
from app.web.world import World, kept

# The verdicts as addresses and styles have them.
VERDICTS = {
    "reproduced": "reproduced",
    "partly reproduced": "partly",
    "not reproduced": "not-reproduced",
    "inconclusive": "inconclusive",
}


def known(world: World, name: str) -> Summary:
    """Return an experiment; raises NotFound, naming those there are, if there is none."""
    if name not in world.experiments:
        raise NotFound(f"There is no experiment {name!r}. {choice(world.experiments)}")
    return world.experiments[name]


@kept(64)
def of_algorithm(world: World, slug: str) -> tuple[Summary, ...]:
    """List the claims whose figures show runs of an algorithm, or that are about its agents."""
    summaries = world.experiments.values()
    return tuple(one for one in summaries if slug in algorithms(world, one))


def algorithms(world: World, summary: Summary) -> list[str]:
    """List the algorithms that an experiment is about, by their slugs."""
    cards = [world.always[name].card.algorithm for name in summary.agents if name in world.always]
    return [
        *dict.fromkeys(
            [*cards, *(recipe.partition(",")[0] for recipe in _recipes(summary) if recipe)]
        )
    ]


def _recipes(summary: Summary) -> list[str]:
    """List the recipes whose runs its figures show."""
    found = []
    for figure in summary.figures:
        match figure:
            case Histogram():
                found += [group.recipe for group in figure.groups]
            case Curves():
                found += [series.recipe for series in figure.series]
            case Grid():
                found += [recipe for row in figure.recipes for recipe in row]
            case Bars():
                found += [bar.recipe for bar in figure.bars]
    return found
