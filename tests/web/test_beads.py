"""Beads are shown as beads: how many there are, what is drawn, and nothing that they would expect.

The arithmetic is told a second time with boards as text, by the rules of `training.plain.boards`;
of the app it knows only the table that the model holds.
"""

import re
from functools import cache

import numpy as np
import pytest
from flask.testing import FlaskClient

from app.tictactoe.game import X
from app.tictactoe.notation import parse_position, position_text
from app.web.algorithms import rule_of
from app.web.algorithms.targets import Pair
from app.web.lens import HEAT_STEPS, label_of, moves, notes, opinion
from app.web.match import Match, place_of
from app.web.numbers import bead_count, beads_in_words, count
from app.web.pages.why import explain
from app.web.pictures.curves import value_plot
from app.web.pictures.minds import EXPECTS, colouring, kinds
from app.web.pictures.svg import Dot
from app.web.text import legend_of
from app.web.world import World
from training.plain.boards import is_over, legal_cells, move, result, standing_pair, to_move

LENS = "menace"


def drawn(world: World, board: str) -> dict[int, float]:
    """The chance of each square, of which the table holds its part of the beads."""
    row = world.agents[LENS].q[parse_position(world.game, board)].astype(float)
    return {cell: float(row[cell] / np.nansum(row)) for cell in legal_cells(board)}


def held(world: World, board: str, cell: int) -> float:
    """The beads of a move: the parts of all its squares."""
    row = world.agents[LENS].q[parse_position(world.game, board)]
    named = {one: standing_pair(world.game, board, one) for one in legal_cells(board)}
    return sum(float(row[one]) for one, same in named.items() if same == named[cell])


def ends(world: World, board: str, seat: str) -> tuple[float, float, float]:
    """How likely a game against random moves is won, drawn and lost from here on."""

    @cache
    def follow(board: str) -> tuple[float, float, float]:
        if is_over(world.game, board):
            ended = result(world.game, board, seat)
            return (float(ended == 1), float(ended == 0), float(ended == -1))
        cells = legal_cells(board)
        chances = dict.fromkeys(cells, 1 / len(cells))
        if to_move(board) == seat:
            chances = drawn(world, board)
        after = {cell: follow(move(board, cell)) for cell in cells}
        win, draw, loss = (sum(chances[c] * after[c][end] for c in cells) for end in range(3))
        return win, draw, loss

    return follow(board)


@pytest.mark.parametrize(
    "board", [".........", "X........", "X...O....", "..X.O.X..", "XO.......", "XOX.O...."]
)
def test_a_square_shows_the_beads_of_its_move(world: World, board: str) -> None:
    position = parse_position(world.game, board)
    seen = opinion(world, position, LENS)
    chances = drawn(world, board)
    by_move = {cell: held(world, board, cell) for cell in legal_cells(board)}
    for cell, number in by_move.items():
        assert seen.values[cell] == number == round(number)
        if seen.known[cell]:
            assert seen.texts[cell] == bead_count(number)
            assert seen.spoken[cell] == beads_in_words(number)
        assert seen.policy[cell] == pytest.approx(chances[cell])
    most = max(by_move.values())
    assert seen.plays == [cell for cell, number in by_move.items() if number == most]


def test_the_colour_says_how_the_box_leans(world: World) -> None:
    board = "X...O...."
    seen = opinion(world, parse_position(world.game, board), LENS)
    even = 1 / len({standing_pair(world.game, board, cell) for cell in legal_cells(board)})
    total = sum(
        world.agents[LENS].q[parse_position(world.game, board)][legal_cells(board)].tolist()
    )
    for cell in legal_cells(board):
        share = held(world, board, cell) / total
        leaning = share / even - 1 if share < even else (share - even) / (1 - even)
        assert seen.heat[cell] == round(leaning * HEAT_STEPS)


