"""What the experiments measure of a network: every epoch of its training, and its end exactly."""

from collections.abc import Sequence
from itertools import islice
from time import perf_counter

import msgspec
import numpy as np

from app.recipes import Recipe
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.report import BySeat, Figures, report
from training.learners import learn
from training.learners.phases import Epoch
from training.measures import Measure

FIRST = 2  # epochs that are made again


class NetworkRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training of E epochs; shares are from 0 to 1, and those of games are sampled."""

    seconds: float
    judging: float  # the part of them that went into judging
    won: BySeat[float]  # [E] share of the epoch's games that the network won
    lost: BySeat[float]  # [E] that its opponent won, illegal moves included
    forfeited: BySeat[float]  # [E] that it lost by an illegal move
    taken: list[float]  # [E] share of all decisions in which its highest output is an illegal move
    taken_met: list[float]  # [E] share of those that it met in the epoch's games
    figures: Figures  # of the end, one entry each, exact


class Beginning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same of the first epochs, without the end: what a test can make again."""

    seconds: float
    won: BySeat[float]
    lost: BySeat[float]
    taken: list[float]


def measure_beginning(recipe: Recipe) -> Beginning:
    """Train a network for its first epochs only."""
    begin = perf_counter()
    history = islice(learn(tic_tac_toe(), recipe), FIRST + 1)
    epochs = [progress.epoch for progress in history if progress.epoch]
    won, lost, _, taken, _ = zip(*epochs, strict=True)
    return Beginning(perf_counter() - begin, _by_seat(won), _by_seat(lost), list(taken))


def measure_epochs(recipe: Recipe) -> NetworkRun:
    """Train a network."""
    game, begin = tic_tac_toe(), perf_counter()
    epochs: list[Epoch] = []
    for progress in learn(game, recipe):
        epochs.extend([progress.epoch] if progress.epoch else [])
    trained = perf_counter()
    table = progress.q[game.legal][None]
    figures = report(game, table, [progress.updates], recipe.worth(), recipe.plays, recipe.task())
    judged = perf_counter()
    won, lost, forfeited, taken, taken_met = zip(*epochs, strict=True)
    return NetworkRun(
        seconds=judged - begin,
        judging=judged - trained,
        won=_by_seat(won),
        lost=_by_seat(lost),
        forfeited=_by_seat(forfeited),
        taken=list(taken),
        taken_met=list(taken_met),
        figures=figures,
    )


def _by_seat(pairs: Sequence[tuple[float, float]]) -> BySeat[float]:
    x, o = np.array(pairs).round(9).T.tolist()
    return BySeat(x, o)


EPOCHS = Measure("network", 1, NetworkRun, measure_epochs, at_once=1)
BEGINNING = Measure("network-beginning", 1, Beginning, measure_beginning, at_once=1)
