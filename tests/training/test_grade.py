"""docs/judge.py as a grader: a sentence, an exit status, and a game that beats the agent."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from app.tictactoe.game import GAME
from app.tictactoe.notation import replay_record
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import compute_figures
from tests.signals import heeding

DOCS = Path("docs").resolve()
# Replaced in these tests: three rounds are enough, and a busy machine may take its time.
ROUNDS, LIMIT = "ROUNDS = 20", "default=60,"
AGENTS = """
import itertools
import json
import os
import sys
import threading

count = itertools.count()
asked = itertools.count()
with open("perfect.json") as file:
    perfect = {tuple(board): cells for board, cells in json.load(file)}

def unbeatable(board, player):
    return perfect[board]

def first(board, player):
    return board.index(0)

def anything(board, player):
    return [cell for cell in range(9) if not board[cell]]

def prints(board, player):
    print("thinking")
    return perfect[board]

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

def fickle_once(board, player):  # in one position, and there in the third answer
    other = board == (1, -1, 0, 0, 0, 0, 0, 0, 0) and next(asked) >= 2
    return anything(board, player)[-1 if other else 0]

def leaves(board, player):
    sys.exit()

def leaves_at_once(board, player):
    os._exit(0)

def leaves_late(board, player):
    if board == (1, -1, 0, 0, 0, 0, 0, 0, 0) and next(asked) == 1:
        os._exit(0)
    return perfect[board]

def interrupts(board, player):
    raise KeyboardInterrupt

def fraction(board, player):
    return board.index(0) + 0.7

def pair(board, player):
    return divmod(board.index(0), 3)

def pair_in_a_list(board, player):
    return [*divmod(board.index(0), 3)]

def text(board, player):
    return str(board.index(0))

def endless_list(board, player):
    return itertools.count(9)

def waits(board, player):
    open("asked", "w").close()
    threading.Event().wait()

def nothing(board, player):
    board.index(0)

number = 3
"""
MODULES = {
    "leaves": "import sys\nsys.exit()\n",
    "leaves_at_once": "import os\nos._exit(0)\n",
    "interrupts": "raise KeyboardInterrupt\n",
    "loops": "while True:\n    pass\n",
    "asks": "move = input()\n",
    "draft": "import os\ndef play(:\n",
    "window": """
import threading

def play(board, player):
    return board.index(0)

