"""The page on which people play and watch matches, with its settings and its choice of players."""

import dataclasses
from collections.abc import Mapping
from functools import partial

import werkzeug
from flask import Response, redirect, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest, Conflict

from app.tictactoe.game import GAME, SEATS, get_mover
from app.tictactoe.notation import DIGITS
from app.web.algorithms.targets import ValueQuery
from app.web.comparison import build_comparison
from app.web.formatting import (
    capitalize_first_letter,
    encode_position,
    join_words,
    name_square,
)
from app.web.links.compare import compare_url
from app.web.links.play import (
    CHANGE_SETTINGS_ROUTE,
    PLAY_ROUTE,
    PLAYERS_ROUTE,
    PREFERENCES_ROUTE,
    REPLY_ROUTE,
    SETTINGS_ROUTE,
    SQUARE_ROUTE,
    match_url,
    play_against_url,
    play_url,
    split_match_url,
    watch_url,
)
from app.web.links.why import why_url
from app.web.match import (
    WATCHED_EPSILON,
    Match,
    MatchState,
    build_parameter_error,
    parse_match,
    read_cell,
)
from app.web.move_values import can_blunder, choose_value_source, evaluate_moves
from app.web.navigation import PageBlueprint
from app.web.pages.parts.match_controls import play_random_reply
from app.web.pages.parts.match_page import (
    MatchPage,
    build_shared_title,
    find_shown_value_source,
)
from app.web.pages.parts.square_reason import explain_square
from app.web.pictures.curves import render_game_values
from app.web.rendering import Variables, redirect_after_form, render_page
from app.web.routes import Query
from app.web.site_data import (
    HUMAN,
    TRUTH,
    SiteData,
    cached_per_site,
    get_current_site,
    is_policy_name,
)
from app.web.translation import gettext, gettext_noop
from app.web.wording import (
    FRONT_PAGE_AGENTS,
    MAX_NAMED_SQUARES,
    STRENGTHS,
    PlayerProfile,
    build_player_profile,
    find_worst_seat,
    get_front_page_agent,
    recommend_agents,
)

bp = PageBlueprint("play", __name__)


@bp.app_template_global()
def get_first_game_url() -> str:
    return play_against_url(get_front_page_agent(get_current_site()))


bp.add_menu_page("Play", "play", gettext_noop("Play"), get_first_game_url)
bp.add_menu_page(
    "Play",
    "watch",
    gettext_noop("Watch"),
    lambda: watch_url(get_front_page_agent(get_current_site())),
)


def apply_settings(query: Query, site: SiteData) -> Match:
    """Return the match of the query parameter `at` after the changes in a form.

    A form has a new player, the settings, a speed, or a snapshot. Raises BadRequest, NotFound or
    Conflict if the form is invalid.
    """
    record, before = split_match_url(query)
    state = parse_match(record, before, site)
    if "player" in query:
        return _replace_player(state, record, before, query)
    changes = {}
    if "lens" in query:
        changes = {name: query.get(name, "") for name in ("lens", "errors", "epsilon")}
        changes |= {name: query.get(name, "0") for name in ("hide", "own")}
    if "delay" in query:
        changes["delay"] = query["delay"]
    if changes.get("lens", state.match.value_source) != state.match.value_source:
        changes["step"] = ""
    elif query.get("step"):
        value_source = find_shown_value_source(state)
        at_end = not site.agents.contains_name(value_source) or query["step"] == str(
            site.get_last_snapshot(value_source)
        )
        changes |= (
            {"step": ""} if at_end else {"step": query["step"], "lens": value_source}
        )
    return parse_match(record, before | {"train": "", "hint": ""} | changes, site).match


def parse_match_at(query: Query, site: SiteData) -> MatchState:
    """Return the match of the query parameter `at`; raises the errors of `parse_match`."""
    return parse_match(*split_match_url(query), site)


