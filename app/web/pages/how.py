"""The pages that explain: a map of all parts, and a page for each part.

A part is the section of an algorithm, which brings its own, that of a notion or a measure, or what
is worked through: a position in all its writings, and one won game.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, redirect, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response

from app.experiments import Summary
from app.recipes import Recipe
from app.tictactoe.card import Card
from app.tictactoe.game import SEATS, Game
from app.tictactoe.notation import (
    format_position,
    parse_position,
    parse_record,
    replay_record,
)
from app.web import urls
from app.web.algorithms import ALGORITHMS, SECTIONS
from app.web.algorithms.algorithm import Algorithm, Section
from app.web.formatting import Encodings, encode_position, format_count, format_percent
from app.web.match import Match, parse_match, read_integer, replay_match
from app.web.move_values import HEAT_STEPS, evaluate_match
from app.web.pages.parts.export import Take, take_update
from app.web.pages.parts.update import STEPS, ExamplePicture, draw_example
from app.web.pictures.boards import Board, SmallBoard, board, small_board
from app.web.rendering import Page, inside, render_page
from app.web.site_data import TRUTH, SiteData, cached_per_site, current_site
from app.web.urls import frame_url
from app.web.wording import (
    LESSON_STEPS,
    Legend,
    LessonStep,
    build_legend,
    describe_turn,
)

bp = Blueprint("how", __name__)

RARELY_BEATEN, OFTEN_BEATEN = "q-learning-2", "q-learning-1"  # by random moves


def _odds(site: SiteData) -> dict[str, object]:
    """Return how much likelier a league's learner draws its best move than a move of value 0."""
    start = SECTIONS["exploration"].start
    if start.lens not in site.always:
        return {}
    row = site.agents[start.lens].q[replay_record(site.game, start.record)[-1]]
    limit = float(getattr(site.recipe(start.lens), "k_limit"))  # noqa: B009 - of this algorithm
    odds = format_count(round(limit ** float(np.nanmax(row))))
    return {"limit": f"{limit:g}", "odds": odds}


def _unnoticed(site: SiteData) -> dict[str, object]:
    """Return the probabilities of seeing no loss in 100 and in 1,000 games."""
    seat = _beaten_seat(site, RARELY_BEATEN)
    if not seat:
        return {}
    loss = getattr(site.agents[RARELY_BEATEN].card.figures.vs["random"], seat)[-1][2]
    unseen = {games: format_percent((1 - loss) ** games) for games in (100, 1000)}
    return {"mark": seat.upper(), "loss": format_percent(loss), "unseen": unseen}


def _beaten(site: SiteData) -> dict[str, object]:
    """Return the win rate against random moves of an agent that a best responder always beats."""
    name = OFTEN_BEATEN
    seat = _beaten_seat(site, name)
    if not seat:
        return {}
    wins = getattr(site.agents[name].card.figures.vs["random"], seat)[-1][0]
    return {"mark": seat.upper(), "wins": format_percent(wins)}


def _beaten_seat(site: SiteData, name: str) -> str:
    """Name a seat in which an agent loses every game to its best responder, "" without one."""
    if name not in site.always:
        return ""
    worst = site.agents[name].card.figures.best_response
    return next((seat for seat in SEATS if getattr(worst, seat)[-1][2] == 1), "")


FACTS: Mapping[str, Callable[[SiteData], Mapping[str, object]]] = {
    **{slug: algorithm.facts for slug, algorithm in ALGORITHMS.items()},
    "exploration": _odds,
    "best-response": _beaten,
    "exact": _unnoticed,
}  # by section: what only its prose asks for

WRITING, WON_GAME = "writing", "won-game"
TITLES = {WRITING: "A position, written down", WON_GAME: "One won game, worked through"}
WRITTEN = "04"  # the record with which the writing begins
IMAGES = (
    "as it is",
    "rotated left",
    "rotated by 180°",
    "rotated right",
    "reflected, left and right",
    "reflected, along the falling diagonal",
    "reflected, top and bottom",
    "reflected, along the rising diagonal",
)  # in the order of `Game.symmetry`; a board that is no square has every second
GAME = "03142"  # X wins with its third move
ALPHA = 0.9  # how far a value goes towards its target


class Edit(NamedTuple):
    """A square of the position that can be changed."""

    id: str
    mark: str
    href: str  # after a press on it; "" where that would leave a position that no game reaches


class Image(NamedTuple):
    """A symmetric image of the position."""

    name: str
    board: SmallBoard
    href: str  # the same page with this position
    chosen: bool  # it stands for all of them


class Writing(NamedTuple):
    """A position in all its writings."""

    mover: str  # "" where the game is over
    squares: list[Edit]
    encodings: Encodings
    images: list[Image]


class WorkedMove(NamedTuple):
    """A move of the winner: the board before it, and how its value comes about."""

    ply: int
    board: str  # a mark a cell
    cell: int
    target: float
    value: float
    heat: int  # of the value


