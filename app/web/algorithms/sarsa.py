"""Sarsa: the target uses the value of the move that is played next."""

from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.tictactoe.notation import replay_record
from app.tictactoe.tasks import solve_task
from app.tictactoe.values import TIE_TOLERANCE
from app.web.algorithms.algorithm import Algorithm
from app.web.formatting import format_count, format_signed
from app.web.site_data import SiteData


class SarsaAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Sarsa: a learner that explores may find other moves best."""

    def compute_facts(self, site: SiteData) -> Mapping[str, object]:
        """Return the exact values on the example board with and without random moves in training.

        "parting" is the number of decisions in which the best moves of both tasks differ.
        """
        task = site.get_task("sarsa") if "sarsa" in site.shipped_agents else None
        if task is None:
            return {}
        without = replace(task, epsilon=0.0)
        own, other = solve_task(site.game, task), solve_task(site.game, without)
        apart = ~(_find_best_moves(own) & _find_best_moves(other)).any(axis=1)
        row = replay_record(site.game, self.example_record)[-1]
        return {
            "parting": format_count(int(apart.sum())),
            "own": [format_signed(value) for value in own[row].tolist()],
            "other": [format_signed(value) for value in other[row].tolist()],
        }


def _find_best_moves(q: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each move has the highest value of its decision, [D, cells]."""
    is_best: NDArray[np.bool_] = (
        q >= np.nanmax(q, axis=1, keepdims=True) - TIE_TOLERANCE
    )
    return is_best
