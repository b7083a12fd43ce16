"""Where players part, found again position by position."""

import numpy as np
import pytest

from app.tictactoe.arena import disagreements
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import (
    Policy,
    best_moves,
    first_empty,
    minimax,
    minimax_random,
    strongest,
    t_hand,
    uniform,
)


@pytest.fixture(scope="module")
def game() -> Game:
    return connect()


def likeliest(policy: Policy, position: int) -> set[int]:
    row = policy[position]
    return set(np.flatnonzero(row == row.max()).tolist())


def test_it_is_where_two_share_no_move(game: Game) -> None:
    one, other = first_empty(game), t_hand(game)
    listed = disagreements(game, [one, other]).tolist()
    parted = {
        position
        for position in range(game.decisions)
        if not likeliest(one, position) & likeliest(other, position)
    }
    assert set(listed) <= parted
    classes = game.symmetry_class
    assert {int(classes[position]) for position in parted} == set(classes[listed].tolist())
    assert len(set(classes[listed].tolist())) == len(listed)  # each class once


def test_what_most_hangs_on_comes_first(game: Game) -> None:
    one, right = first_empty(game), best_moves(game)
    listed = disagreements(game, [one, strongest(game)])
    erring = [not right[position, one[position].argmax()] for position in listed]
    # Where both moves are right nothing hangs on whose it is: that comes last.
    assert erring == sorted(erring, reverse=True)
    assert {*erring} == {True, False}


def test_those_of_three_where_all_part_come_before_those_where_two_do(game: Game) -> None:
    three = [first_empty(game), t_hand(game), minimax(game)]

    def parted(position: int) -> int:
        sets = [likeliest(policy, position) for policy in three]
        return sum(not sets[a] & sets[b] for a, b in [(0, 1), (0, 2), (1, 2)])

    counts = [parted(position) for position in disagreements(game, three).tolist()]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] > 0


def test_one_alone_is_set_against_best_play(game: Game) -> None:
    assert disagreements(game, [minimax(game)]).size == 0
    erring = disagreements(game, [first_empty(game)])
    right = best_moves(game)
    assert not right[erring][first_empty(game)[erring] > 0].any()


def test_equals_never_part(game: Game) -> None:
    assert disagreements(game, [uniform(game), minimax_random(game)]).size == 0
