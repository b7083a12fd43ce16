"""The code of a policy: decoding gives the policy back, and invalid codes name their fault."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tictactoe.game import Game, build_game
from app.tictactoe.notation import parse_position
from app.tictactoe.policy import BASELINES, find_best_moves, minimax_policy
from app.tictactoe.policy_codec import (
    decode_moves,
    encode_moves,
    policy_from_moves,
)

GAME = build_game()
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.mark.parametrize("name", BASELINES)
def test_a_policy_with_equal_chances_comes_back(game: Game, name: str) -> None:
    policy = BASELINES[name].build_policy(game)
    code = encode_moves(game, policy > 0)
    assert (policy_from_moves(decode_moves(game, code)) == policy).all()


def test_only_who_plays_all_images_alike_has_the_short_code(game: Game) -> None:
    assert len(encode_moves(game, find_best_moves(game))) == 379
    assert len(encode_moves(game, minimax_policy(game) > 0)) == 2695


def test_the_bits_stand_in_the_order_of_the_legal_pairs(game: Game) -> None:
    """Counted by hand: the first 9 bits are the empty board, the next 8 the lowest code."""
    first = BASELINES["fixed"].build_policy(game) > 0
    changed = first.copy()
    changed[0, :] = np.arange(9) == 4
    # 000010000 10000000 1...: the centre, then the first empty cell of two boards.
    assert encode_moves(game, changed).startswith("CEBA")
    assert encode_moves(game, first).startswith("gEBA")
    assert parse_position(game, "........X") == 1


@given(st.integers(0, 2**32 - 1))
def test_any_choice_of_moves_comes_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choice = (rng.random(GAME.legal.shape) < rng.random()) & GAME.legal
    idle = ~choice.any(axis=1)
    choice[idle] = GAME.legal[idle]
    assert (decode_moves(GAME, encode_moves(GAME, choice)) == choice).all()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "2695 characters, or 379, not 0"),
        ("A" * 378, "not 378"),
        ("A" * 380, "not 380"),
        ("A" * 378 + "+", r"character 379 of the moves is '\+'"),
        ("\N{GREEK SMALL LETTER ALPHA}" + "A" * 378, "character 1 of the moves"),
        ("A" * 378 + "\n", r"character 379 of the moves is '\\n'"),
        ("A" * 379, r"no move is played in \.\.\.\.\.\.\.\.\."),
        ("_" * 379, "the moves end after 2270 bits"),
        ("_" * 2695, "the moves end after 16167 bits"),
    ],
)
def test_what_is_no_code_says_why(game: Game, code: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decode_moves(game, code)


@given(st.text(SIGNS, min_size=379, max_size=379) | st.text(max_size=400))
def test_whatever_is_no_code_is_a_value_error(code: str) -> None:
    with suppress(ValueError):
        assert encode_moves(GAME, decode_moves(GAME, code)) == code
