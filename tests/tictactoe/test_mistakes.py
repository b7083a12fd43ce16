"""What an agent does wrong: its blunders, where it can meet them, and the game that it loses."""

from functools import cache

import pytest

from app.tictactoe.game import O, X
from app.tictactoe.policy import greedy
from app.tictactoe.report import losing_game
from tests.tictactoe.both import Both
from tests.tictactoe.reference import SIGN, mover

EMPTY = "." * 9
SEATS = {"X": X, "O": O}
NAMES = ["optimal", "zero", "lucky", "noisy", "rough", "first"]


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", NAMES)
def test_losing_game_is_a_real_game_that_the_agent_loses(
    tictactoe: Both, tables, policies, name: str, seat: str
):
    """And there is none exactly when its best responder has no chance to win."""
    rules, policy = tictactoe.rules, policies[name]
    _, chances = rules.best_response(policy, "O" if seat == "X" else "X")
    _, _, loss = chances[EMPTY][:: SIGN[seat]]
    record = losing_game(tictactoe.game, greedy(tables[name]), SEATS[seat])
    assert (record is None) == (loss == 0)
    if record is not None:
        board = EMPTY
        for digit in record:
            assert mover(board) != seat or int(digit) in policy[board]
            board = rules.children[board][int(digit)]
        assert rules.result(board) == -SIGN[seat]


def test_no_losing_game_means_that_not_even_a_gambler_wins(tictactoe: Both, tables, policies):
    """As X this agent errs once: where O has blundered, it either wins or loses, by a coin.

    O gains nothing by going there, so the best responder draws; but who goes there wins half of
    the games, and the agent is not proved unbeatable.
    """
    rules, q = tictactoe.rules, tables["optimal"].copy()
    met = rules.reachable(policies["optimal"], "X")
    coin = next(
        board
        for board in tictactoe.decisions
        if board in met
        and (rules.solved[board][0], len(rules.best_cells(board))) == (1, 1)
        and any(rules.solved[after][0] == -1 for after in rules.children[board].values())
    )
    losing = next(c for c, after in rules.children[coin].items() if rules.solved[after][0] == -1)
    q[tictactoe.number[coin], losing] = 1
    assert rules.can_lose(tictactoe.greedy(q), "X")
    assert losing_game(tictactoe.game, greedy(q), X) is not None


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("name", NAMES)
def test_no_other_losing_game_is_likelier(
    tictactoe: Both, tables, policies, name: str, seat: str
) -> None:
    """By the agent's own choices, whoever plays against it."""
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

    record = losing_game(tictactoe.game, greedy(tables[name]), SEATS[seat])
    assert (record is None) == (likeliest(EMPTY) == 0)
    board, chance = EMPTY, 1.0
    for digit in record or "":
        chance /= len(policy[board]) if mover(board) == seat else 1
        board = rules.children[board][int(digit)]
    assert record is None or chance == pytest.approx(likeliest(EMPTY))
