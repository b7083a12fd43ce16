"""Exact values of every position, compared with the reference in fractions."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, greedy_policy, uniform_policy
from app.tictactoe.values import (
    collect_policy_moves,
    compute_best_responses,
    compute_outcome_chances,
    compute_successor_values,
    find_best_response,
    find_likeliest_game,
    iterate_matches,
    solve_game,
)
from tests.tictactoe.both import Both
from tests.tictactoe.reference import SIGN, Policy, mover

SEATS = {"X": X, "O": O}


def close(chances, expected) -> None:
    np.testing.assert_allclose(chances, expected, rtol=0, atol=1e-12)


def test_optimal_value_and_plies(both: Both):
    solution = solve_game(both.game)
    expected = [both.rules.solved[board] for board in both.boards]
    assert (
        list(zip(solution.values.tolist(), solution.plies_to_end.tolist(), strict=True)) == expected
    )


@pytest.mark.parametrize(
    ("x", "o"),
    [
        ("random", "random"),
        ("t-hand", "random"),
        ("random", "t-hand"),
        ("fixed", "t-hand"),
        ("minimax", "random"),
        ("minimax-random", "minimax"),
    ],
)
def test_outcome_chances_from_every_position(tictactoe: Both, players, x: str, o: str):
    game = tictactoe.game
    chances = compute_outcome_chances(
        game, BASELINES[x].build_policy(game), BASELINES[o].build_policy(game)
    )
    close(chances, tictactoe.column(tictactoe.rules.chances(players[x], players[o])))


@pytest.mark.parametrize("loss", [-1, -3, None])
@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize("against", ["random", "t-hand"])
def test_best_response_from_every_position(
    tictactoe: Both, players: dict[str, Policy], against: str, seat: str, loss: int | None
):
    """The reference's `None` (no avoidable risk of a loss) is `-inf` for the arrays."""
    expected_cells, expected_chances = tictactoe.rules.best_response(players[against], seat, loss)
    response = find_best_response(
        tictactoe.game,
        tictactoe.policy(players[against]),
        SEATS[seat],
        -np.inf if loss is None else loss,
    )
    played = {
        board: {expected_cells[board]: 1} if mover(board) == seat else {}
        for board in tictactoe.decisions
    }
    np.testing.assert_array_equal(response.policy, tictactoe.pairs(played, otherwise=0))
    close(response.outcome_chances, tictactoe.column(expected_chances))


def test_a_batch_of_policies_is_what_they_are_one_by_one(game: Game, tables):
    """Chances and best responses of two rows of three tables each equal single results."""
    batch = np.stack([greedy_policy(q) for q in tables.values()]).reshape(2, 3, *game.legal.shape)
    chances = compute_outcome_chances(game, batch, uniform_policy(game))
    mirrored = compute_outcome_chances(game, batch[::-1], batch)
    for seat, loss in product(SIGN.values(), (-1, -3, -np.inf)):
        response = find_best_response(game, batch, seat, loss)
        on_pairs, ends = compute_best_responses(game, batch[..., game.legal], seat, loss)
        np.testing.assert_array_equal(response.policy[..., game.legal], on_pairs)
        np.testing.assert_array_equal(np.moveaxis(response.outcome_chances, -1, 0), ends)
        for at in np.ndindex(2, 3):
            alone = find_best_response(game, batch[at], seat, loss)
            np.testing.assert_array_equal(response.policy[at], alone.policy)
            np.testing.assert_array_equal(response.outcome_chances[at], alone.outcome_chances)
    for i, j in np.ndindex(2, 3):
        at_random = compute_outcome_chances(game, batch[i, j], uniform_policy(game))
        np.testing.assert_array_equal(chances[i, j], at_random)
        each_other = compute_outcome_chances(game, batch[1 - i, j], batch[i, j])
        np.testing.assert_array_equal(mirrored[i, j], each_other)


