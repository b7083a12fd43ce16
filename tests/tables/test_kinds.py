"""The kinds of tables that people have: each is read as the values that it holds, or asked about.

Every table is written here from the optimal values, as programs in public repositories write theirs.
"""

import csv
import gzip
import io
import json
import os
import pickle
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.tables.options import TableOptions
from app.tables.reader import TableReading, read_table
from app.tables.rows import PICKLE_COMMAND
from app.tables.values import TableError
from app.tictactoe.game import build_game
from app.tictactoe.notation import format_position
from app.tictactoe.policy import compute_optimal_q, find_best_moves, policy_from_values
from app.tictactoe.report import find_blunders
from tests.web.running import get_site

GAME = build_game()
Q = compute_optimal_q(GAME)
D = range(GAME.decisions)
SOME = D[::4]  # enough for tables whose rows stand alone
BOARDS = [format_position(GAME, position) for position in range(GAME.positions)]
STONES = [tuple(board) for board in GAME.board.tolist()]
SIDES, ENDS = ("top", "middle", "bottom"), ("left", "center", "right")
CELLS = [np.flatnonzero(legal).tolist() for legal in GAME.legal]


def read(content: bytes | str, **options: str) -> TableReading:
    whole = content.encode() if isinstance(content, str) else content
    return read_table(whole, TableOptions(**options))


def refusal(content: bytes | str, **options: str) -> str:
    with pytest.raises(TableError) as error:
        read(content, **options)
    return str(error.value)


def count_blunders(reading: TableReading) -> int:
    return int(find_blunders(GAME, reading.policy).sum())


def by_move(position: int) -> dict[int, float]:
    return {cell: Q[position, cell] for cell in CELLS[position]}


def with_zeros(position: int) -> list[float]:
    return [0.0 if np.isnan(value) else value for value in Q[position].tolist()]


def make_dense(*, last: bool, filler: float = 0.0, signs: str = "012") -> np.ndarray:
    """Return an array by base-3 number; `signs` are the digits of an empty cell, X and O."""
    table = np.full((3**9, 9), filler)
    for position in D:
        digits = "".join(signs[stone] for stone in STONES[position])
        table[int(digits[::-1] if last else digits, 3)] = np.where(
            np.isnan(Q[position]), filler, Q[position]
        )
    return table


