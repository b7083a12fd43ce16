"""The claims that experiments check, as short as a line: their verdicts, and who they are about."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from werkzeug.exceptions import NotFound

from app.experiments import Bars, Curves, Grid, Histogram, Summary
from app.sources import SOURCES, Source
from app.web import addresses
from app.web.numbers import choice
from app.web.world import World, kept


class Verdict(NamedTuple):
    """What came of a claim, as a sign and in words."""

    slug: str  # in addresses and styles
    words: str
    sign: str  # an outline in a box of 20 by 20


class Claim(NamedTuple):
    """A claim in a line."""

    id: str
    title: str
    source: Source  # who says it
    verdict: Verdict
    href: str


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


def claim(summary: Summary) -> Claim:
    """Say in a line what an experiment is about and what came of it."""
    return Claim(
        id=summary.id,
        title=summary.title,
        source=SOURCES[summary.sources[0]],
        verdict=VERDICTS[summary.verdict],
        href=addresses.EXPERIMENT.to(summary.id),
    )


def known(world: World, name: str) -> Summary:
    """Return an experiment; raises NotFound, naming those there are, if there is none."""
    if name not in world.experiments:
        raise NotFound(f"There is no experiment {name!r}. {choice(world.experiments)}")
    return world.experiments[name]


def of_agent(world: World, name: str) -> list[Claim]:
    """List the claims that are about an agent."""
    return [claim(one) for one in world.experiments.values() if name in one.agents]


def of_source(world: World, slug: str) -> list[Claim]:
    """List the claims that a source makes, or which is about its results."""
    return [claim(one) for one in world.experiments.values() if slug in one.sources]


@kept(64)
def of_algorithm(world: World, slug: str) -> tuple[Claim, ...]:
    """List the claims whose figures show runs of an algorithm, or that are about its agents."""
    summaries = world.experiments.values()
    return tuple(claim(one) for one in summaries if slug in algorithms(world, one))


def algorithms(world: World, summary: Summary) -> list[str]:
    """List the algorithms that an experiment is about, by their slugs."""
    cards = [world.always[name].card.algorithm for name in summary.agents if name in world.always]
    return [*dict.fromkeys([*cards, *filter(None, map(_slug, _recipes(summary)))])]


def _slug(recipe: str) -> str:
    return recipe.partition(",")[0]


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
