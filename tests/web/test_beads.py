"""Beads on pages: numbers and chances of moves, without expected results.

The arithmetic is repeated with boards as text, by `app.textbook.rules`; only the table in the
model file comes from the app.

"""

from functools import cache

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.textbook.rules import TicTacToe
from app.textbook.symmetry import canonical_move
from app.tictactoe.game import GAME, X
from app.tictactoe.notation import format_position, parse_position
from app.web.algorithms import find_explaining_algorithm
from app.web.algorithms.targets import ValueQuery
from app.web.formatting import format_beads, spell_bead_count
from app.web.move_values import evaluate_moves
from app.web.pages.why import explain_value
from app.web.site_data import SiteData

RULES = TicTacToe()
LENS = "menace"


def drawn(site: SiteData, board: str) -> dict[int, float]:
    """Return the chance of each square, from the parts of the beads in the table."""
    row = site.agents[LENS].q[parse_position(GAME, board)].astype(float)
    return {cell: float(row[cell] / np.nansum(row)) for cell in RULES.legal_moves(board)}


def held(site: SiteData, board: str, cell: int) -> float:
    """Return the beads of a move: the sum of the parts of its squares."""
    row = site.agents[LENS].q[parse_position(GAME, board)]
    named = {one: canonical_move(RULES, board, one) for one in RULES.legal_moves(board)}
    return sum(float(row[one]) for one, same in named.items() if same == named[cell])


def ends(site: SiteData, board: str, seat: str) -> tuple[float, float, float]:
    """Return the chances of win, draw and loss from a position against random moves."""

    @cache
    def follow(board: str) -> tuple[float, float, float]:
        if RULES.is_over(board):
            ended = RULES.result(board, seat)
            return (float(ended == 1), float(ended == 0), float(ended == -1))
        cells = RULES.legal_moves(board)
        chances = dict.fromkeys(cells, 1 / len(cells))
        if RULES.player_to_move(board) == seat:
            chances = drawn(site, board)
        after = {cell: follow(RULES.make_move(board, cell)) for cell in cells}
        win, draw, loss = (sum(chances[c] * after[c][end] for c in cells) for end in range(3))
        return win, draw, loss

    return follow(board)


@pytest.mark.parametrize(
    "board", [".........", "X........", "X...O....", "..X.O.X..", "XO.......", "XOX.O...."]
)
def test_a_square_shows_the_beads_of_its_move(site: SiteData, board: str) -> None:
    position = parse_position(GAME, board)
    seen = evaluate_moves(site, position, LENS)
    chances = drawn(site, board)
    by_move = {cell: held(site, board, cell) for cell in RULES.legal_moves(board)}
    for cell, number in by_move.items():
        assert seen.values[cell] == number == round(number)
        if seen.is_known[cell]:
            assert seen.value_texts[cell] == format_beads(number)
            assert seen.spoken_values[cell] == spell_bead_count(number)
        assert seen.policy[cell] == pytest.approx(chances[cell])
    most = max(by_move.values())
    assert seen.likeliest_cells == [cell for cell, number in by_move.items() if number == most]


@pytest.mark.parametrize(("board", "cell"), [("X...O....", 2), ("X........", 4), (".........", 0)])
def test_the_why_says_what_games_pay_on_average(site: SiteData, board: str, cell: int) -> None:
    position = parse_position(GAME, board)
    pair = ValueQuery(site, LENS, position, cell)
    seat = "X" if GAME.to_move[position] == X else "O"
    chances = ends(site, RULES.make_move(board, cell), seat)
    number = held(site, board, cell)
    target = sum(p * max(0, number + pay) for p, pay in zip(chances, (3, 1, -1), strict=True))
    assert find_explaining_algorithm(pair).compute_value_reason(pair).target == pytest.approx(
        target, abs=1e-6
    )
    told = explain_value(pair)
    assert told["value_statement"]["value"] == spell_bead_count(number)
    assert f"{100 * chances[0]:.1f}%" in " ".join(told["sentences"])
    assert format_position(GAME, position) == board


def test_the_api_counts_beads(site: SiteData, client: FlaskClient) -> None:
    told = client.get(f"/api/v1/positions/X...O....?lens={LENS}").get_json()
    assert told["worth"] is None
    for cell in told["cells"]:
        if cell["value"] is not None:
            assert cell["value"] == held(site, "X...O....", cell["cell"])
            assert cell["policy"] == pytest.approx(drawn(site, "X...O....")[cell["cell"]])
