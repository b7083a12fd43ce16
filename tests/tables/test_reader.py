"""Tables of other programs: each notation is read correctly, or rejected with row and reason."""

import hashlib
import io
import json
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tables.options import OPTION_QUESTIONS, TableOptions
from app.tables.reader import TableReading, read_table
from app.tables.rows import MAX_ROWS
from app.tables.values import TableError
from app.tictactoe.agents import load_agent
from app.tictactoe.game import O, build_game
from app.tictactoe.notation import format_position, parse_position
from app.tictactoe.policy import compute_optimal_q, find_best_moves
from app.tictactoe.policy_codec import encode_moves, policy_from_moves
from app.tictactoe.report import find_blunders

GAME = build_game()
DATA = Path("tests/data/judge")
MODELS = Path("models")
# What is made of 407 tables: a line each, with a table or the file of one, and what was read or
# the reason of a refusal. `python -m tests.tables.test_reader` writes it anew.
GOLDEN = Path("tests/golden/tables.jsonl")
# a position without values in the format of the digest
NO_VALUES = json.dumps([""] * 9, separators=(",", ":"))
CASES = [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def read(content: bytes | str, **options: str) -> TableReading:
    whole = content.encode() if isinstance(content, str) else content
    return read_table(whole, TableOptions(**options))


def refusal(content: bytes | str) -> str:
    with pytest.raises(TableError) as error:
        read(content)
    return str(error.value)


def known_values(reading: TableReading) -> dict[str, dict[int, float]]:
    """Return the values in a reading of a table: position -> cell -> value."""
    if reading.q is None:
        return {}
    return {
        format_position(GAME, row): {
            cell: float(reading.q[row, cell])
            for cell in np.flatnonzero(~np.isnan(reading.q[row])).tolist()
        }
        for row in np.flatnonzero(~np.isnan(reading.q).all(axis=1)).tolist()
    }


def outcome(case: dict[str, Any]) -> dict[str, Any]:
    """Read a test case; return the entry for the golden file."""
    content = Path(case["file"]).read_bytes() if "file" in case else case["text"].encode()
    try:
        reading = read_table(content, TableOptions(**case.get("options", {})))
    except TableError as error:
        return {"refused": str(error)}
    return {
        "read": {
            "moves": digest(encode_moves(GAME, reading.chosen_moves)),
            "values": None if reading.q is None else digest(write_values(reading.q)),
            "summary": reading.summary_sentence,
            "notes": reading.notes,
            "unread": reading.unread_reasons,
        }
    }


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_values(q: np.ndarray) -> str:
    """Return values with ten digits, as JavaScript formats them."""

    def write(value: float) -> str:
        if np.isnan(value):
            return ""
        digits, exponent = f"{value + 0.0:.9e}".split("e")
        return f"{digits}e{int(exponent):+d}"

    rows = [NO_VALUES] * len(q)  # most, and written much faster
    for row in np.flatnonzero(~np.isnan(q).all(axis=1)).tolist():
        rows[row] = json.dumps([write(value) for value in q[row].tolist()], separators=(",", ":"))
    return f"[{','.join(rows)}]"


@pytest.mark.long
def test_every_table_is_read_as_before() -> None:
    for case in CASES:
        wanted = {key: case[key] for key in ("read", "refused") if key in case}
        assert outcome(case) == wanted, case


@pytest.mark.parametrize(
    ("file", "agent"),
    [
        ("tuples.txt", "q-table"),
        ("nine-numbers.json", "double-q"),
        ("own-side.csv", "q-table-vs-minimax"),
        ("base-3.json", "symmetric"),
    ],
)
def test_a_file_holds_the_values_of_its_agent(file: str, agent: str) -> None:
    """The keys are tuples, strings of nine numbers, boards in the mover's view, base-3 numbers."""
    reading = read((DATA / file).read_bytes())
    assert reading.q is not None
    known = ~np.isnan(reading.q)
    found = known.any(axis=1)
    assert found.sum() > 300
    assert reading.unread_reasons == []
    assert reading.summary_sentence == f"Read: {found.sum():,} of 4,520 positions."
    assert (known[found] == GAME.legal[found]).all()
    np.testing.assert_allclose(
        reading.q[known], load_agent(MODELS, GAME, agent).q[known], atol=6e-4
    )
    if file == "base-3.json":
        assert any("the top left square is the last digit" in note for note in reading.notes)
        assert found.sum() == 627
        copied = "Copied from a symmetric position that the table has: 3,893 positions."
        assert copied in reading.notes
    else:
        missing = (
            f"Missing: {(~found).sum():,} positions. "
            "In these positions the agent plays any empty square."
        )
        assert missing in reading.notes
        assert (reading.chosen_moves[~found] == GAME.legal[~found]).all()


def test_values_in_the_view_of_x_are_turned_round_and_noted() -> None:
    content = (DATA / "x-view.json").read_bytes()
    reading = read(content)
    assert reading.q is not None
    known = ~np.isnan(reading.q)
    assert (reading.q[known] == compute_optimal_q(GAME)[known]).all()
    assert (reading.chosen_moves == find_best_moves(GAME)).all()
    assert any(note.startswith("A high value is good for X") for note in reading.notes)
    wrong = read(content, view="mover")
    assert find_blunders(GAME, policy_from_moves(wrong.chosen_moves))[GAME.to_move == O].any()


def test_moves_alone_counted_from_1_in_nested_boards_are_read() -> None:
    reading = read((DATA / "moves-from-1.json").read_bytes())
    assert reading.q is None
    assert any(note.startswith("Moves are counted from 1") for note in reading.notes)
    assert not find_blunders(GAME, policy_from_moves(reading.chosen_moves)).any()


@pytest.mark.long
def test_an_npz_of_ours_and_one_by_base_3_number_are_read() -> None:
    agent = load_agent(MODELS, GAME, "q-table")
    ours = read((MODELS / "q-table.npz").read_bytes(), ties="first")
    assert ours.q is not None
    np.testing.assert_array_equal(ours.q[GAME.legal], agent.q[GAME.legal])
    assert (
        find_blunders(GAME, policy_from_moves(ours.chosen_moves)).sum()
        == agent.card.figures.blunders[-1]
    )
    table = np.zeros((3**9, 9))
    table[GAME.code[: GAME.decisions]] = np.nan_to_num(compute_optimal_q(GAME), nan=-5)
    best = find_best_moves(GAME)
    for number, dtype in enumerate(("<f4", ">f8", "|i1")):
        file, kind = io.BytesIO(), table.astype(dtype)
        np.savez_compressed(file, table=np.asfortranarray(kind) if number % 2 else kind)
        assert (read(file.getvalue()).chosen_moves == best).all(), dtype


BOARDS = [
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
]


# Values of some cells, or a move alone, which is the middle.
VALUES: list[tuple[Any, dict[int, float]]] = [
    ([None, 0.1, None, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], {1: 0.1, 3: 0.2, 8: 0.7}),
    ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], {1: 0.1, 3: 0.2, 8: 0.7}),
    ({"4": 0.5, "8": -1}, {4: 0.5, 8: -1}),
    ({"(1, 2)": 0.5, "2,0": "-1"}, {5: 0.5, 6: -1}),  # rows, then columns
    (4, {}),
    ([1, 1], {}),
]


