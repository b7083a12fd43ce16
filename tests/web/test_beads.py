"""Beads on pages: numbers and chances of moves, without expected results.

The arithmetic is repeated with boards as text, by `training.textbook.rules`; only the table in the
model file comes from the app.

"""

import re
from functools import cache

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import X
from app.tictactoe.notation import format_position, parse_position
from app.web.algorithms import find_update_rule
from app.web.algorithms.targets import ValueQuery
from app.web.facts import list_puzzles
from app.web.formatting import format_beads, format_count, spell_bead_count
from app.web.game_review import describe_moves, review_moves
from app.web.match import Match, replay_match
from app.web.move_values import HEAT_STEPS, build_notes, evaluate_moves
from app.web.pages.why import explain_value
from app.web.pictures.curves import lay_out_game_values
from app.web.pictures.minds import EXPECTED_KEY, colour_tiles, list_colourings
from app.web.pictures.svg import Dot
from app.web.site_data import SiteData
from app.web.wording import build_legend
from training.textbook.rules import TicTacToe
from training.textbook.symmetry import canonical_pair

RULES = TicTacToe()
LENS = "menace"


def drawn(site: SiteData, board: str) -> dict[int, float]:
    """Return the chance of each square, from the parts of the beads in the table."""
    row = site.agents[LENS].q[parse_position(site.game, board)].astype(float)
    return {cell: float(row[cell] / np.nansum(row)) for cell in RULES.legal_moves(board)}


def held(site: SiteData, board: str, cell: int) -> float:
    """Return the beads of a move: the sum of the parts of its squares."""
    row = site.agents[LENS].q[parse_position(site.game, board)]
    named = {one: canonical_pair(RULES, board, one) for one in RULES.legal_moves(board)}
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
    position = parse_position(site.game, board)
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


def test_the_colour_says_how_the_box_leans(site: SiteData) -> None:
    board = "X...O...."
    seen = evaluate_moves(site, parse_position(site.game, board), LENS)
    even = 1 / len({canonical_pair(RULES, board, cell) for cell in RULES.legal_moves(board)})
    total = sum(
        site.agents[LENS].q[parse_position(site.game, board)][RULES.legal_moves(board)].tolist()
    )
    for cell in RULES.legal_moves(board):
        share = held(site, board, cell) / total
        leaning = share / even - 1 if share < even else (share - even) / (1 - even)
        assert seen.heats[cell] == round(leaning * HEAT_STEPS)


def test_no_bead_is_wrong_or_expects_a_result(site: SiteData) -> None:
    for position in range(0, site.game.decisions, 43):
        seen = evaluate_moves(site, position, LENS)
        assert not any(seen.is_wrong)
        assert not any(note.short_text for note in build_notes(site, seen, None, "truth"))
    state = replay_match(Match("0482", value_source=LENS), site)
    played = review_moves(state)
    assert all(one.value_text.endswith("●") and one.expected_value is None for one in played)
    plot = lay_out_game_values(state, played, 72)
    assert not any(isinstance(shape, Dot) for shape in plot.shapes)
    assert f"X had {played[0].spoken_value} for this move" in describe_moves(played)


def test_the_page_names_beads_and_not_values(client: FlaskClient) -> None:
    page = client.get(f"/play/04?lens={LENS}&o=human&x=human").text
    assert "MENACE’s beads for each move of X" in page
    assert re.search(r'aria-label="Row 1, column 3, empty, value [\d,]+ beads, best"', page)
    assert "the move that is played most often" in page
    assert "expects no result" in page
    assert not re.search(r'class="value">[+−]', page)


def test_its_legend_stands_for_shares(site: SiteData) -> None:
    state = replay_match(Match("04", value_source=LENS), site)
    told = build_legend(state, evaluate_moves(site, state.position, LENS))
    assert [" ".join(end) for end in told.scale_labels] == [
        "no beads",
        "average number of beads",
        "all beads",
    ]
    assert told.is_stochastic
    assert not told.can_be_wrong


@pytest.mark.parametrize(("board", "cell"), [("X...O....", 2), ("X........", 4), (".........", 0)])
def test_the_why_says_what_games_pay_on_average(site: SiteData, board: str, cell: int) -> None:
    position = parse_position(site.game, board)
    pair = ValueQuery(site, LENS, position, cell)
    seat = "X" if site.game.to_move[position] == X else "O"
    chances = ends(site, RULES.make_move(board, cell), seat)
    number = held(site, board, cell)
    target = sum(p * max(0, number + pay) for p, pay in zip(chances, (3, 1, -1), strict=True))
    assert find_update_rule(pair).compute_reason(pair).target == pytest.approx(target, abs=1e-6)
    told = explain_value(pair)
    assert told.value_statement.value == spell_bead_count(number)
    assert f"{100 * chances[0]:.1f}%" in " ".join(told.sentences)
    assert format_position(site.game, position) == board


def test_a_mind_of_beads_is_coloured_by_how_sure_it_is(site: SiteData, client: FlaskClient) -> None:
    assert list(list_colourings(site, LENS)) == [EXPECTED_KEY, "blunders", "visits"]
    heat, known = colour_tiles(site, LENS, EXPECTED_KEY)
    assert (heat[known] >= 0).all()
    assert heat[known].max() == HEAT_STEPS
    page = client.get(f"/mind/{LENS}").text
    assert "the same move is always played" in page
    assert "expects a loss" not in page
    assert client.get(f"/mind/{LENS}?colour=wrong").status_code == 400


def test_its_page_tells_of_refilled_boxes_and_of_no_rewards(
    site: SiteData, client: FlaskClient
) -> None:
    card, page = site.agents[LENS].card, client.get(f"/agents/{LENS}").text
    assert (card.reward_scale, card.figures.correct_class_shares, card.play_rule) == (
        None,
        None,
        "proportional",
    )
    assert card.refill_count
    assert re.search(rf"Boxes refilled.*?{format_count(card.refill_count)}", page, re.DOTALL)
    assert 'id="beads"' in page
    assert 'id="worth"' not in page
    assert "Values that match optimal play" not in page


def test_the_api_counts_beads(site: SiteData, client: FlaskClient) -> None:
    told = client.get(f"/api/v1/positions/X...O....?lens={LENS}").get_json()
    assert told["worth"] is None
    for cell in told["cells"]:
        if cell["value"] is not None:
            assert cell["value"] == held(site, "X...O....", cell["cell"])
            assert cell["policy"] == pytest.approx(drawn(site, "X...O....")[cell["cell"]])


def test_no_puzzle_asks_what_beads_expect(site: SiteData) -> None:
    assert LENS not in {puzzle.agent_id for puzzle in list_puzzles(site)}


@pytest.mark.parametrize(
    ("number", "short", "words"),
    [
        (0, "0●", "0 beads"),
        (1, "1●", "1 bead"),
        (9_999, "9999●", "9,999 beads"),
        (12_345, "12.3k●", "12,345 beads"),
        (123_456, "123k●", "123,456 beads"),
        (99_999_999, "100M●", "99,999,999 beads"),
    ],
)
def test_how_beads_are_written(number: float, short: str, words: str) -> None:
    assert format_beads(number) == short
    assert spell_bead_count(number) == words
