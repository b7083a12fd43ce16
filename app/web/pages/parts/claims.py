"""The claims that experiments check: their verdicts as signs, and who they are about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from werkzeug.exceptions import NotFound

from app.experiments import Bars, Curves, Grid, Histogram, Summary
from app.web.numbers import choice
from app.web.world import World, kept


class Verdict(NamedTuple):
    """What came of a claim, as a sign and in words."""

    slug: str  # in addresses and styles
    words: str
    sign: str  # an outline in a box of 20 by 20


VERDICTS: Mapping[str, Verdict] = MappingProxyType(
    {
        verdict.words: verdict
        for verdict in (
            Verdict("reproduced", "reproduced", "M4.5 10.5 8.5 14.5 15.5 6"),
            Verdict("partly", "partly reproduced", "M4.5 10H15.5"),
            Verdict("not-reproduced", "not reproduced", "M5.5 5.5 14.5 14.5M14.5 5.5 5.5 14.5"),
            Verdict(
                "inconclusive",
                "inconclusive",
                "M6.5 7.5Q6.5 4 10 4T13.5 7.2Q13.5 9 11.6 10 10 10.9 10 12.4M10 15.6V15.9",
            ),
        )
    }
)


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