def test_any_usual_writing_of_a_board_and_of_values() -> None:
    here = parse_position(GAME, "X.O......")
    for key, (value, cells) in product(BOARDS, VALUES):
        text = json.dumps({key: value})
        reading = read(text, digits="first")
        assert reading.summary_sentence == "Read: 1 of 4,520 positions.", text
        assert known_values(reading).get("X.O......", {}).items() >= cells.items(), text
        if not cells:
            assert reading.q is None, text
            assert np.flatnonzero(reading.chosen_moves[here]).tolist() == [4], text


STATES_WITH_ACTIONS = [
    "{((1, 0, -1, 0, 0, 0, 0, 0, 0), 4): 0.5, ((1, 0, -1, 0, 0, 0, 0, 0, 0), 8): -1}",
    "{((1, 0, -1, 0, 0, 0, 0, 0, 0), (1, 1)): 0.5, ((1, 0, -1, 0, 0, 0, 0, 0, 0), (2, 2)): -1}",
    "defaultdict(<class 'float'>, {((1,0,2,0,0,0,0,0,0),4): np.float64(0.5), "
    "((1,0,2,0,0,0,0,0,0),8): array(-1.)})",
    '{"X.O......|4": 0.5, "X.O......|8": -1}',
    '[["X.O......", 4, 0.5], ["X.O......", 8, -1]]',
    '[{"state": "X.O......", "action": 4, "value": 0.5}, '
    '{"board": "X.O......", "move": [2, 2], "q": -1}]',
    "X.O......,4,0.5\nX.O......,8,-1\n",
    "\ufeffposition,cell,q\r\nX.O......,4,0.5\r\n\r\nX.O......,8,-1\r\n",
    "board;row;col;value\nX.O......;1;1;0.5\nX.O......;2;2;-1\n",
    "1,0,-1,0,0,0,0,0,0,4,0.5\n1,0,-1,0,0,0,0,0,0,8,-1\n",
    "position\t0\t1\t2\t3\t4\t5\t6\t7\t8\nX.O......\t\t\t\t\t0.5\t\t\t\t-1\n",
    '{"q_table": {"X.O......": {"4": 0.5, "8": -1}}}',
]


