"""Agents of others on the command line: read as they are meant, or refused with what is right."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from app.tictactoe.agents import load
from app.tictactoe.game import connect
from app.tictactoe.moves_code import encode, policy_of_choice
from app.tictactoe.notation import position_text
from app.tictactoe.policy import best_moves, optimal_q
from app.tictactoe.report import blunders
from app.web import create_app
from training.cli import main
from training.judging import FORMS, form_of, read_foreign

MODELS = Path("models")
GAME = connect()
HEADING = "position,cell,q\n"
LONG = "9" * 400
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
long = lambda board, player: 10**5000
fails = lambda board, player: {}[board]
late = lambda board, player: (1 / 0 for _ in board)
'''


def call(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["judge", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def json_text(q: np.ndarray) -> str:
    """Values in the JSON that the help describes."""
    rows = [[None if np.isnan(value) else value for value in row] for row in q.tolist()]
    return json.dumps({position_text(GAME, number): row for number, row in enumerate(rows)})


def test_what_the_site_exports_is_read_as_the_agent(tmp_path: Path) -> None:
    client, wanted = create_app().test_client(), load(MODELS, GAME, "q-table").q
    for form in (".csv", ".npz"):
        file = tmp_path / f"mine{form}"
        file.write_bytes(client.get(f"/agents/q-table{form}").data)
        foreign = read_foreign(GAME, str(file))
        assert foreign.q is not None
        np.testing.assert_array_equal(foreign.q.astype(np.float32), wanted)
        best = wanted == np.nanmax(wanted, axis=1, keepdims=True)
        np.testing.assert_array_equal(foreign.choice, best)


def test_json_of_the_optimal_values_is_optimal_play(tmp_path: Path) -> None:
    file = tmp_path / "best.JSON"
    file.write_text(json_text(optimal_q(GAME)), "utf-8-sig")
    code, output = call(file, "--site", "https://s.example")
    assert code == 0, output
    assert "Values in 4,520 of 4,520 positions." in output
    assert "As X it cannot be beaten, proved" in output
    assert "Blunders: 0 of 4,520 positions" in output
    assert "mean 0.000" in output
    link = f"https://s.example/judge?moves={encode(GAME, best_moves(GAME))}"
    assert output.splitlines()[-1] == link


def test_the_likely_cause_of_blunders_is_named(tmp_path: Path) -> None:
    """Values in the view of X throughout, where those of the mover are wanted."""
    file, sign = tmp_path / "x-view.json", GAME.to_move[: GAME.decisions, None]
    file.write_text(json_text(optimal_q(GAME) * sign))
    assert "Likely cause: values in the other side's view as O" in call(file)[1]


def test_where_a_file_has_no_value_any_empty_cell_is_played(tmp_path: Path) -> None:
    file = tmp_path / "two.csv"
    file.write_text(
        "q,position,note,cell\r\n0.5,.........,, 0\r\n\r\n0.5,.........,,2\r\n-1,.........,,4\r\n"
    )
    foreign = read_foreign(GAME, str(file))
    assert np.flatnonzero(foreign.choice[0]).tolist() == [0, 2]
    assert (foreign.choice[1:] == GAME.legal[1:]).all()
    assert "Values in 1 of 4,520 positions." in call(file)[1]


@pytest.mark.parametrize("choice", [best_moves(GAME), GAME.legal, GAME.legal.cumsum(axis=1) == 1])
def test_a_link_and_its_moves_are_read(choice: np.ndarray) -> None:
    code = encode(GAME, choice & GAME.legal)
    for text in (f"https://s.example/judge?moves={code}", f"moves={code}", code):
        foreign = read_foreign(GAME, text)
        np.testing.assert_array_equal(foreign.choice, choice & GAME.legal)
        assert foreign.q is None


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of somebody who plays: a good one and two that cannot be imported."""
    (tmp_path / "their_agents.py").write_text(AGENTS)
    (tmp_path / "their_draft.py").write_text("def play(:\n")
    (tmp_path / "their_script.py").write_text("import sys\nsys.exit('usage')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "their_agents", raising=False)


@pytest.mark.usefixtures("agents")
def test_a_function_is_asked_in_every_position() -> None:
    first = read_foreign(GAME, "their_agents:first").choice
    assert (first == (GAME.legal & (GAME.legal.cumsum(axis=1) == 1))).all()
    assert (read_foreign(GAME, "their_agents:agent.every").choice == GAME.legal).all()
    last = read_foreign(GAME, "their_agents:agent.last").choice
    assert (last.argmax(axis=1) == 8 - GAME.legal[:, ::-1].argmax(axis=1)).all()
    code, output = call("their_agents:first")
    assert code == 0
    assert f"Blunders: {blunders(GAME, policy_of_choice(first)).sum():,} of" in output


@pytest.mark.usefixtures("agents")
@pytest.mark.parametrize(
    ("function", "fault"),
    [
        ("their_agents:half", "in ......... it plays [4.5], not an empty cell"),
        ("their_agents:taken", "it plays [0], not an empty cell"),
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
    assert FORMS["function"] in output


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.csv", "", "line 1: there is no column position, cell, q"),
        ("a.csv", "position;cell;q\n", "line 1: there is no column"),
        ("a.csv", "position,action,q\n", "line 1: there is no column cell"),
        ("a.csv", HEADING, "there is no value in it"),
        ("a.csv", f"{HEADING}X.O.....,1,1", "line 2: a position is 9 characters X, O or '.'"),
        ("a.csv", f"{HEADING}XXX......,8,1", "line 2: no game reaches the position 'XXX......'"),
        ("a.csv", f"{HEADING}XXXOO....,8,1", "line 2: the game is over in 'XXXOO....'"),
        ("a.csv", f"{HEADING}\nX........,{LONG},1", "line 3: '9999"),
        ("a.csv", f"{HEADING}X........,0,1", "line 2: cell 0 is taken in 'X........'"),
        ("a.csv", f"{HEADING}X........,1,1\nX........,1,1", "line 3: cell 1 of 'X........' has a"),
        ("a.csv", f"{HEADING}X........,1,high", "line 2: 'high' is no value"),
        ("a.csv", f"{HEADING}X........,1,{LONG}", "line 2: '9999"),
        ("a.csv", f"{HEADING}X........,1,0,5", "line 2: there are more cells than columns"),
        ("a.csv", f'{HEADING}"X"........,1,1', "line 2: this is no CSV"),
        ("a.csv", f"{HEADING}{'X' * 200_000},1,1", "line 2: this is no CSV: field larger"),
        ("a.csv", b"position,cell,q\xff", "byte 16 is no text in UTF-8"),
        ("a.json", "", "line 1: this is no JSON"),
        ("a.json", "{\n'a': 1}", "line 2: this is no JSON"),
        ("a.json", "[" * 100_000, "there are too many brackets in brackets"),
        ("a.json", "[1, 2]", "this is no object"),
        ("a.json", "{}", "there is no value in it"),
        ("a.json", '{"X........": 4}', "entry 1, 'X........': there are not 9 values"),
        ("a.json", json.dumps({"........": [1] * 9}), "entry 1, '........': a position is 9"),
        ("a.json", json.dumps({"\ud800": [1] * 9}), r"entry 1, '\ud800': a position is 9"),
        ("a.json", json.dumps({"X........": [1] * 9}), "entry 1, 'X........': cell 0 is taken"),
        ("a.json", f'{{".........": [NaN{",1" * 8}]}}', "entry 1, '.........': 'NaN' is no value"),
        ("a.json", f'{{".........": [{LONG}{",1" * 8}]}}', "entry 1, '.........': '9999"),
        ("a.json", f'{{".........": [true{",1" * 8}]}}', "entry 1, '.........': True is no value"),
        ("a.npz", b"PK\x03\x04 and no more", "no readable zip file"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(
    tmp_path: Path, name: str, content: str | bytes, fault: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    code, output = call(file)
    assert code == 1
    assert output.startswith(f"Error: {file}: {fault}"), output
    assert output.endswith(f"\n{FORMS[file.suffix]}\n")
    assert len(output) < 1000


def test_an_npz_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.npz"
    np.savez(file, q=np.array([{}], dtype=object))
    assert f"{file}: holds q.npy instead of q, visits" in call(file)[1]
    arrays = dict(np.load(MODELS / "q-table.npz"))
    arrays["q"][0, 4] = np.nan
    np.savez(file, **arrays)
    assert "q is not a number exactly where a move is legal" in call(file)[1]


def test_what_is_no_file_no_link_and_no_agent_is_refused(tmp_path: Path) -> None:
    assert "No such file" in call(tmp_path / "none.csv")[1]
    (tmp_path / "mine.txt").touch()
    code, output = call(tmp_path / "mine.txt")
    assert code == 2
    assert "the files that can be judged are .npz, .json and .csv" in output
    for text, fault in [("moves=AAA", "or 379, not 3"), ("A" * 379, "no move is played in ...")]:
        code, output = call(text)
        assert code == 1
        assert "Error: the link: " in output
        assert fault in output


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(str.encode)
    | st.text('XO.,01289eE+-"\n\r []{}:', max_size=200).map(str.encode),
    st.sampled_from(["json", "csv", "npz"]),
)
def test_whatever_a_file_holds_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str
) -> None:
    file = tmp_path_factory.getbasetemp() / f"anything.{ending}"
    for inner in (content, HEADING.encode() + content, b'{".........": ' + content + b"}"):
        file.write_bytes(inner)
        assert call(file)[0] in (0, 1)


def test_a_recipe_is_no_agent_of_others() -> None:
    for recipe in ("q-table", "q-learning,alpha=0.5", "q-learning,vs=random:1000+self:500"):
        assert form_of(recipe) == ""
