"""Every published or computed figure of tic-tac-toe.

Figures of positions and games use the arrays, which other tests compare with the slow reference;
figures of policies use both.

"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from app.tictactoe.arena import compute_round_robin
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, find_best_moves
from app.tictactoe.values import (
    compute_outcome_chances,
    compute_successor_values,
    find_best_response,
    solve_game,
)
from app.tictactoe.views import convert_view
from tests.tictactoe.both import Both
from tests.tictactoe.reference import Policy, Rules, mover, place

EMPTY = "." * 9
RANDOM_GAME = (Fraction(737, 1260), Fraction(8, 63), Fraction(121, 420))


def tally(results) -> dict[int, int]:
    return dict(Counter(int(result) for result in results))


def test_5478_positions_of_which_4520_are_decisions(game: Game):
    assert (game.positions, game.decisions) == (5478, 4520)


def test_958_finished_positions(game: Game):
    expected = {+1: 626, -1: 316, 0: 16}
    assert tally(game.outcome) == expected


def test_765_positions_up_to_symmetry(game: Game):
    classes = np.unique(game.symmetry_class)
    finished = classes[classes >= game.decisions]
    assert len(classes) == 765
    assert len(classes) - len(finished) == 627
    assert tally(game.outcome[finished - game.decisions]) == {+1: 91, -1: 44, 0: 3}


def test_16167_legal_pairs(game: Game):
    assert game.legal.sum() == game.pairs == 16_167


def test_2096_classes_of_pairs(game: Game):
    decision, cell = np.nonzero(game.legal)
    images = []
    for g, cells in enumerate(game.symmetries):
        lands_on = np.argsort(cells)  # image g has on cell c what was on cells[c]
        images.append(game.symmetric_positions[g, decision] * game.cells + lands_on[cell])
    assert len(np.unique(np.min(images, axis=0))) == 2096


def test_5477_afterstates_in_764_classes(game: Game):
    afterstates = np.unique(game.successor[game.legal])
    assert len(afterstates) == 5477
    assert len(np.unique(game.symmetry_class[afterstates])) == 764


def test_optimal_values_of_the_decisions(game: Game):
    expected = {+1: 2836, 0: 1052, -1: 632}  # mover's view
    value = solve_game(game).values[: game.decisions]
    assert tally(convert_view(game, value)) == expected


def test_optimal_values_of_the_pairs(game: Game):
    expected = {+1: 4658, 0: 3173, -1: 8336}  # mover's view
    values = convert_view(game, compute_successor_values(game, solve_game(game).values))
    assert tally(values[game.legal]) == expected


def test_8863_pairs_keep_the_value_and_a_blunder_is_possible_on_3191_decisions(game: Game):
    keeping = find_best_moves(game)
    assert keeping.sum() == 8863
    assert (game.legal & ~keeping).any(axis=1).sum() == 3191


@pytest.mark.parametrize(
    ("x", "o", "expected"),
    [
        ("random", "random", tuple(round(float(chance), 6) for chance in RANDOM_GAME)),
        ("t-hand", "random", (0.895547, 0.091358, 0.013095)),
        ("random", "t-hand", (0.060935, 0.239330, 0.699735)),
        ("minimax", "random", (0.994792, 0.005208, 0)),
        ("minimax-random", "random", (0.967811, 0.032189, 0)),
        ("minimax-random", "t-hand", (0.774614, 0.225386, 0)),
    ],
)
def test_chances_of_a_game(tictactoe: Both, players, x: str, o: str, expected):
    """The chances are X winning, a draw, O winning."""
    game = tictactoe.game
    exact = tictactoe.rules.chances(players[x], players[o])[EMPTY]
    assert tuple(round(float(chance), 6) for chance in exact) == expected
    policies = [BASELINES[name].build_policy(game) for name in (x, o)]
    chances = compute_outcome_chances(game, *policies)[0]
    assert chances == pytest.approx([float(chance) for chance in exact], abs=1e-12)
    assert compute_round_robin(game, policies)[0, 1] == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("against", "seat", "loss", "expected"),
    [
        ("random", X, -1, (Fraction(191, 192), Fraction(1, 192), 0)),
        ("random", O, None, (0, 1 - Fraction(866, 945), Fraction(866, 945))),
        ("t-hand", X, -1, (Fraction(89, 96), Fraction(7, 96), 0)),
        ("t-hand", O, None, (0, 1 - Fraction(82, 315), Fraction(82, 315))),
    ],
)
def test_best_response(
    tictactoe: Both, players, *, against: str, seat: int, loss: int | None, expected
):
    """As X the best responder to random play and to T-hand never loses; as O `loss` forbids it."""
    exact = tictactoe.rules.best_response(players[against], "X" if seat == X else "O", loss)
    assert exact[1][EMPTY] == expected
    policy = BASELINES[against].build_policy(tictactoe.game)
    response = find_best_response(tictactoe.game, policy, seat, -np.inf if loss is None else loss)
    assert response.outcome_chances[0] == pytest.approx(
        [float(chance) for chance in expected], abs=1e-12
    )


def test_boyan_s_58_to_42_is_a_little_below_what_is_possible(rules: Rules, players):
    """Without losses against T-hand, at most 59.37% are won and 40.63% drawn, mean of both seats."""
    as_x = rules.best_response(players["t-hand"], "X", None)[1][EMPTY]
    as_o = rules.best_response(players["t-hand"], "O", None)[1][EMPTY]
    assert round(float(as_x[0] + as_o[2]) / 2, 4) == 0.5937
    assert round(float(as_x[1] + as_o[1]) / 2, 4) == 0.4063
    assert as_x[2] == as_o[0] == 0


def test_only_a_double_threat_beats_t_hand(rules: Rules, players: dict[str, Policy]) -> None:
    def winning(board: str, mark: str) -> list[int]:
        free = [cell for cell, held in enumerate(board) if held == "."]
        return [cell for cell in free if rules.has_line(place(board, cell, mark), mark)]

    threats = []
    for board, row in players["t-hand"].items():
        opponent = "O" if mover(board) == "X" else "X"
        after = [rules.children[board][cell] for cell in row]
        if any(winning(left, opponent) and rules.children[left] for left in after):
            threats.append(len(winning(board, opponent)))
    assert (len(threats), min(threats), max(threats)) == (508, 2, 3)
    assert len(winning("XO.O..X.X", "X")) == 2  # the position that the glossary shows
