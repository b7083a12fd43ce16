"""The controls of a match: where each button leads, and what happens automatically."""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import numpy as np
from flask import current_app
from msgspec.structs import replace
from numpy.typing import NDArray
from werkzeug.exceptions import Conflict

from app.tictactoe.game import O, X
from app.tictactoe.notation import undo
from app.tictactoe.policy import mix
from app.web import urls
from app.web.formatting import format_updates
from app.web.match import MAX_TALLY, Match, MatchState
from app.web.move_values import evaluate_match, is_reply_pending, play_chances
from app.web.site_data import SiteData, cached_per_site
from app.web.translation import gettext
from app.web.urls import Routes

REPLY_DELAY = 0.4  # seconds before an agent answers a person
SNAPSHOT_DELAY = 0.7  # seconds for each snapshot of a training
GAME_DELAY = 2.0  # least seconds before the next game starts
CURVE_HEIGHT = 20  # height of the curve behind the slider; its width is 100


class Controls(NamedTuple):
    """The URL of each control, "" for a control that is disabled now."""

    reply: str  # a move by the agent in the seat, or by the value source for a person
    hint: str  # only on a person's turn against an agent
    take_back: str
    new_game: str
    swap: str
    first: str
    back: str
    pause: str  # "" while paused
    play: str  # "" while playing
    step: str
    last: str


class Auto(NamedTuple):
    """What happens automatically, and after how many seconds."""

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
    running: bool  # whether the page shows one after the other
    toggle: str  # URL that starts or stops the replay

    @property
    def last(self) -> int:
        """The last step, the agent as shipped."""
        return len(self.marks) - 1


def build_controls(state: MatchState, routes: Routes = urls.ON_PAGE) -> Controls:
    """Return the URL behind each control of a match."""
    match, over = replace(state.match, train=False, hint=False), state.over
    ply, replays = len(match.shown), match.replay and not match.at_end
    halted = replace(match, pause=match.pause or match.watched or match.replay)
    reply = "" if over else routes.reply(match.go(match.shown))
    agent_reply = "" if match.is_human(match.to_move) else reply
    # Pause is offered only if something can move automatically.
    moving = (
        match.watched and match.keep
        if over
        else not (match.is_human(X) and match.is_human(O))
    )
    moving = moving or replays
    going = (match.at_end or replays) and not match.pause
    onward = match if replays else match.at(len(match.record))
    asks = (
        match.is_human(match.to_move)
        and not match.is_human(-match.to_move)
        and not over
    )
    show, begun = routes.show, start_next_game(state) if over else match
    return Controls(
        reply=reply,
        hint=show(replace(match, hint=True, replay=False))
        if asks and not state.match.hint
        else "",
        take_back=_take_back_url(match, show),
        new_game=show(start_next_game(state)),
        swap=show(replace(begun, x=begun.o, o=begun.x, tally=begun.tally[::-1])),
        first=show(halted.at(0)) if ply else "",
        back=show(halted.at(ply - 1)) if ply else "",
        pause=show(replace(match, pause=True)) if moving and going else "",
        play=show(replace(onward, pause=False)) if moving and not going else "",
        step=show(halted.at(ply + 1)) if not match.at_end else agent_reply,
        last=show(match.at(len(match.record))) if not match.at_end else "",
    )


def plan_automatic_step(
    state: MatchState, routes: Routes = urls.ON_PAGE
) -> Auto | None:
    """Return what happens by itself: a snapshot more, an agent's move, or the next game."""
    match = state.match
    if match.replay and not (match.at_end or match.pause or match.train):
        return Auto(routes.show(match.at(len(match.shown) + 1)), match.delay, "pause")
    if match.train and not state.over:
        return Auto(routes.show(next_snapshot(state)), SNAPSHOT_DELAY, "train")
    if is_reply_pending(state):
        seconds, stop = (match.delay, "pause") if match.watched else (REPLY_DELAY, "")
        return Auto(routes.reply(match), seconds, stop)
    if state.over and match.at_end and not match.pause and match.watched and match.keep:
        return Auto(
            routes.show(start_next_game(state)), max(match.delay, GAME_DELAY), "pause"
        )
    return None


def is_answered(state: MatchState) -> bool:
    """Whether an agent answers at once to a move that is made where a match stands."""
    match = state.match
    return not (state.over or match.pause or match.is_human(-match.to_move))


def start_next_game(state: MatchState) -> Match:
    """Return the match at the start of another game; one that is over is counted.

    It never begins paused.
    """
    match = replace(state.match, pause=False)
    if not state.over:
        return match.go("")
    column = 1 - state.site.game.result(state.position)  # 0 X won, 1 draw, 2 O won
    tally = [min(n + (i == column), MAX_TALLY) for i, n in enumerate(match.tally)]
    return match.go("", tally=tuple(tally))


def reply_chances(state: MatchState) -> NDArray[np.float64]:
    """Return the probability of each cell, [cells], to be the next move of the player to move.

    For a person it is the move of the value source that colours the board, at its snapshot.
    """
    site, match, position = state.site, state.match, state.position
    if match.is_human(match.to_move):
        return evaluate_match(state).policy
    player = match.to_move
    chances = play_chances(site, position, match.seat(player), match.seat_step(player))
    return mix(chances, site.policies["random"][position], match.epsilon)


def draw_reply(state: MatchState) -> MatchState:
    """Draw one move for the player to move, and return where the match stands after it.

    Raises Conflict if the game is over.
    """
    if state.over:
        ply = len(state.match.shown)
        raise Conflict(f"The game is over after {ply} moves: no player is to move.")
    chances = reply_chances(state)
    return state.play(
        current_app.extensions["random"].choices(range(len(chances)), chances)[0]
    )


def build_snapshots(state: MatchState, name: str) -> Snapshots | None:
    """Return the snapshots of the lens that a match shows; None for one that never learned.

    Running through them begins where the slider is, from its end at the untouched table.
    """
    match, site = state.match, state.site
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


def next_snapshot(state: MatchState) -> Match:
    """Return the match one snapshot of its lens later; the last one is the agent as it is."""
    match = state.match
    step = (match.step or 0) + 1
    if step < state.site.last_step(match.lens):
        return replace(match, step=step)
    return replace(match, step=None, train=False)


def _take_back_url(match: Match, show: Callable[[Match], str]) -> str:
    """Return the URL that takes back a person's last move and the agent's answer to it."""
    if match.watched:
        return ""
    plies = 1 if match.is_human(-match.to_move) else 2
    if len(match.shown) < plies:
        return ""
    return show(match.go(undo(match.shown, plies)))


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
    across, most = 100 / max(1, len(during)), max(*figures.blunders, 1)
    curve = " ".join(
        f"{step * across:.3g},{CURVE_HEIGHT * (1 - number / most):.3g}"
        for step, number in enumerate(figures.blunders)
    )
    return marks, curve
