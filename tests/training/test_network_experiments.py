"""What the experiments on networks say of numbers: each verdict, forced by runs made up for it."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from app.experiments import Curves, Grid
from app.tictactoe.game import Game
from app.tictactoe.report import BySeat, Figures, report
from app.tictactoe.views import Worth
from training.experiments import find
from training.experiments.claim import Results, Told
from training.experiments.guard_rails import gone
from training.experiments.network import BASE, RANDOM, by_epoch, ending, seat
from training.experiments.win_plots import overtakes
from training.networks.measure import NetworkRun

SEEDS = 3


@pytest.fixture(scope="module")
def figures(game: Game) -> Figures:
    return report(game, np.zeros((1, game.pairs), np.float32), [0], Worth())


@pytest.fixture
def made_up(figures: Figures) -> Any:
    """Return a function that makes three runs of these shares, a little apart."""

    def runs(
        exact: float = RANDOM,
        won: tuple[float, float] = (0.5, 0.5),
        lost: tuple[float, float] = (0.3, 0.3),
        taken: float = 0.0,
        epochs: int = 240,
    ) -> list[NetworkRun]:
        made = []
        for seed in range(SEEDS):
            wins = exact / 100 + 0.001 * seed
            seats = BySeat([(wins, 1 - wins, 0.0)], [(wins, 1 - wins, 0.0)])
            vs = {**figures.vs, "random": seats}
            made.append(
                NetworkRun(
                    seconds=1.0,
                    judging=0.5,
                    won=BySeat([won[0]] * epochs, [won[1]] * epochs),
                    lost=BySeat([lost[0]] * epochs, [lost[1]] * epochs),
                    forfeited=BySeat([taken] * epochs, [taken] * epochs),
                    taken=[taken] * epochs,
                    taken_met=[taken] * epochs,
                    figures=msgspec.structs.replace(figures, vs=vs),
                )
            )
        return made

    return runs


def told(claim: str, found: Mapping[str, list[NetworkRun]], other: list[NetworkRun]) -> Told:
    """Tell a claim of these runs, and of the other ones for all labels that are not among them."""
    experiment = find(claim)
    recipes = {
        label: recipe for sweep in experiment.sweeps for label, recipe in sweep.recipes.items()
    }
    assert found.keys() <= recipes.keys()
    return experiment.tell(Results(recipes, dict.fromkeys(recipes, other) | dict(found)))


@pytest.mark.parametrize(
    ("usual", "without", "longer", "verdict"),
    [
        (0.0, 0.2, 0.1, "holds"),
        (0.0, 0.2, 0.0, "holds in part"),
        (0.2, 0.2, 0.1, "holds in part"),
        (0.2, 0.2, 0.0, "does not hold"),
    ],
)
def test_guard_rails(
    made_up: Any, usual: float, without: float, longer: float, verdict: str
) -> None:
    found = {
        "guard rails": made_up(taken=usual, epochs=60),
        "none": made_up(taken=without, epochs=60),
        "none, four times as long": made_up(taken=longer),
    }
    result = told("guard-rails", found, made_up())
    assert result.verdict == verdict
    assert f"{100 * without:.1f}% to {100 * without:.1f}%" in result.because


@pytest.mark.parametrize(
    ("one_hot", "flat", "bits", "number", "verdict"),
    [
        (85, 60, 44, 44, "holds"),
        (85, 60, 80, 44, "holds in part"),
        (60, 80, 44, 44, "holds in part"),
        (60, 80, 80, 80, "does not hold"),
    ],
)
def test_encodings(
    made_up: Any, one_hot: float, flat: float, bits: float, number: float, verdict: str
) -> None:
    labels = ("one-hot", "flat", "bits", "bits as one number")
    shares = (one_hot, flat, bits, number)
    found = {label: made_up(share) for label, share in zip(labels, shares, strict=True)}
    assert told("encodings", found, made_up()).verdict == verdict


@pytest.mark.parametrize(
    ("shared", "separate", "convolution", "verdict"),
    [
        (70, 80, 80, "holds"),
        (70, 80, 60, "holds in part"),
        (70, 60, 60, "does not hold"),
        (70, 70, 60, "cannot be told from this"),
    ],
)
def test_separate_networks(
    made_up: Any, shared: float, separate: float, convolution: float, verdict: str
) -> None:
    labels = ("one network", "one for each seat", "with a convolution")
    shares = (shared, separate, convolution)
    found = {label: made_up(share) for label, share in zip(labels, shares, strict=True)}
    assert told("separate-networks", found, made_up()).verdict == verdict


def test_the_size_of_a_network(made_up: Any) -> None:
    three, wide = "120, 840, 120, step size 0.0003", "1 layer of 840, step size 0.0003"
    found = {three: made_up(80), "squared error": made_up(80.5)}
    confirmed = told("network-size", found, made_up())
    assert confirmed.verdict == "holds"
    assert "and not anything else" in confirmed.because
    partly = told("network-size", found | {wide: made_up(85)}, made_up())
    assert partly.verdict == "holds in part"
    assert "not that one layer fails, that three layers do better" in partly.because
    refuted = told(
        "network-size", found | {wide: made_up(85), "squared error": made_up(60)}, made_up(80)
    )
    assert refuted.verdict == "does not hold"
    grid = confirmed.figures[0]
    assert isinstance(grid, Grid)
    assert grid.values[2][1] == pytest.approx(80.1)
    assert grid.recipes[2][1].startswith("dqn,epochs=60,step_size=0.0003")


@pytest.mark.parametrize(
    ("against_t_hand", "verdict"), [((0.7, 0.2), "holds"), ((0.2, 0.2), "holds in part")]
)
def test_the_plots_of_wins(made_up: Any, against_t_hand: tuple[float, float], verdict: str) -> None:
    found = {"against t-hand": made_up(won=against_t_hand, epochs=400)}
    result = told("win-plots", found, made_up(epochs=400))
    assert result.verdict == verdict
    assert all(isinstance(figure, Curves) for figure in result.figures)
    assert "t-hand, second seat: 20% to 20% won" in result.because
    assert "behind with 3 of 3 seeds" in result.because
    lost = told("win-plots", {}, made_up(won=(0.1, 0.1), epochs=400))
    assert lost.verdict == "does not hold"


def test_it_overtakes_where_it_stays_ahead(made_up: Any) -> None:
    """Of 400 epochs, in means of ten: ahead once by accident, and from epoch 200 on."""
    run = made_up(epochs=400)[0]
    won = [0.1] * 50 + [0.9] * 10 + [0.1] * 140 + [0.9] * 200
    run = msgspec.structs.replace(run, won=BySeat(won, run.won.o))
    assert overtakes(run, "x") == 200
    assert overtakes(run, "o") == 0
    assert ending(seat("x", "won"))(run) == pytest.approx(90)
    results = Results({"one": BASE}, {"one": [run]})
    line = by_epoch(results, "one", seat("x", "won"), 40, "the network")
    assert (line.name, line.recipe, line.x[:2]) == ("the network", BASE, [10, 20])
    assert [line.median[0], line.median[5], line.median[20]] == [10, 90, 90]


def test_taken_cells_are_gone_where_they_do_not_come_back(made_up: Any) -> None:
    run = made_up(epochs=60)[0]
    for shares, epoch in (
        ([0.5] * 10 + [0.0] * 10 + [0.01] + [0.009] * 39, 22),
        ([0.0] * 60, 1),
        ([0.0] * 59 + [0.2], 61),
    ):
        assert gone(msgspec.structs.replace(run, taken_met=shares)) == epoch
    result = told("guard-rails", {"none": made_up(taken=0.1, epochs=60)}, made_up(epochs=60))
    assert "with guard rails from epoch 1 to 1 on, without with 0 of 3 seeds" in result.because
