"""Tables that somebody else wrote: each is read as what its writer meant, and faults are named."""

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from app.tictactoe.agents import load
from app.tictactoe.game import O, connect
from app.tictactoe.moves_code import policy_of_choice
from app.tictactoe.notation import parse_position, position_text
from app.tictactoe.policy import best_moves, optimal_q
from app.tictactoe.report import blunders
from training.cli import main
from training.literals import literal
from training.tables import Options, Reading, TableError, read_table

DATA = Path("tests/data/judge")
MODELS = Path("models")
GAME = connect()


def read(text: str, **options: str) -> Reading:
    return read_table(GAME, text.encode(), Options(**options))


def known(reading: Reading) -> dict[str, dict[int, float]]:
    """The values of every position that a table has, by cell."""
    return {
        position_text(GAME, int(row)): {
            int(cell): float(reading.q[row, cell])
            for cell in np.flatnonzero(~np.isnan(reading.q[row]))
        }
        for row in np.flatnonzero(reading.found)
    }


@pytest.mark.parametrize(
    ("file", "agent"),
    [
        ("tuples.txt", "q-table"),
        ("nine-numbers.json", "double-q"),
        ("own-side.csv", "q-table-vs-minimax"),
    ],
)
def test_three_foreign_formats_hold_the_values_of_their_agent(file: str, agent: str) -> None:
    """Dicts keyed by tuples, by strings of nine numbers, and boards from one's own side."""
    reading = read_table(GAME, (DATA / file).read_bytes())
    values = load(MODELS, GAME, agent).q
    there = reading.found[:, None] & GAME.legal
    assert reading.found.sum() > 300
    assert reading.unread_count == 0
    np.testing.assert_allclose(reading.q[there], values[there], atol=6e-4)
    missing = ~reading.found
    assert (reading.choice[missing] == GAME.legal[missing]).all()
    assert (
        f"Missing: {missing.sum():,} positions. There it plays any empty square." in reading.notes
    )


def test_base_3_numbers_are_read_from_the_right_end() -> None:
    reading = read_table(GAME, (DATA / "base-3.json").read_bytes())
    values = load(MODELS, GAME, "symmetric").q
    there = reading.found[:, None] & GAME.legal
    np.testing.assert_allclose(reading.q[there], values[there], atol=6e-4)
    assert "Base-3 numbers: the top left square is the last digit." in reading.notes
    assert reading.found.sum() == 627
    assert "Taken from a mirror image that the table has: 3,893 positions." in reading.notes


def test_values_in_the_view_of_x_are_turned_round_and_it_is_said() -> None:
    content = (DATA / "x-view.json").read_bytes()
    reading = read_table(GAME, content)
    there = reading.found[:, None] & GAME.legal
    assert (reading.q[there] == optimal_q(GAME)[there]).all()
    assert (reading.choice == best_moves(GAME)).all()
    assert any(note.startswith("A high value is good for X") for note in reading.notes)
    wrong = read_table(GAME, content, Options(view="mover"))
    assert blunders(GAME, policy_of_choice(wrong.choice))[GAME.to_move == O].any()


def test_moves_alone_counted_from_1_in_nested_boards_are_read() -> None:
    reading = read_table(GAME, (DATA / "moves-from-1.json").read_bytes())
    assert not reading.valued
    assert "Moves are counted from 1." in reading.notes
    assert not blunders(GAME, policy_of_choice(reading.choice)).any()


def test_what_cannot_be_read_is_named_by_row() -> None:
    reading = read_table(GAME, (DATA / "faulty.csv").read_bytes())
    assert reading.unread == [
        "line 3: nine is no move",
        "line 4: no game comes to this board",
        "line 5: this is no board",
        "line 6: high is no number",
    ]
    assert known(reading) == {"X.O......": {4: 0.5}, "X........": {5: 0.25}}
    assert "Finished games, left out: 1." in reading.notes


