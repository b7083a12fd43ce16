"""The play page: a match, its settings, its players, and the moves that all agents prefer."""

import dataclasses
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
from app.web.comparison import build_comparison
from app.web.formatting import (
    Encodings,
    encode_position,
    join_words,
    name_square_briefly,
)
from app.web.match import Match, MatchState, build_value_error, parse_match
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
from app.web.pictures.curves import draw_game_values
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
from app.web.wording import NAMED, STRENGTHS, Character, describe_character

bp = Blueprint("play", __name__)


def apply_settings(query: Mapping[str, str], site: SiteData) -> Match:
    """Return the match at the URL `at`, changed by the other values of a form.

    A form contains a seat with its player, all settings, or the step of the slider. The settings
    also contain a step if the page has a slider; this step is ignored if the value source changes,
    and at the end of the slider, where the agent is as shipped.
    Raises BadRequest, NotFound or Conflict with a sentence that names the fault.
    """
    record, before = _split_match_url(query)
    state = parse_match(record, before, site)
    if "player" in query:
        return _seat_player(state, record, before, query)
    changes = {}
    if "lens" in query:
        changes = {
            name: query.get(name, "") for name in ("lens", "errors", "epsilon", "delay")
        }
        changes |= {name: query.get(name, "0") for name in ("hide", "own", "keep")}
    if changes.get("lens", state.match.lens) != state.match.lens:
        changes["step"] = ""
    elif query.get("step"):
        lens = find_shown_lens(state)
        at_end = not site.agents.knows(lens) or query["step"] == str(
            site.get_last_step(lens)
        )
        changes |= {"step": ""} if at_end else {"step": query["step"], "lens": lens}
    return parse_match(record, before | {"train": "", "hint": ""} | changes, site).match


def parse_match_at(query: Mapping[str, str], site: SiteData) -> MatchState:
    """Return the state of the match at the URL `at`; raises the errors of `apply_settings`."""
    return parse_match(*_split_match_url(query), site)


