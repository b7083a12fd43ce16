"""The training loop: turns against one opponent after the other, and what happens in them."""

from typing import Any, NamedTuple


class Move(NamedTuple):
    """A move in a game."""

    board: str
    cell: int
    explored: bool | None  # chosen at random? None for players that do not learn


class Update(NamedTuple):
    """One update: a move, its value before and after, and the numbers that it was made from."""

    board: str  # the state s
    cell: int  # the action a
    old: float  # the value before the update
    new: float  # the value after it
    reward: float = 0.0
    next_board: str = ""  # the next state, "" if the learner looks at none
    next_cell: int | None = None  # the next move, if the learner has chosen one
    next_value: float = 0.0  # the value of the next state: 0 when the game is over
    target: float | None = None  # None if the value has no target, as beads and bounds
    step_size: float | None = None
    # the value before and after in the one table that learned, of a learner with two tables
    in_table: tuple[float, float] | None = None


class Turn(NamedTuple):
    """One unit of a training: a game, a round of a league, or a sweep over all boards."""

    opponent: str  # name; "self" and "both" are the learner itself
    player: Any  # the opponent, None if it is the learner itself
    number: int  # index of the turn in its phase, from 0
    length: int  # number of turns in its phase
    played: int  # turns before this one, in all phases

    def seat(self, seats, number):
        """Return the learner's seat in game `number`, "X" or "O"; with "both" it alternates."""
        if seats == "both":
            return "XO"[number % 2]
        return seats.upper()

    def learning_seats(self, seat):
        """Return the seats whose moves are learned from: both if the opponent is "both"."""
        return "XO" if self.opponent == "both" else seat


def list_turns(phases, opponents):
    """Yield the turns of a training, phase by phase; each phase has one opponent."""
    played = 0
    for opponent, length in phases:
        for number in range(length):
            yield Turn(opponent, opponents.get(opponent), number, length, played)
            played += 1