def _replace_player(
    state: MatchState,
    record: str,
    match_query: Mapping[str, str],
    form: Mapping[str, str],
) -> Match:
    """Return the match with another player as X or O; a finished game begins again."""
    seat = form.get("seat", "")
    if seat not in SEATS:
        raise build_parameter_error("seat", seat, gettext("x or o"))
    before = state.match
    changed = dict(match_query) | {seat: form["player"]}
    if before.value_source in (before.x, before.o):
        changed |= {"lens": "", "step": ""}
    match = parse_match(record, changed | {"train": "", "hint": ""}, state.site).match
    if match.x == match.o == HUMAN:
        seen = find_shown_value_source(state)
        match = replace(match, value_source=seen, snapshot=before.snapshot)
    if match.is_watched and not before.is_watched:
        # The game is paused, because the visitor may want to choose the other agent, too.
        match = replace(match, epsilon=match.epsilon or WATCHED_EPSILON, is_paused=True)
    elif not match.is_watched:
        epsilon = 0.0 if before.is_watched else match.epsilon
        match = replace(match, epsilon=epsilon, is_paused=False)
    if (match.x, match.o) != (before.x, before.o):
        match = replace(match, result_counts=(0, 0, 0))
    return match.follow_record("") if state.is_over else match


# id, title and description
PlayerCard = tuple[str, str, PlayerProfile]
# (title of a group, its players)
PlayerGroups = tuple[tuple[str, tuple[PlayerCard, ...]], ...]


@bp.get(PLAYERS_ROUTE)
def show_players() -> Response:
    url = play_url(parse_match_at(request.args, get_current_site()).match)
    return render_page(
        "play/players.html",
        fragment=("players",),
        groups=group_players(get_current_site()),
        recommended=recommend_agents(get_current_site()),
        match_url=url,
    )


@cached_per_site(4, per_language=True)
def group_players(site: SiteData) -> PlayerGroups:
    """Return groups of players: a person and some agents, then the others from weak to strong."""
    names = sorted(
        dict.fromkeys([*site.agents, *site.policies]),
        key=lambda name: find_worst_seat(site, name),
        reverse=True,
    )
    cards = [
        (name, site.display_titles[name], build_player_profile(site, name))
        for name in names
    ]
    levels = [
        (
            capitalize_first_letter(gettext(kind)),
            tuple(
                card
                for card in cards
                if card[2].strength_name == kind and card[0] not in FRONT_PAGE_AGENTS
            ),
        )
        for kind in STRENGTHS
    ]
    person = HUMAN, gettext("You"), build_player_profile(site, HUMAN)
    first = (card for card in cards if card[0] in FRONT_PAGE_AGENTS)
    return (
        (gettext("To begin with"), (person, *first)),
        *(level for level in levels if level[1]),
    )


@bp.get(PREFERENCES_ROUTE.without_variables)
@bp.get(PREFERENCES_ROUTE)
def show_preferences(record: str = "") -> Response:
    state = parse_match(record, request.args, get_current_site())
    if state.is_over:
        plies = len(state.match.shown_record)
        raise Conflict(
            gettext(
                "The game is over after %(plies)s moves, so no player can move.",
                plies=plies,
            )
        )
    return render_page(
        "play/minds.html",
        fragment=("minds",),
        match=state.match,
        preferred_moves=[
            describe_preference(state, name) for name in (TRUTH, *state.site.agents)
        ],
        encodings=encode_position(state.position),
        compare_url=compare_url(build_comparison(state)),
    )


def describe_preference(state: MatchState, value_source: str) -> Variables:
    view = evaluate_moves(state.site, state.position, value_source)
    first = view.likeliest_cells[0]
    plays = gettext("any of %(number)s squares", number=len(view.likeliest_cells))
    if len(view.likeliest_cells) <= MAX_NAMED_SQUARES:
        plays = join_words(
            [name_square(cell) for cell in view.likeliest_cells],
            "or",
        )
    if view.is_stochastic:
        plays = gettext("mostly %(squares)s", squares=plays)
    value_texts = view.optimal_results if view.is_optimal_play else view.value_texts
    shown = replace(
        state.match,
        value_source=value_source,
        snapshot=None,
        plays_training=False,
        shows_hint=False,
    )
    return {
        "id": value_source,
        "title": state.site.display_titles[value_source],
        "url": play_url(shown),
        "move_text": plays,
        "value_text": value_texts[first],
        "heat": view.heats[first] if view.is_known[first] else None,
        "is_blunder": can_blunder(state, view),
    }


EPSILON_CHOICES = (0.0, 0.1, 0.25, 0.5, 1.0)
# An element whose id begins like this sends a request by itself.
AUTOMATIC_ID_PREFIX = "auto"


