"""The exact advantage of moving first, for each pair of players that do not learn."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from app.experiments import Bar, Bars, Grid, Table, round_significant
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import BASELINES
from app.tictactoe.values import TIE_TOLERANCE, compute_outcome_chances
from training.experiments.results import Results, format_percent, format_share

PLAYERS = ("random", "fixed", "t-hand", "minimax", "minimax-random")
PERFECT_PLAYERS = ("minimax", "minimax-random")


@cache
def compute_percents() -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the percent of games won, drawn and lost by X, by the names of X and O."""
    game = tic_tac_toe()
    policies = {name: BASELINES[name].build_policy(game) for name in PLAYERS}
    return {
        (x, o): 100 * compute_outcome_chances(game, policies[x], policies[o])[0]
        for x in PLAYERS
        for o in PLAYERS
    }


def compute_lead(x: str, o: str) -> float:
    """Return the percent of games that X wins minus the percent that O wins."""
    won, _, lost = compute_percents()[x, o]
    return float(won - lost)


def compute_largest_perfect_lead() -> float:
    """Return the largest difference of wins between perfect players."""
    return max(
        abs(compute_lead(x, o)) for x in PERFECT_PLAYERS for o in PERFECT_PLAYERS
    )


def list_gains() -> list[int]:
    """Return for each pair of players whether moving first is better (1), worse (-1) or neither."""
    gains = [compute_lead(x, o) + compute_lead(o, x) for x in PLAYERS for o in PLAYERS]
    return [(gain > TIE_TOLERANCE) - (gain < -TIE_TOLERANCE) for gain in gains]


def has_perfect_lead(_results: Results) -> bool:
    """Return whether one seat is better between perfect players."""
    return compute_largest_perfect_lead() >= TIE_TOLERANCE


def is_always_better(_results: Results) -> bool:
    """Return whether moving first is better for all pairs of players."""
    return min(list_gains()) > 0


def is_mostly_better(_results: Results) -> bool:
    """Return whether moving first is better for more pairs of players than it is worse."""
    return sum(list_gains()) > 0


def tabulate_leads(_results: Results) -> Table:
    """Return the numbers behind the verdict."""
    won, _, lost = compute_percents()["random", "random"].tolist()
    lead = compute_largest_perfect_lead()
    rows = {
        "both players move at random: games won by X": format_percent(won, 2),
        "both players move at random: games won by O": format_percent(lost, 2),
        "both players are perfect: largest difference of X's wins and O's wins": (
            format_percent(lead, 2)
        ),
        "pairs of players in which moving first is better": format_share(
            gain > 0 for gain in list_gains()
        ),
        "pairs of players in which moving first is worse": format_share(
            gain < 0 for gain in list_gains()
        ),
    }
    return Table(["exact result"], {title: [text] for title, text in rows.items()})


def draw_random_games(_results: Results) -> Bars:
    """Return the results of the random player against itself."""
    names = ("games won by X, who moves first", "games drawn", "games won by O")
    percents = compute_percents()["random", "random"].tolist()
    bars = [
        Bar(name, round_significant(percent), record="")
        for name, percent in zip(names, percents, strict=True)
    ]
    return Bars("Results of the random player against itself", "%", bars, exact=True)


def draw_lead_grid(_results: Results) -> Grid:
    """Return a grid of X's wins minus losses in percent: a row for each X, a column for each O."""
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
