"""Verdicts of the experiments on networks, each forced by made-up runs."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from app.tictactoe.game import Game
from app.tictactoe.report import BySeat, Figures, compute_figures
from app.tictactoe.views import RewardScale
from training.experiments.claim import load_claims
from training.experiments.claims.win_plots import find_overtaking_epoch
from training.experiments.fields import Labels
from training.experiments.figures import LearningCurves, NamedCurve
from training.experiments.network import NetworkRun
from training.experiments.players import measure_player
from training.experiments.quantities import parse_quantity
from training.experiments.results import Results

WON_AS_X = parse_quantity("won as x in training", {})
# Percent of games won by random against random, mean of both seats.
RANDOM = parse_quantity("won against random", {}).measure(measure_player("random"))
SEEDS = 3


@pytest.fixture(scope="module")
def figures(game: Game) -> Figures:
    return compute_figures(game, np.zeros((1, game.pairs), np.float32), [0], RewardScale())


@pytest.fixture
def made_up(figures: Figures) -> Any:
    """Return a function that makes three slightly different runs with these shares."""

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
            vs = {**figures.outcome_chances_by_baseline, "random": seats}
            made.append(
                NetworkRun(
                    seconds=1.0,
                    evaluation_seconds=0.5,
                    won=BySeat([won[0]] * epochs, [won[1]] * epochs),
                    lost=BySeat([lost[0]] * epochs, [lost[1]] * epochs),
                    forfeited=BySeat([taken] * epochs, [taken] * epochs),
                    illegal_shares=[taken] * epochs,
                    illegal_shares_in_games=[taken] * epochs,
                    figures=msgspec.structs.replace(figures, outcome_chances_by_baseline=vs),
                )
            )
        return made

    return runs


def told(
    claim: str, found: Mapping[str, list[NetworkRun]], other: list[NetworkRun]
) -> dict[str, Any]:
    """Return the conclusion of a claim for these runs; other labels get other runs."""
    experiment = load_claims()[claim]
    recipes = {
        label: recipe
        for sweep in experiment.sweeps
        if sweep.is_shown
        for label, recipe in sweep.recipe_by_label.items()
    }
    assert found.keys() <= recipes.keys()
    return experiment.conclude(Results(recipes, dict.fromkeys(recipes, other) | dict(found)))


@pytest.mark.parametrize(
    ("usual", "without", "longer", "epochs", "verdict"),
    [
        (0.0, 0.2, 0.1, 2_400, "reproduced"),
        (0.0, 0.2, 0.0, 2_400, "partly reproduced"),
        (0.2, 0.2, 0.1, 2_400, "partly reproduced"),
        (0.2, 0.2, 0.0, 2_400, "not reproduced"),
        (0.0, 0.2, 0.1, 240, "inconclusive"),
        (0.2, 0.2, 0.0, 240, "inconclusive"),
    ],
)
def test_guard_rails(
    made_up: Any, usual: float, without: float, longer: float, epochs: int, verdict: str
) -> None:
    found = {
        "guard rails": made_up(taken=usual, epochs=60),
        "no guard rails": made_up(taken=without, epochs=60),
        "no guard rails (four times as long)": made_up(taken=longer, epochs=epochs),
    }
    result = told("guard-rails", found, made_up())
    assert result["verdict"] == verdict
    _, unguarded, _ = result["numbers"].rows["positions in which it prefers an illegal move"]
    assert unguarded == f"{100 * without:.1f}%"


def test_it_overtakes_where_it_stays_ahead(made_up: Any) -> None:
    """Of 400 epochs, in means of ten: ahead once by chance, and from epoch 200 on."""
    run = made_up(epochs=400)[0]
    won = [0.1] * 50 + [0.9] * 10 + [0.1] * 140 + [0.9] * 200
    run = msgspec.structs.replace(run, won=BySeat(won, run.won.o))
    assert find_overtaking_epoch(run, "x") == 200
    assert find_overtaking_epoch(run, "o") == 0
    assert WON_AS_X.measure(run) == pytest.approx(90)
    results = Results({"one": "dqn"}, {"one": [run]})
    lines = [NamedCurve(name="the network", quantity=WON_AS_X, recipe=Labels(["one"]))]
    (line,) = LearningCurves(x_unit="epochs", curves=lines, point_count=40).build(results).series
    assert (line.name, line.recipe, line.x[:2]) == ("the network", "dqn", [10, 20])
    assert [line.median[0], line.median[5], line.median[20]] == [10, 90, 90]
