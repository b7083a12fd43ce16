"""Where it is explained how all of it works: the contents, and each part of them on its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response, redirect, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import Recipe
from app.tictactoe.card import Card
from app.web import addresses
from app.web.algorithms import ALGORITHMS
from app.web.algorithms.algorithm import Section
from app.web.lens import opinion_at
from app.web.match import Match, parse, place_of, read_whole
from app.web.numbers import count, percent
from app.web.pages.how import worked
from app.web.pages.how.lesson import lesson_page
from app.web.pages.how.sections import SECTIONS
from app.web.pages.parts.claims import Claim, of_algorithm
from app.web.pictures.boards import Board, board
from app.web.respond import Page, respond
from app.web.text import STOPS, Legend, Stop, headline_of, legend_of
from app.web.world import TRUTH, World, kept, world

bp = Blueprint("how", __name__)

# Of the parts only the stops may stand in a frame.
FRAMED_STOP = addresses.framed(
    addresses.HOW_PART.replace("slug", f"any({', '.join(stop.slug for stop in STOPS)}):slug")
)
PARTS = worked.TITLES | {slug: section.title for slug, section in SECTIONS.items()}
CONTENTS = {
    heading: {slug: PARTS[slug] for slug in slugs}
    for heading, slugs in {
        "What an agent is": ("action-values", "exploration", worked.WRITING, worked.WON_GAME),
        "Algorithms": tuple(ALGORITHMS),
        "What is exactly true of it": ("best-response", "nash-conv", "exact"),
    }.items()
}


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
    """The contents."""

    template: ClassVar = "how/how.html"

    stops: list[Stop]  # of the lesson
    contents: Mapping[str, Mapping[str, str]]  # the titles of all parts by heading and slug


@dataclass(frozen=True)
class PartPage(Page):
    """One part: the section of an algorithm or of a measure, or what is worked through."""

    template: ClassVar = "how/part.html"
    fragment: ClassVar = ("moved",)

    slug: str
    title: str
    contents: Mapping[str, Mapping[str, str]]
    writing: worked.Writing | None = None  # a position in all its writings
    won_game: worked.WonGame | None = None  # the worked example
    part: Section | None = None
    example: Example | None = None  # its board, if the agent that it is about is there
    start: Callable[..., Start] | None = None  # the values of its lens, or another, where it begins
    legend: Callable[[], Legend] | None = None  # of its board as it begins
    facts: Mapping[str, object] | None = None  # what only this section asks for
    recipes: Mapping[str, Recipe] | None = None  # by agent, as are the cards
    cards: Mapping[str, Card] | None = None
    made: Sequence[Card] = ()  # by its algorithm
    claims: Sequence[Claim] = ()  # that were checked with runs of it
    losing: Callable[[str, int], str | None] | None = None
    counts: Mapping[str, str] | None = None  # of the game
    count: Callable[[int], str] = count
    percent: Callable[[float], str] = percent


@bp.get(addresses.HOW)
def how() -> AnyResponse:
    """Show the contents, or lead on to the part that a query names: all were once one page."""
    if part := request.args.get("at", ""):
        shown = {name: request.args.get(name) for name in ("record", "board", "stage")}
        return redirect(addresses.how(part, **shown), 301)
    return respond(HowPage(STOPS, CONTENTS))


@bp.get(addresses.HOW_PART)
@bp.get(FRAMED_STOP, endpoint="framed")
def part(slug: str) -> Response:
    """Show a stop of the lesson, or a part of the contents."""
    stops = [stop.slug for stop in STOPS]
    if slug in stops:
        return respond(lesson_page(world(), slug, request.args.get("step", "")))
    if slug in worked.TITLES:
        return respond(worked_page(world(), slug, request.args))
    if slug in SECTIONS:
        return respond(section_page(world(), slug, request.args.get("record", "")))
    raise NotFound(f"There is no part {slug!r}. There are: {', '.join([*stops, *PARTS])}.")


def worked_page(world: World, slug: str, query: Mapping[str, str]) -> PartPage:
    """Gather what the templates write down of what is worked through, as far as a query says.

    Raises BadRequest with a sentence on what is wrong with it.
    """
    game, page = world.game, partial(PartPage, slug, PARTS[slug], CONTENTS)
    if slug == worked.WRITING:
        return page(writing=worked.writing(game, worked.parse_board(query, game)))
    return page(
        won_game=worked.won_game(
            game, read_whole("stage", query.get("stage") or "0", 0, worked.STAGES - 1)
        )
    )


def section_page(world: World, slug: str, record: str) -> PartPage:
    """Gather what the templates write down of a section, its board after a record.

    Raises BadRequest or Conflict with a sentence on what is wrong with it.
    """
    section, game = SECTIONS[slug], world.game
    shown = _can_be_seen(world, section)
    if record and not shown:
        raise BadRequest(
            f"{section.title} has no board here, for {section.start.lens} is not here."
        )
    match = section.start.go(parse(record, {}, world).match.record) if record else section.start
    return PartPage(
        slug=slug,
        title=section.title,
        contents=CONTENTS,
        part=section,
        example=example(world, slug, match) if shown else None,
        start=partial(start, world, section.start),
        legend=partial(legend, world, section.start),
        facts=facts(world, slug),
        recipes={name: world.recipe(name) for name in world.agents},
        cards={name: agent.card for name, agent in world.agents.items()},
        made=[a.card for a in world.agents.values() if a.card.algorithm == slug],
        claims=of_algorithm(world, slug),
        losing=world.losing,
        counts={
            "positions": count(game.positions),
            "decisions": count(game.decisions),
            "pairs": count(game.pairs),
        },
    )


def _can_be_seen(world: World, section: Section) -> bool:
    lens, step = section.start.lens, section.start.step
    if lens == TRUTH:
        return True
    return lens in world.always and (step is None or step <= world.last_step(lens))


@kept(64)
def facts(world: World, slug: str) -> Mapping[str, object]:
    """Return what only one section asks for."""
    return SECTIONS[slug].facts(world)


def example(world: World, slug: str, match: Match) -> Example:
    """Lay out a section's board."""
    place = place_of(match, world)
    opinion = None if place.over else opinion_at(place)
    headline = headline_of(place)
    return Example(
        headline=headline,
        caption=legend_of(place, opinion).caption if opinion else "",
        board=board(
            place,
            opinion,
            lambda cell: addresses.how(slug, record=match.play(cell).record),
            label=f"{PARTS[slug]}: {headline}",
        ),
        back=addresses.how(slug) if match != SECTIONS[slug].start else "",
        play=addresses.play(match),
    )


def start(world: World, match: Match, lens: str = "") -> Start:
    """Return the values of an agent where a section's board begins: its own, or another one."""
    place = place_of(replace(match, lens=lens) if lens else match, world)
    tries = world.agents[lens or match.lens].visits[place.position].tolist()
    return Start(opinion_at(place).texts, [count(number) for number in tries])


def legend(world: World, match: Match) -> Legend:
    """Explain the colours of a section's board as it begins."""
    place = place_of(match, world)
    return legend_of(place, opinion_at(place))
