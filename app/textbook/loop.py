"""What all trainings consist of: turns, such as games, and the moves and updates in them."""

from typing import Any, NamedTuple


class Move(NamedTuple):
    """A move in a game; `explored` says whether it was random, None if its player does not learn."""

    board: str
    cell: int
    explored: bool | None


class Update(NamedTuple):
    """One update of a value, from `old` to `new`, and the numbers that the update used.

    `next_board` is "" without a next state, and `next_cell` is None without a next move. Beads and
    bounds have no `target`. `in_table` has old and new value in one table of double Q-learning.
    """

    board: str
    cell: int
    old: float
    new: float
    reward: float = 0.0
    next_board: str = ""
    next_cell: int | None = None
    next_value: float = 0.0
    target: float | None = None
    step_size: float | None = None
    in_table: tuple[float, float] | None = None


class Turn(NamedTuple):
    """A unit of a training: a game, a round of a league, or a sweep over all boards.

    The opponent "self" or "both" is the learner itself, and then `player` is None. `number` counts
    the turns from 0 in a phase of `length` turns, and `earlier_turns` in the training.
    """

    opponent: str
    player: Any
    number: int
    length: int
    earlier_turns: int

    def seat(self, seats, number):
        """Return the learner's seat, "X" or "O", in a game; with `seats="both"` it alternates."""
        if seats == "both":
            return "XO"[number % 2]
        return seats.upper()

    def learning_seats(self, seat):
        """Return the seats that learn: "XO" if the opponent is "both", else the learner's seat."""
        return "XO" if self.opponent == "both" else seat


def list_turns(phases, opponents):
    """Yield the turns of a training; each of the `phases` is an opponent and a number of turns."""
    earlier_turns = 0
    for opponent, length in phases:
        for number in range(length):
            yield Turn(opponent, opponents.get(opponent), number, length, earlier_turns)
            earlier_turns += 1
