"""The list of the moves, and the picture of the value over the game."""

import numpy as np
import pytest
from hypothesis import given

from app.tictactoe.notation import replay
from app.web.match import Match
from app.web.moves import Move, moves
from app.web.play.value_chart import value_chart
from app.web.players import Players
from tests.web.test_match import PLAYERS, records


def listed(players: Players, match: Match) -> list[Move]:
    return moves(match, players, replay(players.game, match.record))


def test_what_a_move_did_is_said_for_the_mover(players: Players) -> None:
    said = [(move.said, move.blunder) for move in listed(players, Match(record="3140"))]
    assert said == [
        ("draw", False),
        ("draw became a loss in 6", True),
        ("win in 5", False),
        ("loss in 4 became a loss in 2", False),
    ]


@given(records())
def test_a_blunder_is_where_the_value_falls(record: str) -> None:
    game, value = PLAYERS.game, PLAYERS.solution.value
    positions = replay(game, record)
    for move, before, after in zip(
        listed(PLAYERS, Match(record=record)), positions, positions[1:], strict=False
    ):
        mover = game.to_move[before]
        assert move.blunder == (mover * value[after] < mover * value[before])
        assert move.truth == value[after]


def test_the_value_expected_is_the_lens_s_and_in_the_chart_x_s(players: Players) -> None:
    match = Match(record="31", lens="q-learning-1")
    second = listed(players, match)[1]
    q = players.agents["q-learning-1"].q[replay(players.game, "3")[-1], 1]
    assert float(second.text.replace("−", "-")) == pytest.approx(q, abs=0.005)
    assert second.expected == pytest.approx(-q, abs=0.03)


def test_the_picture_shows_what_the_list_says(players: Players) -> None:
    played = listed(players, Match(record="3140", lens="q-iteration"))
    chart = value_chart(played, start=0, shown=4, plies=9)
    levels = {level.name: level.y for level in chart.levels}
    corners = np.array([corner.split(",") for corner in chart.truth.split()], float)
    # Two corners a move: along at the old value, then up or down to the new one.
    assert corners[2::2, 1].tolist() == [
        levels[{1: "X wins", 0: "draw", -1: "O wins"}[move.truth]] for move in played
    ]
    assert corners[2::2, 0].tolist() == [dot.x for dot in chart.expected]
    assert chart.shown == corners[-1, 0]
    assert "2. X wins, expected +1.00" in chart.label


def test_an_unknown_value_has_no_dot(players: Players) -> None:
    played = listed(players, Match(record="31", lens="q-learning-1", step=0))
    assert value_chart(played, start=0, shown=2, plies=9).expected == []
