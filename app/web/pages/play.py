"""The game: a match where it stands, its settings, its players, and what all would play there."""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar, NamedTuple
from urllib.parse import parse_qsl

from flask import Blueprint, Response, redirect, request
from markupsafe import Markup
from msgspec.structs import replace
from werkzeug.exceptions import Conflict
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.game import SEATS, mover_at
from app.web import addresses
from app.web.comparison import comparison_of
from app.web.language import gettext
from app.web.lens import can_blunder, lens_of, opinion
from app.web.match import Match, Place, parse, wrong
from app.web.numbers import Encodings, encoded, listed, short_name
from app.web.pictures.curves import value_chart
from app.web.respond import Page, lead_to, respond
from app.web.scene import Scene, Seat, Snapshots, replied, scene, seats, shown_lens, snapshots
from app.web.text import NAMED, STRENGTHS, Character, character, first_opponent
from app.web.world import HUMAN, TRUTH, World, is_moves, kept, world

bp = Blueprint("play", __name__)


def settings(query: Mapping[str, str], world: World) -> Match:
    """Return the match that a form asks for which changes something of the one `at` an address.

    It is a seat and the player for it, or all that the settings hold, or the step of a slider.  A
    step is sent with the settings too wherever there is a slider: it is dropped with its lens, if
    another is chosen, and at the slider's end, where the agent is as it plays.
    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    record, before = _at(query)
    place = parse(record, before, world)
    if "player" in query:
        return _seated(place, record, before, query)
    wanted = {}
    if "lens" in query:
        wanted = {name: query.get(name, "") for name in ("lens", "errors", "epsilon", "delay")}
        wanted |= {name: query.get(name, "0") for name in ("hide", "own", "keep")}
    if wanted.get("lens", place.match.lens) != place.match.lens:
        wanted["step"] = ""
    elif query.get("step"):
        lens = shown_lens(place)
        at_end = not world.agents.knows(lens) or query["step"] == str(world.last_step(lens))
        wanted |= {"step": ""} if at_end else {"step": query["step"], "lens": lens}
    return parse(record, before | {"train": "", "hint": ""} | wanted, world).match


def place_at(query: Mapping[str, str], world: World) -> Place:
    """Return where a match stands that is shown `at` an address; raises as `settings` does."""
    return parse(*_at(query), world)


def _at(query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the record and the query of the address of a match."""
    start = addresses.PLAY.to("")
    path, _, given = query.get("at", start).partition("?")
    return path.removeprefix(start), dict(parse_qsl(given))


def _seated(
    place: Place, record: str, before: Mapping[str, str], query: Mapping[str, str]
) -> Match:
    """Seat a player; a finished game makes room for another, and the count begins anew."""
    seat = query.get("seat", "")
    if seat not in SEATS:
        raise wrong("seat", seat, gettext("x or o"))
    changed = dict(before) | {seat: query["player"], "pause": query.get("pause", "")}
    match = parse(record, changed | {"train": "", "hint": ""}, place.world).match
    if (match.x, match.o) != (place.match.x, place.match.o):
        match = replace(match, tally=(0, 0, 0))
    return match.go("") if place.over else match


Card = tuple[str, str, Character]  # the id of a player, its title, and who it is
Groups = tuple[tuple[str, tuple[Card, ...]], ...]  # those who play equally well, by title


class PlayersPage(Page, frozen=True):
    """Who can be seated; the play page fetches it when it is wanted."""

    template: ClassVar = "play/players.html"
    fragment: ClassVar = ("players",)

    groups: Groups
    here: str  # the game that a player is chosen for


@bp.get(addresses.PLAYERS)
def players() -> Response:
    """Show all who can play."""
    here = addresses.play(place_at(request.args, world()).match)
    return respond(PlayersPage(groups(world()), here))


@kept(4, per_language=True)
def groups(world: World) -> Groups:
    """List all: a person, then the agents and after them the rules, the weakest first."""
    names = [*world.agents, *(name for name in world.policies if name not in world.agents)]
    cards = [(name, world.titles[name], character(world, name)) for name in names]
    levels = [
        (gettext(kind).capitalize(), tuple(card for card in cards if card[2].strength == kind))
        for kind in STRENGTHS
    ]
    person = HUMAN, gettext("You"), character(world, HUMAN)
    return ((gettext("A person"), (person,)), *(level for level in levels if level[1]))


class Preference(NamedTuple):
    """What one lens would play."""

    id: str
    title: str
    href: str  # the board in its colours
    plays: str
    text: str  # what it expects of that; "" where nothing is known
    heat: int | None
    blunder: bool  # whether one of these moves is a blunder


class MindsPage(Page, frozen=True):
    """What optimal play and every agent would play in a position."""

    template: ClassVar = "play/minds.html"
    fragment: ClassVar = ("minds",)

    match: Match
    minds: list[Preference]
    encodings: Encodings
    compare: str  # the address of the comparison of this position


@bp.get(addresses.MINDS.to(""))
@bp.get(addresses.MINDS)
def minds(record: str = "") -> Response:
    """Show what all would play in the position shown."""
    return respond(minds_page(parse(record, request.args, world())))