def _split_match_url(query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the record and the query of a match's URL."""
    start = urls.PLAY.url("")
    path, _, query_text = query.get("at", start).partition("?")
    return path.removeprefix(start), dict(parse_qsl(query_text))


def _seat_player(
    state: MatchState, record: str, before: Mapping[str, str], query: Mapping[str, str]
) -> Match:
    """Return the match with a new player in a seat, without its tally.

    A finished game is replaced by a new game.
    """
    seat = query.get("seat", "")
    if seat not in SEATS:
        raise build_value_error("seat", seat, gettext("x or o"))
    changed = dict(before) | {seat: query["player"], "pause": query.get("pause", "")}
    match = parse_match(record, changed | {"train": "", "hint": ""}, state.site).match
    if (match.x, match.o) != (state.match.x, state.match.o):
        match = replace(match, tally=(0, 0, 0))
    return match.go("") if state.over else match


Card = tuple[str, str, Character]  # id, title and description of a player
# (title of a strength, players of this strength)
Groups = tuple[tuple[str, tuple[Card, ...]], ...]


class PlayersPage(Page, frozen=True):
    """The list of players to choose from, which the play page fetches when a visitor opens it."""

    template: ClassVar = "play/players.html"
    fragment: ClassVar = ("players",)

    groups: Groups
    here: str  # URL of the game that a player is chosen for


@bp.get(urls.PLAYERS)
def show_players() -> Response:
    """Show all players."""
    url = urls.play(parse_match_at(request.args, current_site()).match)
    return render_page(PlayersPage(group_players(current_site()), url))


@cached_per_site(4, per_language=True)
def group_players(site: SiteData) -> Groups:
    """Return a person, then all agents and baselines by strength, the weakest first."""
    names = [*site.agents, *(name for name in site.policies if name not in site.agents)]
    cards = [
        (name, site.titles[name], describe_character(site, name)) for name in names
    ]
    levels = [
        (
            gettext(kind).capitalize(),
            tuple(card for card in cards if card[2].strength == kind),
        )
        for kind in STRENGTHS
    ]
    person = HUMAN, gettext("You"), describe_character(site, HUMAN)
    return ((gettext("A person"), (person,)), *(level for level in levels if level[1]))


class Preference(NamedTuple):
    """The preferred moves of a value source."""

    id: str
    title: str
    href: str  # URL of the match with the values of this source
    plays: str
    text: str  # value of the first of these moves; "" if unknown
    heat: int | None
    blunder: bool  # whether one of these moves is a blunder


class MindsPage(Page, frozen=True):
    """The preferred moves of optimal play and of every agent in a position."""

    template: ClassVar = "play/minds.html"
    fragment: ClassVar = ("minds",)

    match: Match
    minds: list[Preference]
    encodings: Encodings
    compare: str  # URL of the comparison of this position


@bp.get(urls.MINDS.url(""))
@bp.get(urls.MINDS)
def show_preferences(record: str = "") -> Response:
    """Show the preferred moves of all agents in the position shown."""
    return render_page(
        build_minds_page(parse_match(record, request.args, current_site()))
    )


def build_minds_page(state: MatchState) -> MindsPage:
    """Return the page of preferred moves in the position shown.

    Raises Conflict if the game is over.
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
        minds=[_build_preference(state, name) for name in (TRUTH, *state.site.agents)],
        encodings=encode_position(state.site.game, state.position),
        compare=urls.compare(build_comparison(state)),
    )


def _build_preference(state: MatchState, name: str) -> Preference:
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
    """The settings of a match, which the play page fetches when a visitor opens them."""

    template: ClassVar = "play/settings.html"
    fragment: ClassVar = ("settings",)

    state: MatchState

    @property
    def match(self) -> Match:
        """The match with its settings."""
        return self.state.match

    @property
    def site(self) -> SiteData:
        """The agents to choose from."""
        return self.state.site

    @property
    def playing(self) -> str:
        """The title of the default value source."""
        usual = dataclasses.replace(self.state, match=replace(self.match, lens=""))
        return self.site.titles[find_shown_lens(usual)]

    @property
    def delays(self) -> tuple[float, ...]:
        """The delays to choose from, in seconds; a tuple, because cached macros need it."""
        return tuple(sorted({*OFFERED_DELAYS, self.match.delay}))

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The shares of random moves to choose from."""
        return tuple(sorted({*OFFERED_EPSILONS, self.match.epsilon}))


OFFERED_EPSILONS = (0.0, 0.1, 0.25, 0.5, 1.0)
BY_ITSELF = "auto"  # prefix of the ids of elements that send requests automatically


@bp.get(urls.SETTINGS)
def show_settings() -> Response:
    """Show the settings of a match."""
    return render_page(SettingsPage(parse_match_at(request.args, current_site())))


class PlayPage(Page, frozen=True):
    """A match at the position shown."""

    template: ClassVar = "play/play.html"
    fragment: ClassVar = ("game", "moves")

    state: MatchState

    @property
    def match(self) -> Match:
        """The match."""
        return self.state.match

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The players of X and O."""
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
        """The title of the value source that colours the board."""
        return self.state.site.titles[find_shown_lens(self.state)]

    @property
    def snapshots(self) -> Snapshots | None:
        """The slider over a training; None for hidden values and for sources without a training."""
        if self.match.hide:
            return None
        return build_snapshots(self.state, find_shown_lens(self.state))

    @property
    def chart(self) -> Markup:
        """The value of the game over its moves."""
        return draw_game_values(self.state, self.scene.moves)

    @property
    def why(self) -> str:
        """The URL that explains a value, "" if no value can be explained.

        Explained is the value of the best move, or of the decisive blunder of a finished game.
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
        """The URL of the preferred moves of all agents in the explained position."""
        return urls.MINDS.url_for_match(
            self._explained if self.state.over else self.match
        )

    @property
    def _explained_ply(self) -> int | None:
        """The ply with values that can be explained, None if there is no such ply."""
        blame = self.scene.blame
        return blame.ply - 1 if blame else self.scene.ply

    @property
    def _explained(self) -> Match:
        """The match at the explained ply."""
        return (
            self.match
            if self._explained_ply is None
            else self.match.at(self._explained_ply)
        )


@bp.get(urls.PLAY.url(""))
@bp.get(urls.PLAY)
def show_match(record: str = "") -> Response:
    """Show a match; without a record and players, a game against the opponent for newcomers."""
    site = current_site()
    state = parse_match(record, request.args, site)
    if state.match == Match() and not request.args.get("o"):
        state = parse_match("", {"o": site.first_opponent}, site)
    return render_page(PlayPage(state))


@bp.get(urls.SET)
def redirect_to_choice() -> AnyResponse:
    """Redirect to the URL of a match with the settings or the player that a form contains."""
    return redirect(urls.play(apply_settings(request.args, current_site())), 303)


@bp.get(urls.REPLY.url(""))
@bp.get(urls.REPLY)
def show_reply(record: str = "") -> AnyResponse:
    """Draw a move for the player to move and show the match after this move."""
    after = draw_reply(parse_match(record, request.args, current_site()))
    # An automatic move adds no entry to the history.
    by_itself = request.headers.get("HX-Trigger", "").startswith(BY_ITSELF)
    history = "Replace" if by_itself else "Push"
    return redirect_after_form(
        urls.play(after.match), partial(PlayPage, after), history
    )
