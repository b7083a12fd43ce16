"""Where to begin in the lab: questions, each with its two recipes, and what is shipped."""

from typing import NamedTuple

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


class Preset(NamedTuple):
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


Presets = list[tuple[Offer, Source | None]]  # each with whose learner it changes


WORTH_SEEING = (
    Preset(
        "Does a larger learning rate help?",
        "q-table,alpha=0.8",
        "Alpha 0.8 and not 0.4: every update moves the Q-value twice as far to its target.",
    ),
    Preset(
        "What does exploration do?",
        "q-table,epsilon=0,epsilon_drop=0",
        "Epsilon 0, no exploration: it keeps to the first moves that did not lose, and never tries "
        "the others.",
    ),
    Preset(
        "What if it plays itself?",
        "q-table,vs=both",
        "Both sides learn from every game, by one table, and meet a better opponent the more they "
        "learn.",
    ),
    Preset(
        "What is a draw worth?",
        "q-table,draw=1",
        "A draw is worth as much as a win, so it does not care to win, and no opponent can win.",
    ),
    Preset(
        "How does a win reach the first move?",
        "q-table,seat=x,alpha=0.9,seed=27",
        "The worked example: the very first game is won in three moves, and alpha 0.9 carries the "
        "win back to the empty board as 0.9, 0.81 and 0.73.",
        game=1,
    ),
    Preset(
        "What if only the last game counts?",
        "q-table,alpha=1",
        "Alpha 1: every update replaces the value, which so depends on the luck of one game.",
    ),
    Preset(
        "What if nothing is left to chance?",
        "q-table,vs=fixed,epsilon=0,epsilon_drop=0",
        "Epsilon 0, and of equal moves the first, against a player that takes the first empty "
        "square: nothing is left to chance, so it plays two games 7,000 times and knows 8 "
        "positions.",
        game=1,
    ),
    Preset(
        "Are equal moves to be drawn by lot?",
        "q-table,ties=random,epsilon=0,epsilon_drop=0",
        "Epsilon 0, but equal moves are drawn by lot: it meets more, until one move seems better, "
        "and then it sees no other any more.",
        ghost="q-table,epsilon=0,epsilon_drop=0",
    ),
    Preset(
        "Does it learn from random moves alone?",
        "q-table,epsilon=1,epsilon_drop=0",
        "Epsilon 1: it learns from random moves alone, and yet ends with fewer blunders than by "
        "the usual numbers.",
    ),
    Preset(
        "What does the discount do?",
        "q-table,gamma=0.1",
        "Discount factor 0.1: a win a move later is worth a tenth. It does little harm: what "
        "counts is which move is better, not by how much.",
    ),
    Preset(
        "What if a loss is ten times worse?",
        "q-table,loss=-10",
        "A loss costs ten times what a win brings: it shuns every risk, and no opponent can win.",
    ),
    Preset(
        "What if it need not fear a loss?",
        "q-table,loss=0",
        "A loss costs as little as a draw, so there is nothing to block for: it can be beaten in "
        "both seats.",
    ),
    Preset(
        "Are ten games enough?",
        "q-table,games=10",
        "Ten games: what it has never seen it plays by order of the squares.",
    ),
    Preset(
        "What does a weak opponent teach?",
        "q-table,vs=fixed",
        "Its opponent always takes the first empty square: it learns to beat that, and no more.",
    ),
    Preset(
        "What if targets are added up?",
        "q-table,update=sum",
        "Targets are added up and not averaged, so what comes often outweighs what is good: it "
        "loses one game in four to random moves.",
    ),
    Preset(
        "Can matchboxes learn from optimal play?",
        "menace,vs=minimax-random,seat=x,games=220",
        "Beads instead of values, and 220 games as X against optimal play: it never wins one of "
        "them, and by then it draws nearly all.",
        game=1,
        source="michie-1963",
        ghost="menace,seat=x,games=220",
    ),
    Preset(
        "Can optimism replace exploration?",
        "q-table,epsilon=0,epsilon_drop=0,initial=2",
        "Optimistic initial values: every move brings less than expected, so it tries another: "
        "exploration without epsilon.",
    ),
)
EXERCISES = (
    Preset(
        "1.1: Does self-play help?",
        "td-afterstates,vs=both",
        "Both sides learn and explore by one table: it cannot be beaten, has half the blunders, "
        "and wins nearly as often against random moves.",
        ghost="td-afterstates",
    ),
    Preset(
        "1.2: Do symmetries help?",
        "td-afterstates,symmetric=yes",
        "Symmetric boards share one value, so that every game teaches more: it has a third of the "
        "blunders.",
        ghost="td-afterstates",
    ),
    Preset(
        "1.3: Does greedy play help?",
        "td-afterstates,epsilon=0",
        "It never explores, so it meets a third of the moves that it would, and has twice the "
        "blunders.",
        ghost="td-afterstates",
    ),
    Preset(
        "1.4: Does it help to learn from exploration, too?",
        "td-afterstates,learn_from=all",
        "What comes of a random move teaches it, too: it wins as often and has as many blunders.",
        ghost="td-afterstates",
    ),
    Preset(
        "1.5: Does falling exploration help?",
        "td-afterstates,epsilon=0.9,epsilon_drop=0.1",
        "Much exploration at first and less and less of it: half the blunders in as many games.",
        ghost="td-afterstates",
    ),
)


def asked(world: World, chosen: str, ghost: str) -> Preset | None:
    """Return the question that has these canonical names."""
    for preset in (*WORTH_SEEING, *EXERCISES):
        if (_short(world, preset.recipe), _short(world, preset.ghost)) == (chosen, ghost):
            return preset
    return None


def offers(world: World, chosen: str, ghost: str) -> list[tuple[str, Presets]]:
    """List all presets by headings, with the one marked that has the chosen canonical names."""

    def asked(id: str, questions: tuple[Preset, ...], source: str = "") -> Presets:
        listed: Presets = []
        for number, preset in enumerate(questions, 1):
            recipes = _short(world, preset.recipe), _short(world, preset.ghost)
            offer = Offer(
                preset.title,
                addresses.lab(*recipes, game=preset.game),
                preset.line,
                id=f"{id}-{number}",
                chosen=recipes == (chosen, ghost),
            )
            listed.append((offer, SOURCES[source or preset.source]))
        return listed

    shipped: Presets = [
        (
            Offer(
                agent.title,
                addresses.lab(id),
                character(world, id).line,
                id=f"shipped-{id}",
                chosen=(id, "") == (chosen, ghost),
            ),
            named(world.agents[id].card.origin),
        )
        for id, agent in SHIPPED.items()
        if id in world.agents
    ]
    exercises = asked("exercise", EXERCISES, "sutton-barto-2018")
    return [
        ("Questions", asked("telling", WORTH_SEEING)),
        ("Exercises of Sutton & Barto, chapter 1", exercises),
        ("Shipped with this site", shipped),
    ]


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
