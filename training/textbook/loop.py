"""The training loop: turns against one opponent after the other, and what happens in them."""

from typing import Any, NamedTuple


class Move(NamedTuple):
    """A move in a game."""

    board: str
    cell: int
    explored: bool | None  # whether the learner chose it at random; None if it is an opponent's


class Update(NamedTuple):
    """The value of a move, before and after the learner changed it."""

    board: str
    cell: int
    old: float
    new: float


class Turn(NamedTuple):
    """One turn of a training: a game, a round of games, or a sweep over all boards."""

    opponent: str  # a name: "self" is the learner without exploring, "both" see `learning_seats`
    player: Any  # who plays as the opponent; None if the learner itself does
    number: int  # of the turn among those against this opponent, from 0
    length: int  # how many turns there are against it
    played: int  # turns before this one, against any opponent

    def seat(self, seats, number):
        """Return the learner's seat in game `number`: "X" or "O", in turn if `seats` is "both"."""
        if seats == "both":
            return "XO"[number % 2]
        return seats.upper()

    def learning_seats(self, seat):
        """Return the seats that learn in a game: the learner's own, or "XO" for both."""
        return "XO" if self.opponent == "both" else seat


def list_turns(phases, opponents):
    """List the turns of a training: so many against each opponent, one after the other."""
    played = 0
    for opponent, length in phases:
        for number in range(length):
            yield Turn(opponent, opponents.get(opponent), number, length, played)
            played += 1