@pytest.mark.parametrize("text", STATES_WITH_ACTIONS)
def test_states_with_actions_are_put_together(text: str) -> None:
    assert known_values(read(text)) == {"X.O......": {4: 0.5, 8: -1.0}}


def test_values_of_moves_are_read_among_lists_of_moves() -> None:
    boards = ".........", "X...O....", "X.O......", "XO.......", "XO.X.O..."
    table = {board: [6, 7, 8] for board in boards} | {"X.OX.O...": {"6": 1}}
    chosen = read(json.dumps(table)).chosen_moves
    for board in boards:
        assert np.flatnonzero(chosen[parse_position(GAME, board)]).tolist() == [6, 7, 8]
    assert np.flatnonzero(chosen[parse_position(GAME, "X.OX.O...")]).tolist() == [6]


def test_what_stands_for_whom_can_be_chosen() -> None:
    text = '{"1,0,-1,0,0,0,0,0,0": {"4": 1}, "-1,1,-1,0,0,0,0,0,0": {"4": 1}}'
    own = read(text, boards="mover")
    assert known_values(own).keys() == {"X.O......", "XOX......"}
    x = read(text, boards="x")
    assert known_values(x).keys() == {"X.O......"}
    assert x.unread_reasons == ["entry 2 (-1,1,-1,0,0,0,0,0,0): no game comes to this board"]
    assert "1 is the player to move" in own.notes[0]


def test_equal_values_and_missing_positions_take_the_rule_that_is_chosen() -> None:
    text = '{".........": [0.5, 0, 0.5, 0, 0, 0, 0, 0, 0]}'
    other = parse_position(GAME, "X........")
    both = read(text)
    assert np.flatnonzero(both.chosen_moves[0]).tolist() == [0, 2]
    assert (both.chosen_moves[other] == GAME.legal[other]).all()
    first = read(text, ties="first", missing="first")
    assert np.flatnonzero(first.chosen_moves[0]).tolist() == [0]
    assert np.flatnonzero(first.chosen_moves[other]).tolist() == [1]
    image = read('{"X........": 8}', missing="image")
    assert np.flatnonzero(image.chosen_moves[parse_position(GAME, "..X......")]).tolist() == [6]


def test_a_move_with_two_values_has_the_last_and_it_is_noted() -> None:
    reading = read('{".........": {"4": 0.5}, "---------": {"4": 0.25, "0": 1}}')
    assert known_values(reading) == {".........": {0: 1.0, 4: 0.25}}
    assert "Moves with two different values: 1. The last value counts." in reading.notes


def npz_of(q: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, q=q)
    return file.getvalue()


