"""docs/judge.py as a grade: a sentence, an exit status, and the game that beats an agent."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from app.tictactoe.game import tic_tac_toe
from app.tictactoe.notation import replay
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import report

DOCS = Path("docs")
AGENTS = """
import itertools
import json

count = itertools.count()
perfect = {tuple(board): cells for board, cells in json.load(open("perfect.json"))}

def unbeatable(board, player):
    return perfect[board]

def first(board, player):
    return board.index(0)

def anything(board, player):
    return [cell for cell in range(9) if not board[cell]]

def illegal(board, player):
    return 0

def broken(board, player):
    return {}["X"]

def endless(board, player):
    while True:
        pass

def fickle(board, player):
    free = anything(board, player)
    return free[next(count) % len(free)]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a course has its judge and the work of a student."""
    folder, game = tmp_path_factory.mktemp("course"), tic_tac_toe()
    policy = BASELINES["minimax-random"].policy(game)
    boards = game.board[: game.decisions].tolist()
    moves = [(policy[row] > 0).nonzero()[0].tolist() for row in range(game.decisions)]
    (folder / "perfect.json").write_text(json.dumps(list(zip(boards, moves, strict=True))))
    (folder / "agents.py").write_text(AGENTS)
    shutil.copy(DOCS / "judge.py", folder)
    return folder


def grade(folder: Path, agent: str, *asked: str) -> tuple[int, str]:
    """The exit status and what is printed."""
    command = [sys.executable, "judge.py", f"agents:{agent}", *asked]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("agent", "asked", "status", "said"),
    [
        ("unbeatable", "", 0, "Passed."),
        ("unbeatable", "--win 96.8 --seat x", 1, "as X it wins 96.78% against random, not at le"),
        ("anything", "--require unbeatable", 1, "it can be beaten as X, in the game"),
        ("first", "--at-most 20 blunders", 1, "positions, not in at most 20."),
        ("illegal", "", 2, "Not judged: in X../.../..., O to move: it plays 0, which is no free"),
        ("broken", "", 2, "in .../.../..., X to move: KeyError('X')"),
        ("endless", "--seconds 0.5", 2, "in .../.../..., X to move: more than 0.5 seconds"),
        ("fickle", "", 2, "in .../.../..., X to move: it plays [0], then [1]: return all moves"),
        ("missing", "", 2, "it cannot be imported"),
        ("first", "--at-most 20 mistakes", 2, "a number and 'blunders'"),
    ],
)
def test_a_grade_is_one_sentence_and_a_status(
    folder: Path, agent: str, asked: str, status: int, said: str
) -> None:
    returned, printed = grade(folder, agent, *asked.split())
    assert (returned, said in printed) == (status, True), printed


def test_what_is_asked_is_missed_in_each_seat_or_not(folder: Path) -> None:
    judge = judge_of(folder)
    found = judge.judge(lambda board, player: [cell for cell in range(9) if not board[cell]])
    random = found["against_random"]
    assert [round(100 * random[seat][0], 2) for seat in "xo"] == [58.49, 28.81]
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"win": 58.4}, ["as O it wins 28.81% against random, not at least 58.4%"]),
        ({"win": 0, "against": "strongest"}, []),
        ({"at_most": found["blunders"]}, []),
        ({"at_most": 3190}, ["it blunders in 3191 positions, not in at most 3190"]),
    ]
    for asked, missed in cases:
        assert judge.failures(found, "xo", **asked) == missed
        assert judge.failures(found, "x", **asked) == [one for one in missed if "as O" not in one]


def judge_of(folder: Path) -> Any:
    """The file as a module."""
    spec = spec_from_file_location("judge", folder / "judge.py")
    assert spec
    assert spec.loader
    judge = module_from_spec(spec)
    spec.loader.exec_module(judge)
    return judge


def test_the_game_that_beats_it_is_one_of_its_own(folder: Path) -> None:
    status, printed = grade(folder, "first", "--json")
    found, game = json.loads(printed), tic_tac_toe()
    assert (status, found["passed"]) == (1, False)
    for seat, player in (("x", 1), ("o", -1)):
        cells = found["losing_games"][seat]
        *positions, end = replay(game, "".join(map(str, cells)))
        assert game.result(end) == -player
        for position, cell in zip(positions, cells, strict=True):
            if game.to_move[position] == player:
                assert cell == game.legal[position].argmax()
    policy = BASELINES["fixed"].policy(game)[None, game.legal]
    figures = report(game, policy, [0], None)
    assert found["blunders"] == figures.blunders[0]
    assert found["nash_conv"] == pytest.approx(figures.nash_conv[0], abs=1e-9)


def test_the_examples_for_teachers_run(folder: Path) -> None:
    """The test file and the cell of docs/grading.md, on work that passes."""
    text = (DOCS / "grading.md").read_text()
    of_pytest, cell = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (folder / "my_agent.py").write_text("from agents import unbeatable as play\n")
    (folder / "test_grade.py").write_text(of_pytest)
    (folder / "cell.py").write_text(f"from my_agent import play\n{cell}")
    # Theirs has no plugins, which take longer to load than the tests.
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    for command in (["-m", "pytest", "-q", "-p", "no:cacheprovider"], ["cell.py"]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=folder,
            env=alone,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    for asked in {*re.findall(r"python judge.py my_agent:play (.*)", text)}:
        assert grade(folder, "unbeatable", *asked.split()) == (0, "Passed.\n"), asked
