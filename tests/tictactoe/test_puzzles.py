"""Puzzles: each is a blunder that an agent certainly makes in one of its games."""

from pathlib import Path

import numpy as np
import pytest

from app.tictactoe.agents import Agent, load_agents
from app.tictactoe.policy import policy_from_values
from app.tictactoe.puzzles import (
    MIN_CELLS_TO_OVERLOOK,
    Puzzle,
    make_puzzles,
)
from app.tictactoe.views import RewardScale
from tests.tictactoe.both import Both
from tests.tictactoe.checker import images
from tests.tictactoe.reference import SIGN, Policy, Told, mover

MODELS = Path(__file__).parents[2] / "models"
EMPTY = "." * 9


@pytest.fixture(scope="module")
def agents(tictactoe: Both) -> dict[str, Agent]:
    return load_agents(MODELS, tictactoe.game)


@pytest.fixture(scope="module")
def play(tictactoe: Both, agents: dict[str, Agent]) -> dict[str, Policy]:
    """Return the reference's policy for each agent's table."""
    return Told(lambda name: tictactoe.policy_of(agents[name].q, agents[name].card.play_rule))


@pytest.fixture(scope="module")
def chosen(tictactoe: Both, agents: dict[str, Agent]) -> list[Puzzle]:
    return make_puzzles(
        tictactoe.game,
        {name: policy_from_values(agent.q, agent.card.play_rule) for name, agent in agents.items()},
        {name: np.where(agent.visits > 0, agent.q, np.nan) for name, agent in agents.items()},
        [name for name, agent in agents.items() if agent.card.reward_scale == RewardScale()],
    )


def boards(tictactoe: Both, record: str, start: str = EMPTY) -> list[str]:
    passed = [start]
    for digit in record:
        passed.append(tictactoe.rules.children[passed[-1]][int(digit)])
    return passed


def test_no_position_comes_twice_however_it_is_turned(
    tictactoe: Both, chosen: list[Puzzle]
) -> None:
    classes = [min(images(tictactoe.rules, tictactoe.boards[puzzle.position])) for puzzle in chosen]
    assert len(set(classes)) == len(classes)


@pytest.mark.long
def test_its_agent_plays_one_square_for_sure_and_that_is_a_blunder(
    tictactoe: Both, chosen: list[Puzzle], play: dict[str, Policy], agents: dict[str, Agent]
) -> None:
    for puzzle in chosen:
        board, rules = tictactoe.boards[puzzle.position], tictactoe.rules
        assert [*play[puzzle.agent_id][board]] == [puzzle.blunder_cell]
        assert puzzle.blunder_cell in rules.blunder_cells(board)
        assert agents[puzzle.agent_id].visits[puzzle.position, puzzle.blunder_cell] > 0
        assert puzzle.correct_cells == sorted(rules.best_cells(board))
        sign = SIGN[mover(board)]
        assert puzzle.value_before == sign * rules.solved[board][0]
        assert (
            puzzle.value_after == sign * rules.solved[rules.children[board][puzzle.blunder_cell]][0]
        )


@pytest.mark.long
def test_its_agent_comes_there_by_moves_of_its_own(
    tictactoe: Both, chosen: list[Puzzle], play: dict[str, Policy]
) -> None:
    for puzzle in chosen:
        passed = boards(tictactoe, puzzle.record)
        assert passed[-1] == tictactoe.boards[puzzle.position]
        seat = mover(passed[-1])
        for board, digit in zip(passed, puzzle.record, strict=False):
            assert mover(board) != seat or int(digit) in play[puzzle.agent_id][board]


def test_the_refutation_gets_what_the_blunder_gave_away(
    tictactoe: Both, chosen: list[Puzzle]
) -> None:
    """After the blunder both sides play optimally to the end; the loser delays."""
    rules = tictactoe.rules
    for puzzle in chosen:
        start = tictactoe.boards[puzzle.position]
        passed = boards(tictactoe, puzzle.refutation, start)
        assert int(puzzle.refutation[0]) == puzzle.blunder_cell
        assert rules.result(passed[-1]) == SIGN[mover(start)] * puzzle.value_after
        for board, digit in zip(passed[1:], puzzle.refutation[1:], strict=False):
            assert int(digit) in rules.best_cells(board)
        assert puzzle.value_after == 0 or len(passed) - 2 == rules.solved[passed[1]][1]


def test_how_far_one_has_to_look_makes_the_level(tictactoe: Both, chosen: list[Puzzle]) -> None:
    rules = tictactoe.rules
    for puzzle in chosen:
        board = tictactoe.boards[puzzle.position]
        looked_at = rules.children[board][puzzle.blunder_cell] if puzzle.value_after < 0 else board
        plies = rules.solved[looked_at][1]
        few = board.count(".") < MIN_CELLS_TO_OVERLOOK
        level = {1: 0 if few else 1, 2: 1, 3: 1}.get(plies, 2)
        assert puzzle.level == level
