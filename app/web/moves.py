"""The moves of a game: what the lens expected of each, and what it really did to the game."""

from typing import NamedTuple

from app.tictactoe.notation import MARKS, parse_record
from app.web.lens import HEAT_STEPS, in_truth, match_opinion, opinion
from app.web.match import Match, build
from app.web.players import TRUTH, Players
from app.web.words import place


class Move(NamedTuple):
    """One ply."""

    ply: int
    mark: str
    place: str
    href: str
    shown: bool  # whether the board shows the position after it
    text: str  # what the lens expected of it, in the mover's view; "" where it never tried
    said: str  # what is exactly true, for the mover: "draw", "win in 3 became a draw"
    blunder: bool  # whether it gave away the value of the game
    truth: int  # the value after it in X's view, -1, 0 or +1
    expected: float | None  # what the lens expected, in X's view from -1 to +1


def moves(match: Match, players: Players, positions: list[int]) -> list[Move]:
    """List the whole record; `positions` are those it passes through, the empty board first."""
    listed = []
    played = parse_record(players.game, match.record)
    for ply, (position, cell) in enumerate(zip(positions, played, strict=False), 1):
        to_move = int(players.game.to_move[position])
        seen, truth = match_opinion(match, players, position), opinion(players, position, TRUTH)
        before, after = in_truth(players, position), truth.truths[cell]
        listed.append(
            Move(
                ply=ply,
                mark=MARKS[to_move],
                place=place(players, cell),
                href=build(match.at(ply)),
                shown=ply == len(match.shown),
                text=seen.texts[cell],
                said=after if after == before else f"{before} became a {after}",
                blunder=not players.right[position, cell],
                truth=to_move * int(truth.values[cell]),
                expected=to_move * seen.heat[cell] / HEAT_STEPS if seen.texts[cell] else None,
            )
        )
    return listed
