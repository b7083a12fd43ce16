"""A position as numbers: the ways in which learners and programs write down one board."""

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X

Encoding = Literal["one-hot", "flat", "bits", "number"]


@lru_cache(maxsize=2)
def flat(game: Game) -> NDArray[np.int8]:
    """Write each cell as one number, empty 0, X 1, O 2, then the player to move, [S, cells + 1].

    Where the game is over that is 0.
    """
    mover = np.zeros((game.positions, 1), np.int8)
    mover[: game.decisions, 0] = game.to_move
    digits: NDArray[np.int8] = np.concatenate([game.board, mover], axis=1) % 3  # -1 is 2
    digits.flags.writeable = False
    return digits


def bit_packed(game: Game, position: int) -> int:
    """Write a position as one integer, two bits for each number of `flat`, the first highest."""
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


def inputs(game: Game, encoding: Encoding) -> NDArray[np.float32]:
    """Write each decision as numbers that a network can read, [D, inputs].

    Each has the cells in reading order, then who is to move: *one-hot* as in `one_hot`; *flat* as
    in `flat` (10 numbers for tic-tac-toe); *bits* the two bits of each of those, the higher one
    first (20); *number* the integer that these bits are, as a part of the largest that so many
    bits can be (1).
    """
    if encoding == "one-hot":
        return one_hot(game)
    digits = flat(game)[: game.decisions].astype(np.int64)
    if encoding == "flat":
        return digits.astype(np.float32)
    bits = np.stack([digits >> 1, digits & 1], axis=2).reshape(game.decisions, -1)
    if encoding == "bits":
        return bits.astype(np.float32)
    powers = 0.5 ** np.arange(1, bits.shape[1] + 1)
    number: NDArray[np.float64] = bits @ powers[:, None] / powers.sum()
    return number.astype(np.float32)


def images(game: Game, position: int) -> int:
    """Count the different positions that the symmetries of the board make of one."""
    return len(set(game.image[:, position].tolist()))
