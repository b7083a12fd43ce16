"""Positions and records as text: valid texts have their meaning, other texts are rejected."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.tictactoe.game import Game, build_game
from app.tictactoe.notation import (
    IllegalMoveError,
    find_record,
    format_position,
    parse_position,
    parse_record,
    replay_record,
    undo_moves,
)
from tests.tictactoe.both import Both
from tests.tictactoe.reference import Rules

GAME = build_game()  # a constant, because Hypothesis does not accept lasting fixtures
CELLS = "012345678"
# What int(), isdigit() or lower() would let pass.
LOOKALIKES = "²٣４ⅧAa9 +\n\x00-é𝟜"


def refusal(
    read: Callable[[Game, str], object], text: str, kind: type[ValueError] = ValueError
) -> str | None:
    """Return the reason why a text is rejected; pytest.raises is too slow for 9! texts."""
    try:
        read(GAME, text)
    except kind as error:
        return str(error)
    return None


def test_all_19683_boards(tictactoe: Both):
    """There are 19,683 ways to fill the board, of which 5,478 are positions of a game."""
    accepted = 0
    for marks in product("X.O", repeat=9):
        board = "".join(marks)
        if board in tictactoe.number:
            position = parse_position(tictactoe.game, board)
            assert position == tictactoe.number[board]
            assert format_position(tictactoe.game, position) == board
            accepted += 1
        else:
            assert refusal(parse_position, board) == f"no game reaches the position '{board}'"
    assert accepted == 5478


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "." * 8,
        "." * 10,
        "x........",
        "X.......0",
        "X...... .",
        "\u0425" + "." * 8,
        "\n" * 9,
    ],
)
def test_what_is_no_position_is_refused(game: Game, text: str):
    with pytest.raises(ValueError, match="a position is 9 characters X, O or"):
        parse_position(game, text)


def orders(rules: Rules) -> Iterator[tuple[str, int, int]]:
    """Yield all 9! orders of the cells with the ply at which the game ends, and its winner."""

    def play_on(record: str, board: str) -> Iterator[tuple[str, int, int]]:
        for cell, after in rules.children[board].items():
            longer = record + CELLS[cell]
            if rules.children[after]:
                yield from play_on(longer, after)
            else:
                result, _ = rules.solved[after]
                for rest in permutations(sorted(set(CELLS) - set(longer))):
                    yield longer + "".join(rest), len(longer), result

    return play_on("", rules.boards[0])


@pytest.mark.long
def test_all_orders_of_the_cells(rules: Rules):
    """Of 362,880 records 127,872 fill the board; the others have moves after the end.

    Cut at the end of the game, they are the 255,168 games.
    """
    games: dict[str, int] = {}
    seen = 0
    for record, ply, result in orders(rules):
        seen += 1
        if ply < 9:
            over = (
                f"move {ply + 1} comes after the end of the game, which was over after move {ply}"
            )
            assert refusal(replay_record, record, IllegalMoveError) == over
        if record[:ply] not in games:
            games[record[:ply]] = result
            assert_ends(replay_record(GAME, record[:ply]), ply, result)
    assert seen == 362_880
    assert Counter(games.values()) == {+1: 131_184, 0: 46_080, -1: 77_904}


def assert_ends(positions: list[int], ply: int, result: int) -> None:
    assert len(positions) == ply + 1
    assert positions[-2] < GAME.decisions <= positions[-1]
    assert GAME.outcome[positions[-1] - GAME.decisions] == result


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ("44", "move 2 is on square 4, which is already taken"),
        ("40880", "move 4 is on square 8, which is already taken"),
        ("031425", "move 6 comes after the end of the game, which was over after move 5"),
        ("0314258", "move 6 comes after the end of the game, which was over after move 5"),
        ("0314200", "move 6 comes after the end of the game, which was over after move 5"),
    ],
)
def test_a_move_that_cannot_be_played_is_named(game: Game, record: str, sentence: str):
    with pytest.raises(IllegalMoveError) as refused:
        replay_record(game, record)
    assert str(refused.value) == sentence


@given(st.text() | st.text(CELLS + LOOKALIKES))
@example("4 ")
@example("٣")
@example("4A")
def test_any_text_is_read_digit_by_digit_or_refused(text: str):
    if set(text) <= set(CELLS):
        assert "".join(str(cell) for cell in parse_record(GAME, text)) == text
        return
    for read in (parse_record, replay_record):
        with pytest.raises(ValueError, match="of the record is"):
            read(GAME, text)


@given(st.text(max_size=12) | st.text(CELLS, max_size=10) | st.permutations(CELLS).map("".join))
def test_any_text_is_a_game_or_refused(text: str):
    """Every accepted record can be played with stones on a board."""
    try:
        positions = replay_record(GAME, text)
    except ValueError:
        return
    board = "." * 9
    for move, (digit, position) in enumerate(zip(text, positions[1:], strict=True)):
        assert board[int(digit)] == "."
        board = board[: int(digit)] + "XO"[move % 2] + board[int(digit) + 1 :]
        assert format_position(GAME, position) == board


@given(st.permutations(CELLS).map("".join), st.integers(0, 5), st.integers(0, 5))
def test_undo_takes_back_plies(order: str, plies: int, back: int):
    """The first five moves of any order are a valid game."""
    record = order[:plies]
    if back <= plies:
        assert undo_moves(record, back) == order[: plies - back]
        assert (
            replay_record(GAME, undo_moves(record, back))
            == replay_record(GAME, record)[: plies - back + 1]
        )
    else:
        with pytest.raises(ValueError, match=f"cannot take back {back} of {plies} moves"):
            undo_moves(record, back)


def test_some_game_leads_to_each_position() -> None:
    for position in range(GAME.positions):
        assert replay_record(GAME, find_record(GAME, position))[-1] == position