@pytest.mark.parametrize(
    ("x", "o"), [("random", "t-hand"), ("t-hand", "fixed"), ("minimax", "random")]
)
def test_how_likely_a_match_comes_to_each_position(tictactoe: Both, players, x: str, o: str):
    """The match is the second of two that are followed together."""
    game, coming = tictactoe.game, tictactoe.rules.coming(players[x], players[o])
    policies = np.stack([BASELINES[name].build_policy(game)[game.legal] for name in (o, x)])
    lined_up = collect_policy_moves(game, policies)
    *plies, (last, ends) = iterate_matches(game, lined_up, np.array([0, 1]), np.array([0, 0]))
    assert [rows for rows, _ in plies] == [slice(*ply) for ply in pairwise(game.ply_start)]
    found = np.concatenate([chance[1] for _, chance in plies])
    close(found, [float(coming[board]) for board in tictactoe.decisions])
    assert last == slice(game.decisions, game.positions)
    results = [(board, tictactoe.rules.result(board)) for board in tictactoe.rules.finished]
    close(ends[1], [float(sum(coming[b] for b, r in results if r == won)) for won in (1, 0, -1)])


@pytest.mark.parametrize("outcome", [1, 0, -1])
@pytest.mark.parametrize(("x", "o"), [("random", "t-hand"), ("t-hand", "random")])
def test_likeliest_game(tictactoe: Both, players, x: str, o: str, outcome: int):
    """No game with this outcome has a higher chance, and the record is such a game."""
    game, rules = tictactoe.game, tictactoe.rules
    policies = {"X": players[x], "O": players[o]}
    highest: dict[str, Fraction] = {}
    for board in reversed(rules.boards):
        row = policies[mover(board)].get(board, {})
        onward = [chance * highest[rules.children[board][cell]] for cell, chance in row.items()]
        highest[board] = max(onward, default=Fraction(rules.result(board) == outcome))
    x_policy, o_policy = (tictactoe.policy(policies[seat]) for seat in "XO")
    record = find_likeliest_game(game, x_policy, o_policy, outcome)
    assert record is not None
    chance, board = Fraction(1), rules.boards[0]
    for digit in record:
        chance *= policies[mover(board)][board][int(digit)]
        board = rules.children[board][int(digit)]
    assert rules.result(board) == outcome
    assert chance == highest[rules.boards[0]] > 0


def test_successor_values_are_those_of_the_position_after_the_move(both: Both):
    values = np.arange(both.game.positions) + 0.5
    told = {
        board: {
            cell: both.number[after] + 0.5 for cell, after in both.rules.children[board].items()
        }
        for board in both.decisions
    }
    found = compute_successor_values(both.game, values)
    np.testing.assert_array_equal(found, both.pairs(told, otherwise=np.nan))


def with_row(row: int, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that replaces one row of a policy."""

    def changed(policy: NDArray[np.float64]) -> NDArray[np.float64]:
        policy = policy.copy()
        policy[row] = change(policy[row])
        return policy

    return changed


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda policy: policy[:-1], r"a policy of this game is \(4520, 9\), not \(4519, 9\)"),
        (lambda policy: policy[:, :-1], r"a policy of this game is \(4520, 9\), not \(4520, 8\)"),
        (lambda policy: policy[0], r"a policy of this game is \(4520, 9\), not \(9,\)"),
        (with_row(0, lambda row: [row[0] - 0.5, row[1] + 0.5, *row[2:]]), "no chance below 0"),
        (with_row(0, lambda row: [np.nan, *row[1:]]), "no chance below 0"),
        (with_row(-1, lambda row: 1 / 9), "none to an illegal move"),
        (with_row(0, lambda row: [row[0] + 0.01, *row[1:]]), "add up to 1"),
        (with_row(5, lambda row: row * 0.99), "add up to 1"),
        (with_row(3, lambda row: 0), "add up to 1"),
    ],
    ids=range(9),
)
def test_what_is_no_policy_is_refused(game: Game, wrong, sentence: str):
    right = uniform_policy(game)
    bad = wrong(right)
    with pytest.raises(ValueError, match=sentence):
        compute_outcome_chances(game, bad, right)
    with pytest.raises(ValueError, match=sentence):
        compute_outcome_chances(game, right, bad)
    for seat in SIGN.values():
        with pytest.raises(ValueError, match=sentence):
            find_best_response(game, bad, seat)
