"""What all trainings consist of: turns, such as games, and the moves and updates in them."""

from typing import Any, NamedTuple


class Move(NamedTuple):
    """A move in a game."""

    board: str
    cell: int
    explored: bool | None  # whether it was random; None if its player does not learn


class Update(NamedTuple):
    """One update: a move, its value before and after, and the numbers that made the difference."""

    board: str
    cell: int
    old: float
    new: float
    reward: float = 0.0
    next_board: str = ""  # "" if the update uses no next state
    next_cell: int | None = None  # the next move, if the learner has chosen one
    next_value: float = 0.0  # 0 when the game is over
    target: float | None = None  # None for beads and bounds, which have no target
    step_size: float | None = None
    # in double Q-learning, the values before and after in the table that was updated
    in_table: tuple[float, float] | None = None


class Turn(NamedTuple):
    """A unit of a training: a game, a round of a league, or a sweep over all boards."""

    opponent: str  # a name; "self" and "both" mean the learner itself
    player: Any  # the opponent as an object, None if it is the learner itself
    number: int  # counted from 0 in the phase
    length: int  # how many turns the phase has
    played: int  # how many turns came before this one, in all phases

    def seat(self, seats, number):
        """Return the learner's seat, "X" or "O", in this game; with `seats="both"` it alternates."""
        if seats == "both":
            return "XO"[number % 2]
        return seats.upper()

    def learning_seats(self, seat):
        """Return the seats whose moves are updated: both if the learner is its own opponent, "both"."""
        return "XO" if self.opponent == "both" else seat


def list_turns(phases, opponents):
    """Yield the turns of a training, phase by phase; each phase has one opponent."""
    played = 0
    for opponent, length in phases:
        for number in range(length):
            yield Turn(opponent, opponents.get(opponent), number, length, played)
            played += 1
