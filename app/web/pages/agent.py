"""An agent's page: what is exactly true of it, how it was made, and its files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, Response, request
from numpy.typing import NDArray
from werkzeug.exceptions import NotFound
from werkzeug.http import generate_etag

from app.recipes import Parameter, parameters, parse
from app.recipes.parameters import written
from app.sources import Source, named
from app.tictactoe.agents import Agent, arrays_file, whole_card
from app.tictactoe.card import Card, card_text
from app.tictactoe.game import SEATS, O, X
from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.algorithms import ALGORITHMS, opponent_name, phases
from app.web.comparison import Comparison, View, parting
from app.web.match import Match
from app.web.numbers import count, percent, signed
from app.web.pages.parts import judgement, learning
from app.web.pages.parts.claims import Claim, of_agent
from app.web.pages.parts.export import Take, take_curve
from app.web.pages.parts.judgement import Measure
from app.web.pictures.curves import Charts
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, respond, revalidated
from app.web.text import Character, character, facts, task_words
from app.web.world import HUMAN, TASK, World, world

bp = Blueprint("agent", __name__)

UNITS = "in the units of its own values"


class AgentLinks(NamedTuple):
    """Addresses of the play page with this agent."""

    as_x: str  # the visitor is X
    as_o: str
    watch: str
    through_training: str
    compare: str  # beside optimal play, where the two part if they do
    lab: str  # where its numbers can be changed
    task: str  # with the exact values of its training task on the squares; "" where there is none


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


def links(world: World, name: str) -> AgentLinks:
    """Say where to meet an agent."""
    task = addresses.play(Match(o=name, lens=name + TASK)) if world.task(name) else ""
    views = (View(name),)
    return AgentLinks(
        as_x=addresses.play_against(name),
        as_o=addresses.play(Match(x=name, o=HUMAN)),
        watch=addresses.play(Match(x=name, o=name)),
        through_training=addresses.play(Match(o=name, lens=name, step=0)),
        compare=addresses.compare(Comparison(parting(views, world) or "", views)),
        lab=addresses.lab(name),
        task=task,
    )


def figures(world: World, card: Card) -> list[Measure]:
    """List the figures that are no chances."""
    listed = judgement.figures(world, world.name_of(card))
    if card.figures.classes_right is not None:
        meaning = "moves whose value is nearest to the result that they lead to with optimal play"
        share = f"{percent(card.figures.classes_right[-1])}%"
        listed.append(Measure("Values that fit optimal play", share, f"{meaning}, of all moves"))
    if card.refills is not None:
        refilled = "how often in training a box had lost all its beads and was filled again"
        listed.append(Measure("Boxes refilled", count(card.refills), refilled))
    return listed


def task_figures(card: Card) -> list[Measure]:
    """List how far the values are from those of the agent's own task, if these are known."""
    off = card.figures.task
    if off is None:
        return []
    pairs = "between a value and the exact one of its training task"
    return [
        Measure(
            "Largest difference", f"{off.largest[-1]:.4g}", f"{pairs}, over all moves; {UNITS}"
        ),
        Measure("Mean difference", f"{off.mean[-1]:.4g}", f"{pairs}, over all moves"),
        Measure(
            "Largest within reach",
            f"{off.largest_reached[-1]:.4g}",
            f"{pairs}, over the moves that its training task can reach",
        ),
        Measure(
            "Mean within reach", f"{off.mean_reached[-1]:.4g}", f"{pairs}, over the same moves"
        ),
    ]


def task(world: World, card: Card) -> str:
    """Describe an agent's training task and its exact values, "" where it has none."""
    asked = world.task(world.name_of(card))
    if not asked:
        return ""
    policies = "ε-soft policy, one that explores so often" if asked.epsilon else "policy"
    return (
        f"Its training task is {task_words(world, asked)}. The exact values of that task are Q*, "
        f"those of the best {policies}."
    )


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
        ("SHA-256 of the npz", whole_card(world.game, world.agents[world.name_of(card)]).arrays),
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


COLUMNS = ("position", "to_move", "cell", "q", "visits", "true_value")


class Download(NamedTuple):
    """One kind of file."""

    mimetype: str
    content: Callable[[World, Agent], bytes]


def arrays(world: World, agent: Agent) -> bytes:
    """Return the npz as it was loaded."""
    return arrays_file(world.game, agent)


def card(world: World, agent: Agent) -> bytes:
    """Return the card as readable JSON."""
    return card_text(whole_card(world.game, agent)).encode()


def pairs(world: World, agent: Agent) -> bytes:
    """Write one row a legal move: the mover's value, learned and true, and how often updated."""
    game = world.game
    signs = np.array([MARKS[stone] for stone in (0, X, O)], "S")  # -1, which is O, is the last
    columns = [
        signs[game.board[game.pair_from]],
        signs[game.to_move[game.pair_from]],
        _texts(game.pair_cell),
        _texts(agent.q[game.legal]),
        _texts(agent.visits[game.legal]),
        _texts(world.truth[game.legal].astype(np.int32)),
    ]
    return ",".join(COLUMNS).encode() + b"\r\n" + _lines(columns)


def _texts(numbers: NDArray[np.number]) -> NDArray[np.bytes_]:
    """Write numbers, [P], as short as can be; those that are the same, bit for bit, only once."""
    bits, which = np.unique(numbers.view(f"u{numbers.itemsize}"), return_inverse=True)
    texts = bits.view(numbers.dtype).astype("S").tolist()
    return np.array(texts)[which]  # as wide as the longest


