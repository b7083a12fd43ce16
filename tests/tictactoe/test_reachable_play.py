"""The mistakes of an agent: cost, frequency and symmetry classes."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from app.tictactoe.atlas import group_blunder_decisions, list_blunder_decisions, prove_unbeatable
from app.tictactoe.game import SEATS, Game
from app.tictactoe.policy import greedy_policy
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import find_lost_game
from tests.tictactoe.both import Both
from tests.tictactoe.checker import Line, flaw, images
from tests.tictactoe.reference import SIGN, Policy, Rules, mover

NAMES = ["optimal", "zero", "lucky", "noisy", "rough", "first"]


def cells(row) -> set[int]:
    return set(np.flatnonzero(row).tolist())


def erring_chances(rules: Rules, policy: Policy) -> dict[str, Fraction]:
    """Return the chance of erring on each board in a game against random play."""
    random = rules.uniform()
    met = {"X": rules.coming(policy, random), "O": rules.coming(random, policy)}
    wrong = {b: set(policy[b]) & rules.blunder_cells(b) for b in rules.decisions}
    return {
        board: met[mover(board)][board] * sum(policy[board][cell] for cell in cells)
        for board, cells in wrong.items()
        if cells
    }


@pytest.mark.parametrize("name", NAMES)
def test_each_mistake_and_what_it_costs(tictactoe: Both, tables, policies, name: str):
    rules, found = (
        tictactoe.rules,
        list_blunder_decisions(ReachablePlay(tictactoe.game, greedy_policy(tables[name]))),
    )
    boards = [tictactoe.boards[position] for position in found.positions]
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
    found = list_blunder_decisions(ReachablePlay(tictactoe.game, greedy_policy(tables[name])))
    expected = erring_chances(rules, policy)
    reachable = rules.reachable(policy, "X") | rules.reachable(policy, "O")
    for position, chance in zip(found.positions, found.chances, strict=True):
        board = tictactoe.boards[position]
        assert chance == pytest.approx(float(expected[board]), abs=1e-12)
        assert (chance > 0) == (board in reachable)


def slow_order(both: Both, policy: Policy) -> list[int]:
    """Return the positions of the mistakes in their order, one for each symmetry class."""
    rules, chances = both.rules, erring_chances(both.rules, policy)

    def lost(board: str) -> int:
        """Return the value of the worst move minus the value of the board: -1 or -2."""
        ends = [rules.solved[rules.children[board][cell]][0] for cell in policy[board]]
        return min(SIGN[mover(board)] * (end - rules.solved[board][0]) for end in ends)

    classes: dict[frozenset[str], list[str]] = {}
    for board in chances:
        classes.setdefault(frozenset(images(rules, board)), []).append(board)
    keys = []
    for boards in classes.values():
        stands = min(boards, key=lambda b: (-chances[b], lost(b), both.number[b]))
        often = sum((chances[board] for board in boards), Fraction(0))
        keys.append((-often, lost(stands), both.number[stands]))  # numbered by ply, then code
    return [number for *_, number in sorted(keys)]


def ordered(game: Game, policy: NDArray[np.float64]) -> list[int]:
    found = list_blunder_decisions(ReachablePlay(game, policy))
    positions: list[int] = found.positions[
        group_blunder_decisions(game, found).example_rows
    ].tolist()
    return positions


@pytest.mark.parametrize("name", NAMES)
def test_the_most_serious_come_first(tictactoe: Both, tables, policies, name: str):
    """The order is by frequency, then by cost, then by ply."""
    expected = slow_order(tictactoe, policies[name])
    assert ordered(tictactoe.game, greedy_policy(tables[name])) == expected


@pytest.mark.parametrize("seat", SIGN)
@pytest.mark.parametrize("name", NAMES)
def test_own_records_are_games_that_the_agent_can_have(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    rules, policy = tictactoe.rules, policies[name]
    games = ReachablePlay(tictactoe.game, greedy_policy(tables[name])).games_by_player[
        SEATS[seat.lower()]
    ]
    records = {
        position: games.find_record(position) for position in range(tictactoe.game.positions)
    }
    had = {position: record for position, record in records.items() if record is not None}
    assert {tictactoe.boards[position] for position in had} == rules.met(policy, seat)
    for position, record in had.items():
        board = rules.boards[0]
        for cell in map(int, record):
            assert mover(board) != seat or cell in policy[board]
            board = rules.children[board][cell]
        assert board == tictactoe.boards[position]


# What an agent does wrong: its blunders, where it can meet them, and the game that it loses.


EMPTY = "." * 9


@pytest.mark.parametrize("seat", SIGN)
@pytest.mark.parametrize("name", NAMES)
def test_the_losing_game_is_one_of_its_own_and_no_other_is_likelier(
    tictactoe: Both, tables, policies, name: str, seat: str
) -> None:
    """The chance is that of the agent's own moves, for any opponent."""
    rules, policy = tictactoe.rules, policies[name]

    @cache
    def likeliest(board: str) -> float:
        if rules.result(board) is not None:
            return float(rules.result(board) == -SIGN[seat])
        own = mover(board) == seat
        cells = policy[board] if own else rules.children[board]
        return max(likeliest(rules.children[board][cell]) for cell in cells) / (
            len(cells) if own else 1
        )

    record = find_lost_game(tictactoe.game, greedy_policy(tables[name]), SEATS[seat.lower()])
    assert (record is None) == (likeliest(EMPTY) == 0)
    board, chance = EMPTY, 1.0
    for digit in record or "":
        if mover(board) == seat:
            assert int(digit) in policy[board]
            chance /= len(policy[board])
        board = rules.children[board][int(digit)]
    if record is not None:
        assert rules.result(board) == -SIGN[seat]
        assert chance == pytest.approx(likeliest(EMPTY))


