"""Measure the training of a network: the results of every epoch, and exact results at the end."""

from collections.abc import Sequence
from itertools import islice
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from app.recipes import Recipe
from app.tictactoe.game import GAME
from app.tictactoe.report import BySeat, Figures, compute_figures
from training.learners import learn
from training.learners.phases import Epoch
from training.measures import Measure

REPEATED_EPOCHS = 2


class NetworkRun(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={
        "evaluation_seconds": "judging",
        "illegal_shares": "taken",
        "illegal_shares_in_games": "taken_met",
    },
):
    """The results of a network's training over E epochs; all shares are from 0 to 1."""

    # training and evaluation together
    seconds: float
    evaluation_seconds: float
    # [E] the share of the epoch's games that the network won
    won: BySeat[float]
    # [E] the share of the epoch's games that the network lost, illegal moves included
    lost: BySeat[float]
    # [E] the share of the epoch's games that the network lost by an illegal move
    forfeited: BySeat[float]
    # [E] the share of all positions in which the network prefers an illegal move
    illegal_shares: list[float]
    # [E] the share of the positions in the epoch's games in which the network prefers an illegal
    # move
    illegal_shares_in_games: list[float]
    # the exact results of the final network, as lists of length 1
    figures: Figures

    @property
    def epochs(self) -> int:
        return len(self.illegal_shares)


def measure_first_epochs(recipe: Recipe) -> dict[str, Any]:
    """Train a network for a few epochs only, so that a test can repeat the training."""
    history = islice(learn(GAME, recipe), REPEATED_EPOCHS + 1)
    epochs = [progress.epoch for progress in history if progress.epoch]
    won, lost, _, illegal_shares, _ = zip(*epochs, strict=True)
    return {
        "won": _split_by_seat(won),
        "lost": _split_by_seat(lost),
        "taken": illegal_shares,
    }


def measure_epochs(recipe: Recipe) -> NetworkRun:
    begin = perf_counter()
    epochs: list[Epoch] = []
    for progress in learn(GAME, recipe):
        epochs.extend([progress.epoch] if progress.epoch else [])
    trained = perf_counter()
    figures = compute_figures(
        GAME,
        progress.q[GAME.legal][None],
        [progress.updates],
        recipe.get_reward_scale(),
        recipe.plays,
        recipe.build_training_task(),
    )
    judged = perf_counter()
    won, lost, forfeited, illegal_shares, shares_in_games = zip(*epochs, strict=True)
    return NetworkRun(
        seconds=judged - begin,
        evaluation_seconds=judged - trained,
        won=_split_by_seat(won),
        lost=_split_by_seat(lost),
        forfeited=_split_by_seat(forfeited),
        illegal_shares=list(illegal_shares),
        illegal_shares_in_games=list(shares_in_games),
        figures=figures,
    )


def _split_by_seat(pairs: Sequence[tuple[float, float]]) -> BySeat[float]:
    x, o = np.array(pairs).round(9).T.tolist()
    return BySeat(x, o)


EPOCHS_MEASURE = Measure("network", 1, measure_epochs, NetworkRun, batch_size=1)
FIRST_EPOCHS_MEASURE = Measure(
    "network-beginning", 1, measure_first_epochs, batch_size=1
)
