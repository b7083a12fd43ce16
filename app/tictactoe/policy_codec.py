"""How a policy plays, as a text that fits an address: one bit a legal pair.

The policy is deterministic, or plays several moves of a decision with equal chances.  The bits
stand in the order of the legal pairs: decisions by ply, then by code, cells in reading order; 1
where the move is among those played.  A policy that plays symmetric positions alike needs the bits
of the first decision of each symmetry class only, in the same order.  The bits become bytes, most
significant bit first, and these base64url without padding: for tic-tac-toe 2,695 characters, or
379 of the second kind.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game
from app.tictactoe.notation import position_text
from app.tictactoe.policy import Choice, Policy

ALPHABET = re.compile("[A-Za-z0-9_-]*")
BITS_A_CHARACTER = 6


def encode(game: Game, choice: Choice) -> str:
    """Write which moves are played, [D, cells], as short as can be.

    Raises ValueError if an illegal move is played, or a decision has no move.
    """
    if choice.shape != game.legal.shape or (choice & ~game.legal).any():
        raise ValueError(f"moves are {game.legal.shape}, none of them illegal")
    _check_decisions(game, choice)
    symmetric = all((choice[image] == choice[:, cells]).all() for image, cells in _images(game))
    bits = choice[game.legal]
    packed = np.packbits(bits[_first_pairs(game)] if symmetric else bits)
    return urlsafe_b64encode(packed.tobytes()).decode().rstrip("=")


def decode(game: Game, code: str) -> Choice:
    """Return which moves are played, [D, cells], of either kind of code.

    Raises ValueError, saying what is wrong: the length, a character, a bit after the last one, a
    decision without a move, or one whose own images are not played alike.
    """
    whole, short = lengths(game)
    if len(code) not in (whole, short):
        raise ValueError(f"moves have {whole} characters, or {short}, not {len(code)}")
    plain = ALPHABET.match(code)
    if plain is None or plain.end() < len(code):
        at = plain.end() if plain else 0
        raise ValueError(f"character {at + 1} of the moves is {code[at]!r}: they are base64url")
    first = _first_pairs(game)
    size = game.pairs if len(code) == whole else len(first)
    packed = np.frombuffer(urlsafe_b64decode(code + "=" * (-len(code) % 4)), np.uint8)
    bits = np.unpackbits(packed).astype(np.bool_)
    again = urlsafe_b64encode(packed.tobytes()).decode().rstrip("=")
    if bits[size:].any() or again != code:
        raise ValueError(f"the moves end after {size} bits: what is left of their end has to be 0")
    if len(code) == whole:
        choice = game.spread(bits[:size], illegal=False)
    else:
        listed = np.zeros(game.pairs, np.bool_)
        listed[first] = bits[:size]
        choice = _turned(game, game.spread(listed, illegal=False))
    _check_decisions(game, choice)
    return choice


def policy_of_choice(choice: Choice) -> Policy:
    """Play each of the chosen moves, [D, cells], with equal chances."""
    policy: Policy = choice / choice.sum(axis=1, keepdims=True)
    return policy


@lru_cache(maxsize=2)
def lengths(game: Game) -> tuple[int, int]:
    """Return how many characters the two kinds of code have."""
    whole, short = (
        -(-(-(-bits // 8) * 8) // BITS_A_CHARACTER)
        for bits in (game.pairs, len(_first_pairs(game)))
    )
    return whole, short


def _turned(game: Game, choice: Choice) -> Choice:
    """Give every decision the moves of the first one of its class; [D, cells] both.

    Raises ValueError if a decision that is its own image would be played in two ways.
    """
    turned = np.zeros_like(choice)
    first = game.symmetry_class[: game.decisions] == np.arange(game.decisions)
    for image, cells in _images(game):
        turned[image[first]] |= choice[first][:, cells]
    unlike = first & (turned != choice).any(axis=1)
    if unlike.any():
        where = position_text(game, int(unlike.argmax()))
        raise ValueError(f"in {where} the moves differ from their own mirror image")
    return turned


def _images(game: Game) -> list[tuple[NDArray[np.int32], NDArray[np.intp]]]:
    """Return of each symmetry what becomes of the decisions, and where its cells come from."""
    return [
        (image[: game.decisions], cells)
        for image, cells in zip(game.image, game.symmetry, strict=True)
    ]


@lru_cache(maxsize=2)
def _first_pairs(game: Game) -> NDArray[np.intp]:
    """List the pairs of the first decision of each symmetry class."""
    first = game.symmetry_class[: game.decisions] == np.arange(game.decisions)
    pairs = np.flatnonzero(first[game.pair_from])
    pairs.flags.writeable = False
    return pairs


def _check_decisions(game: Game, choice: Choice) -> None:
    idle = ~choice.any(axis=1)
    if idle.any():
        where = position_text(game, int(idle.argmax()))
        raise ValueError(f"no move is played in {where}")
