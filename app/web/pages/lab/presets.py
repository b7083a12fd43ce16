"""Where to begin in the lab: what is shipped, and settings that fail in a way worth seeing."""

from typing import NamedTuple

from app.recipes import ALGORITHMS, SHIPPED, Recipe
from app.sources import SOURCES, Source, named
from app.web import addresses
from app.web.algorithms import ALGORITHMS as KNOWN
from app.web.service.on_demand import whole_name
from app.web.text import character
from app.web.world import World

START = "q-table"  # where the lab begins


class Preset(NamedTuple):
    """A recipe with a reason to look at it."""

    title: str
    recipe: str  # its name
    line: str
    game: int | None = None  # of its training, where that is what is to be seen
    source: str = "nested-software"  # whose learner it changes


class PresetLink(NamedTuple):
    """A preset as a link."""

    id: str
    title: str
    line: str
    href: str
    chosen: bool
    source: Source | None = None


class PresetGroup(NamedTuple):
    """Offers under one heading."""

    title: str
    offers: list[PresetLink]


WORTH_SEEING = (
    Preset(
        "0.9, 0.81, 0.73",
        "q-table,seat=x,alpha=0.9,seed=27",
        "The worked example: the very first game is won in three moves, and alpha 0.9 carries the "
        "win back to the empty board as 0.9, 0.81 and 0.73.",
        game=1,
    ),
    Preset(
        "Believe only the last game",
        "q-table,alpha=1",
        "Alpha 1: every update replaces the value, which so depends on the luck of one game.",
    ),
    Preset(
        "Never explore",
        "q-table,epsilon=0,epsilon_drop=0",
        "Epsilon 0, no exploration: it keeps to the first moves that did not lose, and never tries "
        "the others.",
    ),
    Preset(
        "First of the best on ties",
        "q-table,vs=fixed,epsilon=0,epsilon_drop=0",
        "Epsilon 0, and of equal moves the first, against a player that takes the first empty "
        "square: nothing is left to chance, so it plays two games 7,000 times and knows 8 "
        "positions.",
        game=1,
    ),
    Preset(
        "Ties by lot",
        "q-table,ties=random,epsilon=0,epsilon_drop=0",
        "Epsilon 0, but equal moves are drawn by lot: it meets more, until one move seems better, "
        "and then it sees no other any more.",
    ),
    Preset(
        "Only explore",
        "q-table,epsilon=1,epsilon_drop=0",
        "Epsilon 1: it learns from random moves alone, and yet ends with fewer blunders than by "
        "the usual numbers.",
    ),
    Preset(
        "Short-sighted",
        "q-table,gamma=0.1",
        "Discount factor 0.1: a win a move later is worth a tenth. It does little harm: what "
        "counts is which move is better, not by how much.",
    ),
    Preset(
        "Afraid",
        "q-table,loss=-10",
        "A loss costs ten times what a win brings: it shuns every risk, and no opponent can win.",
    ),
    Preset(
        "Fearless",
        "q-table,loss=0",
        "A loss costs as little as a draw, so there is nothing to block for: it can be beaten in "
        "both seats.",
    ),
    Preset(
        "Glad of a draw",
        "q-table,draw=1",
        "A draw is worth as much as a win, so it does not care to win, and no opponent can win.",
    ),
    Preset(
        "Ten games",
        "q-table,games=10",
        "Ten games: what it has never seen it plays by order of the squares.",
    ),
    Preset(
        "Only weak opponents",
        "q-table,vs=fixed",
        "Its opponent always takes the first empty square: it learns to beat that, and no more.",
    ),
    Preset(
        "Adding up",
        "q-table,update=sum",
        "Targets are added up and not averaged, so what comes often outweighs what is good: it "
        "loses one game in four to random moves.",
    ),
    Preset(
        "Matchboxes",
        "menace,vs=minimax-random,seat=x,games=220",
        "Beads instead of values, and 220 games as X against optimal play: it never wins one of "
        "them, and by then it draws nearly all.",
        game=1,
        source="michie-1963",
    ),
    Preset(
        "Optimist",
        "q-table,epsilon=0,epsilon_drop=0,initial=2",
        "Optimistic initial values: every move brings less than expected, so it tries another: "
        "exploration without epsilon.",
    ),
)
EXERCISES = (
    Preset(
        "1.1: Self-play",
        "td-afterstates,vs=both",
        "Both sides learn and explore by one table: it cannot be beaten, has half the blunders, "
        "and wins nearly as often against random moves.",
    ),
    Preset(
        "1.2: Symmetries",
        "td-afterstates,symmetric=yes",
        "Symmetric boards share one value, so that every game teaches more: it has a third of the "
        "blunders.",
    ),
    Preset(
        "1.3: Greedy play",
        "td-afterstates,epsilon=0",
        "It never explores, so it meets a third of the moves that it would, and has twice the "
        "blunders.",
    ),
    Preset(
        "1.4: Learning from exploration",
        "td-afterstates,learn_from=all",
        "What comes of a random move teaches it, too: it wins as often and has as many blunders.",
    ),
    Preset(
        "1.5: Other improvements",
        "td-afterstates,epsilon=0.9,epsilon_drop=0.1",
        "Much exploration at first and less and less of it: half the blunders in as many games.",
    ),
)


def offers(world: World, chosen: str) -> list[PresetGroup]:
    """List all presets, with the one that has the chosen canonical name marked."""
    worth_seeing, exercises = (
        [
            _offer(
                f"{id}-{number}",
                preset.title,
                preset.line,
                _short(world, preset.recipe),
                chosen,
                preset.game,
                SOURCES["sutton-barto-2018" if id == "exercise" else preset.source],
            )
            for number, preset in enumerate(presets, 1)
        ]
        for id, presets in (("telling", WORTH_SEEING), ("exercise", EXERCISES))
    )
    shipped = [
        _offer(
            f"shipped-{id}",
            agent.title,
            character(world, id).line,
            id,
            chosen,
            source=named(agent.origin),
        )
        for id, agent in SHIPPED.items()
        if id in world.agents
    ]
    return [
        PresetGroup("Worth seeing", worth_seeing),
        PresetGroup("Exercises of Sutton & Barto, chapter 1", exercises),
        PresetGroup("Shipped with this site", shipped),
    ]


def algorithms(world: World, chosen: str) -> list[PresetLink]:
    """List the algorithms, each a link to the recipe with its defaults."""
    return [
        PresetLink(
            id=f"algorithm-{slug}",
            title=KNOWN[slug].title,
            line=about(algorithm),
            href=addresses.lab(_short(world, slug)),
            chosen=slug == chosen,
        )
        for slug, algorithm in ALGORITHMS.items()
    ]


def about(algorithm: type[Recipe]) -> str:
    """Describe an algorithm in a sentence."""
    return (algorithm.__doc__ or "").splitlines()[0]


def _short(world: World, text: str) -> str:
    return world.lab.called(whole_name(text))


def _offer(
    id: str,
    title: str,
    line: str,
    recipe: str,
    chosen: str,
    game: int | None = None,
    source: Source | None = None,
) -> PresetLink:
    return PresetLink(id, title, line, addresses.lab(recipe, game=game), recipe == chosen, source)
