"""The page on which people play, explore and watch."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flask import Blueprint, Response, current_app, redirect, request
from msgspec.structs import replace
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.policy import mix
from app.web import addresses, words
from app.web.board_view import Board, board
from app.web.lens import Note, Opinion, notes, opinion_at, seen_ply
from app.web.match import Match, Place, parse
from app.web.moves import Move, ValueChart, moves, value_chart
from app.web.play.cards import Group, groups
from app.web.play.saying import Bar, Seat, Way, bar, expectations, hinted, result, saying, seats
from app.web.play.steering import Auto, Links, Snapshots, auto, links, settled, shown_lens
from app.web.play.steering import snapshots as training
from app.web.respond import Page, respond, wants_fragment
from app.web.world import World, world

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
    preview: str  # the address of a picture of it
    auto: Auto | None  # None while nothing happens by itself
    moves: list[Move]
    chart: ValueChart
    groups: tuple[Group, ...]  # who can be seated
    playing: str  # whose values are shown where no other lens is chosen
    delays: tuple[float, ...]  # to choose from, as are the epsilons
    epsilons: tuple[float, ...]


@bp.get("/play/")
@bp.get("/play/<record>")
def play(record: str = "") -> Response:
    """Show a position."""
    return respond(play_page(parse(record, request.args, world())))


@bp.get("/set/")
def choose() -> AnyResponse:
    """Lead from what the settings or a choice of a player send to the address of that view."""
    return redirect(addresses.play(settled(request.args, world())), 303)


@bp.get("/reply/")
@bp.get("/reply/<record>")
def reply(record: str = "") -> AnyResponse:
    """Draw one move for whoever is to move: the board after it to htmx, to others where it is."""
    place = parse(record, request.args, world())
    if place.over:
        ply = len(place.match.shown)
        raise Conflict(f"The game is over after {ply} moves: nobody is to move.")
    chances = reply_chances(place)
    cell = current_app.extensions["random"].choices(range(len(chances)), chances)[0]
    after = place.play(cell)
    address = addresses.play(after.match)
    if not wants_fragment():
        response: AnyResponse = redirect(address, 303)
    else:
        response = respond(play_page(after))
        del response.headers["ETag"]
        # What came by itself leaves no trail in the history.
        asker = request.headers.get("HX-Trigger", "")
        kind = "Replace" if asker.startswith(BY_ITSELF) else "Push"
        response.headers[f"HX-{kind}-Url"] = address
    response.headers["Cache-Control"] = "no-store"
    return response


def reply_chances(place: Place) -> NDArray[np.float64]:
    """Chance of each cell to be played next, by the agent in the seat.

    Where a person sits it is the lens that plays, at the snapshot that is shown.
    """
    match, policies = place.match, place.world.policies
    if match.is_human(match.to_move):
        return opinion_at(place).policy
    seat = policies[match.seat(match.to_move)]
    return mix(seat[place.position], policies["random"][place.position], match.epsilon)


def _notes(place: Place, opinion: Opinion | None, ply: int | None) -> list[Note] | None:
    if opinion is None or ply is None:
        return None
    match = place.match
    return notes(place.world, place.positions[ply], opinion, match.step, match.errors)


def play_page(place: Place) -> PlayPage:
    """Gather what the templates write down."""
    match, world = place.match, place.world
    going_on, controls, played = auto(place), links(place), moves(place)
    ply = seen_ply(place)
    opinion: Opinion | None = None
    if not match.hide and ply is not None:
        opinion = opinion_at(place, ply)
    lens = shown_lens(place)
    unasked = Place(world, replace(match, lens=""), place.positions) if match.lens else place
    legend = words.legend(place, opinion, ply) if opinion else None
    explained = opinion and ply == len(match.shown) and match.step is None and not place.over
    said = saying(place, controls, played, legend, going_on is not None)
    return PlayPage(
        match=match,
        world=world,
        here=addresses.play(match),
        seats=seats(place),
        drawn=match.tally[1],
        scored=any(match.tally),
        headline=said.headline,
        caption=said.caption,
        ways=said.ways,
        result=result(place),
        status=words.status(place, going_on is not None),
        board=board(
            place,
            opinion,
            None if going_on else addresses.moves_of(match),
            notes=_notes(place, opinion, ply),
            more=expectations(place, opinion, ply),
            hinted=hinted(place),
            held=ply != len(match.shown) and not place.over,
        ),
        bar=bar(place, opinion, ply),
        legend=legend,
        snapshots=None if match.hide else training(place, lens),
        untrained="The values are hidden."
        if match.hide
        else f"{world.titles[lens]}: no training to look at.",
        why=addresses.why(match) if explained else "",
        minds=addresses.minds(match),
        links=controls,
        preview=addresses.preview(match),
        auto=going_on,
        moves=played,
        chart=value_chart(place, played),
        groups=groups(world),
        playing=world.titles[shown_lens(unasked)],
        delays=tuple(sorted({*OFFERED_DELAYS, match.delay})),
        epsilons=tuple(sorted({*OFFERED_EPSILONS, match.epsilon})),
    )
