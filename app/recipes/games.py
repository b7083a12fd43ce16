"""Recorded games of a training: the moves of each game, and the updates that it caused.

The folder `models/updates` has examples of updates, and its subfolder `mistakes` has the updates by
which agents learned their blunders. A blunder has two of them: the deciding update, after which the
agent preferred the blunder, and the first update of the same value.
"""

from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from app.textbook.loop import Update

UPDATES_FOLDER = "updates"
BLUNDERS_FOLDER = "mistakes"
DECIDING_UPDATE_KIND = "mistake"
FIRST_UPDATE_KIND = "first"
OPPOSITE_RESULTS = {"win": "loss", "draw": "draw", "loss": "win"}


class TrainingMove(
    Struct, frozen=True, rename={"was_random": "explored", "next_own_board": "after"}
):
    """A move of a training game.

    `next_own_board` is the board at the learner's next move, or the last board of the game.
    `was_random` says whether the move explored. For the champion it says whether the move led to a
    board whose value was not yet proved.
    """

    board: str
    cell: int
    was_random: bool
    next_own_board: str

    @property
    def mark(self) -> str:
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
    """An update of the value of a move, with the numbers that it used, in the learner's view.

    `move_index` is the number of the move in the game, from 0. `update_count` counts the updates of
    the value, this one included. `is_opponent_move` is possible only in a league. `next_cell` is
    the move with the value `next_value`. The other fields are as in the textbook's `Update`. Only
    examples have `values`: by cell, the values of all moves on the board before the update.
    """

    move_index: int
    old: float
    new: float
    update_count: int
    is_opponent_move: bool
    reward: float = 0.0
    next_board: str = ""
    next_cell: int | None = None
    next_value: float = 0.0
    target: float | None = None
    step_size: float | None = None
    in_table: tuple[float, float] | None = None
    values: list[float | None] = []
    next_values: list[float | None] = []


FIELDS_OF_BOTH_UPDATES = [
    name for name in Update._fields if name in TrainingUpdate.__struct_fields__
]


def make_training_update(update: Update, **fields: Any) -> TrainingUpdate:
    """Convert an `Update` of a textbook learner; `fields` has the fields that it lacks."""
    numbers = {name: getattr(update, name) for name in FIELDS_OF_BOTH_UPDATES}
    return TrainingUpdate(
        **({"move_index": 0, "is_opponent_move": False} | numbers | fields)
    )


class TrainingGame(
    Struct, frozen=True, rename={"moves": "turns", "updates": "changes"}
):
    """A game of a training with its moves, and with its updates in the order of time.

    The seat is the learner's, or "X" if the learner plays both sides. Only league games name an
    opponent.
    """

    moves: list[TrainingMove]
    updates: list[TrainingUpdate]
    seat: str
    opponent: str
    result: Literal["win", "draw", "loss"]

    @property
    def played_both_sides(self) -> bool:
        """Whether the learner played both X and O; in a league it never does."""
        return not self.opponent and len({move.mark for move in self.moves}) == 2

    def get_result_for(self, mark: str) -> str:
        """Return "win", "draw" or "loss" for the player "X" or "O"."""
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
    """A game of a real training; a page shows the updates after the game step by step.

    A simulated game, a sweep or a minibatch is recorded like a game, with a move for each update.
    The kind tells why the example was chosen, and the agent is an id or the name of a recipe. Games
    are counted from 1, and `earlier_updates` counts the updates before the game.
    """

    kind: str
    agent: str
    game_number: int
    earlier_updates: int
    moves: list[TrainingMove]
    updates: list[TrainingUpdate]
    shown_index: int
    final_board: str = ""


def load_blunder_updates(folder: Path) -> dict[str, dict[str, Raw]]:
    """Load the updates that caused blunders, {agent: {name of the blunder: updates as JSON}}.

    Raises ValueError, naming the file and the reason, for a broken file.
    """
    updates_by_agent = {}
    for path in sorted(folder.glob("*.json")):
        content = path.read_bytes()
        try:
            msgspec.json.decode(content, type=dict[str, list[UpdateExample]])
        except msgspec.DecodeError as error:
            raise ValueError(f"{path}: {error}") from None
        # Decoded examples would need ten times the memory.
        updates_by_agent[path.stem] = msgspec.json.decode(content, type=dict[str, Raw])
    return updates_by_agent


def name_blunder(board: str, cell: int) -> str:
    """Return the key of a blunder's updates, such as "X...O.... 2"."""
    return f"{board} {cell}"


def find_blunder_updates(
    updates_by_agent: dict[str, dict[str, Raw]], agent_id: str, board: str, cell: int
) -> list[UpdateExample]:
    """Return [deciding update, first update] of a blunder, or [] if they are not stored.

    `updates_by_agent` comes from `load_blunder_updates`.
    """
    encoded = updates_by_agent.get(agent_id, {}).get(name_blunder(board, cell))
    if encoded is None:
        return []
    return msgspec.json.decode(encoded, type=list[UpdateExample])


def load_examples(folder: Path) -> dict[str, list[UpdateExample]]:
    """Return {algorithm: examples of updates} from the files in a folder.

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