def parse_board(query: Mapping[str, str], game: Game) -> int:
    """Read the position that is written down.

    Raises BadRequest with a sentence if it is none.
    """
    if not query.get("board"):
        return replay_record(game, WRITTEN)[-1]
    try:
        return parse_position(game, query["board"])
    except ValueError as error:
        raise BadRequest(f"board in the address is wrong: {error}.") from None


def writing(game: Game, position: int) -> Writing:
    """Write a position in all ways, with what a press on each square makes of it."""
    text = format_position(game, position)
    mover = "X" if text.count("X") == text.count("O") else "O"
    mover = "" if game.is_over(position) else mover

    def press(cell: int) -> str:
        """Put the mover's stone on an empty square, or take away the stone that is there."""
        after = text[:cell] + (mover if text[cell] == "." else ".") + text[cell + 1 :]
        try:
            parse_position(game, after)
        except ValueError:
            return ""
        return urls.how(WRITING, board=after)

    stands = int(game.symmetry_class[position])
    names = IMAGES[:: len(IMAGES) // len(game.symmetry)]
    return Writing(
        mover=mover,
        squares=[
            Edit(f"{WRITING}-{cell}", mark, press(cell))
            for cell, mark in enumerate(text)
        ],
        encodings=encode_position(game, position),
        images=[
            Image(
                name=name,
                board=small_board(game, image, {}),
                href=urls.how(WRITING, board=format_position(game, image)),
                chosen=image == stands,
            )
            for name, image in zip(names, game.image[:, position].tolist(), strict=True)
        ],
    )


def won_game(game: Game) -> list[WorkedMove]:
    """Work out the values of the winner's moves, the last first."""
    positions, cells, target, moves = (
        replay_record(game, GAME),
        parse_record(game, GAME),
        1.0,
        [],
    )
    for ply in range(len(cells) - 1, -1, -2):
        value = ALPHA * target
        board, heat = format_position(game, positions[ply]), round(value * HEAT_STEPS)
        moves.append(WorkedMove(ply + 1, board, cells[ply], target, value, heat))
        target = value
    return moves


PARTS = TITLES | {slug: section.title for slug, section in SECTIONS.items()}
CONTENTS = {
    heading: {slug: PARTS[slug] for slug in slugs}
    for heading, slugs in {
        "What an agent is": ("action-values", "exploration", *TITLES),
        "Algorithms": tuple(ALGORITHMS),
        "Exact figures": ("best-response", "nash-conv", "exact"),
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
    """The values and the number of updates of a section's first position, by cell."""

    values: list[str]
    tries: list[str]  # how often training updated the value


# The algorithms on the map, by what differs from Q-learning.
DIFFERENCES = {
    "next value": "Another next value",
    "order": "Another order of the updates",
    "table": "Another kind of table",
    "result": "The result in place of a next value",
    "bounds": "Exact values and bounds",
}
REFERENCE = "q-learning"  # the algorithm that the others are compared with


class HowPage(Page, frozen=True):
    """The contents, with the algorithms as a map: what each does differently from Q-learning."""

    template: ClassVar = "how/how.html"

    stops: Sequence[LessonStep]  # of the lesson

    @property
    def others(self) -> dict[str, Mapping[str, str]]:
        """The parts that are not about one algorithm."""
        return {
            heading: parts
            for heading, parts in CONTENTS.items()
            if heading != "Algorithms"
        }

    @property
    def reference(self) -> tuple[str, Algorithm]:
        """The algorithm that the others are compared with, and its slug."""
        return REFERENCE, ALGORITHMS[REFERENCE]

    @property
    def differences(self) -> dict[str, dict[str, Algorithm]]:
        """The other algorithms by slug, grouped by what differs."""
        return {
            heading: {
                slug: algorithm
                for slug, algorithm in ALGORITHMS.items()
                if algorithm.update.differs == kind
            }
            for kind, heading in DIFFERENCES.items()
        }


class PartPage(Page, frozen=True):
    """One part: the section of an algorithm or of a measure, or what is worked through."""

    template: ClassVar = "how/part.html"
    fragment: ClassVar = ("moved",)

    site: SiteData
    slug: str
    title: str
    contents: Mapping[str, Mapping[str, str]]
    writing: Writing | None = None  # a position in all its writings
    won_game: list[WorkedMove] | None = None  # the worked example
    stage: int = 0  # how many values of it are found
    part: Section | None = None
    example: Example | None = None  # its board, if the agent that it is about is there
    # the values of its lens, or another, where it begins
    start: Callable[..., Start] | None = None
    legend: Callable[[], Legend] | None = None  # of its board as it begins
    facts: Mapping[str, object] | None = None  # what only this section asks for
    recipes: Mapping[str, Recipe] | None = None  # by agent, as are the cards
    cards: Mapping[str, Card] | None = None
    claims: Sequence[Summary] = ()  # that were checked with runs of it
    update: ExamplePicture | None = None  # one of its updates, step by step
    take: Take | None = None  # how this update leaves the site


class UpdateFrame(Page, frozen=True):
    """One update of an algorithm, in a frame."""

    template: ClassVar = "embed/update.html"

    slug: str
    title: str
    update: ExamplePicture


@bp.get(urls.HOW)
def how() -> Response:
    """Show the contents, or lead on to the part that a query names: all were once one page."""
    if part := request.args.get("at", ""):
        shown = {name: request.args.get(name) for name in ("record", "board", "stage")}
        return redirect(urls.how(part, **shown), 301)
    return render_page(HowPage(LESSON_STEPS))


@bp.get(urls.HOW_PART)
def part(slug: str) -> Response:
    """Show a part of the contents; the stops of the lesson have addresses like theirs."""
    if slug not in PARTS:
        there = [*(stop.slug for stop in LESSON_STEPS), *PARTS]
        raise NotFound(f"There is no part {slug!r}. There are: {', '.join(there)}.")
    query, game = request.args, current_site().game
    page = partial(PartPage, current_site(), slug, PARTS[slug], CONTENTS)
    if slug == WRITING:
        return render_page(page(writing=writing(game, parse_board(query, game))))
    if slug == WON_GAME:
        moves = won_game(game)
        stage = read_integer("stage", query.get("stage") or "0", 0, len(moves))
        return render_page(page(won_game=moves, stage=stage))
    return render_page(section_page(current_site(), slug, query))


@bp.get(frame_url(urls.HOW_PART), endpoint="framed")
def framed(slug: str) -> Response:
    """Show one update of an algorithm in a frame."""
    site = current_site()
    update = draw_section_update(site, slug, request.args)
    if update is None:
        there = ", ".join([*(stop.slug for stop in LESSON_STEPS), *site.updates])
        raise NotFound(f"There is no frame for {slug!r}. There are: {there}.")
    return render_page(UpdateFrame(slug, PARTS[slug], update))


def section_page(site: SiteData, slug: str, query: Mapping[str, str]) -> PartPage:
    """Gather what the templates write down of a section, its board after a record.

    Raises BadRequest or Conflict with a sentence on what is wrong with it.
    """
    section, record = SECTIONS[slug], query.get("record", "")
    shown = _can_be_seen(site, section)
    if record and not shown:
        raise BadRequest(
            f"{PARTS[slug]} has no board here, for {section.start.lens} is not here."
        )
    match = (
        section.start.go(parse_match(record, {}, site).match.record)
        if record
        else section.start
    )
    return PartPage(
        site=site,
        slug=slug,
        title=PARTS[slug],
        contents=CONTENTS,
        part=section,
        example=example(site, slug, match) if shown else None,
        start=partial(start, site, section.start),
        legend=partial(legend, site, section.start),
        facts=facts(site, slug),
        recipes={name: site.recipe(name) for name in site.agents},
        cards={name: agent.card for name, agent in site.agents.items()},
        claims=site.list_claims(slug),
        update=draw_section_update(site, slug, query),
        take=take_update(slug) if slug in site.updates else None,
    )


def draw_section_update(
    site: SiteData, slug: str, query: Mapping[str, str]
) -> ExamplePicture | None:
    """Return one update of an algorithm, None if there is none for it or for this board.

    Raises BadRequest with a sentence for an update or a step that does not exist.
    """
    stage = read_integer("stage", query.get("stage") or "1", 1, STEPS)
    if slug not in site.updates or site.game.cells != len(site.updates[slug][0].end):
        return None
    try:
        return draw_example(
            site, slug, query.get("update", ""), stage, partial(_update_url, slug)
        )
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _update_url(slug: str, **query: str | int) -> str:
    return inside(urls.how(slug, **query))


def _can_be_seen(site: SiteData, section: Section) -> bool:
    lens, step = section.start.lens, section.start.step
    if lens == TRUTH:
        return True
    return lens in site.always and (step is None or step <= site.last_step(lens))


@cached_per_site(64)
def facts(site: SiteData, slug: str) -> Mapping[str, object]:
    """Return the facts that only one section shows."""
    return FACTS[slug](site) if slug in FACTS else {}


def example(site: SiteData, slug: str, match: Match) -> Example:
    """Lay out a section's board."""
    state = replay_match(match, site)
    opinion = None if state.over else evaluate_match(state)
    headline = describe_turn(state)
    return Example(
        headline=headline,
        caption=build_legend(state, opinion).caption if opinion else "",
        board=board(
            state,
            opinion,
            lambda cell: urls.how(slug, record=match.play(cell).record),
            label=f"{PARTS[slug]}: {headline}",
        ),
        back=urls.how(slug) if match != SECTIONS[slug].start else "",
        play=urls.play(match),
    )


def start(site: SiteData, match: Match, lens: str = "") -> Start:
    """Return the values of an agent where a section's board begins: its own, or another one."""
    state = replay_match(replace(match, lens=lens) if lens else match, site)
    tries = site.agents[lens or match.lens].visits[state.position].tolist()
    return Start(
        evaluate_match(state).texts, [format_count(number) for number in tries]
    )


def legend(site: SiteData, match: Match) -> Legend:
    """Explain the colours of a section's board as it begins."""
    state = replay_match(match, site)
    return build_legend(state, evaluate_match(state))
