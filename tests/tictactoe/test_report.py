"""An agent judged: known tables have known figures, and any table those of a slow evaluation."""

import msgspec
import numpy as np
import pytest

from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import greedy
from app.tictactoe.report import (
    chances_against,
    chances_at_worst,
    classes_right,
    losing_game,
    report,
)
from app.tictactoe.views import Worth
from tests.tictactoe.both import Both
from tests.tictactoe.slow_report import flat, slow_classes_right, slow_figures

WORTH = Worth(x=(-2, 0.5, 1), o=(0, 1, 1))
NAMES = ["optimal", "zero", "lucky", "noisy", "rough", "first"]


@pytest.mark.parametrize("name", ["lucky", "noisy"])
def test_all_figures_equal_a_slow_evaluation(tictactoe: Both, tables, players, name: str):
    q = tables[name]
    figures = msgspec.to_builtins(report(tictactoe.game, q[None], [7], WORTH))
    expected = slow_figures(tictactoe, q, WORTH, players)
    # Nine decimals are kept.
    assert flat(figures) == pytest.approx(flat(expected), rel=0, abs=1e-9)


def test_a_card_s_figures_have_these_names(game: Game, tables):
    figures = msgspec.to_builtins(report(game, tables["zero"][None], [0], Worth()))
    assert list(figures) == [
        "updates",
        "vs",
        "best_response",
        "nash_conv",
        "blunders",
        "reachable_blunders",
        "classes_right",
    ]
    assert list(figures["vs"]) == [
        "random",
        "fixed",
        "t-hand",
        "minimax",
        "minimax-random",
        "strongest",
    ]
    for by_seat in (*figures["vs"].values(), figures["best_response"]):
        assert list(by_seat) == ["x", "o"]
    assert list(figures["reachable_blunders"]) == ["x", "o"]


def test_there_is_one_entry_a_snapshot(game: Game, tables):
    history = np.stack([tables["zero"], tables["rough"], tables["optimal"]])
    figures = report(game, history, [0, 5, 9], Worth())
    assert figures.updates == [0, 5, 9]
    for i, q in enumerate(history):
        alone = report(game, q[None], [figures.updates[i]], Worth())
        assert figures.blunders[i] == alone.blunders[0]
        assert figures.nash_conv[i] == alone.nash_conv[0]
        assert figures.classes_right[i] == alone.classes_right[0]
        assert figures.best_response.o[i] == alone.best_response.o[0]
        assert figures.reachable_blunders.x[i] == alone.reachable_blunders.x[0]
        assert figures.vs["t-hand"].x[i] == alone.vs["t-hand"].x[0]


def test_the_optimal_table_is_proved_unbeatable(game: Game, tables):
    figures = report(game, tables["optimal"][None], [1], Worth())
    assert figures.blunders == [0]
    assert (figures.reachable_blunders.x, figures.reachable_blunders.o) == ([0], [0])
    assert figures.nash_conv == [0]
    assert (figures.best_response.x, figures.best_response.o) == ([(0, 1, 0)], [(0, 1, 0)])
    assert figures.classes_right == [1]
    assert figures.vs["random"].x == [pytest.approx((0.967811, 0.032189, 0), abs=5e-7)]
    assert figures.vs["minimax"].x == figures.vs["minimax"].o == [(0, 1, 0)]
    assert losing_game(game, greedy(tables["optimal"]), X) is None
    assert losing_game(game, greedy(tables["optimal"]), O) is None


def test_a_table_of_zeros_plays_at_random(game: Game, tables):
    figures = report(game, tables["zero"][None], [0], Worth())
    as_x, as_o = (737 / 1260, 8 / 63, 121 / 420), (121 / 420, 8 / 63, 737 / 1260)
    assert figures.vs["random"].x == [pytest.approx(as_x, abs=1e-9)]
    assert figures.vs["random"].o == [pytest.approx(as_o, abs=1e-9)]
    assert figures.vs["t-hand"].x == [pytest.approx((0.060935, 0.239330, 0.699735), abs=5e-7)]
    assert figures.best_response.o == [pytest.approx((0, 1 / 192, 191 / 192), abs=1e-9)]
    assert figures.blunders == [3191]
    assert figures.classes_right == [pytest.approx(3173 / 16_167, abs=1e-9)]


def test_chances_are_the_agent_s_own_side_in_both_seats(game: Game, tables):
    first, zero = greedy(tables["first"]), greedy(tables["zero"])
    win, draw, loss = chances_against(game, zero, first, X)
    assert chances_against(game, first, zero, O) == (loss, draw, win)
    assert chances_at_worst(game, first, X) == (0, 0, 1)
    assert chances_at_worst(game, greedy(tables["optimal"]), O) == (0, 1, 0)


@pytest.mark.parametrize("worth", [Worth(), WORTH])
@pytest.mark.parametrize("name", NAMES)
def test_classes_right(tictactoe: Both, tables, name: str, worth: Worth):
    found = classes_right(tictactoe.game, tables[name], worth)
    assert found == pytest.approx(slow_classes_right(tictactoe, tables[name], worth), abs=1e-12)