def minds_page(place: Place) -> MindsPage:
    """Gather what the templates write down.

    Raises Conflict where the game is over.
    """
    if place.over:
        plies = len(place.match.shown)
        raise Conflict(
            gettext("The game is over after %(plies)s moves: no player moves.", plies=plies)
        )
    return MindsPage(
        match=place.match,
        minds=[_mind(place, name) for name in (TRUTH, *place.world.agents)],
        encodings=encoded(place.world.game, place.position),
        compare=addresses.compare(comparison_of(place)),
    )


def _mind(place: Place, name: str) -> Preference:
    view = opinion(place.world, place.position, name)
    first = view.plays[0]
    plays = gettext("any of %(number)s", number=len(view.plays))
    if len(view.plays) <= NAMED:
        plays = listed([short_name(place.world.game, cell) for cell in view.plays], "or")
    return Preference(
        id=name,
        title=place.world.titles[name],
        href=addresses.play(replace(place.match, lens=name, step=None, train=False, hint=False)),
        plays=gettext("mostly %(squares)s", squares=plays) if view.draws else plays,
        text=view.truths[first] if view.exact else view.texts[first],
        heat=view.heat[first] if view.known[first] else None,
        blunder=can_blunder(place, view),
    )


class SettingsPage(Page, frozen=True):
    """What is shown, and how it is played; the play page fetches it when it is wanted."""

    template: ClassVar = "play/settings.html"
    fragment: ClassVar = ("settings",)

    match: Match
    world: World
    playing: str  # whose values are shown where no other lens is chosen
    delays: tuple[float, ...]  # to choose from, as are the epsilons
    epsilons: tuple[float, ...]


OFFERED_DELAYS = (0.25, 0.5, 1.0, 2.0, 5.0)  # seconds a move
OFFERED_EPSILONS = (0.0, 0.1, 0.25, 0.5, 1.0)
BY_ITSELF = "auto"  # how the id of what asks by itself begins


@bp.get(addresses.SETTINGS)
def choices() -> Response:
    """Show the settings of a match."""
    there, place = world(), place_at(request.args, world())
    match, usual = place.match, Place(there, replace(place.match, lens=""), place.positions)
    page = SettingsPage(
        match=match,
        world=there,
        playing=there.titles[shown_lens(usual)],
        delays=tuple(sorted({*OFFERED_DELAYS, match.delay})),
        epsilons=tuple(sorted({*OFFERED_EPSILONS, match.epsilon})),
    )
    return respond(page)


class PlayPage(Page, frozen=True):
    """A match where it stands."""

    template: ClassVar = "play/play.html"
    fragment: ClassVar = ("game", "moves")

    match: Match
    seats: tuple[Seat, Seat]
    scene: Scene
    snapshots: Snapshots | None  # None where they are hidden or were never learned
    lens: str  # whose values colour the board, by its title
    why: str  # the address that explains the best value, "" where none can be
    minds: str  # where it stands who would play what
    chart: Markup  # the value of the game over its moves


@bp.get(addresses.PLAY.to(""))
@bp.get(addresses.PLAY)
def play(record: str = "") -> Response:
    """Show a position; to who asks for none, a game worth a first look."""
    place = parse(record, request.args, world())
    if place.match == Match() and not request.args.get("o"):
        place = parse("", {"o": first_opponent(world())}, world())
    return respond(play_page(place))


@bp.get(addresses.SET)
def choose() -> AnyResponse:
    """Lead from what the settings or a choice of a player send to the address of that view."""
    return redirect(addresses.play(settings(request.args, world())), 303)


@bp.get(addresses.REPLY.to(""))
@bp.get(addresses.REPLY)
def reply(record: str = "") -> AnyResponse:
    """Draw one move for the player to move: the board after it to htmx, to others where it is."""
    after = replied(parse(record, request.args, world()))
    # What came by itself leaves no trail in the history.
    by_itself = request.headers.get("HX-Trigger", "").startswith(BY_ITSELF)
    history = "Replace" if by_itself else "Push"
    return lead_to(addresses.play(after.match), partial(play_page, after), history)


def play_page(place: Place) -> PlayPage:
    """Gather what the templates write down."""
    match, world = place.match, place.world
    shown, lens = scene(place), shown_lens(place)
    ply, cell = shown.ply, None
    if shown.blame:
        ply = shown.blame.ply - 1
        cell = place.cells[ply]
    decided = match if ply is None else match.at(ply)
    explained = match.step is None and not match.hide and ply is not None
    if explained:
        decider = lens_of(match, world, mover_at(len(decided.shown)))
        explained = not (is_moves(decider) or world.is_taught(decider))
    return PlayPage(
        match=match,
        seats=seats(place),
        scene=shown,
        snapshots=None if match.hide else snapshots(place, lens),
        lens=world.titles[lens],
        why=addresses.why(decided, cell) if explained else "",
        minds=addresses.MINDS.of(decided if place.over else match),
        chart=value_chart(place, shown.moves),
    )
