"""The game: a match where it stands, its settings, its players, and what all would play there."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import ClassVar, NamedTuple
from urllib.parse import parse_qsl

from flask import Blueprint, Response, redirect, request
from markupsafe import Markup
from msgspec.structs import replace
from werkzeug.exceptions import Conflict
from werkzeug.wrappers import Response as AnyResponse

from app.tictactoe.game import SEATS, get_mover
from app.web import urls
from app.web.comparison import compare_at
from app.web.formatting import (
    Encodings,
    encode_position,
    join_words,
    name_square_briefly,
)
from app.web.match import Match, MatchState, bad_value, parse_match
from app.web.match_controls import (
    OFFERED_DELAYS,
    Snapshots,
    build_snapshots,
    count_results,
    draw_reply,
)
from app.web.match_view import (
    MatchView,
    Seat,
    build_match_view,
    describe_seats,
    find_shown_lens,
)
from app.web.move_values import can_blunder, choose_lens, evaluate_moves
from app.web.pictures.curves import value_chart
from app.web.rendering import Page, redirect_after_form, render_page
from app.web.site_data import (
    HUMAN,
    TRUTH,
    SiteData,
    cached_per_site,
    current_site,
    is_moves,
)
from app.web.translation import gettext
from app.web.wording import NAMED, STRENGTHS, Character, characterise, first_opponent

bp = Blueprint("play", __name__)


def settings(query: Mapping[str, str], site: SiteData) -> Match:
    """Return the match that a form asks for which changes something of the one `at` an address.

    It is a seat and the player for it, or all that the settings hold, or the step of a slider.  A
    step is sent with the settings too wherever there is a slider: it is dropped with its lens, if
    another is chosen, and at the slider's end, where the agent is as it plays.
    Raises BadRequest, NotFound or Conflict with a sentence on what is wrong.
    """
    record, before = _at(query)
    state = parse_match(record, before, site)
    if "player" in query:
        return _seated(state, record, before, query)
    wanted = {}
    if "lens" in query:
        wanted = {
            name: query.get(name, "") for name in ("lens", "errors", "epsilon", "delay")
        }
        wanted |= {name: query.get(name, "0") for name in ("hide", "own", "keep")}
    if wanted.get("lens", state.match.lens) != state.match.lens:
        wanted["step"] = ""
    elif query.get("step"):
        lens = find_shown_lens(state)
        at_end = not site.agents.knows(lens) or query["step"] == str(
            site.last_step(lens)
        )
        wanted |= {"step": ""} if at_end else {"step": query["step"], "lens": lens}
    return parse_match(record, before | {"train": "", "hint": ""} | wanted, site).match


def place_at(query: Mapping[str, str], site: SiteData) -> MatchState:
    """Return where a match stands that is shown `at` an address; raises as `settings` does."""
    return parse_match(*_at(query), site)


def _at(query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the record and the query of the address of a match."""
    start = urls.PLAY.url("")
    path, _, given = query.get("at", start).partition("?")
    return path.removeprefix(start), dict(parse_qsl(given))


def _seated(
    state: MatchState, record: str, before: Mapping[str, str], query: Mapping[str, str]
) -> Match:
    """Seat a player; a finished game makes room for another, and the count begins anew."""
    seat = query.get("seat", "")
    if seat not in SEATS:
        raise bad_value("seat", seat, gettext("x or o"))
    changed = dict(before) | {seat: query["player"], "pause": query.get("pause", "")}
    match = parse_match(record, changed | {"train": "", "hint": ""}, state.site).match
    if (match.x, match.o) != (state.match.x, state.match.o):
        match = replace(match, tally=(0, 0, 0))
    return match.go("") if state.over else match


Card = tuple[str, str, Character]  # the id of a player, its title, and who it is
Groups = tuple[
    tuple[str, tuple[Card, ...]], ...
]  # those who play equally well, by title


class PlayersPage(Page, frozen=True):
    """Who can be seated; the play page fetches it when it is wanted."""

    template: ClassVar = "play/players.html"
    fragment: ClassVar = ("players",)

    groups: Groups
    here: str  # the game that a player is chosen for


@bp.get(urls.PLAYERS)
def players() -> Response:
    """Show all who can play."""
    here = urls.play(place_at(request.args, current_site()).match)
    return render_page(PlayersPage(groups(current_site()), here))


@cached_per_site(4, per_language=True)
def groups(site: SiteData) -> Groups:
    """List all: a person, then the agents and after them the rules, the weakest first."""
    names = [*site.agents, *(name for name in site.policies if name not in site.agents)]
    cards = [(name, site.titles[name], characterise(site, name)) for name in names]
    levels = [
        (
            gettext(kind).capitalize(),
            tuple(card for card in cards if card[2].strength == kind),
        )
        for kind in STRENGTHS
    ]
    person = HUMAN, gettext("You"), characterise(site, HUMAN)
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


@bp.get(urls.MINDS.url(""))
@bp.get(urls.MINDS)
def minds(record: str = "") -> Response:
    """Show what all would play in the position shown."""
    return render_page(minds_page(parse_match(record, request.args, current_site())))


def minds_page(state: MatchState) -> MindsPage:
    """Gather what the templates write down.

    Raises Conflict where the game is over.
    """
    if state.over:
        plies = len(state.match.shown)
        raise Conflict(
            gettext(
                "The game is over after %(plies)s moves: no player moves.", plies=plies
            )
        )
    return MindsPage(
        match=state.match,
        minds=[_mind(state, name) for name in (TRUTH, *state.site.agents)],
        encodings=encode_position(state.site.game, state.position),
        compare=urls.compare(compare_at(state)),
    )


