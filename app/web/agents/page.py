"""The pages of the agents: all of them, and of each how it learned, its blunders and its proofs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from werkzeug.http import generate_etag

from app.tictactoe.card import Card
from app.tictactoe.game import SEATS
from app.web import addresses, exact, judged, learning, words
from app.web.agents import facts, ranking
from app.web.agents.downloads import DOWNLOADS
from app.web.algorithms import ALGORITHMS
from app.web.character import STRENGTHS, Character, character
from app.web.charts import Charts
from app.web.claims import Claim, of_agent
from app.web.mind_picture import Picture, picture
from app.web.numbers import count
from app.web.respond import Page, respond, revalidated
from app.web.take import Take, take_curve
from app.web.world import World, world

bp = Blueprint("agents", __name__)
SHOWN = 9  # blunders on the agent's own page: three rows of a phone


class Choice(NamedTuple):
    """Somebody whom the outcomes can be shown against."""

    id: str
    title: str
    href: str
    chosen: bool


@dataclass(frozen=True)
class AgentsPage(Page):
    """All agents with their exact figures."""

    template: ClassVar = "agents.html"
    fragment: ClassVar = "_ranking.html"

    groups: list[ranking.Group]
    rows: list[ranking.Player]
    baselines: list[ranking.Player]
    decisions: str  # how many positions could have a blunder
    strengths: Mapping[str, str]  # what each word for a strength means


@dataclass(frozen=True)
class AgentPage(Page):
    """One agent."""

    template: ClassVar = "agent.html"
    fragment: ClassVar = "_learning.html"

    name: str
    card: Card
    character: Character
    mind: Picture  # what it expects of every position
    algorithm: str  # its title; /how has a section of the card's slug
    training: str  # what it was, and how long
    summary: str  # its exact figures in a sentence
    links: facts.Links
    results: list[exact.Result]
    figures: list[exact.Figure]
    task: str  # what it was asked to learn, "" where no table says that
    task_figures: list[exact.Figure]
    choices: list[Choice]  # against whom the curves can be
    curves: Charts
    take: Take  # how these leave the site
    winning: Charts | None  # of those whose training counted the games won
    take_winning: Take
    blunders: judged.Blunders
    verdicts: list[judged.Verdict]  # a seat each
    settings: list[facts.Setting]
    worth: list[facts.Value]
    made: list[tuple[str, str]]
    claims: list[Claim]  # that were checked and are about it


@bp.get("/agents", strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    order = ranking.parse_order(request.args)
    page = AgentsPage(
        groups=ranking.groups(order),
        rows=ranking.ranked(ranking.learned(world()), order),
        baselines=ranking.ranked(ranking.ruled(world()), order),
        decisions=count(world().game.decisions),
        strengths=STRENGTHS,
    )
    return respond(page)


@bp.get("/agents/<name>")
def agent(name: str) -> Response:
    """Show an agent."""
    against = learning.parse_against(request.args, world().learned(name).card)
    return respond(agent_page(world(), name, against))


@bp.get("/agents/<name>.<any(npz, json, csv):ending>")
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file."""
    file = DOWNLOADS[ending]
    agent = world().learned(name)
    content = file.content(world(), agent)
    response = Response(content, mimetype=file.mimetype)
    response.headers.set("Content-Disposition", "attachment", filename=f"{agent.card.id}.{ending}")
    return revalidated(response, generate_etag(content))


@bp.get("/agents/<name>/blunders")
def atlas(name: str) -> Response:
    """Show all of an agent's blunders."""
    world().learned(name)
    return respond(judged.blunders_page(world(), name, request.args))


@bp.get("/agents/<name>/certificate-<any(x, o):seat>")
def certificate(name: str, seat: str) -> Response:
    """Show all of a certificate."""
    world().learned(name)
    return respond(judged.certificate_page(world(), name, seat, request.args))


@bp.get("/agents/<name>/certificate-<any(x, o):seat>.csv")
def certificate_file(name: str, seat: str) -> Response:
    """Send a certificate as a file."""
    world().learned(name)
    response = respond(judged.certificate_file(world(), name, seat))
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
        training=facts.training(world, name, card),
        summary=words.facts(world, name),
        links=facts.links(world, name),
        results=exact.results(world, name),
        figures=facts.figures(world, card),
        task=facts.task(world, card),
        task_figures=facts.task_figures(card),
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
        blunders=judged.blunders(world, name, slice(SHOWN)),
        verdicts=[judged.verdict(world, name, seat) for seat in SEATS],
        settings=facts.settings(world, name),
        worth=facts.worth(card),
        made=facts.made(world, card),
        claims=of_agent(world, name),
    )
