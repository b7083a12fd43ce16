"""The page on which people play, explore and watch."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from flask import Blueprint, redirect, request
from msgspec.structs import replace
from werkzeug.wrappers import Response

from app.web import addresses, words
from app.web.board_view import Board
from app.web.character import first_opponent
from app.web.match import Match, Place, parse
from app.web.moves import Move, ValueChart, value_chart
from app.web.play.settled import settled
from app.web.respond import Page, lead_to, respond
from app.web.scene import Bar, Seat, Way, scene, seats
from app.web.steering import Auto, Links, Snapshots, replied, shown_lens
from app.web.steering import snapshots as training
from app.web.world import World, is_moves, world

bp = Blueprint("play", __name__)
OFFERED_DELAYS = (0.25, 0.5, 1.0, 2.0, 5.0)  # seconds a move
OFFERED_EPSILONS = (0.0, 0.1, 0.25, 0.5, 1.0)
BY_ITSELF = "auto"  # how the id of what asks by itself begins


@dataclass(frozen=True)
class PlayPage(Page):
    """A match where it stands."""

    template: ClassVar = "play.html"
    fragment: ClassVar = "_play_swap.html"

    match: Match
    world: World
    here: str  # its own address
    seats: tuple[Seat, Seat]
    drawn: int  # games so far, as the seats say how many they won
    scored: bool  # whether there was a game before this one
    headline: str  # whose turn it is, or how the game ended
    caption: str  # what the colours are, or what the game teaches
    ways: list[Way]  # what is to be done next
    result: str  # "win", "draw" or "loss" at the end of a game, "" before
    status: str  # the same with the last moves, for a screen reader; "" while nothing is to be said
    board: Board
    bar: Bar
    legend: words.Legend | None  # None where no values are shown
    snapshots: Snapshots | None  # None where they are hidden or were never learned
    untrained: str  # what is said in place of a slider
    why: str  # the address that explains the best value, "" where none can be
    minds: str  # where it stands who would play what
    links: Links
    auto: Auto | None  # None while nothing happens by itself
    moves: list[Move]
    chart: ValueChart
    playing: str  # whose values are shown where no other lens is chosen
    delays: tuple[float, ...]  # to choose from, as are the epsilons
    epsilons: tuple[float, ...]


@bp.get("/play/")
@bp.get("/play/<record>")
def play(record: str = "") -> Response:
    """Show a position; to who asks for none, a game worth a first look."""
    place = parse(record, request.args, world())
    if place.match == Match() and not request.args.get("o"):
        place = parse("", {"o": first_opponent(world())}, world())
    return respond(play_page(place))


@bp.get("/set/")
def choose() -> Response:
    """Lead from what the settings or a choice of a player send to the address of that view."""
    return redirect(addresses.play(settled(request.args, world())), 303)


@bp.get("/reply/")
@bp.get("/reply/<record>")
def reply(record: str = "") -> Response:
    """Draw one move for whoever is to move: the board after it to htmx, to others where it is."""
    after = replied(parse(record, request.args, world()))
    # What came by itself leaves no trail in the history.
    by_itself = request.headers.get("HX-Trigger", "").startswith(BY_ITSELF)
    history = "Replace" if by_itself else "Push"
    return lead_to(addresses.play(after.match), partial(play_page, after), history)


def play_page(place: Place) -> PlayPage:
    """Gather what the templates write down."""
    match, world = place.match, place.world
    shown, lens = scene(place), shown_lens(place)
    unexplained = match.step is not None or match.hide or place.over or is_moves(lens)
    return PlayPage(
        match=match,
        world=world,
        here=addresses.play(match),
        seats=seats(place),
        drawn=match.tally[1],
        scored=any(match.tally),
        headline=shown.says.headline,
        caption=shown.says.caption,
        ways=shown.says.ways,
        result=shown.result,
        status=shown.status,
        board=shown.board,
        bar=shown.bar,
        legend=shown.legend,
        snapshots=None if match.hide else training(place, lens),
        untrained="The values are hidden."
        if match.hide
        else f"{world.titles[lens]}: no training to look at.",
        why="" if shown.ply is None or unexplained else addresses.why(match.at(shown.ply)),
        minds=addresses.minds(match),
        links=shown.links,
        auto=shown.auto,
        moves=shown.moves,
        chart=value_chart(place, shown.moves),
        playing=world.titles[_unasked(place) if match.lens else lens],
        delays=tuple(sorted({*OFFERED_DELAYS, match.delay})),
        epsilons=tuple(sorted({*OFFERED_EPSILONS, match.epsilon})),
    )


def _unasked(place: Place) -> str:
    """Return whose values the board would show if no other lens were chosen."""
    return shown_lens(Place(place.world, replace(place.match, lens=""), place.positions))