def test_an_npz_of_ours_is_the_agent() -> None:
    agent = load(MODELS, GAME, "q-table")
    reading = read_table(GAME, (MODELS / "q-table.npz").read_bytes(), Options(ties="first"))
    np.testing.assert_allclose(reading.q[GAME.legal], agent.q[GAME.legal])
    assert blunders(GAME, policy_of_choice(reading.choice)).sum() == agent.card.figures.blunders[-1]


def test_an_array_by_base_3_number_in_an_npz_is_read() -> None:
    file = io.BytesIO()
    table = np.zeros((3**9, 9))
    table[GAME.code[: GAME.decisions]] = np.nan_to_num(optimal_q(GAME), nan=-5)
    np.savez(file, table=table)
    reading = read_table(GAME, file.getvalue())
    assert (reading.choice == best_moves(GAME)).all()


@pytest.mark.parametrize(
    "key",
    [
        "X.O......",
        "x_o______",
        "X O      ",
        "X.O|...|...",
        "X.O\n...\n...",
        "1,0,2,0,0,0,0,0,0",
        "(1, 0, -1, 0, 0, 0, 0, 0, 0)",
        "[[1,0,-1],[0,0,0],[0,0,0]]",
        "[[ 1.  0. -1.]\n [ 0.  0.  0.]\n [ 0.  0.  0.]]",
        "102000000",
        "['X', ' ', 'O', ' ', ' ', ' ', ' ', ' ', ' ']",
        "('X', '', 'O', '', '', '', '', '', '')",
        "(np.int64(1), np.int64(0), np.int64(2), 0, 0, 0, 0, 0, 0)",
        str(3**8 + 2 * 3**6),
    ],
)
@pytest.mark.parametrize(
    ("value", "cells"),
    [
        ([None, 0.1, None, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], {1: 0.1, 3: 0.2, 8: 0.7}),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], {1: 0.1, 3: 0.2, 8: 0.7}),
        ({"4": 0.5, "8": -1}, {4: 0.5, 8: -1}),
        ({"(1, 1)": 0.5, "2,2": "-1"}, {4: 0.5, 8: -1}),
        (4, {4: 1}),
        ([1, 1], {4: 1}),
    ],
)
def test_any_usual_writing_of_a_board_and_of_values(key: str, value: Any, cells: Any) -> None:
    reading = read(json.dumps({key: value}))
    (found,) = known(reading).values()
    assert known(reading).keys() == {"X.O......"}
    assert found.items() >= cells.items()


@pytest.mark.parametrize(
    "text",
    [
        "{((1, 0, -1, 0, 0, 0, 0, 0, 0), 4): 0.5, ((1, 0, -1, 0, 0, 0, 0, 0, 0), 8): -1}",
        "defaultdict(<class 'float'>, {((1,0,2,0,0,0,0,0,0),4): np.float64(0.5), "
        "((1,0,2,0,0,0,0,0,0),8): array(-1.)})",
        '{"X.O......|4": 0.5, "X.O......|8": -1}',
        '[["X.O......", 4, 0.5], ["X.O......", 8, -1]]',
        '[{"state": "X.O......", "action": 4, "value": 0.5}, '
        '{"board": "X.O......", "move": [2, 2], "q": -1}]',
        "X.O......,4,0.5\nX.O......,8,-1\n",
        "board;row;col;value\nX.O......;1;1;0.5\nX.O......;2;2;-1\n",
        "1,0,-1,0,0,0,0,0,0,4,0.5\n1,0,-1,0,0,0,0,0,0,8,-1\n",
        "position\tq4\tq8\n",
        '{"q_table": {"X.O......": {"4": 0.5, "8": -1}}}',
    ],
)
def test_states_with_actions_are_put_together(text: str) -> None:
    if text.startswith("position"):
        text = "position\t0\t1\t2\t3\t4\t5\t6\t7\t8\nX.O......\t\t\t\t\t0.5\t\t\t\t-1\n"
    assert known(read(text)) == {"X.O......": {4: 0.5, 8: -1.0}}


