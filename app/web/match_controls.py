"""The controls of a match: the URL of each button, and the automatic step."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np
from flask import current_app
from msgspec.structs import replace
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict

from app.tictactoe.game import O, X
from app.tictactoe.notation import undo_moves
from app.tictactoe.policy import mix_policies
from app.web import urls
from app.web.formatting import format_updates
from app.web.match import MAX_TALLY, Match, MatchState
from app.web.move_values import compute_play_chances, evaluate_match, is_reply_pending
from app.web.site_data import SiteData, cached_per_site
from app.web.translation import gettext, gettext_noop
from app.web.urls import Routes

REPLY_DELAY = 0.4  # seconds before an agent answers a person
SNAPSHOT_DELAY = 0.7  # seconds for each snapshot of a training
OFFERED_DELAYS = (0.25, 0.5, 1.0, 2.0, 5.0)  # seconds a move between two agents
GAME_DELAY = 2.0  # least seconds before the next game starts
CURVE_HEIGHT = 20  # height of the curve behind the slider; its width is 100


@dataclass(frozen=True)
class Controls:
    """The URL of each control of a match, "" for a control that is disabled now."""

    state: MatchState
    routes: Routes = urls.ON_PAGE

    @property
    def reply(self) -> str:
        """A move by the agent in the seat, or by the value source for a person."""
        if self.state.over:
            return ""
        return self.routes.reply(self._match.go(self._match.shown))

    @property
    def hint(self) -> str:
        """A hint, only on a person's turn against an agent."""
        match = self._match
        is_asked = match.is_human(match.to_move) and not match.is_human(-match.to_move)
        if not is_asked or self.state.over or self.state.match.hint:
            return ""
        return self.routes.show(replace(match, hint=True, replay=False))

    @property
    def take_back(self) -> str:
        """The position before a person's last move."""
        return _build_take_back_url(self._match, self.routes.show)

    @property
    def new_game(self) -> str:
        """The next game with these players."""
        return self.routes.show(start_next_game(self.state))

    @property
    def swap(self) -> str:
        """The match with X and O swapped; a finished game is followed by the next game."""
        match = start_next_game(self.state) if self.state.over else self._match
        swapped = replace(match, x=match.o, o=match.x, tally=match.tally[::-1])
        return self.routes.show(swapped)

    @property
    def first(self) -> str:
        """The empty board."""
        return self._build_halt_url(0) if self._match.shown else ""

    @property
    def back(self) -> str:
        """The position before the last move shown."""
        return (
            self._build_halt_url(len(self._match.shown) - 1)
            if self._match.shown
            else ""
        )

    @property
    def step(self) -> str:
        """The next position of the record, or an agent's move at the end of the record."""
        match = self._match
        if not match.at_end:
            return self._build_halt_url(len(match.shown) + 1)
        return "" if match.is_human(match.to_move) else self.reply

    @property
    def last(self) -> str:
        """The end of the record."""
        match = self._match
        return "" if match.at_end else self.routes.show(match.at(len(match.record)))

    @property
    def pause(self) -> str:
        """The paused match, "" while it is paused or nothing moves automatically."""
        if not self._can_move or not self._moves_automatically:
            return ""
        return self.routes.show(replace(self._match, pause=True))

    @property
    def play(self) -> str:
        """The match that goes on, "" while it plays or nothing moves automatically."""
        if not self._can_move or self._moves_automatically:
            return ""
        match = self._match
        onward = match if self._replays else match.at(len(match.record))
        return self.routes.show(replace(onward, pause=False))

    @property
    def speed(self) -> str:
        """The match with another delay between moves, only between two agents."""
        match = self._match
        if not match.watched:
            return ""
        return self.routes.show(replace(match, delay=get_next_delay(match.delay)))

    @cached_property
    def _match(self) -> Match:
        return replace(self.state.match, train=False, hint=False)

    @property
    def _replays(self) -> bool:
        return self._match.replay and not self._match.at_end

    @property
    def _can_move(self) -> bool:
        """Whether something can move automatically, now or when the match is not paused."""
        match = self._match
        if self._replays:
            return True
        if self.state.over:
            return match.watched and match.keep
        return not (match.is_human(X) and match.is_human(O))

    @property
    def _moves_automatically(self) -> bool:
        return (self._match.at_end or self._replays) and not self._match.pause

    def _build_halt_url(self, ply: int) -> str:
        """Return the URL of another ply, where nothing moves automatically."""
        match = self._match
        halted = replace(match, pause=match.pause or match.watched or match.replay)
        return self.routes.show(halted.at(ply))


class Auto(NamedTuple):
    """The automatic step of a match, and its delay in seconds."""

    href: str
    seconds: float
    stop: str = ""  # the id of the control that stops it, if it repeats

    @property
    def whole_seconds(self) -> int:
        """The seconds, rounded up."""
        return ceil(self.seconds)


class Snapshots(NamedTuple):
    """The slider over the snapshots of an agent's training."""

    lens: str
    title: str
    how: str  # URL of the page on its algorithm
    marks: tuple[str, ...]  # label of each snapshot
    curve: str  # points of an SVG line: blunders at each snapshot
    step: int  # the snapshot shown
    running: bool  # whether the training is replayed
    toggle: str  # URL that starts or stops the replay

    @property
    def last(self) -> int:
        """The last step, the agent as shipped."""
        return len(self.marks) - 1


