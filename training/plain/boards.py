"""The rules on boards as text, and the opponents, written down once more."""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from training.plain.randomness import Random

Pair = tuple[str, int]  # a board and the cell played
Update = tuple[Pair, float]  # and its new value
Chances = tuple[float, float]  # minus that to lose, and that to win
Option = TypeVar("Option")
Choose = Callable[[str], int]  # the learner's own greedy play, for an opponent that is itself

EMPTY = "." * 9
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def legal_cells(board: str) -> list[int]:
    """List the empty cells."""
    return [cell for cell, stone in enumerate(board) if stone == "."]


@cache
def to_move(board: str) -> str:
    """Tell whose turn it is."""
    return "X" if board.count("X") == board.count("O") else "O"


def move(board: str, cell: int) -> str:
    """Put the stone of whoever is to move."""
    return board[:cell] + to_move(board) + board[cell + 1 :]


def has_line(board: str) -> bool:
    """Whether somebody has three in a row."""
    return any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)


def is_over(board: str) -> bool:
    """Whether nobody can move any more."""
    return has_line(board) or "." not in board


@cache
def unfinished_boards() -> list[str]:
    """List every board in which somebody is to move, by plies, then in the order '.' < X < O."""
    found, ply = [], {EMPTY}
    while ply:
        found += sorted(ply, key=lambda board: board.translate(str.maketrans(".XO", "012")))
        children = {move(board, cell) for board in ply for cell in legal_cells(board)}
        ply = {board for board in children if not is_over(board)}
    return found


@cache
def boards_of(seat: str) -> list[str]:
    """List those of them in which a seat, "x" or "o", is to move; all for "both"."""
    return [board for board in unfinished_boards() if seat in ("both", to_move(board).lower())]


def pick(cells: list[int], u: float) -> int:
    """Choose by a number from 0 to 1."""
    return cells[min(int(u * len(cells)), len(cells) - 1)]


def epsilon_greedy(
    board: str, worth: dict[int, float], epsilon: float, rng: Random, ties: str = "random"
) -> int:
    """Draw any cell with chance epsilon, else one of the best, with one random number for both.

    `worth` says what each cell of the board is worth.
    """
    u, highest = rng.random(), max(worth.values())
    if u < epsilon:
        cell = pick(list(worth), u / epsilon)
    else:
        best = [cell for cell, value in worth.items() if value == highest]
        cell = best[0] if ties == "first" else pick(best, (u - epsilon) / (1 - epsilon))
    rng.moved(board, cell, explored=u < epsilon)
    return cell


def lowered(epsilon: float, drop: float, turns: int, length: int) -> float:
    """Return epsilon after so many turns of `length`: it falls after every tenth."""
    return max(0.0, epsilon - drop * (10 * turns // length))


def answer(opponent: str, board: str, rng: Random, own: Choose) -> str:
    """Return the board after the opponent's answer."""
    cell = own(board) if opponent == "self" else pick(choices(opponent, board), rng.random())
    rng.answered(move(board, cell), itself=opponent == "self")
    return move(board, cell)


@cache
def choices(opponent: str, board: str) -> list[int]:
    """List the cells that an opponent plays with equal chances."""
    cells = legal_cells(board)
    if opponent == "random":
        return cells
    if opponent == "fixed":
        return cells[:1]
    if opponent == "t-hand":
        wins = [cell for cell in cells if has_line(move(board, cell))]
        other = "XO".replace(to_move(board), "")
        blocks = [c for c in cells if has_line(board[:c] + other + board[c + 1 :])]
        return wins or blocks or cells
    best = [cell for cell in cells if -solved(move(board, cell)) == solved(board)]
    if opponent == "minimax-random":
        return best
    if opponent == "minimax":
        return best[:1]
    return [most([against_random(move(board, cell), to_move(board)) for cell in cells], cells)]


@cache
def solved(board: str) -> int:
    """Tell who wins from here on: 1 whoever is to move, -1 the other, 0 nobody."""
    if is_over(board):
        return -int(has_line(board))
    return max(-solved(move(board, cell)) for cell in legal_cells(board))


@cache
def against_random(board: str, player: str) -> Chances:
    """Return minus the chance to lose and the chance to win of who values these in this order."""
    if is_over(board):
        lost = to_move(board) == player
        return (-float(lost), float(not lost)) if has_line(board) else (0.0, 0.0)
    chances = [against_random(move(board, cell), player) for cell in legal_cells(board)]
    if to_move(board) == player:
        return most(chances, chances)
    loss, win = (sum(column) / len(chances) for column in zip(*chances, strict=True))
    return loss, win


def most(chances: list[Chances], options: list[Option]) -> Option:
    """Return the first option with the highest chances, but for errors of rounding."""
    highest = max((round(loss, 9), round(win, 9)) for loss, win in chances)
    near = [(round(loss, 9), round(win, 9)) == highest for loss, win in chances]
    return options[near.index(True)]


@cache
def standing(board: str) -> str:
    """Choose one board for all that look the same from some side."""
    return min(turned for turned, _ in images(board, 0))


@cache
def standing_pair(board: str, cell: int) -> Pair:
    """Choose one pair for all that look the same from some side."""
    return min(images(board, cell))


def images(board: str, cell: int) -> list[Pair]:
    """List what a board and a cell become when they are turned and reflected."""
    found = []
    for _ in range(4):
        quarter = [row + 3 * column for row in (2, 1, 0) for column in (0, 1, 2)]
        board, cell = "".join(board[one] for one in quarter), quarter.index(cell)
        mirror = [6, 7, 8, 3, 4, 5, 0, 1, 2]
        found += [(board, cell), ("".join(board[one] for one in mirror), mirror.index(cell))]
    return found