def test_what_stands_for_whom_can_be_chosen() -> None:
    text = '{"1,0,-1,0,0,0,0,0,0": 4, "-1,1,-1,0,0,0,0,0,0": 4}'
    own = read(text, boards="mover")
    assert known(own).keys() == {"X.O......", "XOX......"}
    x = read(text, boards="x")
    assert known(x).keys() == {"X.O......"}
    assert x.unread == ["entry 2 (-1,1,-1,0,0,0,0,0,0): no game comes to this board"]
    assert "1 is whoever is to move" in own.notes[0]


def test_equal_values_and_missing_positions_take_the_rule_that_is_chosen() -> None:
    text = '{".........": [0.5, 0, 0.5, 0, 0, 0, 0, 0, 0]}'
    empty = parse_position(GAME, ".........")
    other = parse_position(GAME, "X........")
    both = read(text)
    assert np.flatnonzero(both.choice[empty]).tolist() == [0, 2]
    assert (both.choice[other] == GAME.legal[other]).all()
    first = read(text, ties="first", missing="first")
    assert np.flatnonzero(first.choice[empty]).tolist() == [0]
    assert np.flatnonzero(first.choice[other]).tolist() == [1]
    image = read('{"X........": 8}', missing="image")
    assert np.flatnonzero(image.choice[parse_position(GAME, "..X......")]).tolist() == [6]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "there is nothing in it"),
        (b" ,\n,,", "there is nothing in it"),
        (b"hello", "no board was found in it: line 1: this is no board"),
        (b"[1, 2", "line 1: this is neither JSON nor"),
        (b"{\n'a': 1,\n ?}", "line 3: this is neither JSON nor"),
        (b"\x80\x04K\x01.", "no pickle ever"),
        (b"\x93NUMPY\x01\x00", "no pickle ever"),
        (b"PK\x03\x04 and no more", "this npz cannot be read"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b"[" * 100, "more than 60 brackets"),
        (b"[" * 100_000, "more than 60 brackets"),
        (b'{"A,B,C,A,B,C,A,B,C": 3}', "cannot be told: there are ., A, C"),
        (b'{"XXX......": 4}', "no position that is to be played in was found"),
    ],
)
def test_what_is_no_table_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(TableError, match=reason):
        read_table(GAME, content)


def test_a_pickle_in_an_npz_is_not_opened() -> None:
    file = io.BytesIO()
    np.savez(file, q=np.array([{}], dtype=object))
    with pytest.raises(TableError, match="allow_pickle=False"):
        read_table(GAME, file.getvalue())


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda some: some.decode("latin-1")))
def test_whatever_is_pasted_is_read_or_refused(text: str) -> None:
    with suppress(TableError):
        assert read(text).choice.any(axis=1).all()


def test_nothing_is_evaluated() -> None:
    assert literal("[open('x'), f(1, 2), True, nan, -inf]") == ["x", 2, None, None, None]


def test_the_command_line_judges_a_file_and_makes_the_link() -> None:
    told = CliRunner().invoke(
        main, ["judge", str(DATA / "x-view.json"), "--site", "https://s.example"]
    )
    assert told.exit_code == 0, told.output
    assert "As X it cannot be beaten, proved" in told.output
    assert "Blunders: 0 of 4,520 positions" in told.output
    assert "mean 0.000" in told.output
    *_, link = told.output.splitlines()
    assert link.startswith("https://s.example/judge?moves=")
    wrong = CliRunner().invoke(main, ["judge", str(DATA / "x-view.json"), "--view", "mover"])
    assert "Likely cause: values in the other side's view as O" in wrong.output


def test_the_command_line_names_a_file_that_is_none(tmp_path: Path) -> None:
    told = CliRunner().invoke(main, ["judge", str(tmp_path / "none.csv")])
    assert told.exit_code == 1
    assert "No such file" in told.output
    (tmp_path / "empty.json").write_text("")
    told = CliRunner().invoke(main, ["judge", str(tmp_path / "empty.json")])
    assert "empty.json: there is nothing in it" in told.output
