"""An agent's page: what is exactly true of it, how it was made, and its files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from app.experiments import Summary
from app.recipes import Parameter, parameters, parse
from app.sources import Source, named
from app.tictactoe.agents import Agent, arrays_file, whole_card
from app.tictactoe.card import Card, card_text
from app.tictactoe.notation import MARKS, position_text
from app.web import addresses
from app.web.addresses import Offer
from app.web.algorithms import ALGORITHMS, opponent_name, phases
from app.web.comparison import Comparison, View, parting
from app.web.match import Match
from app.web.numbers import count
from app.web.pages.parts import judgement, learning
from app.web.pages.parts.export import Take, file, numbers_file, take_curve
from app.web.pictures.curves import Charts, Share
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, respond
from app.web.text import Character, character, facts, task_words
from app.web.world import TASK, World, world

bp = Blueprint("agent", __name__)


def beside(world: World, name: str) -> str:
    """Return where an agent is compared with optimal play: where the two part, if they do."""
    views = (View(name),)
    return addresses.compare(Comparison(parting(views, world) or "", views))


def task(world: World, name: str) -> Offer | None:
    """Describe an agent's training task, and lead to its exact values on the squares."""
    asked = world.task(name)
    if not asked:
        return None
    policies = "ε-soft policy, one that explores so often" if asked.epsilon else "policy"
    words = (
        f"Its training task is {task_words(world, asked)}. The exact values of that task are Q*, "
        f"those of the best {policies}."
    )
    return Offer(words, addresses.play(Match(o=name, lens=name + TASK)))


COLUMNS = ("position", "to_move", "cell", "q", "visits", "true_value")


def pairs(world: World, agent: Agent) -> Iterator[tuple[object, ...]]:
    """Write one row a legal move: the mover's value, learned and true, and how often updated."""
    game = world.game
    positions = [position_text(game, position) for position in range(game.decisions)]
    movers = [MARKS[mover] for mover in game.to_move.tolist()]
    columns = (
        game.pair_cell.tolist(),
        agent.q[game.legal].astype(str).tolist(),  # as short as can be
        agent.visits[game.legal].tolist(),
        world.truth[game.legal].astype(int).tolist(),
    )
    for position, *numbers in zip(game.pair_from.tolist(), *columns, strict=True):
        yield positions[position], movers[position], *numbers


SHOWN = 9  # blunders on the agent's own page: three rows of a phone


class AgentPage(Page, frozen=True):
    """One agent."""

    template: ClassVar = "agent/agent.html"
    fragment: ClassVar = ("learning",)

    world: World
    name: str
    card: Card
    character: Character
    mind: MindPicture  # what it expects of every position
    algorithm: str  # its title; /how has a section of the card's slug
    training: str  # what it was, and how long
    summary: str  # its exact figures in a sentence
    ways: list[Offer]  # to meet it
    results: dict[str, list[list[Share]]]
    task: Offer | None  # its training task and the exact values of it, if it has one
    opponents: Mapping[str, str]  # by id the titles of those against whom the curves can be
    against: str  # against whom they are
    curves: Charts
    take: Take  # how these leave the site
    winning: Charts | None  # of those whose training counted the games won
    take_winning: Take
    blunders: judgement.Blunders
    verdicts: Mapping[str, judgement.LostGame | judgement.Proof]  # by seat
    settings: Sequence[Parameter]
    code: str  # where its training is one file; "" if it is none
    met: str  # the opponents of its training
    digest: str  # of its file
    claims: list[Summary]  # that were checked and are about it
    source: Source | None  # whose idea it was; None where its card names no source


@bp.get(addresses.AGENT)
def agent(name: str) -> Response:
    """Show an agent."""
    there, card = world(), world().learned(name).card
    against = learning.parse_against(request.args, card)
    usual, *_ = opponents = learning.opponents(card)
    recipe = there.recipe(name)
    page = AgentPage(
        world=there,
        name=name,
        card=card,
        character=character(there, name),
        mind=picture(there, name, there.last_step(name)),
        algorithm=ALGORITHMS[card.algorithm].title,
        training=f"{', then '.join(phases(there, recipe))}; {count(card.updates)} updates",
        summary=facts(there, name),
        ways=[
            *judgement.encounters(name),
            Offer("Through its training", addresses.play(Match(o=name, lens=name, step=0))),
            Offer("Beside optimal play", beside(there, name)),
            Offer("Change something", addresses.lab(name), id="to-lab"),
        ],
        results=judgement.results(there, name),
        task=task(there, name),
        opponents={opponent: learning.opponent_title(there, opponent) for opponent in opponents},
        against=against,
        curves=learning.learning(there, card, against),
        take=take_curve(there, [name], against="" if against == usual else against),
        winning=learning.winning(card.win_rate) if card.win_rate else None,
        take_winning=take_curve(there, [name], learning.WON),
        blunders=judgement.blunders(there, name, slice(SHOWN)),
        verdicts=judgement.verdicts(there, name),
        settings=parameters(recipe),
        code=addresses.CODE.to(name) if there.lab.source and not recipe.is_network else "",
        met="; ".join(dict.fromkeys(opponent_name(there, of) for of, _ in recipe.phases)),
        digest=whole_card(there.game, there.agents[name]).arrays,
        claims=[one for one in there.experiments.values() if name in one.agents],
        source=named(card.origin),
    )
    return respond(page)


@bp.get(addresses.AGENT_FILE)
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file: its arrays as they were loaded, its card, or its table."""
    agent, game = world().learned(name), world().game
    if ending == "csv":
        return numbers_file(COLUMNS, pairs(world(), agent), agent.card.id)
    content, mimetype = arrays_file(game, agent), "application/octet-stream"
    if ending == "json":
        content, mimetype = card_text(whole_card(game, agent)).encode(), "application/json"
    return file(content, mimetype, f"{agent.card.id}.{ending}")


@bp.get(addresses.CODE)
def code(name: str) -> Response:
    """Hand out the training of an agent as one file of Python."""
    card = world().learned(name).card
    if parse(card.recipe).is_network:
        raise NotFound(f"The training of {card.title} cannot be written as one file.")
    return file(world().lab.code(card.recipe), "text/x-python", "training.py")
