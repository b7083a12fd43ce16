"""Count the games, boards and positions of tic-tac-toe."""

from math import comb, factorial

from app.tictactoe.game import GAME


def count_everything() -> dict[str, float]:
    classes = GAME.symmetry_class.tolist()
    counts = {
        "orders in which nine cells can be filled (9!)": factorial(GAME.cells),
        "different games (a game ends with a win or a full board)": _count_games(),
        "boards with X, O or nothing in each cell (3^9)": 3**GAME.cells,
        "boards with as many X as O, or one X more": _count_balanced_boards(),
        "boards that a game can reach (positions)": GAME.positions,
        "positions in which a player has to move": GAME.decisions,
        "positions that a game can reach, up to symmetry": len({*classes}),
        "positions in which a player has to move, up to symmetry": len(
            {*classes[: GAME.decisions]}
        ),
    }
    factor = GAME.positions / len({*classes})
    return {**counts, "factor by which symmetry reduces the boards": factor}


def _count_games() -> int:
    paths = [1] + [0] * (GAME.positions - 1)
    for position in range(GAME.decisions):
        for after in GAME.successor[position].tolist():
            if after >= 0:
                paths[after] += paths[position]
    return sum(paths[GAME.decisions :])


def _count_balanced_boards() -> int:
    """Count the boards with as many X as O, or one X more, even if no game can reach them."""
    cells = GAME.cells
    numbers_of_x_and_o = [(full - full // 2, full // 2) for full in range(cells + 1)]
    return sum(comb(cells, x) * comb(cells - x, o) for x, o in numbers_of_x_and_o)