def plan_automatic_step(
    state: MatchState, routes: Routes = urls.ON_PAGE
) -> Auto | None:
    """Return the automatic step: the next snapshot, an agent's move, or the next game."""
    match = state.match
    if is_replay_running(match):
        return Auto(routes.show(match.at(len(match.shown) + 1)), match.delay, "pause")
    if match.train and not state.over:
        return Auto(routes.show(get_next_snapshot(state)), SNAPSHOT_DELAY, "train")
    if is_reply_pending(state):
        seconds, stop = (match.delay, "pause") if match.watched else (REPLY_DELAY, "")
        return Auto(routes.reply(match), seconds, stop)
    if is_next_game_due(state):
        return Auto(
            routes.show(start_next_game(state)), max(match.delay, GAME_DELAY), "pause"
        )
    return None


def is_replay_running(match: Match) -> bool:
    """Return whether the next move of a replayed record follows by itself."""
    return match.replay and not (match.at_end or match.pause or match.train)


def is_next_game_due(state: MatchState) -> bool:
    """Return whether agents have finished a game and start the next game."""
    match = state.match
    is_going_on = match.watched and match.keep and not match.pause
    return state.over and match.at_end and is_going_on


def is_answered(state: MatchState) -> bool:
    """Return whether an agent answers a move in the position shown at once."""
    match = state.match
    return not (state.over or match.pause or match.is_human(-match.to_move))


def start_next_game(state: MatchState) -> Match:
    """Return the match at the start of another game; a finished game is counted.

    It never begins paused.
    """
    match = replace(state.match, pause=False)
    return match.go("", tally=count_results(state)) if state.over else match.go("")


def count_results(state: MatchState) -> tuple[int, int, int]:
    """Return the games that X won, that were drawn and that O won, with this game if it is over.

    A replay of a finished game is not counted.
    """
    wins, draws, losses = state.match.tally
    end = state.positions[-1]
    if state.match.replay or not state.site.game.is_over(end):
        return wins, draws, losses
    result = state.site.game.result(end)
    counts = (wins + (result == 1), draws + (result == 0), losses + (result == -1))
    return tuple(min(count, MAX_TALLY) for count in counts)  # type: ignore[return-value]


def get_next_delay(delay: float) -> float:
    """Return the next shorter of the delays offered, after the shortest the longest."""
    shorter = [offered for offered in OFFERED_DELAYS if offered < delay]
    return max(shorter, default=OFFERED_DELAYS[-1])


def compute_reply_chances(state: MatchState) -> NDArray[np.float64]:
    """Return the probability of each cell, [cells], to be the next move of the player to move.

    For a person it is the move of the value source that colours the board, at its snapshot.
    """
    site = state.site
    match = state.match
    position = state.position
    if match.is_human(match.to_move):
        return evaluate_match(state).policy
    player = match.to_move
    chances = compute_play_chances(
        site, position, match.seat(player), match.seat_step(player)
    )
    return mix_policies(chances, site.policies["random"][position], match.epsilon)


def draw_reply(state: MatchState) -> MatchState:
    """Draw a move for the player to move, and return the state of the match after the move.

    Raises Conflict if the game is over.
    """
    if state.over:
        ply = len(state.match.shown)
        words = gettext_noop("The game is over after %(plies)s moves: no player moves.")
        raise Conflict(gettext(words, plies=ply))
    chances = compute_reply_chances(state)
    return state.play(
        current_app.extensions["random"].choices(range(len(chances)), chances)[0]
    )


def build_snapshots(state: MatchState, name: str) -> Snapshots | None:
    """Return the snapshots of a value source; None for a source without a training.

    A replay starts at the snapshot shown, and from the last snapshot at the first.
    """
    match = state.match
    site = state.site
    if not site.agents.knows(name):
        return None
    start = replace(match, lens=name, step=match.step or 0, train=True, hint=False)
    marks, curve = _describe_training(site, name)
    return Snapshots(
        lens=name,
        title=site.titles[name],
        how=urls.how(site.agents[name].card.algorithm),
        marks=marks,
        curve=curve,
        step=site.resolve_step(name, match.step),
        running=match.train,
        toggle=urls.play(replace(match, train=False) if match.train else start),
    )


def get_next_snapshot(state: MatchState) -> Match:
    """Return the match at the next snapshot; the last snapshot is the agent as shipped."""
    match = state.match
    step = (match.step or 0) + 1
    if step < state.site.get_last_step(match.lens):
        return replace(match, step=step)
    return replace(match, step=None, train=False)


def _build_take_back_url(match: Match, show: Callable[[Match], str]) -> str:
    """Return the URL that takes back a person's last move and the agent's answer to it."""
    if match.watched:
        return ""
    plies = 1 if match.is_human(-match.to_move) else 2
    if len(match.shown) < plies:
        return ""
    return show(match.go(undo_moves(match.shown, plies)))


@cached_per_site(64, per_language=True)
def _describe_training(site: SiteData, name: str) -> tuple[tuple[str, ...], str]:
    """Return a label for each snapshot of an agent, and the points of its curve of blunders."""
    figures = site.agents[name].card.figures
    *during, end = figures.updates
    marks = (
        *(
            gettext("after %(updates)s", updates=format_updates(number))
            for number in during
        ),
        gettext("trained: %(updates)s", updates=format_updates(end)),
    )
    across = 100 / max(1, len(during))
    most = max(*figures.blunders, 1)
    curve = " ".join(
        f"{step * across:.3g},{CURVE_HEIGHT * (1 - number / most):.3g}"
        for step, number in enumerate(figures.blunders)
    )
    return marks, curve
