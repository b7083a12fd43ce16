"""Claims about the game itself, checked by exact computation without training."""

from collections.abc import Mapping
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from app.experiments import Bar, Bars, Grid, Table, round_significant
from app.tictactoe.game import tic_tac_toe
from app.tictactoe.policy import BASELINES
from app.tictactoe.values import TIE_TOLERANCE, compute_outcome_chances
from training.experiments import claim
from training.experiments.claim import format_count, format_percent, format_share

PLAYERS = ("random", "fixed", "t-hand", "minimax", "minimax-random")


def compute_result_percents() -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the percent of games won, drawn and lost by X, by the names of X and O."""
    game = tic_tac_toe()
    policies = {name: BASELINES[name].build_policy(game) for name in PLAYERS}
    return {
        (x, o): 100 * compute_outcome_chances(game, policies[x], policies[o])[0]
        for x in PLAYERS
        for o in PLAYERS
    }


def draw_lead_grid(leads_of_x: Mapping[tuple[str, str], float]) -> Grid:
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
            [round_significant(leads_of_x[x, o]) for o in PLAYERS] for x in PLAYERS
        ],
        recipes=[["" for _ in PLAYERS] for _ in PLAYERS],
        seed_count=1,
    )


@claim.experiment("first-move")
def conclude_first_move(_results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on the exact advantage of moving first, by player."""
    chances = compute_result_percents()
    lead = {pair: float(won - lost) for pair, (won, _, lost) in chances.items()}
    perfect = [
        abs(lead[one, other])
        for one in ("minimax", "minimax-random")
        for other in ("minimax", "minimax-random")
    ]
    # The gain of a player in score from moving first instead of second, for each pair of players.
    gains = [
        lead[one, other] + lead[other, one] for one in PLAYERS for other in PLAYERS
    ]
    better = [gain > TIE_TOLERANCE for gain in gains]
    worse = [gain < -TIE_TOLERANCE for gain in gains]
    first = chances["random", "random"]
    more = sum(better) > sum(worse)
    return claim.Conclusion(
        [
            Bars(
                "Results of the random player against itself",
                "%",
                [
                    Bar(text, round_significant(float(share)), record="")
                    for text, share in zip(
                        (
                            "games won by X, who moves first",
                            "games drawn",
                            "games won by O",
                        ),
                        first,
                        strict=True,
                    )
                ],
                True,
            ),
            draw_lead_grid(lead),
        ],
        [max(perfect) >= TIE_TOLERANCE, more],
        Table(
            ["exact result"],
            {
                "both players move at random: games won by X": [
                    format_percent(float(first[0]), 2)
                ],
                "both players move at random: games won by O": [
                    format_percent(float(first[2]), 2)
                ],
                "both players are perfect: largest difference of X's wins and O's wins": [
                    format_percent(max(perfect), 2)
                ],
                "pairs of players in which moving first is better": [
                    format_share(better)
                ],
                "pairs of players in which moving first is worse": [
                    format_share(worse)
                ],
            },
        ),
        claim.judge_parts(more and all(better), more),
    )


REPORTED_STATES = 362_880  # published number of possible states of a board
REPORTED_BOARDS = 19_683  # published number of boards written in base 3
REPORTED_FACTOR = (
    8  # published factor by which symmetries reduce the number of positions
)


def _count_games() -> int:
    """Return the number of games, where each game ends with the first line."""
    game = tic_tac_toe()
    paths = [0] * game.positions
    paths[0] = 1
    for position in range(game.decisions):
        for after in game.successor[position].tolist():
            if after >= 0:
                paths[after] += paths[position]
    return sum(paths[game.decisions :])


def _count_balanced_boards() -> int:
    """Return the number of boards with as many X as O, or one X more, with or without lines."""
    cells = tic_tac_toe().cells
    count = 0
    for stones in range(cells + 1):
        o = stones // 2
        x = stones - o
        count += comb(cells, x) * comb(cells - x, o)
    return count


@claim.experiment("counting")
def conclude_counting(_results: claim.Results) -> claim.Conclusion:
    """Return the conclusion on published counts of games and positions."""
    game = tic_tac_toe()
    boards = game.board.astype(int)
    games = _count_games()
    classes = len(set(game.symmetry_class.tolist()))
    decisions = len(set(game.symmetry_class[: game.decisions].tolist()))
    balanced = _count_balanced_boards()
    counts = {
        "orders in which nine cells can be filled (9!)": factorial(game.cells),
        "different games (a game ends with a win or a full board)": games,
        "boards with X, O or nothing in each cell (3^9)": 3**game.cells,
        "boards with as many X as O, or one X more": balanced,
        "boards that a game can reach (positions)": len(boards),
        "positions in which a player has to move": game.decisions,
        "positions that a game can reach, up to symmetry": classes,
        "positions in which a player has to move, up to symmetry": decisions,
    }
    factor = len(boards) / classes
    parts = [
        3**game.cells == REPORTED_BOARDS,
        balanced == REPORTED_STATES,
        round(factor, 2) == REPORTED_FACTOR,
    ]
    return claim.Conclusion(
        [
            Bars(
                title="The numbers, from orders of moves to positions up to symmetry",
                unit="",
                bars=[
                    Bar(name, float(count), record="" if count == classes else None)
                    for name, count in counts.items()
                ],
                exact=True,
                logarithmic=True,
            )
        ],
        parts,
        Table(
            ["number"],
            {
                "orders in which nine cells can be filled (9!)": [
                    format_count(factorial(game.cells))
                ],
                "boards with X, O or nothing in each cell (3^9)": [
                    format_count(3**game.cells)
                ],
                "boards that a game can reach": [format_count(len(boards))],
                "boards that a game can reach, up to symmetry": [format_count(classes)],
                "factor by which symmetry reduces the boards": [f"{factor:.2f}"],
                "positions in which a player has to move, up to symmetry": [
                    format_count(decisions)
                ],
                "different games (a game ends with a win or a full board)": [
                    format_count(games)
                ],
            },
        ),
    )