def _lines(columns: list[NDArray[np.bytes_]]) -> bytes:
    """Write columns of texts, [P] each or [P, signs], line by line."""
    ends = [b","] * (len(columns) - 1) + [b"\r\n"]
    parts = [
        part.view(np.uint8).reshape(len(column), -1)
        for column, end in zip(columns, ends, strict=True)
        for part in (column, np.full(len(column), end))
    ]
    filled = np.concatenate(parts, axis=1).tobytes()
    return filled.translate(None, b"\0")  # it fills up a text that is shorter than others


DOWNLOADS = {
    "npz": Download("application/octet-stream", arrays),
    "json": Download("application/json", card),
    "csv": Download("text/csv", pairs),
}

SHOWN = 9  # blunders on the agent's own page: three rows of a phone


class Choice(NamedTuple):
    """An opponent that the outcomes can be shown against."""

    id: str
    title: str
    href: str
    chosen: bool


@dataclass(frozen=True)
class AgentPage(Page):
    """One agent."""

    template: ClassVar = "agent/agent.html"
    fragment: ClassVar = ("learning",)

    name: str
    card: Card
    character: Character
    mind: MindPicture  # what it expects of every position
    algorithm: str  # its title; /how has a section of the card's slug
    training: str  # what it was, and how long
    summary: str  # its exact figures in a sentence
    links: AgentLinks
    results: list[judgement.Result]
    figures: list[judgement.Measure]
    task: str  # its training task and what the exact values of it are, "" where it has none
    task_figures: list[judgement.Measure]
    choices: list[Choice]  # against whom the curves can be
    curves: Charts
    take: Take  # how these leave the site
    winning: Charts | None  # of those whose training counted the games won
    take_winning: Take
    blunders: judgement.Blunders
    verdicts: list[judgement.SeatVerdict]  # a seat each
    settings: list[Setting]
    code: str  # where its training is one file; "" if it is none
    worth: list[Value]
    made: list[tuple[str, str]]
    claims: list[Claim]  # that were checked and are about it
    source: Source | None  # whose idea it was; None where its card names no source


@bp.get(addresses.AGENT)
def agent(name: str) -> Response:
    """Show an agent."""
    against = learning.parse_against(request.args, world().learned(name).card)
    return respond(agent_page(world(), name, against))


@bp.get(addresses.AGENT_FILE)
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file."""
    file = DOWNLOADS[ending]
    agent = world().learned(name)
    content = file.content(world(), agent)
    response = Response(content, mimetype=file.mimetype)
    response.headers.set("Content-Disposition", "attachment", filename=f"{agent.card.id}.{ending}")
    return revalidated(response, generate_etag(content))


@bp.get(addresses.CODE)
def code(name: str) -> Response:
    """Hand out the training of an agent as one file of Python."""
    agent = world().learned(name)
    if parse(agent.card.recipe).is_network:
        raise NotFound(f"The training of {agent.card.title} cannot be written as one file.")
    content = world().lab.code(agent.card.recipe)
    response = Response(content, mimetype="text/x-python")
    response.headers.set("Content-Disposition", "attachment", filename="training.py")
    return revalidated(response, generate_etag(content))


@bp.get(addresses.BLUNDERS)
def atlas(name: str) -> Response:
    """Show all of an agent's blunders."""
    world().learned(name)
    return respond(judgement.blunders_page(world(), name, request.args))


@bp.get(addresses.CERTIFICATE)
def certificate(name: str, seat: str) -> Response:
    """Show all of a certificate."""
    world().learned(name)
    return respond(judgement.certificate_page(world(), name, seat, request.args))


@bp.get(f"{addresses.CERTIFICATE}.csv")
def certificate_file(name: str, seat: str) -> Response:
    """Send a certificate as a file."""
    world().learned(name)
    response = respond(judgement.certificate_file(world(), name, seat))
    response.headers["Content-Disposition"] = f'attachment; filename="{name}-{seat}.csv"'
    return response


def agent_page(world: World, name: str, against: str) -> AgentPage:
    """Gather what the page of an agent writes down."""
    card = world.agents[name].card
    usual, *_ = opponents = learning.opponents(card)
    return AgentPage(
        name=name,
        card=card,
        character=character(world, name),
        mind=picture(world, name, world.last_step(name)),
        algorithm=ALGORITHMS[card.algorithm].title,
        training=training(world, name, card),
        summary=facts(world, name),
        links=links(world, name),
        results=judgement.results(world, name),
        figures=figures(world, card),
        task=task(world, card),
        task_figures=task_figures(card),
        choices=[
            Choice(
                id=opponent,
                title=learning.opponent_title(world, opponent),
                href=addresses.agent(name, "" if opponent == usual else opponent),
                chosen=opponent == against,
            )
            for opponent in opponents
        ],
        curves=learning.learning(world, card, against),
        take=take_curve(world, [name], against="" if against == usual else against),
        winning=learning.winning(card.win_rate) if card.win_rate else None,
        take_winning=take_curve(world, [name], learning.WON),
        blunders=judgement.blunders(world, name, slice(SHOWN)),
        verdicts=[judgement.verdict(world, name, seat) for seat in SEATS],
        settings=settings(world, name),
        code=addresses.CODE.to(name)
        if world.lab.source and not parse(card.recipe).is_network
        else "",
        worth=worth(card),
        made=made(world, card),
        claims=of_agent(world, name),
        source=named(card.origin),
    )
