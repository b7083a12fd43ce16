"""Encodings of a position as numbers, for networks and for other programs."""

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import FloatArray, Game, O, X

Encoding = Literal["one-hot", "flat", "bits", "number"]


@lru_cache(maxsize=2)
def encode_flat(game: Game) -> NDArray[np.int8]:
    """Return each position as a row of small integers, [S, cells + 1].

    An empty cell is 0, a cell with X is 1, and a cell with O is 2. The last number is the player to
    move, 1 or 2, or 0 when the game is over.
    """
    mover = np.zeros((game.positions, 1), np.int8)
    mover[: game.decisions, 0] = game.to_move
    # Modulo 3 turns the -1 of O into 2.
    digits: NDArray[np.int8] = np.concatenate([game.board, mover], axis=1) % 3
    digits.flags.writeable = False
    return digits


def pack_position(game: Game, position: int) -> int:
    """Return a position as one integer, with two bits for each number of `encode_flat`.

    The first cell has the highest bits.
    """
    packed = 0
    for digit in encode_flat(game)[position].tolist():
        packed = packed << 2 | digit
    return packed


@lru_cache(maxsize=2)
def encode_one_hot(game: Game) -> NDArray[np.float32]:
    """Return the one-hot input of a network for each position with a player to move, [D, 3 cells + 3].

    Each cell, in reading order, has three numbers: `1 0 0` if it is empty, `0 1 0` for X, and
    `0 0 1` for O. Then come two numbers for the player to move: `1 0` for X and `0 1` for O. The
    last number is always 0: it pads the 29 numbers of tic-tac-toe to 30.
    """
    holds = np.array([0, X, O])
    cells = game.board[: game.decisions, :, None] == holds
    mover = game.to_move[:, None] == holds[1:]
    pad = np.zeros((game.decisions, 1))
    inputs = np.concatenate([cells.reshape(game.decisions, -1), mover, pad], axis=1)
    table = inputs.astype(np.float32)
    table.flags.writeable = False
    return table


def encode_inputs(game: Game, encoding: Encoding) -> NDArray[np.float32]:
    """Return the input of a network for each position with a player to move, [D, inputs].

    An input describes the cells in reading order, then the player to move. *one-hot* is the result
    of `encode_one_hot`. *flat* is the result of `encode_flat`: 10 numbers for tic-tac-toe. *bits*
    has two bits for each of these numbers, the higher bit first: 20 numbers. *number* reads the
    bits as one integer and divides it by the largest integer with as many bits: a single number
    from 0 to 1.
    """
    if encoding == "one-hot":
        return encode_one_hot(game)
    digits = encode_flat(game)[: game.decisions].astype(np.int64)
    if encoding == "flat":
        return digits.astype(np.float32)
    bits = np.stack([digits >> 1, digits & 1], axis=2).reshape(game.decisions, -1)
    if encoding == "bits":
        return bits.astype(np.float32)
    powers = 0.5 ** np.arange(1, bits.shape[1] + 1)
    number: FloatArray = bits @ powers[:, None]
    number /= powers.sum()
    return number.astype(np.float32)


def count_symmetric_positions(game: Game, position: int) -> int:
    """Return the number of positions that are symmetric to a position, itself included."""
    return len(set(game.symmetric_positions[:, position].tolist()))
