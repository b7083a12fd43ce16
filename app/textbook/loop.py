"""The training loop: the turns of a training, and the moves and updates that happen in them."""

from typing import Any, NamedTuple


class Move(NamedTuple):
    """A move in a game."""

    board: str
    cell: int
    explored: bool | None  # whether it was random; None if its player never learns


class Update(NamedTuple):
    """One update: a move, its value before and after, and the numbers used to compute it."""

    board: str  # the state s
    cell: int  # the action a
    old: float  # the value before the update
    new: float  # the value after it
    reward: float = 0.0
    next_board: str = ""  # the next state, "" if the update uses none
    next_cell: int | None = None  # the next move, if the learner has chosen one
    next_value: float = 0.0  # the value of the next state: 0 when the game is over
    target: float | None = None  # None for beads and bounds, which have no target
    step_size: float | None = None
    # double Q-learning: the value before and after in the one table that was updated
    in_table: tuple[float, float] | None = None


class Turn(NamedTuple):
    """One unit of a training: a game, a round of a league, or a sweep over all boards."""

    opponent: str  # name of the opponent; "self" and "both" mean the learner itself
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
        """Return the seats whose moves are updated: both seats if the opponent is "both"."""
        return "XO" if self.opponent == "both" else seat


def list_turns(phases, opponents):
    """Yield the turns of a training, phase by phase; each phase has one opponent."""
    played = 0
    for opponent, length in phases:
        for number in range(length):
            yield Turn(opponent, opponents.get(opponent), number, length, played)
            played += 1
