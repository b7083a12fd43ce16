"""The symmetries of the board: rotations and reflections."""

from functools import cache


@cache
def canonical_move(game, board, cell):
    """Return the (board, move) that represents all symmetric ones."""
    return min(list_symmetric_moves(game, board, cell))


@cache
def canonical_board(game, board):
    """Return the board that represents all symmetric ones."""
    return min(image for image, _ in list_symmetric_moves(game, board, 0))


def list_symmetric_moves(game, board, cell):
    """Return a board and a move as they are after each rotation and reflection."""
    return [
        ("".join(board[source] for source in sources), sources.index(cell))
        for sources in list_symmetries(game.rows, game.columns)
    ]


@cache
def list_symmetries(rows, columns):
    """Return all rotations and reflections; each is a list with the old cell of every new cell."""
    grid = [
        [row * columns + column for column in range(columns)] for row in range(rows)
    ]
    grids = []
    for _quarter_turn in range(4):
        grids += [grid, [row[::-1] for row in grid]]
        grid = [list(row) for row in zip(*grid[::-1])]
    return [
        [cell for row in grid for cell in row] for grid in grids if len(grid) == rows
    ]
