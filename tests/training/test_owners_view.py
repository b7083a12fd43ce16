"""What the owner of a table sees, in both seats, and where it keeps what it learns of that."""

import numpy as np
import pytest

from app.tictactoe.game import Game, connect
from training.learners.league import View, own_moves, seen_numbers, view_of

BOARDS = [(3, 3, 3), (2, 3, 3), (1, 4, 2), (2, 2, 2)]


@pytest.fixture(scope="module", params=BOARDS, ids=lambda board: "{}x{},{}".format(*board))
def any_game(request: pytest.FixtureRequest) -> Game:
    return connect(*request.param)


@pytest.fixture(scope="module")
def plain(any_game: Game) -> View:
    return view_of(any_game, 1)


@pytest.fixture(scope="module")
def symmetric(any_game: Game) -> View:
    return view_of(any_game, len(any_game.symmetry))


def digits(game: Game, numbers: np.ndarray) -> np.ndarray:
    """Write numbers in base 3, the first cell first."""
    return numbers[..., None] // 3 ** np.arange(game.cells - 1, -1, -1) % 3


def test_own_stones_are_1_and_the_opponents_2(game: Game) -> None:
    as_x, as_o = seen_numbers(game)
    np.testing.assert_array_equal(as_x, game.code)
    empty_x_o = game.find(int("012000000", 3))
    assert as_o[empty_x_o] == int("021000000", 3)


def test_inverting_twice_is_not_inverting(any_game: Game) -> None:
    as_x, as_o = (digits(any_game, numbers) for numbers in seen_numbers(any_game))
    inverted = np.array([0, 2, 1])
    np.testing.assert_array_equal(inverted[as_x], as_o)
    np.testing.assert_array_equal(inverted[as_o], as_x)


def test_a_board_has_one_place_and_a_place_one_board(any_game: Game, plain: View) -> None:
    numbers = seen_numbers(any_game).ravel()
    places = plain.row.ravel() // any_game.cells
    assert len(np.unique(numbers)) == len(np.unique(places)) == plain.entries // any_game.cells
    assert len({*zip(numbers.tolist(), places.tolist(), strict=True)}) == len(np.unique(numbers))


def test_each_cell_has_its_own_entry_in_the_place_of_its_board(any_game: Game, plain: View) -> None:
    rows = plain.row[:, : any_game.decisions, None] + np.arange(any_game.cells)
    np.testing.assert_array_equal(plain.entry, np.where(any_game.legal, rows, 0))


def test_the_image_with_the_highest_number_stands_for_all(any_game: Game, symmetric: View) -> None:
    numbers = seen_numbers(any_game)
    highest = numbers[:, any_game.image].max(axis=1)
    of_place: dict[int, int] = {}
    for place, number in zip(symmetric.row.ravel().tolist(), highest.ravel().tolist(), strict=True):
        assert of_place.setdefault(place, number) == number
    assert len(set(of_place.values())) == len(of_place) == symmetric.entries // any_game.cells


def test_what_is_the_same_by_symmetry_shares_an_entry(any_game: Game, symmetric: View) -> None:
    for image, cells in zip(any_game.image, any_game.symmetry, strict=True):
        turned = image[: any_game.decisions]
        for entry in symmetric.entry:
            there = any_game.legal[turned]
            np.testing.assert_array_equal(entry[turned][there], entry[:, cells][there])


def test_and_nothing_else_does(game: Game) -> None:
    """There are 2,096 classes of pairs, and each is an entry of its own, in either view."""
    view = view_of(game, 8)
    assert [len(np.unique(entry[game.legal])) for entry in view.entry] == [2096, 2096]
    assert len(np.unique(own_moves(game, view)[game.legal])) == 2096


def test_an_entry_is_of_an_empty_cell(any_game: Game, symmetric: View) -> None:
    """The board that stands for others is empty where its entries are."""
    for view, numbers in zip(range(2), seen_numbers(any_game), strict=True):
        highest = numbers[any_game.image].max(axis=0)[: any_game.decisions]
        s, _ = np.nonzero(any_game.legal)
        cell = symmetric.entry[view][any_game.legal] - symmetric.row[view][s]
        assert (digits(any_game, highest)[s, cell] == 0).all()


def test_own_moves_are_those_of_the_seat_that_is_to_move(game: Game) -> None:
    view = view_of(game, 1)
    own = own_moves(game, view)
    for s, seat in [(0, 0), (1, 1), (game.decisions - 1, 0)]:
        np.testing.assert_array_equal(own[s], view.entry[seat, s])