threading.Thread(target=threading.Event().wait).start()
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the judge and the work of a student."""
    folder, game = tmp_path_factory.mktemp("course"), GAME
    policy = BASELINES["minimax-random"].build_policy(game)
    boards = game.board[: game.decisions].tolist()
    moves = [(policy[row] > 0).nonzero()[0].tolist() for row in range(game.decisions)]
    (folder / "perfect.json").write_text(json.dumps(list(zip(boards, moves, strict=True))))
    (folder / "agents.py").write_text(AGENTS)
    for name, text in MODULES.items():
        (folder / f"{name}.py").write_text(text)
    text = (DOCS / "judge.py").read_text()
    assert text.count(ROUNDS) == text.count(LIMIT) == 1
    text = text.replace(ROUNDS, "ROUNDS = 3").replace(LIMIT, "default=600,")
    (folder / "judge.py").write_text(text)
    return folder


Grade = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def judge(folder: Path) -> Any:
    """Return the file as a module; each agent is judged once."""
    spec = spec_from_file_location("judge", folder / "judge.py")
    assert spec
    assert spec.loader
    judge: Any = module_from_spec(spec)
    spec.loader.exec_module(judge)
    judge.judge_module = cache(judge.judge_module)
    return judge


@pytest.fixture
def grade(
    judge: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Grade:
    """Return a function that runs the program in this process, except for the agent's process.

    It returns the exit status, the standard output and the standard error.
    """
    monkeypatch.chdir(folder)

    def run(agent: str, *asked: str) -> tuple[int, str, str]:
        named = agent if ":" in agent else f"agents:{agent}"
        monkeypatch.setattr(sys, "argv", ["judge.py", named, *asked])
        try:
            status = judge.main()
        except SystemExit as end:
            status = end.code
        printed = capfd.readouterr()
        return status, printed.out, printed.err

    return run


def line_of(agent: str) -> int:
    """Return the line of agents.py with the definition of an agent."""
    return AGENTS.splitlines().index(f"def {agent}(board, player):") + 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("agent", "asked", "status", "said"),
    [
        ("unbeatable", "", 0, "Passed."),
        ("nothing", "", 2, f"it returns None, not a cell (agents.py, line {line_of('nothing')})."),
        ("broken", "", 2, f"KeyError('X') (agents.py, line {line_of('broken') + 1})."),
        ("unbeatable", "--win 96.8 --seat x", 1, "as X it wins 96.78% against random, not at le"),
        ("anything", "--require unbeatable", 1, "it can be beaten as X, in the game"),
        ("first", "--at-most 20 blunders", 1, "positions, not in at most 20."),
        ("illegal", "", 2, "Not judged: in X../.../..., O to move: it plays 0, which is no free"),
        ("endless", "--seconds 2", 2, "in .../.../..., X to move: more than 2 seconds"),
        ("fickle", "", 2, "it plays [0], then [2]: return all moves"),
        ("fickle_once", "", 2, "in XO./.../..., X to move: it plays [2], then [8]: return all"),
        ("missing", "", 2, "it cannot be imported"),
        ("number", "", 2, "Not judged: number is 3, which is no function."),
        ("first", "--at-most 20 mistakes", 2, "a number and 'blunders'"),
        ("first", "--win nan", 2, "--win is a number from 0 to 100"),
        ("first", "--seconds 0", 2, "--seconds is a number above 0"),
        ("agents:", "", 2, "the agent is MODULE:FUNCTION, as in my_agent:play, not 'agents:'"),
        # The agent's process ends, or does not.
        ("leaves", "", 2, "in .../.../..., X to move: SystemExit() (agents.py, line"),
        ("leaves_at_once", "", 2, "X to move: it ends its process, with status 0."),
        ("leaves_late", "", 2, "in XO./.../..., X to move: it ends its process, with status 0."),
        ("interrupts", "", 2, "in .../.../..., X to move: KeyboardInterrupt() (agents.py, line"),
        ("leaves:play", "", 2, "it cannot be imported: SystemExit() (leaves.py, line 2)."),
        ("leaves_at_once:play", "", 2, "while it is imported: it ends its process, with status 0"),
        ("interrupts:play", "", 2, "imported: KeyboardInterrupt() (interrupts.py, line 1)."),
        ("loops:play", "--seconds 1", 2, "while it is imported: more than 1 seconds are over."),
        ("asks:play", "", 2, "EOFError('EOF when reading a line') (asks.py, line 1)."),
        ("draft:play", "", 2, "SyntaxError: invalid syntax (draft.py, line 2)."),
        ("window:play", "", 1, "Failed: it can be beaten as X"),
    ],
)
def test_a_grade_is_one_sentence_and_a_status(
    grade: Grade, agent: str, asked: str, status: int, said: str
) -> None:
    returned, *printed = grade(agent, *asked.split())
    assert (returned, said in "".join(printed)) == (status, True), printed


@pytest.mark.long
def test_an_interrupted_judge_ends_in_a_sentence(folder: Path) -> None:
    os.mkfifo(folder / "asked")
    command = [sys.executable, "judge.py", "agents:waits"]
    with (
        heeding(signal.SIGINT),
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process,
    ):
        (folder / "asked").open().close()  # waits until the agent opens the other end
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate()
    assert (process.returncode, printed) == (2, "Not judged: it was interrupted.\n")


def test_the_game_that_beats_it_is_one_of_its_own(grade: Grade) -> None:
    status, printed, _ = grade("first", "--json")
    found, game = json.loads(printed), GAME
    assert (status, found["passed"]) == (1, False)
    for seat, player in (("x", 1), ("o", -1)):
        cells = found["losing_games"][seat]
        *positions, end = replay_record(game, "".join(map(str, cells)))
        assert game.get_result(end) == -player
        for position, cell in zip(positions, cells, strict=True):
            if game.to_move[position] == player:
                assert cell == game.legal[position].argmax()
    policy = BASELINES["fixed"].build_policy(game)[None, game.legal]
    figures = compute_figures(game, policy, [0], None)
    assert found["blunders"] == figures.blunders[0]
    assert found["nash_conv"] == pytest.approx(figures.nash_conv[0], abs=1e-9)


@pytest.mark.long
def test_the_examples_for_teachers_run(folder: Path, grade: Grade) -> None:
    """The test file and the notebook cell of docs/grading.md, with work that passes."""
    text = (DOCS / "grading.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    of_pytest = next(example for example in examples if "def test_" in example)
    cell = examples[-1]
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
    for asked in {*re.findall(r"python judge.py my_agent:play ([^`\n]*)", text)}:
        assert grade("unbeatable", *asked.split())[:2] == (0, "Passed.\n"), asked
