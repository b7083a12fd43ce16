"""app/doctor.py: the fault or the update rule behind a trace, and errors for bad traces.

Each test uses a few seeds; `python -m tests.doctor.sweep` runs a thousand.

"""

import csv
import io
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.loading import doctor, examine_correct, examine_fault
from tests.doctor.students import (
    CORRECT,
    PLANTED,
    STYLES,
    Settings,
    Table,
    is_over,
    make_settings,
    result,
    train_with_classes,
)

Row = list[Any]
COLUMNS = ["board", "move", "reward", "next_board", "done", "before", "after"]


@pytest.mark.long
@pytest.mark.parametrize(("number", "fault"), list(enumerate(PLANTED)), ids=PLANTED)
def test_a_planted_fault_is_named(number: int, fault: str) -> None:
    found = examine_fault(fault, number)
    assert (found.status, found.fault) == (1, PLANTED[fault])
    assert str(found.row) in found.sentence
    assert found.board
    assert found.source


@pytest.mark.parametrize("kind", [*STYLES, *CORRECT])
def test_a_correct_learner_is_called_correct(kind: str) -> None:
    found, settings = examine_correct(kind, 8), make_settings("", 8)
    assert found.status == 0
    assert CORRECT.get(kind, (None, "Q-learning"))[1] in found.rule
    if kind != "averages":
        assert found.alpha == pytest.approx(settings.alpha, rel=0.05)
    assert found.gamma == pytest.approx(settings.gamma, rel=0.01)


@pytest.mark.parametrize(
    ("fault", "games", "reason"),
    [
        ("terminal", 150, "the value of a finished board is added (it is 0 so far)"),
        ("occupied", 100, "occupied squares take part in the maximum (a free one is worth as much"),
    ],
)
def test_a_fault_that_changes_no_value_is_not_excluded(fault: str, games: int, reason: str) -> None:
    settings = Settings(seed=1, games=games, fault=fault)
    found, correct = (examine(list_rows(one)) for one in (settings, replace(settings, fault="")))
    assert found == correct
    assert (found.status, found.title) == (0, "Nothing found")
    assert fault in found.not_excluded
    assert "Nothing is wrong yet, but this trace cannot show whether" in str(found)
    assert reason in str(found)


def list_rows(settings: Settings) -> list[Row]:
    rows: list[Row] = []
    train_with_classes(lambda *row: rows.append(list(row)), settings)
    return rows


def examine(rows: list[Row]) -> Any:
    examined = doctor.Doctor()
    for row in rows:
        examined.update(*row)
    return examined.diagnose()


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list_rows(Settings(seed=1, games=120))


def write(rows: list[Row], columns: list[str] = COLUMNS) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([columns, *([*row[:4], int(row[4]), *row[5:]] for row in rows)])
    return text.getvalue()


def run(path: Path, text: str, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    path.write_text(text)
    status = doctor.main([str(path), *more])
    return status, capsys.readouterr().out.strip()


def test_csv_and_lines_of_json_are_the_same_trace(
    rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "\n".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in rows)
    by_csv = run(tmp_path / "trace.csv", write(rows), capsys, "--json")
    by_json = run(tmp_path / "trace.jsonl", lines, capsys, "--json")
    assert by_csv == by_json
    assert by_csv[0] == 0
    found = json.loads(by_csv[1])
    assert (found["rule"], round(found["alpha"], 6), round(found["gamma"], 6)) == (
        "Q-learning",
        0.3,
        0.9,
    )


def test_the_right_number_is_that_of_the_rule() -> None:
    settings = Settings(seed=3, games=100, initial=0.5, fault="terminal")
    trace = list_rows(settings)
    found = examine(trace)
    _, _, reward, _, done, before, after = trace[found.row - 1]
    assert done
    assert found.found == after
    assert found.right == pytest.approx(before + 0.3 * (reward - before))
    assert found.found == pytest.approx(before + 0.3 * (reward + 0.9 * 0.5 - before))


def test_a_fit_of_the_wrong_rule_may_try_a_huge_gamma() -> None:
    """Its powers were too large for a Python float, and the diagnosis ended with an error."""
    assert examine_fault("one-seat", 327).fault == "sides"


def test_an_illegal_move_that_ends_the_game_has_no_next_value() -> None:
    for is_wrong in (False, True):
        rng, q, rows = random.Random(1), Table(), []
        for _ in range(800):
            board, done = ".........", False
            while not done:
                move = rng.randrange(9)
                after, reward = board, -2.0
                done = board[move] != "."
                if not done:
                    after = f"{board[:move]}X{board[move + 1 :]}"
                    if not is_over(after):
                        answer = rng.choice([i for i in range(9) if after[i] == "."])
                        after = f"{after[:answer]}O{after[answer + 1 :]}"
                    done, reward = is_over(after), result(after, "X")
                future = max(q[after, i] for i in range(9)) if is_wrong or not done else 0.0
                old = q[board, move]
                q[board, move] += 0.3 * (reward + 0.9 * future - old)
                rows.append([board, move, reward, after, done, old, q[board, move]])
                board = after
        found = examine(rows)
        assert found.fault == ("terminal" if is_wrong else "exploration")


@pytest.mark.long
def test_later_rows_are_studied_in_parts() -> None:
    trace = list_rows(Settings(seed=5, games=1400))
    assert len(trace) > doctor.CHUNK_ROWS + 500
    examined = doctor.Doctor()
    for row in trace:
        examined.update(*row)
        assert len(examined.rows) <= doctor.CHUNK_ROWS + 2 * doctor.MAX_ROW_GAP
    assert examined.diagnose() == examined.diagnose()
    assert examined.diagnose().sentence == f"All {len(trace):,} updates follow Q-learning."


@pytest.mark.parametrize(
    ("index", "column", "value", "sentence"),
    [
        (12, "board", "XXXX.....", "is impossible: count its X and O"),
        (12, "board", "what", "is no board"),
        (9, "board", "XXXOO....", "is already finished"),
        (12, "move", "9", "is no move: a move is a square, 0 to 8"),
        (12, "reward", "nan", "reward is 'nan', which is no number"),
        (12, "after", "much", "after is 'much', which is no number"),
        (12, "done", "perhaps", "done is 'perhaps': write 0 or 1"),
        (12, "next_board", ".........", "is empty"),
    ],
)
def test_a_row_that_is_wrong_is_named(
    index: int,
    column: str,
    value: str,
    sentence: str,
    rows: list[Row],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = [*rows]
    assert not rows[index][4]
    wrong[index] = [*rows[index]]
    wrong[index][COLUMNS.index(column)] = value
    lines = "\n".join(json.dumps(row) for row in wrong)
    status, text = run(tmp_path / "trace.jsonl", lines, capsys)
    assert status == 2
    assert f"Row {index + 1}: " in text
    assert sentence in text


@pytest.mark.parametrize(
    "board",
    ["X.O......", list("X O      "), [[1, 0, -1], [0, 0, 0], [0, 0, 0]], "[1, 0, 2, 0,0,0,0,0,0]"],
)
def test_a_board_is_written_in_many_ways(board: Any) -> None:
    assert doctor.read_board(board) == "X.O......"


def test_a_finished_table_has_symptoms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = {"XX.OO....": 0.4, "X........": 0.1}
    text = "board,move,value\n" + "\n".join(
        f"{board},{move},{value}" for board, value in values.items() for move in (0, 8)
    )
    status, said = run(tmp_path / "table.csv", text, capsys)
    assert status == 1
    assert "2 occupied squares have values" in said
    assert "No value is below 0" in said
