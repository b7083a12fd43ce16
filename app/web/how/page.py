"""How all of it works: sections to read, each with a position that can be played on in place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe
from app.tictactoe.card import Card
from app.web import addresses, words
from app.web.algorithms import Section
from app.web.board_view import Board, board
from app.web.claims import Claim, of_algorithm
from app.web.how import parts
from app.web.how.lesson import STOPS, Stop
from app.web.how.sections import SECTIONS, boards
from app.web.lens import opinion_at
from app.web.match import Match, parse, place_of, read_whole
from app.web.numbers import count, percent
from app.web.respond import Page, respond
from app.web.world import World, world

bp = Blueprint("how", __name__)


class Example(NamedTuple):
    """A section's board at some position."""

    headline: str
    caption: str  # whose values it shows, "" where the game is over
    board: Board
    back: str  # the address of the position it began with, "" there
    play: str  # the address of the same view on the play page


class Start(NamedTuple):
    """What the text of a section says of its first position, cell by cell."""

    values: list[str]
    tries: list[str]  # how often training updated the value


@dataclass(frozen=True)
class HowPage(Page):
    """All sections; what only some of them need is a function."""

    template: ClassVar = "how.html"
    fragment: ClassVar = ""

    id: str  # whose board has moved, "" for nobody's
    stops: list[Stop]  # of the lesson
    contents: Mapping[str, str]  # the titles of all parts in their order
    writing: Callable[[], parts.Writing]  # a position in all its writings
    won_game: Callable[[], parts.WonGame]  # the worked example
    sections: Mapping[str, Section]
    boards: list[str]  # the sections that have one here
    example: Callable[[str], Example]  # a section's board
    start: Callable[..., Start]  # what a section's lens, or another one, thinks where it begins
    facts: Callable[[str], Mapping[str, object]]  # what only one section asks for
    legend: Callable[[str], words.Legend]  # of a section's board as it begins
    recipes: Mapping[str, Recipe]  # by agent, as are the cards
    cards: Mapping[str, Card]
    made: Callable[[str], list[Card]]  # by an algorithm
    claims: Callable[[str], Sequence[Claim]]  # that were checked with runs of an algorithm
    losing: Callable[[str, int], str | None]
    counts: Mapping[str, str]  # of the game
    count: Callable[[int], str]
    percent: Callable[[float], str]


class HowBoard(HowPage):
    """The one board that moves, for htmx; the whole page for everybody else."""

    fragment: ClassVar = "how/_swap.html"


@bp.get(addresses.HOW)
def how() -> Response:
    """Show the page, or the one board that moves."""
    return respond(how_page(requested(request.args, world()), world()))


class Moved(NamedTuple):
    """Where the one board is that is not as it begins."""

    at: str = ""  # whose board that is, "" for nobody's
    match: Match = Match()  # of a section
    position: int | None = None  # of the writing
    stage: int = 0  # of the worked example


def requested(query: Mapping[str, str], world: World) -> Moved:
    """Read whose board has moved, and where it is now.

    Raises BadRequest or Conflict with a sentence on what is wrong.
    """
    at, record = query.get("at", ""), query.get("record", "")
    if not at:
        if record:
            raise BadRequest("record needs at, the section whose board it is, in the same address.")
        return Moved()
    if at == parts.WRITING:
        return Moved(at, position=parts.parse_board(query, world.game))
    if at == parts.WON_GAME:
        stage = read_whole("stage", query.get("stage") or "0", 0, parts.STAGES - 1)
        return Moved(at, stage=stage)
    if at not in boards(world):
        there = ", ".join([*parts.TITLES, *boards(world)])
        raise BadRequest(f"There is no board {at!r}. There are: {there}.")
    start = SECTIONS[at].start
    return Moved(at, start.go(parse(record, {}, world).match.record) if record else start)


def how_page(moved: Moved, world: World) -> HowPage:
    """Gather what the templates write down."""
    game, at = world.game, moved.at
    page = HowBoard if at else HowPage
    position = parts.parse_board({}, game) if moved.position is None else moved.position
    first = next(iter(SECTIONS))
    titles = {id: section.title for id, section in SECTIONS.items()}
    return page(
        id=at,
        stops=STOPS,
        contents={first: titles.pop(first)} | parts.TITLES | titles,
        writing=lambda: parts.writing(game, position),
        won_game=lambda: parts.won_game(game, moved.stage),
        sections=SECTIONS,
        boards=boards(world),
        example=lambda id: example(world, id, moved.match if id == at else SECTIONS[id].start),
        start=partial(start, world),
        facts=partial(facts, world),
        legend=partial(legend, world),
        recipes={name: world.recipe(name) for name in world.agents},
        cards={name: agent.card for name, agent in world.agents.items()},
        made=partial(made, world),
        claims=partial(of_algorithm, world),
        losing=world.losing,
        counts={
            "positions": count(game.positions),
            "decisions": count(game.decisions),
            "pairs": count(game.pairs),
        },
        count=count,
        percent=percent,
    )


@lru_cache(maxsize=64)
def facts(world: World, id: str) -> Mapping[str, object]:
    """Return what only one section asks for."""
    return SECTIONS[id].facts(world)


@lru_cache(maxsize=64)
def example(world: World, id: str, match: Match) -> Example:
    """Lay out a section's board."""
    place = place_of(match, world)
    opinion = None if place.over else opinion_at(place)
    headline = words.headline(place)
    return Example(
        headline=headline,
        caption=words.legend(place, opinion).caption if opinion else "",
        board=board(
            place,
            opinion,
            lambda cell: addresses.how_example(id, match.play(cell).record),
            f"{id}-board",
            f"{SECTIONS[id].title}: {headline}",
        ),
        back=addresses.how_example(id) if match != SECTIONS[id].start else "",
        play=addresses.play(match),
    )


def start(world: World, id: str, lens: str = "") -> Start:
    """Say what an agent thinks where a section's board begins: its own, or another one."""
    match = SECTIONS[id].start
    place = place_of(replace(match, lens=lens) if lens else match, world)
    tries = world.agents[lens or match.lens].visits[place.position].tolist()
    return Start(opinion_at(place).texts, [count(number) for number in tries])


def legend(world: World, id: str) -> words.Legend:
    """Explain the colours of a section's board as it begins."""
    place = place_of(SECTIONS[id].start, world)
    return words.legend(place, opinion_at(place))


def made(world: World, id: str) -> list[Card]:
    """List the agents that a section's algorithm made."""
    return [agent.card for agent in world.agents.values() if agent.card.algorithm == id]
