"""The games of a training, as the trainer tells them and pages show them: moves, then updates."""

from typing import Literal

from msgspec import Struct

FLIPPED = {"win": "loss", "draw": "draw", "loss": "win"}


class TrainingMove(Struct, frozen=True):
    """A move: the board before it as text, the cell, and the board at the next move or the end."""

    board: str
    cell: int
    # drawn at random, or into something unseen where that is what is sought
    explored: bool
    after: str

    @property
    def mark(self) -> str:
        """Who made it, "X" or "O"."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"


class TrainingUpdate(Struct, frozen=True):
    """An update of the value of a move."""

    turn: int  # the number of the move, from 0
    old: float
    new: float
    times: int  # how often that value was updated, with this time
    # the move is the opponent's, learned as if it had been the learner's own
    observed: bool


class TrainingGame(Struct, frozen=True):
    """A game of a training with its updates, in the order of the learner."""

    turns: list[TrainingMove]
    changes: list[TrainingUpdate]
    seat: str  # the learner's; "X" where it moves for both sides
    opponent: str  # "" where the recipe says who that is
    result: Literal["win", "draw", "loss"]  # of the seat

    @property
    def both_sides(self) -> bool:
        """Whether the learner moved for both; of a league the opponent's moves are told as well."""
        return not self.opponent and len({move.mark for move in self.turns}) == 2

    def result_for(self, mark: str) -> str:
        """Return what it was for a player, "win", "draw" or "loss"."""
        return self.result if mark == self.seat else FLIPPED[self.result]