# The proof that nobody beats an agent is checked by a function that knows only the rules of the game.


PROVED = [("optimal", "X"), ("optimal", "O"), ("noisy", "X")]
BEATEN = [("noisy", "O"), ("rough", "X"), ("zero", "X"), ("first", "O")]


def listed(both: Both, q, seat: str) -> list[Line]:
    proof = prove_unbeatable(ReachablePlay(both.game, greedy_policy(q)), SEATS[seat.lower()])
    return [
        (both.boards[position], np.flatnonzero(moves).tolist())
        for position, moves in zip(proof.positions.tolist(), proof.moves, strict=True)
    ]


def alike(both: Both, line: Line) -> Line:
    """Return one representative of all symmetric games."""
    board, cells = line
    return min(
        ("".join(board[cell] for cell in cells_of), sorted(map(cells_of.index, cells)))
        for cells_of in both.rules.symmetries()
    )


def met(both: Both, policy: Policy, seat: str) -> list[Line]:
    return [(board, sorted(policy[board])) for board in both.rules.reachable(policy, seat)]


@pytest.mark.parametrize(("name", "seat"), PROVED)
def test_it_proves_what_it_claims(tictactoe: Both, tables, name: str, seat: str):
    assert flaw(tictactoe.rules, seat, listed(tictactoe, tables[name], seat)) is None


@pytest.mark.parametrize(("name", "seat"), PROVED)
def test_it_lists_all_that_the_agent_can_meet_and_each_once(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    lines, expected = listed(tictactoe, tables[name], seat), met(tictactoe, policies[name], seat)
    assert all(line in expected for line in lines)
    classes = [alike(tictactoe, line) for line in lines]
    assert sorted(classes) == sorted(
        {str(c): c for c in (alike(tictactoe, m) for m in expected)}.values()
    )
    proof = prove_unbeatable(
        ReachablePlay(tictactoe.game, greedy_policy(tables[name])), SEATS[seat.lower()]
    )
    assert proof.reachable_count == len(expected)


@pytest.mark.parametrize(("name", "seat"), BEATEN)
def test_there_is_none_for_an_agent_that_can_be_beaten(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    with pytest.raises(ValueError, match="the policy loses the game"):
        prove_unbeatable(
            ReachablePlay(tictactoe.game, greedy_policy(tables[name])), SEATS[seat.lower()]
        )
    assert flaw(tictactoe.rules, seat, met(tictactoe, policies[name], seat)) is not None