@bp.get(SETTINGS_ROUTE)
def show_settings() -> Response:
    site = get_current_site()
    state = parse_match_at(request.args, site)
    match = state.match
    usual = dataclasses.replace(state, match=replace(match, value_source=""))
    # The choices are tuples, because their HTML is cached by its arguments, which must be hashable.
    return render_page(
        "play/settings.html",
        fragment=("settings",),
        match=match,
        site=site,
        default_source_title=site.display_titles[find_shown_value_source(usual)],
        epsilon_choices=tuple(sorted({*EPSILON_CHOICES, match.epsilon})),
    )


def render_match(state: MatchState) -> Response:
    """Show a match in its position, with panels beside the board."""
    page = MatchPage(state)
    match = state.match
    blame = page.losing_move
    explained_ply = blame.ply - 1 if blame else page.ply
    explained = match.show_ply(explained_ply)
    decider = choose_value_source(match, state.site, get_mover(explained_ply))
    cannot_explain = (
        match.snapshot is not None
        or match.hides_values
        or is_policy_name(decider)
        or state.site.is_taught_by_person(decider)
    )
    cell = state.played_cells[blame.ply - 1] if blame else None
    return render_page(
        "play/play.html",
        page,
        fragment=("game", "moves"),
        shared=state.shared,
        shared_title=build_shared_title(state.shared, page.reviewed_moves),
        value_chart=render_game_values(state, page.reviewed_moves),
        why_url="" if cannot_explain else why_url(explained, cell),
        preferences_url=match_url(
            PREFERENCES_ROUTE, explained if state.is_over else match
        ),
    )


@bp.get(PLAY_ROUTE.without_variables)
@bp.get(PLAY_ROUTE)
def show_match(record: str = "") -> Response:
    """Show a match; a URL without parameters is a game against the opponent for newcomers."""
    site = get_current_site()
    state = parse_match(record, request.args, site)
    if state.match == Match() and not request.args.get("o"):
        state = parse_match("", {"o": site.opponent_for_newcomers}, site)
    return render_match(state)


@bp.get(SQUARE_ROUTE.without_variables)
@bp.get(SQUARE_ROUTE)
def show_square(record: str = "") -> Response:
    """Show the value of a square and the reason for it.

    Raises Conflict if no move there is possible, and BadRequest if the source has no values.
    """
    site = get_current_site()
    state = parse_match(record, request.args, site)
    cell = read_cell("cell", request.args.get("cell", ""))
    if state.is_over or GAME.successor[state.position, cell] < 0:
        raise Conflict(gettext("No move to this square is possible in this position."))
    if is_policy_name(find_shown_value_source(state)):
        raise BadRequest(gettext("Its moves are known, its values are not."))
    match = state.match
    is_thinking = match.is_at_end and match.is_human(match.player_to_move)
    value_source = find_shown_value_source(state)
    query = ValueQuery(site, value_source, state.position, cell, match.snapshot)
    reason = explain_square(query, is_result_shown=not is_thinking or match.shows_hint)
    ply = len(match.shown_record)
    if not match.is_at_end and state.played_cells[ply] == cell:
        played = [gettext("move %(ply)s", ply=ply + 1)]
        if not site.is_move_correct[state.position, cell]:
            played.append(gettext("blunder"))
        reason["square_name"] += f" ({', '.join(played)})"
    return render_page(
        "play/square.html",
        fragment=("square",),
        match=match,
        reason=reason,
        page_url=match_url(SQUARE_ROUTE, match, f"cell={DIGITS[cell]}"),
        why_url=why_url(match, cell),
    )


@bp.get(CHANGE_SETTINGS_ROUTE)
def redirect_to_choice() -> werkzeug.Response:
    return redirect(play_url(apply_settings(request.args, get_current_site())), 303)


@bp.get(REPLY_ROUTE.without_variables)
@bp.get(REPLY_ROUTE)
def show_reply(record: str = "") -> werkzeug.Response:
    after = play_random_reply(parse_match(record, request.args, get_current_site()))
    # If each automatic move had an entry in the history, the Back button would show them one by
    # one.
    by_itself = request.headers.get("HX-Trigger", "").startswith(AUTOMATIC_ID_PREFIX)
    history = "Replace" if by_itself else "Push"
    return redirect_after_form(
        play_url(after.match), partial(render_match, after), history
    )
