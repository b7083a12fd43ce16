"""What `boards` takes from the numbered game, once more on boards as text of 3 x 3.

A training that leaves as one file (`training.code`) has it in place of `app.tictactoe`.  The tests
hold it to the numbered game.
"""

from fractions import Fraction
from functools import cache

from training.plain.boards import legal_cells, made_by, move, to_move

CELLS = 9
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
TURNED = [6, 3, 0, 7, 4, 1, 8, 5, 2]  # from where each cell's stone comes in a quarter turn
MIRRORED = [2, 1, 0, 5, 4, 3, 8, 7, 6]


@cache
def is_over(board: str) -> bool:
    """Whether the game has ended on a board."""
    return "." not in board or result(board, "X") != 0


@cache
def result(board: str, player: str) -> int:
    """Return how a finished board ended for "X" or "O": 1 won, 0 drawn, -1 lost."""
    winners = {board[a] for a, b, c in LINES if board[a] == board[b] == board[c] != "."}
    return 0 if not winners else 1 if player in winners else -1


@cache
def choices(opponent: str, board: str) -> list[int]:
    """List the cells that an opponent plays with equal chances."""
    if opponent == "fixed":
        return legal_cells(board)[:1]
    if opponent == "t-hand":
        own, other = to_move(board), made_by(board)
        return completing(board, own) or completing(board, other) or legal_cells(board)
    if opponent == "minimax":
        return best(board)[:1]
    if opponent == "minimax-random":
        return best(board)
    if opponent == "strongest":
        return [max(legal_cells(board), key=lambda cell: safest(move(board, cell), own=False))]
    return legal_cells(board)  # random


def completing(board: str, player: str) -> list[int]:
    """List the cells with which a player has three in a row."""
    filled = (board[:cell] + player + board[cell + 1 :] for cell in range(CELLS))
    return [
        cell
        for cell, made in enumerate(filled)
        if board[cell] == "."
        and any(made[a] == made[b] == made[c] == player and cell in (a, b, c) for a, b, c in LINES)
    ]


def best(board: str) -> list[int]:
    """List the cells that keep the value of the game."""
    return [cell for cell in legal_cells(board) if -optimal(move(board, cell)) == optimal(board)]


@cache
def optimal(board: str) -> int:
    """Return what a board is worth to the player to move if both play optimally."""
    if is_over(board):
        return -abs(result(board, "X"))  # it can only have been lost to the last move
    return max(-optimal(move(board, cell)) for cell in legal_cells(board))


@cache
def safest(board: str, own: bool) -> tuple[Fraction, Fraction]:
    """Return the chances not to lose and to win of a player that loses least, then wins most.

    The other side plays at random; `own` says whether that player is to move.
    """
    if is_over(board):
        lost = result(board, "X") != 0 and own
        return Fraction(not lost), Fraction(result(board, "X") != 0 and not own)
    moves = [safest(move(board, cell), not own) for cell in legal_cells(board)]
    if own:
        return max(moves)
    kept, won = zip(*moves, strict=True)
    return sum(kept, Fraction()) / len(moves), sum(won, Fraction()) / len(moves)


@cache
def _sides() -> list[list[int]]:
    """List from where each cell's stone comes when a board is looked at from each side."""
    sides = [list(range(CELLS))]
    for _ in range(3):
        sides.append([sides[-1][cell] for cell in TURNED])
    return sides + [[side[cell] for cell in MIRRORED] for side in sides]
