"""Kinds of learners found in public programs: the doctor names the rule, or says that it knows none."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doctor.kinds import CORRECT_KINDS, FAULTY_KINDS, examine
from tests.doctor.loading import doctor

COLUMNS = ("board", "move", "reward", "next_board", "done", "before", "after")
SEEDS = (0, 3)  # of a thousand that were tried


@pytest.mark.long
@pytest.mark.parametrize("kind", CORRECT_KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_correct_learner_is_never_accused(kind: str, seed: int) -> None:
    train, words = CORRECT_KINDS[kind]
    found = examine(doctor, train, seed)
    assert (found.status, found.fault) == (0, None), found
    assert words in found.rule


@pytest.mark.parametrize("kind", FAULTY_KINDS)
@pytest.mark.parametrize("seed", [SEEDS[0], pytest.param(SEEDS[1], marks=pytest.mark.long)])
def test_a_fault_is_named_or_no_rule_is_recognised(kind: str, seed: int) -> None:
    train, fault = FAULTY_KINDS[kind]
    found = examine(doctor, train, seed)
    assert found.status == 1
    assert found.fault == (fault or None)
    if not fault:
        assert "No rule is recognised" in found.title
        if "explains" in found.sentence:
            assert f"of {found.rows:,} rows" in found.sentence
        assert (found.right, found.alpha, found.gamma) == (None, None, None)


def record(kind: str, seed: int) -> list[list[Any]]:
    rows: list[list[Any]] = []
    train = (CORRECT_KINDS | FAULTY_KINDS)[kind][0]
    train(lambda *row: rows.append(list(row)), seed)
    return rows[:300]


@pytest.mark.long
@given(st.integers(0, 10**9), st.sampled_from([*CORRECT_KINDS, *FAULTY_KINDS]))
def test_every_trace_ends_in_a_sentence(seed: int, kind: str) -> None:
    """A few cells, rows or columns of the traces are changed, repeated, exchanged or left out."""
    rng = random.Random(seed)
    rows = record(kind, seed % 7)
    for _ in range(rng.choice((0, 1, 3, 30))):
        row = rng.randrange(len(rows))
        column = rng.randrange(7)
        match rng.randrange(6):
            case 0:
                rows[row][column] = rng.choice(rows)[column]
            case 1:
                rows[row][column] = rng.choice(("", "nan", -1, 1e300, 0, "1", "X", None, 5.5, True))
            case 2:
                rows.insert(row, list(rows[rng.randrange(len(rows))]))
            case 3:
                del rows[rng.randrange(len(rows))]
            case 4:
                for one in rows:
                    one[column] = rows[0][column]
            case 5:
                rng.shuffle(rows)
    examined = doctor.Doctor(self_play=rng.random() < 0.5)
    try:
        for one in rows:
            examined.update(*one)
        found = examined.diagnose()
    except doctor.TraceError:
        pass
    else:
        assert found.status in (0, 1)
        assert found.sentence
        assert "nan" not in found.sentence
        for number in (found.alpha, found.gamma):
            assert not isinstance(number, float) or found.fault == "step" or -1e-3 < number < 1.001


@given(st.text(max_size=300) | st.text("XO.,01\n\"'[]{}:-eE", max_size=300))
def test_every_text_ends_in_a_sentence(text: str) -> None:
    heading = ",".join(COLUMNS)
    for whole in (text, f"{heading}\n{text}", f'{{"board": {text}}}'):
        found = doctor.examine_text(whole)
        assert found.status in (0, 1, 2)
        assert found.sentence
