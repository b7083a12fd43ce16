"""Whatever happens to who saves a model, the folder holds the older one or the new one, whole."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.tictactoe.agents import ASIDE, arrays_file, load, load_all, save
from tests.tictactoe.models import ID, assert_same
from tests.tictactoe.savers import AGENTS, GAME, files

ROOT = Path(__file__).parents[2]
MET = 20  # models of each of two who save at once


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.tictactoe.savers", program, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


@pytest.fixture(scope="module")
def killed(memory: Path) -> dict[str, list[Any]]:
    """What is found after saves that were killed before each of their steps."""
    with start("kill", memory) as program:
        printed, _ = program.communicate()
    assert program.returncode == 0
    told: dict[str, list[Any]] = json.loads(printed)
    return told


def assert_exchanged(ends: list[Any], before: int | None, after: int) -> None:
    """At some step one model takes the place of the other, and never is there anything else."""
    steps = ends.count(before)
    assert ends == [before] * steps + [after] * (len(ends) - steps)
    assert 3 < steps < len(ends)


def test_a_killed_save_leaves_the_old_model_or_the_new_one(killed):
    assert_exchanged(killed["second"], before=0, after=1)


def test_a_killed_first_save_leaves_no_model_or_the_new_one(killed):
    assert_exchanged(killed["first"], before=None, after=0)


def test_a_save_that_is_killed_after_one_that_was_killed_leaves_what_that_left(killed):
    """One of four states: nothing, the arrays, their card too, or both in their place."""
    assert [before for before, _ in killed["third"]] == [0, 0, 1, 1]
    for before, ends in killed["third"]:
        assert_exchanged(ends, before, after=2)


def test_two_who_save_at_once_never_mix_a_pair(memory: Path):
    """And whoever loads meanwhile finds one of them."""
    folder = memory / "busy"
    seen: Counter[int] = Counter()
    save(folder, GAME, AGENTS[0])
    with start("go-on", folder, 1) as one, start("go-on", folder, 2) as other:
        while min(seen[1], seen[2]) < MET:
            loaded = load(folder, GAME, ID)
            assert_same(loaded, AGENTS[loaded.card.seed])
            seen[loaded.card.seed] += 1
        for program in (one, other):
            program.communicate()  # which ends its input
            assert program.returncode == 0
    assert set(files(folder)) == {f"{ID}.json", f"{ID}.npz"}
    assert load(folder, GAME, ID).card.seed in (1, 2)


def test_what_others_left_aside_vanishes_with_the_next_save(tmp_path: Path):
    for name in ("x", "y.json", "z.npz"):
        (tmp_path / f"{ASIDE}{name}").write_bytes(b"half of it")
    save(tmp_path, GAME, AGENTS[0])
    assert {path.name for path in tmp_path.iterdir()} == {f"{ID}.json", f"{ID}.npz"}


def test_arrays_that_no_card_describes_are_not_believed(tmp_path: Path):
    """Left where arrays wait for their card by a save that never got so far."""
    save(tmp_path, GAME, AGENTS[0])
    save(tmp_path / "other", GAME, AGENTS[1])
    (tmp_path / "other" / f"{ID}.npz").rename(tmp_path / f"{ID}.npz.newer")
    (tmp_path / "other" / f"{ID}.json").unlink()
    (tmp_path / "other").rmdir()
    assert_same(load_all(tmp_path, GAME)[ID], AGENTS[0])
    save(tmp_path, GAME, AGENTS[2])
    assert set(files(tmp_path)) == {f"{ID}.json", f"{ID}.npz"}
    assert_same(load(tmp_path, GAME, ID), AGENTS[2])


def test_the_file_of_a_loaded_agent_is_its_own_whatever_becomes_of_the_folder(tmp_path: Path):
    """As long as it is there it is read; when it is gone, or another's, it is written again."""
    save(tmp_path, GAME, AGENTS[0])
    agent, path = load(tmp_path, GAME, ID), tmp_path / f"{ID}.npz"
    content = path.read_bytes()
    assert arrays_file(GAME, agent) == content
    save(tmp_path, GAME, AGENTS[1])
    assert path.read_bytes() != content
    assert arrays_file(GAME, agent) == content
    path.unlink()
    assert arrays_file(GAME, agent) == content
