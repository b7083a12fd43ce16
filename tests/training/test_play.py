"""A game in the terminal."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.text import Text

from app.tictactoe.agents import load
from app.tictactoe.game import Game
from app.tictactoe.views import common_scale, shown
from training import cli
from training.play import cell_text, play_in_terminal

MODELS = Path("models")


def test_a_game_is_played_to_its_end_with_what_is_wrong_told() -> None:
    typed = "\n".join(["4", "40", "x", "4", "0", "u", *"012345678" * 3, ""])
    result = CliRunner().invoke(cli.main, ["play", "champion", "--seed", "1"], input=typed)
    assert result.exit_code == 0, result.output
    assert "One cell, please, not '40'." in result.output
    assert "'x': cells are 0 to 8" in result.output
    assert "already taken" in result.output
    assert result.output.rstrip().endswith(("A draw.", "O wins."))  # nobody beats the champion


def test_what_is_taken_back_is_asked_again(game: Game) -> None:
    agent = load(MODELS, game, "champion")
    typed = iter(["4", "u", "0", "q"])
    record = play_in_terminal(game, agent, "x", 1, lambda text: next(typed))
    assert record[0] == "0"
    assert len(record) == 2


@pytest.mark.parametrize("name", ["observing-symmetric", "self-play", "q-table"])
def test_a_cell_is_as_red_or_green_as_its_value(game: Game, name: str) -> None:
    """On the common scale, which is not that of the learner's rewards."""
    agent = load(MODELS, game, name)
    assert agent.card.worth
    scaled = game.spread(
        common_scale(game.to_move[game.pair_from], agent.q[game.legal], agent.card.worth)
    )
    seen = set()
    for position, cell in itertools.product(range(0, game.decisions, 50), range(game.cells)):
        text = cell_text(game, agent, position, cell, int(game.board[position, cell]))
        if not game.legal[position, cell] or not agent.visits[position, cell]:
            assert "rgb" not in str(text.style)
            continue
        red, green = colour(text)
        sign = (green > red) - (red > green)
        value = shown(scaled[position, cell])
        assert float(text.plain.split()[1]) == value
        assert sign == np.sign(value)
        seen.add(sign)
    assert seen >= {-1, 1}


def test_beads_are_counted_and_have_no_colour(game: Game) -> None:
    text = cell_text(game, load(MODELS, game, "menace"), 0, 4, 0)
    assert float(text.plain.split()[1]) > 100
    assert "rgb" not in str(text.style)


def colour(text: Text) -> tuple[int, int]:
    """How red and how green the ground of a text is."""
    red, green, _ = str(text.style).partition("rgb(")[2].rstrip(")").split(",")
    return int(red), int(green)
