"""An agent's mistakes: what each costs, how often it happens, and the same up to symmetry."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from app.tictactoe.atlas import atlas, mistakes
from app.tictactoe.game import SEATS
from app.tictactoe.own_play import move_chances, own_records
from app.tictactoe.policy import greedy
from tests.tictactoe.both import Both
from tests.tictactoe.checker import images
from tests.tictactoe.reference import SIGN, Policy, Rules, mover

NAMES = ["optimal", "zero", "lucky", "noisy", "rough", "first"]


def cells(row) -> set[int]:
    return set(np.flatnonzero(row).tolist())


def chance_met(rules: Rules, policy: Policy, seat: str) -> dict[str, Fraction]:
    """Of each board, in games of the policy in a seat against random play."""
    random, met = rules.uniform(), dict.fromkeys(rules.boards, Fraction(0))
    met[rules.boards[0]] = Fraction(1)
    for board in rules.decisions:
        row = (policy if mover(board) == seat else random)[board]
        for cell, chance in row.items():
            met[rules.children[board][cell]] += met[board] * chance
    return met


@pytest.mark.parametrize("name", NAMES)
def test_each_mistake_and_what_it_costs(tictactoe: Both, tables, policies, name: str):
    rules, found = tictactoe.rules, mistakes(tictactoe.game, greedy(tables[name]))
    boards = [tictactoe.boards[position] for position in found.position]
    expected = [b for b in tictactoe.decisions if set(policies[name][b]) & rules.blunder_cells(b)]
    assert boards == expected
    for board, wrong, right, before, after in zip(boards, *found[1:5], strict=True):
        sign = SIGN[mover(board)]
        assert cells(wrong) == set(policies[name][board]) & rules.blunder_cells(board)
        assert cells(right) == set(rules.best_cells(board))
        assert before == sign * rules.solved[board][0]
        values = [sign * rules.solved[rules.children[board][c]][0] for c in cells(wrong)]
        assert after == min(values) < before


@pytest.mark.parametrize("name", ["lucky", "noisy", "rough"])
def test_how_often_each_mistake_happens(tictactoe: Both, tables, policies, name: str):
    rules, policy = tictactoe.rules, policies[name]
    found = mistakes(tictactoe.game, greedy(tables[name]))
    met = {seat: chance_met(rules, policy, seat) for seat in SIGN}
    reachable = rules.reachable(policy, "X") | rules.reachable(policy, "O")
    for position, wrong, chance in zip(found.position, found.wrong, found.chance, strict=True):
        board = tictactoe.boards[position]
        here = met[mover(board)][board]
        expected = here * sum(policy[board][cell] for cell in cells(wrong))
        assert chance == pytest.approx(float(expected), abs=1e-12)
        assert (chance > 0) == (board in reachable)


@pytest.mark.parametrize("name", NAMES)
def test_classes_hold_every_mistake_once(tictactoe: Both, tables, name: str):
    found = mistakes(tictactoe.game, greedy(tables[name]))
    classes = atlas(tictactoe.game, found)
    boards = [tictactoe.boards[position] for position in found.position]
    chances = Counter(dict(zip(boards, found.chance.tolist(), strict=True)))
    seen: set[str] = set()
    for row, erring, count, chance in zip(*classes, strict=True):
        same = images(tictactoe.rules, boards[row])
        assert (len(same & set(boards)), len(same)) == (erring, count)
        assert chance == pytest.approx(sum(chances[board] for board in same), abs=1e-12)
        assert chances[boards[row]] == pytest.approx(max(chances[board] for board in same))
        assert not same & seen
        seen |= same
    assert set(boards) <= seen


@pytest.mark.parametrize("name", ["zero", "lucky", "noisy", "rough", "first"])
def test_the_most_serious_come_first(tictactoe: Both, tables, name: str):
    """Often, then costly, then early."""
    found = mistakes(tictactoe.game, greedy(tables[name]))
    classes = atlas(tictactoe.game, found)
    chances = classes.chance.round(9).tolist()
    assert chances == sorted(chances, reverse=True)
    never = classes.row[classes.chance == 0]
    lost = (found.before - found.after)[never].tolist()
    plies = [9 - tictactoe.boards[p].count(".") for p in found.position[never]]
    order = [(-cost, ply) for cost, ply in zip(lost, plies, strict=True)]
    assert order == sorted(order)


@pytest.mark.parametrize("seat", SIGN)
@pytest.mark.parametrize("name", NAMES)
def test_own_records_are_games_that_the_agent_can_have(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    rules, policy = tictactoe.rules, policies[name]
    records = own_records(tictactoe.game, greedy(tables[name]), SEATS[seat.lower()])
    assert {tictactoe.boards[position] for position in records} == rules.met(policy, seat)
    for position, record in records.items():
        board = rules.boards[0]
        for cell in map(int, record):
            assert mover(board) != seat or cell in policy[board]
            board = rules.children[board][cell]
        assert board == tictactoe.boards[position]


def test_each_game_makes_one_move_a_ply_five_at_least(tictactoe: Both, tables):
    game = tictactoe.game
    chances = move_chances(game, greedy(tables["lucky"]), SEATS["o"])
    plies = [chances[start:stop].sum() for start, stop in pairwise(game.ply_start)]
    assert plies[:5] == pytest.approx([1] * 5)
    assert sum(plies[5:]) < 4
