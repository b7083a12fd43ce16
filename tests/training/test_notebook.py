"""The package q_tac_toe as notebooks use it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import q_tac_toe
from app.recipes import RecipeError
from app.tictactoe.game import Game
from app.tictactoe.policy import compute_optimal_q
from training import cli

SVG = "{http://www.w3.org/2000/svg}"


def texts(board: q_tac_toe.Board) -> list[str]:
    """Return the texts in the SVG of a picture."""
    return [text.text or "" for text in ET.fromstring(board._repr_svg_()).iter(f"{SVG}text")]


def test_an_agent_is_trained_saved_and_loaded(game: Game, tmp_path: Path) -> None:
    agent = q_tac_toe.train("q-table,games=200,seed=3")
    assert agent.recipe == "q-table,games=200,seed=3"
    assert agent.q.shape == (game.decisions, game.cells)
    agent.save(tmp_path)
    loaded = q_tac_toe.Agent.load("q-table,games=200,seed=3", tmp_path)
    assert loaded.q.tobytes() == agent.q.tobytes()
    assert loaded.figures.blunders == agent.figures.blunders
    with pytest.raises(RecipeError, match="did you mean q-table"):
        q_tac_toe.train("q-tabel")


def test_an_agent_is_judged_as_on_the_command_line() -> None:
    agent = q_tac_toe.Agent.load("q-table")
    judged = q_tac_toe.judge(agent.play)
    printed = json.loads(CliRunner().invoke(cli.main, ["judge", "q-table", "--json"]).stdout)
    assert {key: printed[key] for key in judged.keys() - {"link"}} == {
        key: value for key, value in judged.items() if key != "link"
    }
    with pytest.raises(ValueError, match="not an empty cell"):
        q_tac_toe.judge(lambda board, player: 0)
    with pytest.raises(ValueError, match="player -1 is not to move"):
        agent.play([0] * 9, -1)


def test_a_board_shows_the_values_of_an_agent_and_of_an_array(game: Game) -> None:
    agent = q_tac_toe.Agent.load("q-table")
    board = agent.board("X...O....")
    assert texts(board)[:2] == ["X to move", "Q-table"]
    values = agent.q[game.board.tolist().index([1, 0, 0, 0, -1, 0, 0, 0, 0])]
    assert f"{np.nanmax(values):+.2f}" in texts(board)
    exact = q_tac_toe.board(compute_optimal_q(game), "XX.OO....")
    assert "Row 1, column 3, empty, value +1.00, best" in repr(exact)
    assert "The game is over" in repr(q_tac_toe.board(agent, "XXXOO...."))
    assert "●, best" in repr(q_tac_toe.Agent.load("menace").board())
    with pytest.raises(ValueError, match="no game reaches"):
        agent.board("XXXXX....")


def test_an_unknown_value_is_shown_as_such(game: Game) -> None:
    values = np.full((game.decisions, game.cells), np.nan)
    assert repr(q_tac_toe.board(values)).count("empty, unknown") == game.cells
