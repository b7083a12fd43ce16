"""Where to begin in the lab: questions, each with its two recipes, and what is shipped."""

from pathlib import Path

import msgspec

from app.recipes import ALGORITHMS, SHIPPED, Recipe
from app.sources import SOURCES, Source, named
from app.web import addresses
from app.web.addresses import Offer
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.service.on_demand import whole_name
from app.web.text import character
from app.web.world import World

START = "q-table"  # where the lab begins
ASKED_FIRST = 4  # questions that are seen at once


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and the recipe that answers it beside another."""

    title: str
    recipe: str  # its name
    line: str
    game: int | None = None  # of its training, where that is what is to be seen
    source: str = "nested-software"  # whose learner it changes
    ghost: str = "q-table"  # the other recipe

    @property
    def is_yes_or_no(self) -> bool:
        """Whether it asks if one recipe is better than the other."""
        return " help" in self.title

    def names(self, world: World) -> tuple[str, str]:
        """Return by what names its recipe and the other one are called here."""
        return _short(world, self.recipe), _short(world, self.ghost)


Presets = list[tuple[Offer, Source | None]]  # each with whose learner it changes


QUESTIONS = msgspec.toml.decode(
    Path(__file__).with_name("questions.toml").read_bytes(), type=dict[str, list[Preset]]
)
WORTH_SEEING, EXERCISES = QUESTIONS["telling"], QUESTIONS["exercise"]
HEADINGS = {"telling": "Questions", "exercise": "Exercises of Sutton & Barto, chapter 1"}


def asked(world: World, chosen: str, ghost: str) -> Preset | None:
    """Return the question that has these canonical names."""
    presets = (*WORTH_SEEING, *EXERCISES)
    return next((one for one in presets if one.names(world) == (chosen, ghost)), None)


def offers(world: World, chosen: str, ghost: str) -> list[tuple[str, Presets]]:
    """List all presets by headings, with the one marked that has the chosen canonical names."""

    def offer(id: str, title: str, line: str, recipe: str, other: str, game: int | None) -> Offer:
        to = addresses.lab(recipe, other, game=game)
        return Offer(title, to, line, id, chosen=(recipe, other) == (chosen, ghost))

    families: list[tuple[str, Presets]] = [
        (
            HEADINGS[kind],
            [
                (
                    offer(f"{kind}-{number}", one.title, one.line, *one.names(world), one.game),
                    SOURCES[one.source],
                )
                for number, one in enumerate(questions, 1)
            ],
        )
        for kind, questions in QUESTIONS.items()
    ]
    shipped: Presets = [
        (
            offer(f"shipped-{id}", agent.title, character(world, id).line, id, "", None),
            named(world.agents[id].card.origin),
        )
        for id, agent in SHIPPED.items()
        if id in world.agents
    ]
    return [*families, ("Shipped with this site", shipped)]


def algorithms(world: World, chosen: str) -> Presets:
    """List the algorithms, each a link to the recipe with its defaults."""
    return [
        (
            Offer(
                KNOWN[slug].title,
                addresses.lab(_short(world, slug)),
                about(algorithm),
                id=f"algorithm-{slug}",
                chosen=slug == chosen,
            ),
            None,
        )
        for slug, algorithm in ALGORITHMS.items()
    ]


def about(algorithm: type[Recipe]) -> str:
    """Describe an algorithm in a sentence."""
    return (algorithm.__doc__ or "").splitlines()[0]


def _short(world: World, text: str) -> str:
    return world.lab.called(whole_name(text))
