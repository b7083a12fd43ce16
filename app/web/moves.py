"""The moves of a game, each with what the lens thought before and after it."""

from typing import NamedTuple

from app.tictactoe.notation import MARKS, parse_record
from app.web.lens import match_opinion
from app.web.links import at_ply
from app.web.match import Match, build
from app.web.players import Players
from app.web.words import place


class Move(NamedTuple):
    """One ply; values are the mover's view."""

    ply: int
    mark: str
    place: str
    href: str
    shown: bool  # whether the board shows the position after it
    before: str = ""  # the value of the best move there was
    after: str = ""  # the value of the move played


def moves(match: Match, players: Players, positions: list[int]) -> list[Move]:
    """List the whole record; `positions` are those it passes through, the empty board first."""
    listed = []
    played = parse_record(players.game, match.record)
    for ply, (position, cell) in enumerate(zip(positions, played, strict=False), 1):
        move = Move(
            ply=ply,
            mark=MARKS[int(players.game.to_move[position])],
            place=place(players, cell),
            href=build(at_ply(match, ply)),
            shown=ply == len(match.shown),
        )
        if not match.hide:
            seen = match_opinion(match, players, position)
            best = seen.texts[seen.best.index(True)]
            move = move._replace(before=best, after=seen.texts[cell])
        listed.append(move)
    return listed
