"""Where the controls under the board lead; "" for a control that can do nothing now."""

from dataclasses import replace
from typing import NamedTuple

from app.tictactoe.game import O, X
from app.web.match import REPLY, Match, build
from app.web.players import Players

REPLY_DELAY = 0.4  # seconds until an agent answers a person
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
    """What happens by itself, and after how long."""

    href: str
    delay: int  # milliseconds


def links(match: Match, players: Players, position: int) -> Links:
    """Return the address behind every control of a match at this position."""
    ply, over = len(match.shown), position >= players.game.decisions
    halted = replace(match, pause=match.pause or watched(match))
    reply = "" if over else build(match.go(match.shown), REPLY)
    has_agent = not (match.is_human(X) and match.is_human(O))
    agent_reply = "" if match.is_human(match.to_move) else reply
    going = match.at_end and not match.pause
    return Links(
        reply=reply,
        take_back=_take_back(match),
        new_game=build(next_game(match, players, position)),
        swap=build(replace(match, x=match.o, o=match.x, tally=(0, 0, 0))),
        first=build(at_ply(halted, 0)) if ply else "",
        back=build(at_ply(halted, ply - 1)) if ply else "",
        pause=build(replace(match, pause=True)) if has_agent and going else "",
        play=build(replace(match, ply=None, pause=False)) if has_agent and not going else "",
        step=build(at_ply(halted, ply + 1)) if not match.at_end else agent_reply,
        last=build(replace(match, ply=None)) if not match.at_end else "",
    )


def auto(match: Match, players: Players, position: int) -> Auto | None:
    """Return what the page does by itself: an agent's move, or the next game."""
    if match.pause or not match.at_end:
        return None
    if position < players.game.decisions:
        if match.is_human(match.to_move):
            return None
        delay = match.delay if watched(match) else REPLY_DELAY
        return Auto(build(match, REPLY), round(1000 * delay))
    if watched(match) and match.keep:
        after = build(next_game(match, players, position))
        return Auto(after, round(1000 * max(match.delay, GAME_DELAY)))
    return None


def watched(match: Match) -> bool:
    """Whether nobody human plays."""
    return not (match.is_human(X) or match.is_human(O))


def next_game(match: Match, players: Players, position: int) -> Match:
    """Return the match at the start of another game; where they go on, this one is counted."""
    over = position - players.game.decisions
    if over < 0 or not match.keep:
        return match.go("")
    result = 1 - int(players.game.outcome[over])  # 0 X won, 1 draw, 2 O won
    return match.go("", tally=tuple(n + (i == result) for i, n in enumerate(match.tally)))


def at_ply(match: Match, ply: int) -> Match:
    """Return the match shown at another ply of its record."""
    return replace(match, ply=ply if ply < len(match.record) else None)


def _take_back(match: Match) -> str:
    """Undo up to the last choice of a person: with an agent's answer, if it has come."""
    if watched(match):
        return ""
    plies = 1 if match.is_human(-match.to_move) else 2
    if len(match.shown) < plies:
        return ""
    return build(match.go(match.shown[: len(match.shown) - plies]))
