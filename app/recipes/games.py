"""Recorded games of a training: the moves of each game, and the updates that it caused."""

from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from app.textbook.loop import Update

UPDATES_FOLDER = "updates"  # a subfolder of the folder of models
# This subfolder of UPDATES_FOLDER has the updates that taught agents their blunders.
BLUNDERS_FOLDER = "mistakes"
# An `UpdateExample` of this kind has an update that made the learner prefer a blunder.
DECIDING_UPDATE_KIND = "mistake"
# An `UpdateExample` of this kind has the first update of a value that another example shows later.
FIRST_UPDATE_KIND = "first"
OPPOSITE_RESULTS = {"win": "loss", "draw": "draw", "loss": "win"}


class TrainingMove(
    Struct, frozen=True, rename={"was_random": "explored", "next_own_board": "after"}
):
    """A move of a training game, with the board before it and the board at the learner's next move."""

    board: str
    cell: int
    # whether the move was random; in the algorithm "champion", whether it led to an unexplored board
    was_random: bool
    next_own_board: str  # the board at the learner's next move, or the last board

    @property
    def mark(self) -> str:
        """The mark of the player who moved, "X" or "O"."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"


class TrainingUpdate(
    Struct,
    frozen=True,
    omit_defaults=True,
    rename={
        "move_index": "turn",
        "update_count": "times",
        "is_opponent_move": "observed",
    },
):
    """One update of the value of a move, with the numbers used to compute it.

    All values are in the view of the learner that made the update.
    """

    move_index: int  # counted from 0 in the game
    old: float
    new: float
    update_count: int  # how many updates the value has had, this one included
    # whether the move is the opponent's; in a league a learner also learns from such moves
    is_opponent_move: bool
    reward: float = 0.0
    next_board: str = ""  # "" if the update uses no next state
    next_cell: int | None = None  # the move whose value is `next_value`
    next_value: float = 0.0  # 0 when the game is over
    target: float | None = None  # None for beads and bounds, which have no target
    step_size: float | None = None
    # in double Q-learning, the values before and after in the table that was updated
    in_table: tuple[float, float] | None = None
    # the values of all moves before the update, by cell; only examples have them
    values: list[float | None] = []
    next_values: list[float | None] = []


# The fields that the `Update` of a textbook learner and a `TrainingUpdate` have in common.
COPIED_FIELDS = [
    name for name in Update._fields if name in TrainingUpdate.__struct_fields__
]


def make_training_update(update: Update, **fields: Any) -> TrainingUpdate:
    """Return the record of an update; without `fields`, the record of a game's first move."""
    numbers = {name: getattr(update, name) for name in COPIED_FIELDS}
    return TrainingUpdate(
        **({"move_index": 0, "is_opponent_move": False} | numbers | fields)
    )


class TrainingGame(
    Struct, frozen=True, rename={"moves": "turns", "updates": "changes"}
):
    """A game of a training with its moves, and its updates in the order in which they were made."""

    moves: list[TrainingMove]
    updates: list[TrainingUpdate]
    seat: str  # the learner's seat; "X" if it plays both sides
    opponent: str  # the opponent's name in a league, else ""
    result: Literal["win", "draw", "loss"]

    @property
    def played_both_sides(self) -> bool:
        """Whether the learner played both X and O.

        In a league it did not, although its updates after moves of both players are recorded.
        """
        return not self.opponent and len({move.mark for move in self.moves}) == 2

    def get_result_for(self, mark: str) -> str:
        """Return the result for a player, "X" or "O", as "win", "draw" or "loss"."""
        return self.result if mark == self.seat else OPPOSITE_RESULTS[self.result]


class UpdateExample(
    Struct,
    frozen=True,
    omit_defaults=True,
    rename={
        "earlier_updates": "before",
        "moves": "turns",
        "updates": "changes",
        "shown_index": "shown",
        "final_board": "end",
        "game_number": "game",
    },
):
    """A game of a real training whose updates a page shows step by step.

    A simulated game, a sweep or a minibatch is recorded like a game, with a move for each update.
    """

    kind: str  # why the example was chosen, such as "usual" or DECIDING_UPDATE_KIND
    agent: str  # its id or the name of its recipe
    game_number: int  # counted from 1 in the training
    earlier_updates: int  # how many updates came before this game
    moves: list[TrainingMove]
    updates: list[TrainingUpdate]
    shown_index: int
    final_board: str = ""


def load_blunder_updates(folder: Path) -> dict[str, dict[str, Raw]]:
    """Load the updates that taught agents their blunders, by agent and then by name of the blunder.

    The updates stay encoded as JSON; `find_blunder_updates` decodes them. Raises ValueError, naming
    the file and the reason, for a broken file.
    """
    updates_by_agent = {}
    for path in sorted(folder.glob("*.json")):
        content = path.read_bytes()
        try:
            msgspec.json.decode(content, type=dict[str, list[UpdateExample]])
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}: {error}") from None
        # Encoded examples need only a tenth of the memory.
        updates_by_agent[path.stem] = msgspec.json.decode(content, type=dict[str, Raw])
    return updates_by_agent


def name_blunder(board: str, cell: int) -> str:
    """Return the name under which the updates of a blunder are stored: a board and the cell played."""
    return f"{board} {cell}"


def find_blunder_updates(
    updates_by_agent: dict[str, dict[str, Raw]], agent_id: str, board: str, cell: int
) -> list[UpdateExample]:
    """Return the update that made an agent prefer a blunder, and the first update of the same value.

    The list is empty if these updates are not stored. `updates_by_agent` is the result of
    `load_blunder_updates`.
    """
    encoded = updates_by_agent.get(agent_id, {}).get(name_blunder(board, cell))
    if encoded is None:
        return []
    return msgspec.json.decode(encoded, type=list[UpdateExample])


def load_examples(folder: Path) -> dict[str, list[UpdateExample]]:
    """Return the recorded updates in a folder, by algorithm; {} if the folder is missing.

    Raises ValueError, naming the file and the reason, if a file is broken.
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
