"""The games of a training, as textbook learners record them: moves, then updates."""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Raw, Struct

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
        """The player of the move, "X" or "O"."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"


class TrainingUpdate(Struct, frozen=True, omit_defaults=True):
    """One update of the value of a move, with the numbers that it was made from.

    All values are in the view of the learner that made the update.
    """

    turn: int  # index of the move in its game
    old: float  # the value before the update
    new: float  # the value after it, as the table then has it
    times: int  # number of updates of this value so far, with this one
    # the move is the opponent's, learned as if it had been the learner's own
    observed: bool
    reward: float = 0.0
    # the next state as the learner sees it, "" if it looks at none
    next_board: str = ""
    next_cell: int | None = None  # the move there that the next value belongs to
    next_value: float = 0.0  # 0 when the game is over
    target: float | None = None  # None for beads and bounds
    step_size: float | None = None
    # the value before and after in the one of two tables that learned
    in_table: tuple[float, float] | None = None
    # by cell, only in an `UpdateExample`: the values of all moves before the update
    values: list[float | None] = []
    next_values: list[float | None] = []  # the values of all moves of the next state


class TrainingGame(Struct, frozen=True):
    """A game of a training with its updates, in the order of the learner."""

    turns: list[TrainingMove]
    changes: list[TrainingUpdate]
    seat: str  # the learner's; "X" where it moves for both sides
    opponent: str  # "" where the recipe says who that is
    result: Literal["win", "draw", "loss"]  # result for the seat

    @property
    def both_sides(self) -> bool:
        """Whether the learner moved for both; of a league the opponent's moves are told as well."""
        return not self.opponent and len({move.mark for move in self.turns}) == 2

    def result_for(self, mark: str) -> str:
        """Return the result for a player: "win", "draw" or "loss"."""
        return self.result if mark == self.seat else FLIPPED[self.result]


class UpdateExample(Struct, frozen=True, omit_defaults=True):
    """Updates of a real training for a page: those of one game, and one of them to begin with.

    A simulated game, a sweep or a minibatch is recorded like a game: a turn for each update.
    """

    kind: str  # why it was selected: a key of `training.updates.KINDS`
    agent: str  # id or recipe of the agent whose training it is
    game: int  # number of the game in the training, from 1
    before: int  # number of updates in the training before this game
    turns: list[TrainingMove]
    changes: list[TrainingUpdate]
    shown: int  # index of the update to begin with
    end: str = ""  # the last board of the game


def load_mistakes(folder: Path) -> dict[str, dict[str, Raw]]:
    """Return the updates behind the blunders of agents in a folder, encoded: see `find_mistake`.

    Raises ValueError with the file and the reason if one of them is broken.
    """
    mistakes = {}
    for path in sorted(folder.glob("*.json")):
        content = path.read_bytes()
        try:
            msgspec.json.decode(content, type=dict[str, list[UpdateExample]])
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}: {error}") from None
        # Encoded they need a tenth of the memory.
        mistakes[path.stem] = msgspec.json.decode(content, type=dict[str, Raw])
    return mistakes


def find_mistake(
    mistakes: dict[str, dict[str, Raw]], agent: str, board: str, cell: int
) -> list[UpdateExample]:
    """Return the update that made a blunder of an agent and the first one of its value, or []."""
    encoded = mistakes.get(agent, {}).get(f"{board} {cell}")
    if encoded is None:
        return []
    return msgspec.json.decode(encoded, type=list[UpdateExample])


def load_examples(folder: Path) -> dict[str, list[UpdateExample]]:
    """Return the examples in a folder by algorithm; a missing folder has none.

    Raises ValueError with the file and the reason if one of them is broken.
    """
    examples = {}
    for path in sorted(folder.glob("*.json")):
        try:
            found = msgspec.json.decode(path.read_bytes(), type=list[UpdateExample])
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}: {error}") from None
        if not found:
            raise ValueError(f"{path}: there is no update in it")
        examples[path.stem] = found
    return examples