def zip_of(members: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(members):
            archive.writestr(f"{number}.npy", b"")
    return file.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "there is nothing in it"),
        (b" ,\n,,", "there is nothing in it"),
        (b"hello", "no board was found in it: line 1: this is no board"),
        (b"[1, 2", "line 1: this is neither JSON nor"),
        (b"{\n'a': 1,\n ?}", "line 3: this is neither JSON nor"),
        (b"[" * 100_000, "there are more than 60 brackets in brackets"),
        (b"(" * 70 + b")" * 70, "there are more than 60 brackets in brackets"),
        (b"[[]," + b"[]," * 400_000 + b"(1)]", "there are more than 400,000 numbers"),
        (b".........,4\n" * (MAX_ROWS + 1), f"there are more than {MAX_ROWS:,} rows in it"),
        (b"[0" + b",0" * MAX_ROWS + b"]", f"there are more than {MAX_ROWS:,} rows in it"),
        (b"X.O......" + b",1" * 41, "line 1: there are more than 40 columns in it"),
        (b'position,q\n"' + b"X" * 200_000, "line 2: this is no CSV: field larger"),
        (b"\x80\x04K\x01.", "this is a pickle, which can run any program and is never loaded"),
        (b"\x93NUMPY\x01\x00", "this npy cannot be read"),
        (b"PK\x03\x04 and no more", "this npz cannot be read"),
        (npz_of(q=np.array([{}], dtype=object)), "an array in it holds object, not numbers of"),
        (npz_of(q=np.zeros((100, 9))), "the array is [100, 9], not [4520, 9] or [19683, 9]"),
        (npz_of(q=np.zeros((1000, 1000))), "the array is [1000, 1000], not"),
        (npz_of(q=np.zeros((4520, 9), np.complex128)), "holds complex128, not numbers"),
        (zip_of(65), "it holds more than 64 arrays"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b'{"A,D,C,A,D,C,A,D,C": 3}', "cannot be told: there are A, C, D"),
        (b'{"XXX......": 4}', "no position that is to be played in was found"),
        (b'{"X.O......": [1, 2, 3]}', "entry 1 (X.O......): it has 3 values, not 9"),
        (b'{"X.O......": "high"}', "entry 1 (X.O......): high is no move"),
        (b'{"X.O......": [1e999, 1, 1, 1, 1, 1, 1, 1, 1]}', "Infinity is no number"),
        (b'{"X.O......": 0}', "entry 1 (X.O......): the move is on a taken square"),
        (b'{"\\ud800": 0}', "entry 1 (?): this is no board"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    sentence = refusal(content)
    assert reason in sentence
    assert len(sentence.partition("python -c")[0]) < 400


def test_an_array_with_a_broken_header_is_not_called_a_pickle() -> None:
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': ()-1, }\n"
    sentence = refusal(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    assert "this npy cannot be read" in sentence
    assert "pickle" not in sentence


def test_a_large_array_is_refused_before_it_is_unpacked() -> None:
    """The header of an array of 8 TB has 128 bytes and contains the size."""
    file = io.BytesIO()
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    head = head.ljust(117) + b"\n"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("q.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    assert "the array is [1000000, 1000000], not" in refusal(file.getvalue())


SIGNS = "XO.,01289eE+-\"'\n\r []{}():;\t_nN"
tables = st.sampled_from([case["text"] for case in CASES if len(case.get("text", "")) > 1])
options = st.fixed_dictionaries(
    {},
    optional={name: st.sampled_from([*answers]) for name, (_, answers) in OPTION_QUESTIONS.items()},
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return a table with a few characters replaced, deleted or inserted."""
    text: str = draw(tables)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 4))
        text = text[:start] + draw(st.text(SIGNS, max_size=4)) + text[end:]
    return text.encode()


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(str.encode)
    | st.text(SIGNS, max_size=200).map(str.encode)
    | mutated(),
    options,
)
def test_whatever_is_sent_is_read_or_refused(content: bytes, chosen: dict[str, str]) -> None:
    npz = npz_of(q=np.zeros((4520, 9)))[:-200]
    for whole in (
        content,
        b'{".........": ' + content + b"}",
        npz + content,
        b"PK\x03\x04" + content,
    ):
        reading = read_or_refuse(whole, chosen)
        if isinstance(reading, str):
            assert reading.encode()
        else:
            assert encode_moves(GAME, reading.chosen_moves)


def read_or_refuse(content: bytes, chosen: dict[str, str]) -> TableReading | str:
    """Return the reading, or the reason of the TableError."""
    try:
        return read(content, **chosen)
    except TableError as error:
        return str(error)


def write_golden() -> None:
    """Write the golden file anew."""
    lines = [
        {key: case[key] for key in ("file", "text", "options") if key in case} | outcome(case)
        for case in CASES
    ]
    GOLDEN.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


if __name__ == "__main__":
    write_golden()
