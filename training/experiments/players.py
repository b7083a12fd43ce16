"""The results of players that do not learn, in the form of a run.

So the rules and tables of a claim can use such a player in place of a recipe.
"""

from types import SimpleNamespace

from app.tictactoe.game import GAME, SEATS
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import BySeat, compute_chances


def measure_player(name: str) -> SimpleNamespace:
    """Return the exact results of a player such as "minimax" against the random player."""
    policy = BASELINES[name].build_policy(GAME)
    random = BASELINES["random"].build_policy(GAME)
    x, o = (compute_chances(GAME, random, policy, seat) for seat in SEATS.values())
    chances = {"random": BySeat([x], [o])}
    return SimpleNamespace(figures=SimpleNamespace(outcome_chances_by_baseline=chances))
