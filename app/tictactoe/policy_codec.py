"""Encode the moves of a policy as a text for URLs, with one bit for each legal move.

In each position the policy plays one move, or several with equal probability. The bit of a move is
1 if the policy plays it. The bits follow the order of the legal moves: by position, then by cell.
They are packed into bytes, with the most significant bit first. The bytes are written in base64url
without padding.

A policy that plays alike in symmetric positions has a short text, with only the first position of
each symmetry class. For tic-tac-toe a text has 2,695 characters, and a short text 379.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from math import ceil

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import BoolArray, Game, IndexArray
from app.tictactoe.notation import format_position
from app.tictactoe.policy import CellMask, Policy

ALPHABET = re.compile("[A-Za-z0-9_-]*")
BITS_PER_CHARACTER = 6


def encode_moves(game: Game, chosen_moves: CellMask) -> str:
    """Encode the moves that a policy plays, [D, cells], as text.

    The text is short if the policy plays alike in symmetric positions. Raises ValueError if an
    illegal move is played, or if no move is played in a position.
    """
    if chosen_moves.shape != game.legal.shape or (chosen_moves & ~game.legal).any():
        raise ValueError(f"moves are {game.legal.shape}, none of them illegal")
    _check_moves_exist(game, chosen_moves)
    # A policy is symmetric if it plays symmetric moves in all symmetric positions.
    symmetric = all(
        (chosen_moves[image] == chosen_moves[:, cells]).all()
        for image, cells in _list_symmetry_maps(game)
    )
    bits = chosen_moves[game.legal]
    return _encode_bits(bits[_list_representative_moves(game)] if symmetric else bits)


def decode_moves(game: Game, move_code: str) -> CellMask:
    """Decode the moves that a policy plays, [D, cells], from a text of `encode_moves`.

    Raises ValueError, with the reason, if the text does not stand for a policy.
    """
    whole, short = get_code_lengths(game)
    if len(move_code) not in (whole, short):
        raise ValueError(
            f"moves have {whole} characters, or {short}, not {len(move_code)}"
        )
    valid = ALPHABET.match(move_code)
    if valid is None or valid.end() < len(move_code):
        at = valid.end() if valid else 0
        raise ValueError(
            f"character {at + 1} of the moves is {move_code[at]!r}: they are base64url"
        )
    if len(move_code) == whole:
        chosen_moves = game.spread_pairs(
            _decode_bits(move_code, game.pairs), illegal_value=False
        )
    else:
        first = _list_representative_moves(game)
        listed = np.zeros(game.pairs, np.bool_)
        listed[first] = _decode_bits(move_code, len(first))
        chosen_moves = _copy_to_symmetric_positions(
            game, game.spread_pairs(listed, illegal_value=False)
        )
    _check_moves_exist(game, chosen_moves)
    return chosen_moves


def policy_from_moves(chosen_moves: CellMask) -> Policy:
    policy: Policy = chosen_moves / chosen_moves.sum(axis=1, keepdims=True)
    return policy


@lru_cache(maxsize=2)
def get_code_lengths(game: Game) -> tuple[int, int]:
    """Return (length of a text for all positions, length of a short text)."""
    whole = _count_characters(game.pairs)
    short = _count_characters(len(_list_representative_moves(game)))
    return whole, short


def _count_characters(bit_count: int) -> int:
    octets = ceil(bit_count / 8)
    return ceil(octets * 8 / BITS_PER_CHARACTER)


def _encode_bits(bits: BoolArray) -> str:
    return urlsafe_b64encode(np.packbits(bits).tobytes()).decode().rstrip("=")


def _decode_bits(move_code: str, bit_count: int) -> BoolArray:
    # Base64 needs padding to a multiple of four characters.
    packed = urlsafe_b64decode(move_code + "=" * (-len(move_code) % 4))
    bits = np.unpackbits(np.frombuffer(packed, np.uint8))[:bit_count].astype(np.bool_)
    # Unused bits at the end have to be 0. Otherwise a policy would have several texts.
    if _encode_bits(bits) != move_code:
        raise ValueError(
            f"the moves end after {bit_count} bits: what is left of their end has to be 0"
        )
    return bits


def _copy_to_symmetric_positions(game: Game, chosen_moves: CellMask) -> CellMask:
    """Copy the moves in one position of each symmetry class to the others, [D, cells].

    Raises ValueError if a symmetry maps a position to itself but not its moves.
    """
    complete = np.zeros_like(chosen_moves)
    first = _find_representatives(game)
    for image, cells in _list_symmetry_maps(game):
        complete[image[first]] |= chosen_moves[first][:, cells]
    # In a position that a symmetry maps to itself, the images of its moves may be other moves.
    differs = first & (complete != chosen_moves).any(axis=1)
    if differs.any():
        where = format_position(game, int(differs.argmax()))
        raise ValueError(f"in {where} the moves differ from their own mirror image")
    return complete


def _list_symmetry_maps(game: Game) -> list[tuple[NDArray[np.int32], IndexArray]]:
    """Return for each symmetry the image of each decision, [D], and the old cell of each cell."""
    return [
        (image[: game.decisions], cells)
        for image, cells in zip(game.symmetric_positions, game.symmetries, strict=True)
    ]


def _find_representatives(game: Game) -> BoolArray:
    numbers = np.arange(game.decisions)
    is_first: BoolArray = game.symmetry_class[: game.decisions] == numbers
    return is_first


@lru_cache(maxsize=2)
def _list_representative_moves(game: Game) -> IndexArray:
    pairs = np.flatnonzero(_find_representatives(game)[game.pair_decision])
    pairs.flags.writeable = False
    return pairs


def _check_moves_exist(game: Game, chosen_moves: CellMask) -> None:
    idle = ~chosen_moves.any(axis=1)
    if idle.any():
        where = format_position(game, int(idle.argmax()))
        raise ValueError(f"no move is played in {where}")