def test_no_bead_is_wrong_or_expects_a_result(world: World) -> None:
    for position in range(0, world.game.decisions, 43):
        seen = opinion(world, position, LENS)
        assert not any(seen.wrong)
        assert not any(note.text for note in notes(world, seen, None, "truth"))
    place = place_of(Match("0482", lens=LENS), world)
    played = moves(place)
    assert all(one.text.endswith("●") and one.expected is None for one in played)
    plot = value_plot(place, played, 72)
    assert not any(isinstance(shape, Dot) for shape in plot.shapes)
    assert f"X had {played[0].spoken} for it" in label_of(played)


def test_the_page_names_beads_and_not_values(client: FlaskClient) -> None:
    page = client.get(f"/play/04?lens={LENS}&o=human&x=human").text
    assert "the beads of MENACE for X (to move)" in page
    assert re.search(r'aria-label="Row 1, column 3, empty, value [\d,]+ beads, best"', page)
    assert "what it draws most often" in page
    assert "estimates no result" in page
    assert not re.search(r'class="value">[+−]', page)


def test_its_legend_stands_for_shares(world: World) -> None:
    place = place_of(Match("04", lens=LENS), world)
    told = legend_of(place, opinion(world, place.position, LENS))
    assert [" ".join(end) for end in told.scale] == ["no beads", "an equal share", "all beads"]
    assert told.drawn
    assert not told.errs


@pytest.mark.parametrize(("board", "cell"), [("X...O....", 2), ("X........", 4), (".........", 0)])
def test_the_why_says_what_games_pay_on_average(world: World, board: str, cell: int) -> None:
    position = parse_position(world.game, board)
    pair = Pair(world, LENS, position, cell)
    seat = "X" if world.game.to_move[position] == X else "O"
    chances = ends(world, move(board, cell), seat)
    number = held(world, board, cell)
    target = sum(p * max(0, number + pay) for p, pay in zip(chances, (3, 1, -1), strict=True))
    assert rule_of(pair).reason(pair).target == pytest.approx(target, abs=1e-6)
    told = explain(pair)
    assert dict(told.facts)["Value"] == beads_in_words(number)
    assert f"{100 * chances[0]:.1f}%" in " ".join(told.sentences)
    assert position_text(world.game, position) == board


def test_a_mind_of_beads_is_coloured_by_how_sure_it_is(world: World, client: FlaskClient) -> None:
    assert list(kinds(world, LENS)) == [EXPECTS, "blunders", "visits"]
    heat, known = colouring(world, LENS, EXPECTS)
    assert (heat[known] >= 0).all()
    assert heat[known].max() == HEAT_STEPS
    page = client.get(f"/mind/{LENS}").text
    assert "always draws the same one" in page
    assert "expects a loss" not in page
    assert client.get(f"/mind/{LENS}?colour=wrong").status_code == 400


def test_its_page_tells_of_refilled_boxes_and_of_no_rewards(
    world: World, client: FlaskClient
) -> None:
    card, page = world.agents[LENS].card, client.get(f"/agents/{LENS}").text
    assert (card.worth, card.figures.classes_right, card.plays) == (None, None, "proportional")
    assert card.refills
    assert re.search(rf"Boxes refilled.*?{count(card.refills)}", page, re.DOTALL)
    assert 'id="beads"' in page
    assert 'id="worth"' not in page
    assert "Values that fit optimal play" not in page


def test_the_api_counts_beads(world: World, client: FlaskClient) -> None:
    told = client.get(f"/api/v1/positions/X...O....?lens={LENS}").get_json()
    assert told["worth"] is None
    for cell in told["cells"]:
        if cell["value"] is not None:
            assert cell["value"] == held(world, "X...O....", cell["cell"])
            assert cell["policy"] == pytest.approx(drawn(world, "X...O....")[cell["cell"]])


def test_no_puzzle_asks_what_beads_expect(world: World) -> None:
    assert LENS not in {puzzle.agent for puzzle in world.puzzles}


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
    assert bead_count(number) == short
    assert beads_in_words(number) == words
