"""The moves of a game: what the lens expected of each and what it did, as a list and in words."""

from collections.abc import Sequence
from typing import NamedTuple

from app.tictactoe.game import O, X, mover_at
from app.tictactoe.notation import MARKS
from app.web import addresses
from app.web.language import gettext, marked
from app.web.lens import best_play, lens_of, opinion, outcome
from app.web.match import Place
from app.web.numbers import short_name, square_name
from app.web.world import HUMAN, World, is_moves, kept

LEVELS = {1: marked("X wins"), 0: marked("draw"), -1: marked("O wins")}


class Move(NamedTuple):
    """One ply."""

    ply: int
    mark: str
    square: str
    name: str  # the same in a word or two
    href: str
    shown: bool  # whether the board shows the position after it
    text: str  # what the lens expected of it, in the mover's view; "" where it never tried
    spoken: str  # the same in words
    heat: int | None  # the colour of what it expected, in the mover's view
    before: str  # what the position was worth to the mover with optimal play: "win in 3", "draw"
    after: str  # and what was left of that
    blunder: bool  # whether it lowered the minimax value of the game
    random: bool  # whether its agent never plays it, but for a random move
    truth: int  # the value after it in X's view, -1, 0 or +1
    expected: float | None  # what the lens expected, in X's view from -1 to +1; beads nothing


def moves(place: Place) -> list[Move]:
    """List the whole record."""
    world, match, address = place.world, place.match, addresses.plies_of(place.match)
    lenses = {player: lens_of(match, world, player) for player in (X, O)}
    listed = []
    for ply, (position, cell) in enumerate(zip(place.positions, place.cells, strict=False), 1):
        lens = lenses[mover_at(ply - 1)]
        judge = _judge if is_moves(lens) else _judged  # long names are not kept
        move = judge(world, position, ply, cell, lens, match.step, match.own)
        random = is_random(place, position, cell)
        listed.append(
            move._replace(href=address(ply), shown=ply == len(match.shown), random=random)
        )
    return listed


def is_random(place: Place, position: int, cell: int) -> bool:
    """Whether a move of an agent was surely drawn at random: its own policy never plays it."""
    match = place.match
    seat = match.seat(int(place.world.game.to_move[position]))
    return (
        match.epsilon > 0 and seat != HUMAN and not place.world.policies[seat][position, cell] > 0
    )


def _judge(
    world: World, position: int, ply: int, cell: int, lens: str, step: int | None, own: bool
) -> Move:
    """Return a move as it is in every match with this lens: one that leads nowhere."""
    to_move = int(world.game.to_move[position])
    view = opinion(world, position, lens, step, own)
    known = view.known[cell]
    return Move(
        ply=ply,
        mark=MARKS[to_move],
        square=square_name(world.game, cell),
        name=short_name(world.game, cell),
        href="",
        shown=False,
        text=view.texts[cell] if known else "",
        spoken=view.spoken[cell] if known else "",
        heat=view.heat[cell] if known else None,
        before=best_play(world, position),
        after=outcome(world, position, cell),
        blunder=not world.right[position, cell],
        random=False,
        truth=to_move * int(world.truth[position, cell]),
        expected=to_move * float(view.scaled[cell]) if known and not view.beads else None,
    )


# Some 1 KB each; a game asks for its earlier ones at every move.
_judged = kept(4096, told=True)(_judge)


def label_of(listed: Sequence[Move]) -> str:
    """Write what the list says, for visitors who cannot see the picture."""
    plies = [f"{move.ply}. {gettext(LEVELS[move.truth])}, {_thought(move)}" for move in listed]
    words = gettext("After each move: how the game ends with optimal play.")
    return f"{words} {'; '.join(plies)}."


def _thought(move: Move) -> str:
    if move.text and move.expected is None:
        return gettext("%(mark)s had %(beads)s for it", mark=move.mark, beads=move.spoken)
    value = move.text or gettext("nothing yet")
    return gettext("%(mark)s expected %(value)s", mark=move.mark, value=value)
