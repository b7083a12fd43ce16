"""Positions and games as text.

A position is written cell by cell as `X`, `O` or `.`; a game record is the cells played, one
base-36 digit each, so `"408"` is centre, top left, bottom right.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X

MARKS = {X: "X", O: "O", 0: "."}
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class IllegalMoveError(ValueError):
    """A record whose move cannot be played: the cell is taken or the game is over."""


def position_text(game: Game, position: int) -> str:
    """Write a position as one character a cell."""
    return "".join(MARKS[int(stone)] for stone in game.board[position])


def parse_position(game: Game, text: str) -> int:
    """Return the position that a text shows.

    Raises ValueError if its length or a character is wrong or no game reaches it.
    """
    if len(text) != game.cells or set(text) - set(MARKS.values()):
        raise ValueError(f"a position is {game.cells} characters X, O or '.', not {text!r}")
    code = int(text.translate(str.maketrans(".XO", "012")), 3)
    try:
        return int(game.find(code))
    except ValueError:
        raise ValueError(f"no game reaches the position {text!r}") from None


def parse_record(game: Game, record: str) -> list[int]:
    """Return the cells that a record names, without playing them.

    Raises ValueError naming the first character that is no cell.
    """
    digits = DIGITS[: game.cells]
    for ply, digit in enumerate(record, 1):
        if digit not in digits:
            raise ValueError(
                f"move {ply} of the record is {digit!r}: cells are 0 to {digits[-1]}, "
                "in reading order"
            )
    return [digits.index(digit) for digit in record]


def replay(game: Game, record: str) -> list[int]:
    """Play a record from the empty board and return every position on the way, the first too.

    Raises ValueError if a character is no cell, and IllegalMoveError, naming the ply, if a cell is
    taken or the game is over before the record is.
    """
    positions, decisions = [0], game.decisions
    for ply, cell in enumerate(parse_record(game, record), 1):
        if positions[-1] >= decisions:
            raise IllegalMoveError(
                f"move {ply} comes after the end: the game was over at ply {ply - 1}"
            )
        after = game.successor.item(positions[-1], cell)
        if after < 0:
            raise IllegalMoveError(f"move {ply} is on cell {DIGITS[cell]}, which is already taken")
        positions.append(after)
    return positions


def record_to(game: Game, position: int) -> str:
    """Return the record of one of the games that lead to a position."""
    made, record = _made_by(game), ""
    while position:
        position, cell = made[position].tolist()
        record = DIGITS[cell] + record
    return record


def undo(record: str, plies: int = 1) -> str:
    """Take back the last plies of a record.

    Raises ValueError if it has fewer.
    """
    if not 0 <= plies <= len(record):
        raise ValueError(f"cannot take back {plies} of {len(record)} moves")
    return record[: len(record) - plies]


@lru_cache(maxsize=2)
def _made_by(game: Game) -> NDArray[np.intp]:
    """Find the last decision, and the cell, that lead to each position, [S, 2]."""
    made = np.zeros((game.positions, 2), np.intp)
    made[game.pair_after] = np.argwhere(game.legal)  # of several the last one counts
    return made
