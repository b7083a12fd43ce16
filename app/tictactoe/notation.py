"""Write and read positions and games as text.

A position is written cell by cell as `X`, `O` or `.`. The record of a game lists its moves, each as
the number of the cell in base 36: `"408"` is centre, top left, bottom right.
"""

from functools import lru_cache

import numpy as np

from app.tictactoe.game import Game, IndexArray, O, X

MARKS = {X: "X", O: "O", 0: "."}
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class RecordError(ValueError):
    """Raised for a text that is not the record of a game.

    The message is `pattern` with its placeholders, such as %(ply)s, replaced by `values`. The
    error keeps the pattern and the values, so that pages can translate the pattern first.
    """

    def __init__(self, pattern: str, **values: object) -> None:
        super().__init__(pattern % values)
        self.pattern, self.values = pattern, values


class IllegalMoveError(RecordError):
    """Raised for a record with a move on a taken cell or after the end of the game."""


def format_position(game: Game, position: int) -> str:
    return "".join([MARKS[stone] for stone in game.board[position].tolist()])


def parse_position(game: Game, position_text: str) -> int:
    """Return the position for a text such as `XO.......`.

    Raises ValueError if the length or a character is wrong or no game reaches the position.
    """
    if len(position_text) != game.cells or set(position_text) - set(MARKS.values()):
        raise ValueError(
            f"a position is {game.cells} characters X, O or '.', not {position_text!r}"
        )
    code = int(position_text.translate(str.maketrans(".XO", "012")), 3)
    try:
        return int(game.find_positions(code))
    except ValueError:
        raise ValueError(f"no game reaches the position {position_text!r}") from None


def parse_record(game: Game, record: str) -> list[int]:
    """Return the cells in a record, without checking that they can be played.

    Raises RecordError, naming the first character that is not a cell.
    """
    digits = DIGITS[: game.cells]
    for ply, digit in enumerate(record, 1):
        if digit not in digits:
            raise RecordError(
                "move %(ply)s of the record is %(digit)s, but squares have the numbers 0 to "
                "%(last)s, row by row from the top left",
                ply=ply,
                digit=repr(digit),
                last=digits[-1],
            )
    return [digits.index(digit) for digit in record]


def replay_record(game: Game, record: str) -> list[int]:
    """Return all positions of a recorded game, beginning with the empty board.

    Raises RecordError if a character is not a cell, and IllegalMoveError, naming the move, if a
    cell is taken or a move follows the end of the game.
    """
    positions = [0]
    decisions = game.decisions
    for ply, cell in enumerate(parse_record(game, record), 1):
        if positions[-1] >= decisions:
            raise IllegalMoveError(
                "move %(ply)s comes after the end of the game, which was over after move %(end)s",
                ply=ply,
                end=ply - 1,
            )
        after = game.successor.item(positions[-1], cell)
        if after < 0:
            raise IllegalMoveError(
                "move %(ply)s is on square %(cell)s, which is already taken",
                ply=ply,
                cell=DIGITS[cell],
            )
        positions.append(after)
    return positions


def find_record(game: Game, position: int) -> str:
    """Return the moves of one of the games that lead to a position."""
    last_moves = _find_last_moves(game)
    record = ""
    # Position 0 is the empty board, where every game begins.
    while position:
        position, cell = last_moves[position].tolist()
        record = DIGITS[cell] + record
    return record


def undo_moves(record: str, move_count: int = 1) -> str:
    """Return a record without its last moves; raises ValueError if it has fewer."""
    if not 0 <= move_count <= len(record):
        raise ValueError(f"cannot take back {move_count} of {len(record)} moves")
    return record[: len(record) - move_count]


@lru_cache(maxsize=2)
def _find_last_moves(game: Game) -> IndexArray:
    last_moves = np.zeros((game.positions, 2), np.intp)
    last_moves[game.pair_successor] = np.argwhere(game.legal)
    return last_moves
