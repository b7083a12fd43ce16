"""An agent's mistakes: what each costs, how often it happens, and the same up to symmetry."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.tictactoe.agents import load
from app.tictactoe.atlas import atlas, mistakes
from app.tictactoe.game import SEATS, Game
from app.tictactoe.own_play import OwnPlay
from app.tictactoe.policy import greedy, policy_of
from app.tictactoe.values import plies
from tests.tictactoe.both import Both
from tests.tictactoe.checker import images
from tests.tictactoe.reference import SIGN, Policy, Rules, mover

MODELS = Path(__file__).parents[2] / "models"
NAMES = ["optimal", "zero", "lucky", "noisy", "rough", "first"]


def cells(row) -> set[int]:
    return set(np.flatnonzero(row).tolist())


def erring_chances(rules: Rules, policy: Policy) -> dict[str, Fraction]:
    """How likely it is to err on each board on which it can, in a game against random play."""
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
    rules, found = tictactoe.rules, mistakes(OwnPlay(tictactoe.game, greedy(tables[name])))
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
    found = mistakes(OwnPlay(tictactoe.game, greedy(tables[name])))
    expected = erring_chances(rules, policy)
    reachable = rules.reachable(policy, "X") | rules.reachable(policy, "O")
    for position, chance in zip(found.position, found.chance, strict=True):
        board = tictactoe.boards[position]
        assert chance == pytest.approx(float(expected[board]), abs=1e-12)
        assert (chance > 0) == (board in reachable)


@pytest.mark.parametrize("name", NAMES)
def test_classes_hold_every_mistake_once(tictactoe: Both, tables, name: str):
    found = mistakes(OwnPlay(tictactoe.game, greedy(tables[name])))
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


def slow_order(both: Both, policy: Policy) -> list[int]:
    """The position that stands for each class of mistakes, in the order in which they matter."""
    rules, chances = both.rules, erring_chances(both.rules, policy)

    def lost(board: str) -> int:
        """The value of the worst move less that of the board: -1, or -2 for a win that is lost."""
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
    found = mistakes(OwnPlay(game, policy))
    positions: list[int] = found.position[atlas(game, found).row].tolist()
    return positions


@pytest.mark.parametrize("name", NAMES)
def test_the_most_serious_come_first(tictactoe: Both, tables, policies, name: str):
    """Often, then costly, then early."""
    expected = slow_order(tictactoe, policies[name])
    assert ordered(tictactoe.game, greedy(tables[name])) == expected


@pytest.mark.parametrize("agent_id", sorted(path.stem for path in MODELS.glob("*.json")))
def test_the_mistakes_of_every_agent_come_in_this_order(tictactoe: Both, agent_id: str):
    agent = load(MODELS, tictactoe.game, agent_id)
    found = ordered(tictactoe.game, policy_of(agent.q, agent.card.plays))
    assert found == slow_order(tictactoe, tictactoe.policy_of(agent.q, agent.card.plays))


@pytest.mark.parametrize("seat", SIGN)
@pytest.mark.parametrize("name", NAMES)
def test_own_records_are_games_that_the_agent_can_have(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    rules, policy = tictactoe.rules, policies[name]
    games = OwnPlay(tictactoe.game, greedy(tables[name])).games[SEATS[seat.lower()]]
    records = {position: games.record(position) for position in range(tictactoe.game.positions)}
    had = {position: record for position, record in records.items() if record is not None}
    assert {tictactoe.boards[position] for position in had} == rules.met(policy, seat)
    for position, record in had.items():
        board = rules.boards[0]
        for cell in map(int, record):
            assert mover(board) != seat or cell in policy[board]
            board = rules.children[board][cell]
        assert board == tictactoe.boards[position]


def test_each_game_makes_one_move_a_ply_five_at_least(tictactoe: Both, tables):
    game = tictactoe.game
    games = OwnPlay(game, greedy(tables["lucky"])).games[SEATS["o"]]
    made = [games.chance[ply.pairs].sum() for ply in plies(game)]
    assert made[:5] == pytest.approx([1] * 5)
    assert sum(made[5:]) < 4
