"""The controls of a match: the URL of each button, and what the page does next by itself."""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple
from zlib import crc32

from flask import current_app
from msgspec.structs import replace
from werkzeug.exceptions import Conflict

from app.tictactoe.game import GAME, FloatArray, O, X, get_mover
from app.tictactoe.notation import undo_moves
from app.tictactoe.policy import mix_policies
from app.web.formatting import format_updates
from app.web.links.how import how_url
from app.web.links.play import PAGE_URL_BUILDERS, MatchUrlBuilders, play_url
from app.web.match import MAX_COUNTED_GAMES, Match, MatchState
from app.web.move_values import compute_play_chances, evaluate_match, is_reply_pending
from app.web.rendering import Variables
from app.web.site_data import HUMAN, SiteData, cached_per_site
from app.web.translation import gettext, gettext_noop, localize_number
from app.web.wording import FRONT_PAGE_RECORD

REPLY_SECONDS = 0.4
SNAPSHOT_SECONDS = 0.7
# seconds between two moves of agents -> name of the speed
SPEED_NAMES = {
    2.0: gettext_noop("Slow"),
    1.0: gettext_noop("Normal"),
    0.5: gettext_noop("Fast"),
}
# If the moves are slower than this, the pause before the next game is longer, too.
MIN_GAME_PAUSE_SECONDS = 2.0
# In these units the curve behind the slider is 100 wide.
CURVE_HEIGHT = 20


def list_control_urls(
    state: MatchState, url_builders: MatchUrlBuilders = PAGE_URL_BUILDERS
) -> dict[str, str]:
    """Return button -> URL, "" for a button that does nothing now."""
    match = replace(state.match, plays_training=False, shows_hint=False)
    ply = len(match.shown_record)
    is_asked = match.is_human(match.player_to_move) and not state.is_over
    build_url = url_builders.build_match_url
    reply_url = next_url = last_url = ""
    if not state.is_over:
        reply_url = url_builders.build_reply_url(
            match.follow_record(match.shown_record)
        )
    if not match.is_at_end:
        next_url = _build_stopped_url(match, ply + 1, build_url)
        last_url = build_url(match.show_ply(len(match.record)))
    elif not match.is_human(match.player_to_move):
        next_url = reply_url
    hint_url = ""
    if is_asked and not state.match.shows_hint:
        hint_url = build_url(replace(match, shows_hint=True, replays_record=False))
    next_game = start_next_game(state)
    # In the prepared position the visitor has not played yet, and its other side is lost.
    begins_anew = state.is_over or match.record == FRONT_PAGE_RECORD
    seated = next_game if begins_anew else match
    swapped = replace(
        seated, x=seated.o, o=seated.x, result_counts=seated.result_counts[::-1]
    )
    pause_url, resume_url = _build_pause_urls(state, match, build_url)
    return {
        "first_position_url": _build_stopped_url(match, 0, build_url) if ply else "",
        "previous_position_url": _build_stopped_url(match, ply - 1, build_url)
        if ply
        else "",
        "next_position_url": next_url,
        "last_position_url": last_url,
        "reply_url": reply_url,
        "hint_url": hint_url,
        "take_back_url": _build_take_back_url(match, build_url),
        "new_game_url": build_url(next_game),
        "swap_url": build_url(swapped),
        "pause_url": pause_url,
        "resume_url": resume_url,
        "take_over_url": build_url(replace_player_by_person(state)),
    }


def _build_stopped_url(
    match: Match, ply: int, build_url: Callable[[Match], str]
) -> str:
    is_paused = match.is_paused or match.is_watched or match.replays_record
    return build_url(replace(match, is_paused=is_paused).show_ply(ply))


