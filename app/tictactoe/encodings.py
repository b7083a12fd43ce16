"""A position as numbers: the ways in which learners and programs write down one board."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X


@lru_cache(maxsize=2)
def flat(game: Game) -> NDArray[np.int8]:
    """Write each cell as one number, [S, cells]: empty 0, X 1, O 2."""
    digits: NDArray[np.int8] = game.board % 3  # -1 is 2
    digits.flags.writeable = False
    return digits


def bit_packed(game: Game, position: int) -> int:
    """Write a position as one integer of two bits a cell, the first cell highest; as in `flat`."""
    packed = 0
    for digit in flat(game)[position].tolist():
        packed = packed << 2 | digit
    return packed


@lru_cache(maxsize=2)
def one_hot(game: Game) -> NDArray[np.float32]:
    """Write each decision as what a network reads, [D, 3 cells + 3].

    For each cell in reading order three numbers, of which one is 1: empty, X, O; then two for
    who is to move, X or O; then a 0 that pads the 29 numbers of tic-tac-toe to 30.
    """
    holds = np.array([0, X, O])
    cells = game.board[: game.decisions, :, None] == holds
    mover = game.to_move[:, None] == holds[1:]
    pad = np.zeros((game.decisions, 1))
    read = np.concatenate([cells.reshape(game.decisions, -1), mover, pad], axis=1)
    written = read.astype(np.float32)
    written.flags.writeable = False
    return written


def images(game: Game, position: int) -> int:
    """Count the different positions that the symmetries of the board make of one."""
    return len(set(game.image[:, position].tolist()))
