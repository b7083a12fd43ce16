"""The controls of a match: the URL of each button, and the next automatic step."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import NamedTuple
from zlib import crc32

import numpy as np
from flask import current_app
from msgspec.structs import replace
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict

from app.tictactoe.game import O, X
from app.tictactoe.notation import undo_moves
from app.tictactoe.policy import mix_policies
from app.web.formatting import format_updates
from app.web.links.how import how_url
from app.web.links.play import PAGE_ROUTES, MatchRoutes, play_url
from app.web.match import MAX_COUNTED_GAMES, Match, MatchState
from app.web.move_values import compute_play_chances, evaluate_match, is_reply_pending
from app.web.site_data import SiteData, cached_per_site
from app.web.translation import gettext, gettext_noop

REPLY_DELAY = 0.4  # seconds before an agent answers a person
SNAPSHOT_DELAY = 0.7  # seconds for each snapshot of a training
# delays of a move in seconds, for games between two agents
DELAY_CHOICES = (0.25, 0.5, 1.0, 2.0, 5.0)
GAME_DELAY = 2.0  # minimum number of seconds before the next game starts
CURVE_HEIGHT = 20  # height of the curve behind the slider; its width is 100


@dataclass(frozen=True)
class Controls:
    """The URL of each control of a match, "" for a control that is disabled now."""

    state: MatchState
    routes: MatchRoutes = PAGE_ROUTES

    @property
    def reply_url(self) -> str:
        """The URL of a move by the agent whose turn it is, or by the value source for a person."""
        if self.state.is_over:
            return ""
        return self.routes.build_reply_url(
            self._match.follow_record(self._match.shown_record)
        )

    @property
    def hint_url(self) -> str:
        """The URL of a hint, only on a person's turn."""
        match = self._match
        is_asked = match.is_human(match.player_to_move)
        if not is_asked or self.state.is_over or self.state.match.shows_hint:
            return ""
        return self.routes.build_match_url(
            replace(match, shows_hint=True, replays_record=False)
        )

    @property
    def take_back_url(self) -> str:
        """The URL of the position before a person's last move."""
        return _build_take_back_url(self._match, self.routes.build_match_url)

    @property
    def new_game_url(self) -> str:
        """The URL of the next game with these players."""
        return self.routes.build_match_url(start_next_game(self.state))

    @property
    def swap_url(self) -> str:
        """The URL of the match with the players swapped; after a finished game, of the next game."""
        match = start_next_game(self.state) if self.state.is_over else self._match
        swapped = replace(
            match, x=match.o, o=match.x, result_counts=match.result_counts[::-1]
        )
        return self.routes.build_match_url(swapped)

    @property
    def first_position_url(self) -> str:
        """The URL of the empty board at the start of the game."""
        return self._build_halt_url(0) if self._match.shown_record else ""

    @property
    def previous_position_url(self) -> str:
        """The URL of the position before the last move shown."""
        return (
            self._build_halt_url(len(self._match.shown_record) - 1)
            if self._match.shown_record
            else ""
        )

    @property
    def next_position_url(self) -> str:
        """The URL of the next position of the record; at its end, of an agent's move."""
        match = self._match
        if not match.is_at_end:
            return self._build_halt_url(len(match.shown_record) + 1)
        return "" if match.is_human(match.player_to_move) else self.reply_url

    @property
    def last_position_url(self) -> str:
        match = self._match
        return (
            ""
            if match.is_at_end
            else self.routes.build_match_url(match.show_ply(len(match.record)))
        )

    @property
    def pause_url(self) -> str:
        """The URL that pauses automatic moves, "" if it is paused or nothing moves automatically."""
        if not self._can_move_automatically or not self._moves_automatically:
            return ""
        return self.routes.build_match_url(replace(self._match, is_paused=True))

    @property
    def resume_url(self) -> str:
        """The URL that resumes automatic moves, "" if the match is not paused or has none."""
        if not self._can_move_automatically or self._moves_automatically:
            return ""
        match = self._match
        onward = (
            match if self._is_replaying_record else match.show_ply(len(match.record))
        )
        return self.routes.build_match_url(replace(onward, is_paused=False))

    @property
    def speed_url(self) -> str:
        """The URL of the match with another delay between moves."""
        match = self._match
        return self.routes.build_match_url(
            replace(match, move_delay=get_next_delay(match.move_delay))
        )

    @property
    def is_watching(self) -> bool:
        """Whether moves are shown one by one, of a game between agents or of a replay."""
        return self._match.is_watched or self._match.replays_record

    @cached_property
    def _match(self) -> Match:
        return replace(self.state.match, plays_training=False, shows_hint=False)

    @property
    def _is_replaying_record(self) -> bool:
        return self._match.replays_record and not self._match.is_at_end

    @property
    def _can_move_automatically(self) -> bool:
        """Whether the match has automatic moves, even if they are paused now."""
        match = self._match
        if self._is_replaying_record:
            return True
        if self.state.is_over:
            return match.is_watched and not match.replays_record
        return not (match.is_human(X) and match.is_human(O))

    @property
    def _moves_automatically(self) -> bool:
        return (
            self._match.is_at_end or self._is_replaying_record
        ) and not self._match.is_paused

    def _build_halt_url(self, ply: int) -> str:
        match = self._match
        halted = replace(
            match, is_paused=match.is_paused or match.is_watched or match.replays_record
        )
        return self.routes.build_match_url(halted.show_ply(ply))


