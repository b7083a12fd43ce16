"""External agents on the command line: read correctly, or rejected with the valid form."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from app.tables.options import TableOptions
from app.tictactoe.agents import load_agent
from app.tictactoe.game import build_game
from app.tictactoe.notation import format_position
from app.tictactoe.policy import compute_optimal_q, find_best_moves
from app.tictactoe.policy_codec import encode_moves, policy_from_moves
from app.tictactoe.report import find_blunders
from tests.web.running import get_site
from training.cli import main
from training.external_agents import FORM_DESCRIPTIONS, ExternalAgent
from training.external_agents import read_external_agent as read_with

MODELS = Path("models")
GAME = build_game()
AGENTS = '''
import json

import numpy as np

def first(board, player):
    """The first empty cell; told by both arguments."""
    assert player == (-1 if sum(board) else 1) and len(board) == 9
    return board.index(0)

class Agent:
    def every(self, board, player):
        return (cell for cell in range(9) if not board[cell])

    def last(self, board, player):
        return np.flatnonzero(np.array(board) == 0)[-1]

agent = Agent()
number = 3
half = lambda board, player: 4.5
taken = lambda board, player: 0
none = lambda board, player: []
pair = lambda board, player: divmod(board.index(0), 3)
endless = lambda board, player: __import__("itertools").count()
long = lambda board, player: 10**5000
fails = lambda board, player: {}[board]
late = lambda board, player: (1 / 0 for _ in board)
'''


def read_external_agent(text: str) -> ExternalAgent:
    return read_with(text, TableOptions())


def call(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["judge", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def json_text(q: np.ndarray) -> str:
    """Return values as the JSON that the help describes."""
    rows = [[None if np.isnan(value) else value for value in row] for row in q.tolist()]
    return json.dumps({format_position(GAME, number): row for number, row in enumerate(rows)})


@pytest.mark.long
def test_what_the_site_exports_is_read_as_the_agent(tmp_path: Path) -> None:
    client, wanted = get_site().test_client(), load_agent(MODELS, GAME, "q-table").q
    for form in (".csv", ".npz"):
        file = tmp_path / f"mine{form}"
        file.write_bytes(client.get(f"/agents/q-table{form}").data)
        foreign = read_external_agent(str(file))
        assert foreign.q is not None
        np.testing.assert_array_equal(foreign.q.astype(np.float32), wanted)
        best = wanted == np.nanmax(wanted, axis=1, keepdims=True)
        np.testing.assert_array_equal(foreign.chosen_moves, best)


def test_json_of_the_optimal_values_is_optimal_play(tmp_path: Path) -> None:
    file = tmp_path / "best.JSON"
    file.write_text(json_text(compute_optimal_q(GAME)), "utf-8-sig")
    code, output = call(file, "--site", "https://s.example")
    assert code == 0, output
    assert "Read: 4,520 of 4,520 positions." in output
    assert "As X it cannot be beaten, proved" in output
    assert "Blunders: 0 of 4,520 positions" in output
    assert "mean 0.000" in output
    link = f"https://s.example/judge?moves={encode_moves(GAME, find_best_moves(GAME))}"
    assert output.splitlines()[-1] == link


@pytest.mark.parametrize(
    "choice", [find_best_moves(GAME), GAME.legal, GAME.legal.cumsum(axis=1) == 1]
)
def test_a_link_and_its_moves_are_read(choice: np.ndarray) -> None:
    code = encode_moves(GAME, choice & GAME.legal)
    for text in (f"https://s.example/judge?moves={code}", f"moves={code}", code):
        foreign = read_external_agent(text)
        np.testing.assert_array_equal(foreign.chosen_moves, choice & GAME.legal)
        assert foreign.q is None


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules with agents: one is valid and two cannot be imported."""
    (tmp_path / "their_agents.py").write_text(AGENTS)
    (tmp_path / "their_draft.py").write_text("def play(:\n")
    (tmp_path / "their_script.py").write_text("import sys\nsys.exit('usage')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "their_agents", raising=False)


@pytest.mark.usefixtures("agents")
def test_a_function_is_asked_in_every_position() -> None:
    first = read_external_agent("their_agents:first").chosen_moves
    assert (first == (GAME.legal & (GAME.legal.cumsum(axis=1) == 1))).all()
    assert (read_external_agent("their_agents:agent.every").chosen_moves == GAME.legal).all()
    last = read_external_agent("their_agents:agent.last").chosen_moves
    assert (last.argmax(axis=1) == 8 - GAME.legal[:, ::-1].argmax(axis=1)).all()
    code, output = call("their_agents:first")
    assert code == 0
    assert f"Blunders: {find_blunders(GAME, policy_from_moves(first)).sum():,} of" in output


@pytest.mark.usefixtures("agents")
@pytest.mark.parametrize(
    ("function", "fault"),
    [
        ("their_agents:half", "in ......... it plays [4.5], not an empty cell"),
        ("their_agents:taken", "it plays [0], not an empty cell"),
        ("their_agents:pair", "it returns the tuple (0, 0), which may be a row and a column"),
        ("their_agents:endless", "in ......... it plays [0, 1, 2"),
        ("their_agents:none", "in ......... it plays [], not an empty cell"),
        ("their_agents:long", "in ......... it plays a list, not an empty cell"),
        (
            "their_agents:fails",
            "in .........: KeyError: (0, 0, 0, 0, 0, 0, 0, 0, 0) (their_",
        ),
        ("their_agents:late", "in .........: ZeroDivisionError: division by zero (their_agents.py"),
        ("their_agents:number", "'int' object is not callable"),
        ("their_agents:nothing", "has no attribute 'nothing'"),
        ("their_novel:play", "No module named 'their_novel'"),
        ("their_draft:play", "(their_draft.py, line 1)"),
        ("their_script:play", "SystemExit: usage"),
    ],
)
def test_what_is_wrong_with_a_function_is_named(function: str, fault: str) -> None:
    code, output = call(function)
    assert code == 1
    assert output.startswith(f"Error: {function}: ")
    assert fault in output
    assert FORM_DESCRIPTIONS["function"] in output