def _build_pause_urls(
    state: MatchState, match: Match, build_url: Callable[[Match], str]
) -> tuple[str, str]:
    is_replay = (match.replays_record or match.is_watched) and not match.is_at_end
    # While the training is replayed, the game waits.
    is_waiting = match.is_paused or (state.match.plays_training and not state.is_over)
    can_move = is_replay or not (match.is_human(X) and match.is_human(O))
    if state.is_over and not is_replay:
        can_move = match.is_watched and not match.replays_record
    if not can_move:
        return "", ""
    if (match.is_at_end or is_replay) and not is_waiting:
        return build_url(replace(match, is_paused=True)), ""
    onward = match if is_replay else match.show_ply(len(match.record))
    return "", build_url(replace(onward, is_paused=False))


class AutomaticStep(NamedTuple):
    """A request that the page sends by itself after a delay, such as for an agent's move."""

    url: str
    delay_seconds: float
    # "" if there is nothing to stop, because the step does not repeat
    stop_control_id: str = ""

    @property
    def id(self) -> str:
        # htmx morphs an element with an old id, which would keep its old timer and its old URL.
        return f"auto-{crc32(f'{self.delay_seconds:g} {self.url}'.encode()):x}"

    @property
    def rounded_seconds(self) -> int:
        return ceil(self.delay_seconds)


def plan_automatic_step(
    state: MatchState, url_builders: MatchUrlBuilders = PAGE_URL_BUILDERS
) -> AutomaticStep | None:
    """Return the next request that the page sends by itself, None if it waits for the visitor."""
    match = state.match
    if is_replay_running(match):
        return AutomaticStep(
            url_builders.build_match_url(
                replace(match.show_ply(len(match.shown_record) + 1), is_paused=False)
            ),
            match.move_delay,
            "pause",
        )
    if match.plays_training and not state.is_over:
        return AutomaticStep(
            url_builders.build_match_url(show_next_snapshot(state)),
            SNAPSHOT_SECONDS,
            "train",
        )
    if is_reply_pending(state):
        if match.is_watched:
            return AutomaticStep(
                url_builders.build_reply_url(match), match.move_delay, "pause"
            )
        return AutomaticStep(url_builders.build_reply_url(match), REPLY_SECONDS, "")
    if is_next_game_due(state):
        return AutomaticStep(
            url_builders.build_match_url(start_next_game(state)),
            max(match.move_delay, MIN_GAME_PAUSE_SECONDS),
            "pause",
        )
    return None


def is_replay_running(match: Match) -> bool:
    return (match.replays_record or match.is_watched) and not (
        match.is_at_end or match.is_paused or match.plays_training
    )


def is_next_game_due(state: MatchState) -> bool:
    match = state.match
    is_going_on = match.is_watched and not (match.is_paused or match.replays_record)
    return state.is_over and match.is_at_end and is_going_on


def is_reply_automatic(state: MatchState) -> bool:
    """Return whether an agent will answer the next move at once."""
    match = state.match
    return not (
        state.is_over or match.is_paused or match.is_human(-match.player_to_move)
    )


def start_next_game(state: MatchState) -> Match:
    """Return the match at the start of a new game; the result of a finished game is counted."""
    match = replace(state.match, is_paused=False)
    return (
        match.follow_record("", result_counts=count_results(state))
        if state.is_over
        else match.follow_record("")
    )


def count_results(state: MatchState) -> tuple[int, int, int]:
    """Return how many games X won, were drawn, and O won, with this game if it is over.

    A replay of a finished game does not count.
    """
    wins, draws, losses = state.match.result_counts
    end = state.positions[-1]
    if state.match.replays_record or not GAME.is_over(end):
        return wins, draws, losses
    result = GAME.get_result(end)
    return (
        min(wins + (result == 1), MAX_COUNTED_GAMES),
        min(draws + (result == 0), MAX_COUNTED_GAMES),
        min(losses + (result == -1), MAX_COUNTED_GAMES),
    )


