"""How many games and positions there are: published counts, and what lies between them."""

from math import factorial

from app.experiments import Bar, Bars, Table
from app.tictactoe.game import tic_tac_toe
from training.experiments import claim
from training.experiments.claim import number

ORDERS, BOARDS, FACTOR = 362_880, 19_683, 8  # as published


def tell(_results: claim.Results) -> claim.Conclusion:
    """Count all of them."""
    game = tic_tac_toe()
    boards = game.board.astype(int)
    games = _games()
    classes = len(set(game.symmetry_class.tolist()))
    decisions = len(set(game.symmetry_class[: game.decisions].tolist()))
    balanced = _balanced()
    counts = {
        "orders of nine cells, 9!": factorial(game.cells),
        "games, each ending when a side has won": games,
        "boards of X, O and empty cells, 3^9": 3**game.cells,
        "boards with as many X as O, or one more": balanced,
        "boards that a game reaches: positions": len(boards),
        "positions with a move to choose": game.decisions,
        "positions up to symmetry": classes,
        "positions with a move to choose, up to symmetry": decisions,
    }
    factor = len(boards) / classes
    parts = [3**game.cells == BOARDS, balanced == ORDERS, round(factor, 2) == FACTOR]
    return claim.Conclusion(
        [
            Bars(
                title="From orders of moves to positions up to symmetry",
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
                "orders of filling nine cells, 9!": [number(factorial(game.cells))],
                "boards of X, O and empty cells, 3^9": [number(3**game.cells)],
                "boards that a game can reach": [number(len(boards))],
                "of these, up to symmetry": [number(classes)],
                "factor that symmetry saves": [f"{factor:.2f}"],
                "positions of an agent's decisions, up to symmetry": [number(decisions)],
                "games, each ending when a side has won": [number(games)],
            },
        ),
    )


def _games() -> int:
    """Count the games, each ending as soon as it is over."""
    game = tic_tac_toe()
    paths = [0] * game.positions
    paths[0] = 1
    for position in range(game.decisions):
        for after in game.successor[position].tolist():
            if after >= 0:
                paths[after] += paths[position]
    return sum(paths[game.decisions :])


def _balanced() -> int:
    """Count the boards whose numbers of stones fit, with rows of three or without."""
    cells = tic_tac_toe().cells
    return sum(
        factorial(cells) // (factorial(x) * factorial(o) * factorial(cells - x - o))
        for x in range(cells + 1)
        for o in (x, x - 1)
        if 0 <= o <= cells - x
    )


EXPERIMENT = claim.Experiment("counting", tell)