def save(write: Callable[..., Any], *content: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    write(file, *content, **options)
    return file.getvalue()


def write_csv(rows: list[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def nest(items: Any) -> list[list[Any]]:
    return [list(items[i : i + 3]) for i in (0, 3, 6)]


def value_after(position: int) -> float:
    """Return the value of a board to the player who has just moved: 0.99, 0.5 or 0.01."""
    if position >= GAME.decisions:
        return 0.99 if GAME.outcome[position - GAME.decisions] else 0.5
    return {1: 0.01, 0: 0.5, -1: 0.99}[int(np.nanmax(Q[position]))]


def value_to_x(position: int) -> float:
    """Return the value of a board to X."""
    x_moved = sum(STONES[position]) == 1
    return value_after(position) if x_moved else 1 - value_after(position)


def number_squares(position: int) -> str:
    """Return a board with f and s for X and O, and the number of each empty square."""
    signs = zip(BOARDS[position], range(1, 10), strict=True)
    return "".join({"X": "f", "O": "s"}.get(mark, str(number)) for mark, number in signs)


def swap(board: str) -> str:
    return board.translate(str.maketrans("XO", "OX"))


# Kind -> the content of a file, which holds the optimal values of all positions.
DENSE: dict[str, Callable[[], bytes | str]] = {
    "json, digits last": lambda: json.dumps(make_dense(last=True).tolist()),
    "npy": lambda: save(np.save, make_dense(last=False)),
    "npy, low filler": lambda: save(np.save, make_dense(last=True, filler=-7)),
    "savetxt with blanks": lambda: save(np.savetxt, make_dense(last=True), fmt="%.2e"),
    "pandas": lambda: write_csv(
        [["", *range(9)], *([n, *row] for n, row in enumerate(make_dense(last=True).tolist()))]
    ),
}
ROWS: dict[str, Callable[[], bytes | str]] = {
    "nested lists in CSV": lambda: write_csv(
        [[nest(STONES[p]), nest(with_zeros(p))] for p in SOME]
    ),
    "pairs in a row": lambda: "".join(
        f"{BOARDS[p].replace('.', '-')},{''.join(f'{c},{v},' for c, v in by_move(p).items())}\n"
        for p in SOME
    ),
    "colon and a list": lambda: "".join(f"{STONES[p]}: {with_zeros(p)}\n" for p in SOME),
    "bar": lambda: "".join(
        f"{BOARDS[p].lower()}|{'|'.join(map(str, with_zeros(p)))}\n" for p in SOME
    ),
    "blanks": lambda: "".join(
        f"{BOARDS[p].replace('.', ' ')} {cell} {value}\n"
        for p in SOME
        for cell, value in by_move(p).items()
    ),
    "an assignment": lambda: (
        f"q_table = { {(STONES[p], c): v for p in SOME for c, v in by_move(p).items()} }"
    ),
    "board and player": lambda: repr(
        {(STONES[p], 1 if GAME.to_move[p] == 1 else -1): by_move(p) for p in SOME}
    ),
    "lines of JSON": lambda: "\n".join(
        json.dumps({"state": STONES[p], "q": with_zeros(p)}) for p in SOME
    ),
    "a table for each seat": lambda: repr(
        {
            name: {BOARDS[p]: by_move(p) for p in SOME if GAME.to_move[p] == player}
            for name, player in (("X", 1), ("O", -1))
        }
    ),
    "moves as nine numbers": lambda: repr(
        {
            STONES[p]: {tuple(np.eye(9, dtype=int)[c].tolist()): v for c, v in by_move(p).items()}
            for p in SOME
        }
    ),
    "squares with numbers": lambda: json.dumps(
        {
            number_squares(p): {
                "actions": [cell + 1 for cell in by_move(p)],
                "values_f": [v * (GAME.to_move[p] == 1) for v in by_move(p).values()],
                "values_s": [v * (GAME.to_move[p] != 1) for v in by_move(p).values()],
            }
            for p in SOME
        }
    ),
    "two bits for each square": lambda: json.dumps(
        {sum(4**c * (s % 3) for c, s in enumerate(STONES[p])): by_move(p) for p in SOME}
    ),
    "three ranks": lambda: "".join(
        [
            f"State,{','.join(f' Action {c + 1}' for c in range(9))}\n",
            *(
                f"{' '.join(map(''.join, nest(BOARDS[p].lower().replace('.', '-'))))},"
                f"{','.join(str(by_move(p).get(c, '  -  ')) for c in range(9))}\n"
                for p in SOME
            ),
        ]
    ),
    "blanks, 1 and 0": lambda: "".join(
        f"{BOARDS[p].translate(str.maketrans('.XO', ' 10'))}:{','.join(map(str, with_zeros(p)))}\n"
        for p in SOME
    ),
    "by the number of moves": lambda: json.dumps(
        {
            n: {
                BOARDS[p]: {c: {"q_value": v, "visits": 3} for c, v in by_move(p).items()}
                for p in SOME
                if 9 - BOARDS[p].count(".") == n
            }
            for n in range(9)
        }
    ),
    "a score and a move": lambda: repr(
        {BOARDS[p]: (1, divmod(int(np.nanargmax(Q[p])), 3)) for p in SOME}
    ),
    "numbers without separators": lambda: json.dumps(
        {"".join(map(str, STONES[p])): by_move(p) for p in SOME}
    ),
    "a number without its first zeros": lambda: json.dumps(
        {int("".join(str(s % 3) for s in STONES[p])): with_zeros(p) for p in SOME}
    ),
    "the player behind the board": lambda: json.dumps(
        {f"{BOARDS[p]}{'X' if GAME.to_move[p] == 1 else 'O'}": by_move(p) for p in SOME}
    ),
    "decimal commas": lambda: "".join(
        f"{BOARDS[p]};{';'.join(f'{v:.1f}'.replace('.', ',') for v in with_zeros(p))}\n"
        for p in SOME
    ),
    "pandas with rows and columns": lambda: write_csv(
        [
            ["", *((c // 3, c % 3) for c in range(9))],
            *([BOARDS[p], *(by_move(p).get(c, "") for c in range(9))] for p in SOME),
        ]
    ),
    "squares in columns": lambda: write_csv(
        [
            [*(f"square{c}" for c in range(9)), "action", "value"],
            *([*STONES[p], f"{c // 3}{c % 3}", v] for p in SOME for c, v in by_move(p).items()),
        ]
    ),
    "moves in words": lambda: json.dumps(
        {
            BOARDS[p]: {f"{SIDES[c // 3]} {ENDS[c % 3]}": v for c, v in by_move(p).items()}
            for p in SOME
        }
    ),
    "JavaScript": lambda: (
        f"const table = {json.dumps({'alpha': 0.1, 'T': {BOARDS[p]: by_move(p) for p in SOME}})};\n"
    ),
    "a defaultdict of a function": lambda: (
        f"defaultdict(<function <lambda> at 0x7f3c>, { {BOARDS[p]: by_move(p) for p in SOME} })"
    ),
    "UTF-16": lambda: repr({BOARDS[p]: by_move(p) for p in SOME}).encode("utf-16"),
}
VALUES_OF_BOARDS: dict[str, Callable[[], bytes | str]] = {
    "after the own move": lambda: json.dumps(
        {BOARDS[p]: value_after(p) for p in range(1, GAME.positions)}
    ),
    "in X's view, CSV": lambda: write_csv(
        [[BOARDS[p], value_to_x(p)] for p in range(GAME.positions)]
    ),
    "in O's view": lambda: json.dumps({BOARDS[p]: -value_to_x(p) for p in range(GAME.positions)}),
    "without finished boards": lambda: json.dumps({BOARDS[p]: value_after(p) for p in D}),
    "an array of 19,683 values": lambda: save(
        np.save,
        np.bincount(GAME.code, [value_to_x(p) for p in range(GAME.positions)], minlength=3**9),
    ),
}
KINDS = DENSE | ROWS | VALUES_OF_BOARDS


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_optimal_values_are_read_as_optimal_play(kind: str) -> None:
    reading = read(KINDS[kind]())
    assert reading.unread_reasons == []
    # Without finished boards nothing is known of a last move, which is forced.
    known = SOME if kind in ROWS else D
    assert reading.position_count == (4194 if kind == "without finished boards" else len(known))
    assert not find_blunders(GAME, reading.policy)[list(known)].any(), reading.notes


@pytest.mark.long
def test_the_order_of_digits_is_told_with_its_evidence() -> None:
    for is_last, name in ((False, "first"), (True, "last")):
        table = make_dense(last=is_last)
        note = read(save(np.save, table)).notes[1]
        assert note.startswith(f"Base-3 numbers: the top left square is the {name} digit")
        assert "0 against" in note


@pytest.mark.long
def test_an_order_of_digits_that_nothing_shows_is_asked_for() -> None:
    table = np.random.default_rng(0).uniform(-1, 1, (3**9, 9))
    for content in (save(np.save, table), '{"8019": 4}'):
        asked = refusal(content)
        assert "digits=first" in asked
        assert "digits=last" in asked
        first, last = (read(content, digits=digit) for digit in ("first", "last"))
        assert (first.policy != last.policy).any()


def test_random_values_are_not_read_in_the_view_of_x() -> None:
    for seed in range(3):
        rng = random.Random(seed)
        share = rng.choice((0.02, 0.3, 1))
        table = {
            BOARDS[p]: {cell: rng.uniform(-1, 1) for cell in CELLS[p]}
            for p in D
            if rng.random() < share
        }
        note = next(note for note in read(repr(table)).notes if note.startswith("A high value"))
        assert "the player to move. It is not clear" in note


def test_the_first_number_of_cells_is_counted_or_chosen() -> None:
    for first in (0, 1):
        table = {BOARDS[p]: int(np.nanargmax(Q[p])) + first for p in D}
        assert count_blunders(read(json.dumps(table))) == 0
    table = {
        board: move for board, move in table.items() if move not in (1, 9)
    }  # 1 to 9 until here
    middle = read(json.dumps(table))
    assert any("Moves are counted from 1 (" in note for note in middle.notes)
    few = read('{"X.O......": 5}')
    assert any("cells=1" in note for note in few.notes)
    assert np.flatnonzero(
        read('{"X.O......": 5}', cells="1").chosen_moves[GAME.successor[GAME.successor[0, 0], 2]]
    ) == [4]


@pytest.mark.long
@pytest.mark.parametrize("numbers", ["201", "210", "-110", "120"])
def test_the_numbers_of_marks_follow_from_the_boards(numbers: str) -> None:
    empty, x, o = ["-1", "1", "0"] if numbers == "-110" else list(numbers)
    signs = {0: empty, 1: x, -1: o}
    table = {" ".join(signs[stone] for stone in STONES[p]): with_zeros(p) for p in D}
    text = json.dumps(table)
    assert count_blunders(read(text)) == 0
    # If only X ever moves, nothing tells X from O.
    of_x = {
        board: row for p, (board, row) in zip(D, table.items(), strict=True) if GAME.to_move[p] == 1
    }
    assert f"marks={numbers}" in refusal(json.dumps(of_x))
    assert read(json.dumps(of_x), marks=numbers).position_count == len(of_x)


@pytest.mark.long
@pytest.mark.parametrize("is_x_last", [True, False])
def test_of_tables_for_either_starter_the_half_that_the_values_fit_is_judged(
    is_x_last: bool,
) -> None:
    halves = [
        {swap(BOARDS[p]): by_move(p) for p in D},
        {BOARDS[p]: by_move(p) for p in D},
    ]
    first, last = halves if is_x_last else halves[::-1]
    text = repr(first | last)
    reading = read(text)
    assert count_blunders(reading) == 0
    assert f"{'X' if is_x_last else 'O'} begins" in reading.notes[0]
    assert "Either mark begins in this table" in reading.notes[0]
    other = read(text, begins="o" if is_x_last else "x")
    assert other.unread_count == 0
    assert other.position_count == GAME.decisions


@pytest.mark.long
def test_a_key_with_the_player_keeps_the_halves_apart() -> None:
    table: dict[Any, Any] = {}
    for p in D:
        table[STONES[p], int(GAME.to_move[p])] = by_move(p)
        table[tuple(-stone for stone in STONES[p]), -int(GAME.to_move[p])] = by_move(p)
    for begins in ("auto", "x", "o"):
        reading = read(repr(table), begins=begins)
        assert (reading.unread_count, count_blunders(reading)) == (0, 0)


def play_first(position: int) -> tuple[str, int]:
    """Return the board after the first optimal move, and the move."""
    move = int(np.nanargmax(Q[position]))
    return BOARDS[GAME.successor[position, move]], move


IN_PLACE: dict[str, Callable[[], str]] = {
    "board and cell": lambda: repr({play_first(p): 0.5 for p in D}),
    "dict of dicts": lambda: repr({board: {move: 0.1} for board, move in map(play_first, D)}),
    "moves": lambda: json.dumps(dict(map(play_first, D))),
    "CSV": lambda: write_csv([[*play_first(p), 0.3] for p in D]),
}


@pytest.mark.parametrize("kind", IN_PLACE)
def test_boards_that_contain_the_move_are_named(kind: str) -> None:
    sentence = refusal(IN_PLACE[kind]())
    assert "the boards already contain the moves: square" in sentence
    assert "is already taken" in sentence


def test_values_of_boards_without_evidence_of_a_view_are_asked_for() -> None:
    table = json.dumps({"X........": 0.3, ".X.......": 0.2, "XO.......": 0.4, "X.O......": 0.6})
    asked = refusal(table)
    assert "view=moved" in asked
    moves = read(table, view="moved").chosen_moves
    assert np.flatnonzero(moves[0]).tolist() == [0]
    assert np.flatnonzero(read(table, view="mover").chosen_moves[0]).tolist() == [1]
    assert "no board after a move" in refusal('{".........": 0.5}')


def test_beads_are_drawn_in_proportion_if_that_is_chosen() -> None:
    beads = {BOARDS[p]: [max(0, 1 + 3 * v) for v in with_zeros(p)] for p in D}
    text = json.dumps(beads)
    highest, drawn = read(text), read(text, play="proportional")
    assert any("play=proportional" in note for note in highest.notes)
    assert highest.chosen_moves.sum() < drawn.chosen_moves.sum()
    wanted = policy_from_values(
        np.where(np.isnan(Q), np.nan, np.maximum(0, 1 + 3 * Q)), "proportional"
    )
    np.testing.assert_allclose(drawn.policy, wanted)
    assert "values below 0" in refusal('{".........": {"0": -1, "4": 1}}', play="proportional")


@pytest.mark.long
@pytest.mark.parametrize("seat", ["x", "o"])
def test_our_own_certificates_are_read(seat: str) -> None:
    content = get_site().test_client().get(f"/agents/champion/certificate-{seat}.csv").data
    reading = read(content)
    assert reading.unread_reasons == []
    assert reading.q is None
    known = reading.policy[GAME.to_move == (1 if seat == "x" else -1)]
    assert (known > 0).sum() < GAME.legal.sum()
    assert reading.position_count > 10
    assert not find_blunders(GAME, reading.policy)[
        ~(reading.chosen_moves == GAME.legal).all(axis=1)
    ].any()


PICKLED: dict[str, Callable[[], Any]] = {
    "dict by tuples": lambda: {(STONES[p], c): v for p in D for c, v in by_move(p).items()},
    "defaultdict": lambda: defaultdict(
        float, {str(np.array(STONES[p])): v for p in D for v in [with_zeros(p)]}
    ),
    "bytes of arrays": lambda: {np.array(STONES[p]).tobytes(): with_zeros(p) for p in D},
    "array": lambda: make_dense(last=False),
}


@pytest.mark.long
@pytest.mark.parametrize(("shape", "protocol"), [*zip(PICKLED, (0, 4, 0, 4), strict=True)])
def test_a_pickle_is_never_loaded_and_the_line_that_converts_it_works(
    shape: str, protocol: int, tmp_path: Path
) -> None:
    (tmp_path / "q.pkl").write_bytes(pickle.dumps(PICKLED[shape](), protocol))
    assert PICKLE_COMMAND in refusal((tmp_path / "q.pkl").read_bytes())
    run_line(PICKLE_COMMAND, tmp_path)
    assert count_blunders(read((tmp_path / "q.txt").read_bytes())) == 0


def run_line(line: str, folder: Path) -> None:
    """Run a line of the form `python -c "..."` in a folder."""
    program = line.removeprefix('python -c "').removesuffix('"')
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, env=environment)


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        ("X.O......~0,1\nXO.......~0,1\n", ["line 1", "behind the squares 'X.O......' stands '~'"]),
        (".........,0,1,2,3,4\n", ["line 1", "behind the board ......... there are 5 columns"]),
        ("1,2,3,4,5,6,7,8,9\n" * 4, ["not 4", "19,683"]),
        ('[["X.O......", 4], ["X.O..", 4]]', ["entry 2", "this is no board: X.O.."]),
        ("[[[0, 1, 2, 0], 4]]", ["a list of 4 items, not of 9 squares"]),
        ('{"X.O......": {"4": 0.5', ["breaks off"]),
        (b"\xac\xed\x00\x05ur", ["Java"]),
        (b"PK\x03\x04...model/data.pkl", ["PyTorch"]),
    ],
)
def test_messages_name_the_row_and_the_cause(text: str | bytes, causes: list[str]) -> None:
    try:
        sentence = read(text).fault_sentence
    except TableError as error:
        sentence = str(error)
    for cause in causes:
        assert cause in sentence


def test_a_packed_file_has_limits() -> None:
    assert "more than 8 MB" in refusal(gzip.compress(b"x" * (9 << 20)))
    assert "incomplete" in refusal(gzip.compress(b"x" * 100)[:-4])
    assert find_best_moves(GAME).any()
