"""Where the controls under the board lead; "" for a control that can do nothing now."""

from dataclasses import replace
from math import ceil
from typing import NamedTuple

from app.tictactoe.game import O, X
from app.web.match import MAX_TALLY, REPLY, Match, build
from app.web.play.snapshots import next_snapshot
from app.web.players import Players

REPLY_DELAY = 0.4  # seconds until an agent answers a person
SNAPSHOT_DELAY = 0.7  # seconds that a snapshot of the training is shown
GAME_DELAY = 2.0  # seconds at least that a finished game stays before the next


class Links(NamedTuple):
    """One address a control."""

    reply: str  # one move by the agent in the seat, or by the lens in a person's place
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
    """What happens by itself, and after how many seconds."""

    href: str
    seconds: float
    stop: str = ""  # the control that stops it, where it goes on and on

    @property
    def whole_seconds(self) -> int:
        """The same where parts of a second do not count."""
        return ceil(self.seconds)


def links(match: Match, players: Players, position: int) -> Links:
    """Return the address behind every control of a match at this position."""
    match = replace(match, train=False)
    ply, over = len(match.shown), players.game.is_over(position)
    halted = replace(match, pause=match.pause or match.watched)
    reply = "" if over else build(match.go(match.shown), REPLY)
    agent_reply = "" if match.is_human(match.to_move) else reply
    # Where nothing would ever move by itself there is nothing to pause.
    moving = match.watched and match.keep if over else not (match.is_human(X) and match.is_human(O))
    going = match.at_end and not match.pause
    return Links(
        reply=reply,
        take_back=_take_back(match),
        new_game=build(next_game(match, players, position)),
        swap=build(replace(match, x=match.o, o=match.x, tally=(0, 0, 0))),
        first=build(halted.at(0)) if ply else "",
        back=build(halted.at(ply - 1)) if ply else "",
        pause=build(replace(match, pause=True)) if moving and going else "",
        play=build(replace(match, ply=None, pause=False)) if moving and not going else "",
        step=build(halted.at(ply + 1)) if not match.at_end else agent_reply,
        last=build(replace(match, ply=None)) if not match.at_end else "",
    )


def auto(match: Match, players: Players, position: int) -> Auto | None:
    """Return what the page does by itself: a snapshot more, an agent's move, or the next game."""
    over = players.game.is_over(position)
    if match.train and not over:
        return Auto(build(next_snapshot(match, players)), SNAPSHOT_DELAY, "train")
    if match.pause or not match.at_end:
        return None
    if over and match.watched and match.keep:
        seconds = max(match.delay, GAME_DELAY)
        return Auto(build(next_game(match, players, position)), seconds, "pause")
    if over or match.is_human(match.to_move):
        return None
    seconds, stop = (match.delay, "pause") if match.watched else (REPLY_DELAY, "")
    return Auto(build(match, REPLY), seconds, stop)


def next_game(match: Match, players: Players, position: int) -> Match:
    """Return the match at the start of another game; where they go on, this one is counted."""
    if not (match.keep and players.game.is_over(position)):
        return match.go("")
    column = 1 - players.game.result(position)  # 0 X won, 1 draw, 2 O won
    tally = [min(n + (i == column), MAX_TALLY) for i, n in enumerate(match.tally)]
    return match.go("", tally=tuple(tally))


def _take_back(match: Match) -> str:
    """Undo up to the last choice of a person: with an agent's answer, if it has come."""
    if match.watched:
        return ""
    plies = 1 if match.is_human(-match.to_move) else 2
    if len(match.shown) < plies:
        return ""
    return build(match.go(match.shown[: len(match.shown) - plies]))
