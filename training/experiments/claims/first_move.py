"""How much the first move helps, computed exactly for each pair of players that do not learn."""

from functools import cache

from app.experiments import Grid, round_significant
from app.tictactoe.game import GAME
from app.tictactoe.policy import BASELINES
from app.tictactoe.values import TIE_TOLERANCE, compute_outcome_chances
from training.experiments.results import Results

PLAYERS = ("random", "fixed", "t-hand", "minimax", "minimax-random")
PERFECT_PLAYERS = ("minimax", "minimax-random")


@cache
def compute_percents(x: str, o: str) -> list[float]:
    policies = (BASELINES[name].build_policy(GAME) for name in (x, o))
    chances: list[float] = compute_outcome_chances(GAME, *policies)[0].tolist()
    return [100 * chance for chance in chances]


def compute_lead(x: str, o: str) -> float:
    won, _, lost = compute_percents(x, o)
    return won - lost


def compute_advantages() -> dict[str, float | list[float]]:
    """Return results of random players and of perfect players, and who gains by the first move.

    "pairs of players" has a number for each pair: 1 if the first move helps, -1 if it harms, 0 if
    it does neither.
    """
    names = ("games won by X, who moves first", "games drawn", "games won by O")
    leads = [compute_lead(x, o) for x in PERFECT_PLAYERS for o in PERFECT_PLAYERS]
    gains = [compute_lead(x, o) + compute_lead(o, x) for x in PLAYERS for o in PLAYERS]
    return {
        **dict(zip(names, compute_percents("random", "random"), strict=True)),
        "difference between perfect players": [abs(lead) for lead in leads],
        "pairs of players": [
            (gain > TIE_TOLERANCE) - (gain < -TIE_TOLERANCE) for gain in gains
        ],
    }


def plot_lead_grid(_results: Results) -> Grid:
    titles = [BASELINES[name].title for name in PLAYERS]
    return Grid(
        title="Games won by X minus games lost by X, for each pair of players",
        unit="%",
        row_label="X",
        column_label="O",
        rows=titles,
        columns=titles,
        values=[
            [round_significant(compute_lead(x, o)) for o in PLAYERS] for x in PLAYERS
        ],
        recipes=[["" for _ in PLAYERS] for _ in PLAYERS],
        seed_count=1,
    )