def replace_player_by_person(state: MatchState) -> Match:
    """Return the match after a person has taken over for the player to move.

    If the game is over, a new one begins.
    """
    match = state.match
    record = "" if state.is_over else match.shown_record
    if match.is_watched:
        seat = "x" if get_mover(len(record)) == X else "o"
        match = replace(match, epsilon=0.0, result_counts=(0, 0, 0), **{seat: HUMAN})
    return replace(match.follow_record(record), is_paused=False)


def list_speeds(delay: float) -> list[tuple[float, str]]:
    """Return (delay, title) of each speed to choose, and of the present delay in seconds."""
    speeds = SPEED_NAMES | {
        delay: SPEED_NAMES.get(delay, f"{localize_number(f'{delay:g}')} s")
    }
    return [(each, gettext(speeds[each])) for each in sorted(speeds, reverse=True)]


def compute_reply_chances(state: MatchState) -> FloatArray:
    """Return the probability, [cells], of each move of the player to move.

    If this is a person, they are the probabilities of the agent shown on the board.
    """
    site = state.site
    match = state.match
    position = state.position
    if match.is_human(match.player_to_move):
        return evaluate_match(state).policy
    player = match.player_to_move
    chances = compute_play_chances(
        site, position, match.get_player_name(player), match.get_player_snapshot(player)
    )
    return mix_policies(chances, site.policies["random"][position], match.epsilon)


def play_random_reply(state: MatchState) -> MatchState:
    """Make a move of the player to move, at random by its policy; raises Conflict after the end."""
    if state.is_over:
        ply = len(state.match.shown_record)
        words = gettext_noop(
            "The game is over after %(plies)s moves, so no player can move."
        )
        raise Conflict(gettext(words, plies=ply))
    chances = compute_reply_chances(state)
    return state.follow_move(
        current_app.extensions["random"].choices(range(len(chances)), chances)[0]
    )


def build_snapshot_slider(state: MatchState, value_source: str) -> Variables | None:
    """Return the slider through an agent's training, None for values without a training."""
    match = state.match
    site = state.site
    if not site.agents.contains_name(value_source):
        return None
    start = replace(
        match,
        value_source=value_source,
        snapshot=match.snapshot or 0,
        plays_training=True,
        shows_hint=False,
    )
    marks, curve = _describe_training(site, value_source)
    toggled = replace(match, plays_training=False) if match.plays_training else start
    return {
        "value_source": value_source,
        "title": site.display_titles[value_source],
        "algorithm_url": how_url(site.agents[value_source].card.algorithm),
        "snapshot_labels": marks,
        # the number of blunders over the snapshots, for an SVG polyline
        "curve_points": curve,
        "snapshot": site.resolve_snapshot(value_source, match.snapshot),
        "last_snapshot": len(marks) - 1,
        "is_running": match.plays_training,
        "toggle_url": play_url(toggled),
    }


def show_next_snapshot(state: MatchState) -> Match:
    """Return the match with the next snapshot's values; the training stops at the last one."""
    match = state.match
    step = (match.snapshot or 0) + 1
    if step < state.site.get_last_snapshot(match.value_source):
        return replace(match, snapshot=step)
    return replace(match, snapshot=None, plays_training=False)


def _build_take_back_url(match: Match, build_url: Callable[[Match], str]) -> str:
    if match.is_watched:
        return ""
    plies = 1 if match.is_human(-match.player_to_move) else 2
    if len(match.shown_record) < plies:
        return ""
    return build_url(match.follow_record(undo_moves(match.shown_record, plies)))


@cached_per_site(64, per_language=True)
def _describe_training(site: SiteData, agent_name: str) -> tuple[tuple[str, ...], str]:
    figures = site.agents[agent_name].card.figures
    marks = tuple(
        gettext("after %(updates)s", updates=format_updates(number))
        for number in figures.snapshot_updates
    )
    across = 100 / max(1, len(marks) - 1)
    most = max(*figures.blunders, 1)
    curve = " ".join(
        f"{step * across:.3g},{CURVE_HEIGHT * (1 - number / most):.3g}"
        for step, number in enumerate(figures.blunders)
    )
    return marks, curve
