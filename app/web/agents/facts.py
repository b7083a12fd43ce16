"""What is exactly true of an agent as shipped, and how it was made, in words."""

from typing import NamedTuple

from app.recipes import Parameter, parameters
from app.recipes.parameters import written
from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.web import addresses, exact
from app.web.algorithms import phases
from app.web.comparison import Comparison, View, parting
from app.web.exact import Figure
from app.web.match import Match
from app.web.numbers import count, percent, signed
from app.web.words import opponent_name, task_words
from app.web.world import HUMAN, TASK, World

UNITS = "in the units of its own values"


class Links(NamedTuple):
    """Addresses of the play page with this agent."""

    as_x: str  # the visitor is X
    as_o: str
    watch: str
    through_training: str
    compare: str  # beside best play, where the two part if they do
    lab: str  # where its numbers can be changed
    task: str  # with what it was asked to learn on the squares; "" where no table says that


class Setting(NamedTuple):
    """A parameter of the training."""

    name: str
    symbol: str
    value: str
    meaning: str


class Value(NamedTuple):
    """What the results of a game are worth to the mover in one seat."""

    seat: str
    loss: str
    draw: str
    win: str


def links(world: World, name: str) -> Links:
    """Say where to meet an agent."""
    task = addresses.play(Match(o=name, lens=name + TASK)) if world.task(name) else ""
    views = (View(name),)
    return Links(
        as_x=addresses.play_against(name),
        as_o=addresses.play(Match(x=name, o=HUMAN)),
        watch=addresses.play(Match(x=name, o=name)),
        through_training=addresses.play(Match(o=name, lens=name, step=0)),
        compare=addresses.compare(Comparison(parting(views, world) or "", views)),
        lab=addresses.lab(name),
        task=task,
    )


def figures(world: World, card: Card) -> list[Figure]:
    """List the figures that are no chances."""
    listed = exact.figures(world, world.name_of(card))
    if card.figures.classes_right is not None:
        meaning = "moves whose value is nearest to the result that they lead to with best play"
        share = f"{percent(card.figures.classes_right[-1])}%"
        listed.append(Figure("Values that fit best play", share, f"{meaning}, of all moves"))
    if card.refills is not None:
        refilled = "how often in training a box had lost all its beads and was filled again"
        listed.append(Figure("Boxes refilled", count(card.refills), refilled))
    return listed


def task_figures(card: Card) -> list[Figure]:
    """List how far the values are from those of the agent's own task, if these are known."""
    off = card.figures.task
    if off is None:
        return []
    pairs = "between a value and the exact one of its task"
    return [
        Figure("Largest difference", f"{off.largest[-1]:.4g}", f"{pairs}, over all moves; {UNITS}"),
        Figure("Mean difference", f"{off.mean[-1]:.4g}", f"{pairs}, over all moves"),
        Figure(
            "Largest within reach",
            f"{off.largest_reached[-1]:.4g}",
            f"{pairs}, over the moves that its task can come to",
        ),
        Figure("Mean within reach", f"{off.mean_reached[-1]:.4g}", f"{pairs}, over the same moves"),
    ]


def task(world: World, card: Card) -> str:
    """Say what an agent was asked to learn, "" where no table says that exactly."""
    asked = world.task(world.name_of(card))
    return task_words(world, asked) if asked else ""


def training(world: World, name: str, card: Card) -> str:
    """Say what the training was, opponent by opponent, and how many updates it made."""
    whole = ", then ".join(phases(world, world.recipe(name)))
    return f"{whole}; {count(card.updates)} updates"


def settings(world: World, name: str) -> list[Setting]:
    """List the parameters of an agent's recipe, each with what it means."""
    return [
        Setting(parameter.name, parameter.symbol, _written(parameter), parameter.meaning)
        for parameter in parameters(world.recipe(name))
    ]


def worth(card: Card) -> list[Value]:
    """List what a loss, a draw and a win are worth in each seat; nothing where values are beads."""
    if card.worth is None:
        return []
    return [
        Value(seat.upper(), *(signed(value) for value in getattr(card.worth, seat)))
        for seat in SEATS
    ]


def made(world: World, card: Card) -> list[tuple[str, str]]:
    """List what else there is to know of a training: name and value."""
    opponents = dict.fromkeys(opponent for opponent, _ in world.recipe(world.name_of(card)).phases)
    return [
        ("Origin", card.origin),
        ("Opponents", "; ".join(opponent_name(world, opponent) for opponent in opponents)),
        ("Games", count(card.games)),
        ("Updates", count(card.updates)),
        ("Time", f"{card.seconds:.3g} s"),
        ("Seed", count(card.seed)),
        ("Made with", ", ".join(f"{name} {version}" for name, version in card.versions.items())),
        ("SHA-256 of the npz", card.arrays),
        ("SHA-256 of the numbering of the positions", card.numbering),
    ]


def _written(parameter: Parameter) -> str:
    match parameter.value:
        case bool():
            return written(parameter.value)
        case int():
            return count(parameter.value)
        case float():
            return f"{parameter.value:g}"
    return parameter.value