def _mind(state: MatchState, name: str) -> Preference:
    view = evaluate_moves(state.site, state.position, name)
    first = view.plays[0]
    plays = gettext("any of %(number)s", number=len(view.plays))
    if len(view.plays) <= NAMED:
        plays = join_words(
            [name_square_briefly(state.site.game, cell) for cell in view.plays], "or"
        )
    return Preference(
        id=name,
        title=state.site.titles[name],
        href=urls.play(
            replace(state.match, lens=name, step=None, train=False, hint=False)
        ),
        plays=gettext("mostly %(squares)s", squares=plays) if view.draws else plays,
        text=view.truths[first] if view.exact else view.texts[first],
        heat=view.heat[first] if view.known[first] else None,
        blunder=can_blunder(state, view),
    )


class SettingsPage(Page, frozen=True):
    """What is shown, and how it is played; the play page fetches it when it is wanted."""

    template: ClassVar = "play/settings.html"
    fragment: ClassVar = ("settings",)

    match: Match
    site: SiteData
    playing: str  # whose values are shown where no other lens is chosen
    delays: tuple[float, ...]  # to choose from, as are the epsilons
    epsilons: tuple[float, ...]


OFFERED_EPSILONS = (0.0, 0.1, 0.25, 0.5, 1.0)
BY_ITSELF = "auto"  # how the id of what asks by itself begins


@bp.get(urls.SETTINGS)
def choices() -> Response:
    """Show the settings of a match."""
    site, state = current_site(), place_at(request.args, current_site())
    match, usual = (
        state.match,
        MatchState(site, replace(state.match, lens=""), state.positions),
    )
    page = SettingsPage(
        match=match,
        site=site,
        playing=site.titles[find_shown_lens(usual)],
        delays=tuple(sorted({*OFFERED_DELAYS, match.delay})),
        epsilons=tuple(sorted({*OFFERED_EPSILONS, match.epsilon})),
    )
    return render_page(page)


class PlayPage(Page, frozen=True):
    """A match where it stands."""

    template: ClassVar = "play/play.html"
    fragment: ClassVar = ("game", "moves")

    state: MatchState

    @property
    def match(self) -> Match:
        """The match."""
        return self.state.match

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """Who plays X and who plays O."""
        return describe_seats(self.state)

    @property
    def drawn(self) -> int:
        """The number of drawn games."""
        return count_results(self.state)[1]

    @cached_property
    def scene(self) -> MatchView:
        """The board and its controls."""
        return build_match_view(self.state)

    @property
    def lens(self) -> str:
        """Whose values colour the board, by its title."""
        return self.state.site.titles[find_shown_lens(self.state)]

    @property
    def snapshots(self) -> Snapshots | None:
        """The slider over a training; None where values are hidden or were never learned."""
        if self.match.hide:
            return None
        return build_snapshots(self.state, find_shown_lens(self.state))

    @property
    def chart(self) -> Markup:
        """The value of the game over its moves."""
        return value_chart(self.state, self.scene.moves)

    @property
    def why(self) -> str:
        """The address that explains a value, "" where none can be.

        It is the value of the best move, or of the move that a finished game turned on.
        """
        if (
            self.match.step is not None
            or self.match.hide
            or self._explained_ply is None
        ):
            return ""
        decider = choose_lens(
            self.match, self.state.site, get_mover(self._explained_ply)
        )
        if is_moves(decider) or self.state.site.is_taught(decider):
            return ""
        blame = self.scene.blame
        return urls.why(
            self._explained, self.state.cells[blame.ply - 1] if blame else None
        )

    @property
    def minds(self) -> str:
        """The address of what all agents would play in that position."""
        return urls.MINDS.url_for_match(
            self._explained if self.state.over else self.match
        )

    @property
    def _explained_ply(self) -> int | None:
        """The ply whose values can be explained, None where there is none."""
        blame = self.scene.blame
        return blame.ply - 1 if blame else self.scene.ply

    @property
    def _explained(self) -> Match:
        """The match at that ply."""
        return (
            self.match
            if self._explained_ply is None
            else self.match.at(self._explained_ply)
        )


@bp.get(urls.PLAY.url(""))
@bp.get(urls.PLAY)
def play(record: str = "") -> Response:
    """Show a position; to who asks for none, a game worth a first look."""
    state = parse_match(record, request.args, current_site())
    if state.match == Match() and not request.args.get("o"):
        state = parse_match("", {"o": first_opponent(current_site())}, current_site())
    return render_page(PlayPage(state))


@bp.get(urls.SET)
def choose() -> AnyResponse:
    """Lead from what the settings or a choice of a player send to the address of that view."""
    return redirect(urls.play(settings(request.args, current_site())), 303)


@bp.get(urls.REPLY.url(""))
@bp.get(urls.REPLY)
def reply(record: str = "") -> AnyResponse:
    """Draw one move for the player to move: the board after it to htmx, to others where it is."""
    after = draw_reply(parse_match(record, request.args, current_site()))
    # What came by itself leaves no trail in the history.
    by_itself = request.headers.get("HX-Trigger", "").startswith(BY_ITSELF)
    history = "Replace" if by_itself else "Push"
    return redirect_after_form(
        urls.play(after.match), partial(PlayPage, after), history
    )