class AutomaticStep(NamedTuple):
    """A request that the page sends automatically after a delay, such as an agent's move."""

    url: str
    delay_seconds: float
    # id of the control that stops the step; "" if the step does not repeat
    stop_control_id: str = ""

    @property
    def id(self) -> str:
        """An id that changes with the URL and the delay.

        A morphing swap keeps an element with the same id, and with it its old timer and URL.
        """
        return f"auto-{crc32(f'{self.delay_seconds:g} {self.url}'.encode()):x}"

    @property
    def rounded_seconds(self) -> int:
        """The delay in whole seconds, rounded up."""
        return ceil(self.delay_seconds)


class SnapshotSlider(NamedTuple):
    """The slider for choosing a snapshot of an agent's training."""

    value_source: str
    title: str
    algorithm_url: str  # URL of the page on its algorithm
    snapshot_labels: tuple[str, ...]  # label of each snapshot
    curve_points: str  # points of an SVG line: blunders at each snapshot
    snapshot: int  # the snapshot shown
    is_running: bool  # whether the training is replayed
    toggle_url: str  # URL that starts or stops the replay

    @property
    def last_snapshot(self) -> int:
        """The number of the last snapshot, which is the agent as shipped."""
        return len(self.snapshot_labels) - 1


def plan_automatic_step(
    state: MatchState, routes: MatchRoutes = PAGE_ROUTES
) -> AutomaticStep | None:
    """Return the next automatic step: a snapshot, an agent's move or the next game; None without."""
    match = state.match
    if is_replay_running(match):
        return AutomaticStep(
            routes.build_match_url(match.show_ply(len(match.shown_record) + 1)),
            match.move_delay,
            "pause",
        )
    if match.plays_training and not state.is_over:
        return AutomaticStep(
            routes.build_match_url(show_next_snapshot(state)), SNAPSHOT_DELAY, "train"
        )
    if is_reply_pending(state):
        if match.is_watched:
            return AutomaticStep(
                routes.build_reply_url(match), match.move_delay, "pause"
            )
        return AutomaticStep(routes.build_reply_url(match), REPLY_DELAY, "")
    if is_next_game_due(state):
        return AutomaticStep(
            routes.build_match_url(start_next_game(state)),
            max(match.move_delay, GAME_DELAY),
            "pause",
        )
    return None


def is_replay_running(match: Match) -> bool:
    """Return whether the next move of the record will be shown automatically."""
    return match.replays_record and not (
        match.is_at_end or match.is_paused or match.plays_training
    )


def is_next_game_due(state: MatchState) -> bool:
    """Return whether two agents have finished a game and will start the next automatically."""
    match = state.match
    is_going_on = match.is_watched and not (match.is_paused or match.replays_record)
    return state.is_over and match.is_at_end and is_going_on


def is_reply_automatic(state: MatchState) -> bool:
    """Return whether an agent replies automatically to a person's move in the position shown."""
    match = state.match
    return not (
        state.is_over or match.is_paused or match.is_human(-match.player_to_move)
    )


def start_next_game(state: MatchState) -> Match:
    """Return the match at the start of another game, not paused; a finished game is counted."""
    match = replace(state.match, is_paused=False)
    return (
        match.follow_record("", result_counts=count_results(state))
        if state.is_over
        else match.follow_record("")
    )


def count_results(state: MatchState) -> tuple[int, int, int]:
    """Return the numbers of games won by X, drawn, and won by O, with this game if it is over.

    A replay of a finished game is not counted.
    """
    wins, draws, losses = state.match.result_counts
    end = state.positions[-1]
    if state.match.replays_record or not state.site.game.is_over(end):
        return wins, draws, losses
    result = state.site.game.get_result(end)
    return (
        min(wins + (result == 1), MAX_COUNTED_GAMES),
        min(draws + (result == 0), MAX_COUNTED_GAMES),
        min(losses + (result == -1), MAX_COUNTED_GAMES),
    )


def get_next_delay(delay: float) -> float:
    """Return the next shorter delay of DELAY_CHOICES; the longest follows the shortest."""
    shorter = [offered for offered in DELAY_CHOICES if offered < delay]
    return max(shorter, default=DELAY_CHOICES[-1])


def compute_reply_chances(state: MatchState) -> NDArray[np.float64]:
    """Return the probability of each cell, [cells], as the next move of the player to move.

    For a person the move is that of the board's value source, at the snapshot shown.
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
    """Draw a move for the player to move, and return the state of the match after the move.

    Raises Conflict if the game is over.
    """
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


def build_snapshot_slider(
    state: MatchState, value_source: str
) -> SnapshotSlider | None:
    """Return the slider over the training of a value source; None for a source without a training.

    A replay starts at the snapshot shown; if the last snapshot is shown, it starts at the first.
    """
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
    return SnapshotSlider(
        value_source=value_source,
        title=site.display_titles[value_source],
        algorithm_url=how_url(site.agents[value_source].card.algorithm),
        snapshot_labels=marks,
        curve_points=curve,
        snapshot=site.resolve_snapshot(value_source, match.snapshot),
        is_running=match.plays_training,
        toggle_url=play_url(
            replace(match, plays_training=False) if match.plays_training else start
        ),
    )


def show_next_snapshot(state: MatchState) -> Match:
    """Return the match at the next snapshot; the last snapshot is the agent as shipped."""
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
    """Return a label for each snapshot of an agent, and the points of its curve of blunders."""
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
