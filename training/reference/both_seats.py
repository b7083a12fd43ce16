"""The learners from whole games in both seats in plain Python, as `reference` has the others.

One board stands for all that rotations and reflections make of it, and that is written down again.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from training.reference.plain import EMPTY, Update, has_line, is_over, legal_cells, move, pick

Values = dict[str, float]  # what it is worth to have made a board, by the one that stands for it


def q_table(
    rng: np.random.Generator,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
    epsilon_drop: float,
    loss: float,
    draw: float,
    win: float,
) -> Iterator[Update]:
    """Do what `training.q_table` does, yielding each update."""
    values: Values = defaultdict(float)
    for opponent, games in opponents.items():
        for game in range(2 * games):
            explore = max(0.0, epsilon - epsilon_drop * (10 * (game // 2) // games))
            seat = "XO"[game % 2]
            trail, end = played_game(rng, values, explore, seat, opponent)
            target = reward(end, seat, loss, draw, win)
            for board, cell in reversed(trail):
                made = standing(move(board, cell))
                values[made] += alpha * (target - values[made])
                yield (board, cell), values[made]
                target = gamma * max(made_values(values, board))


def double_q(
    rng: np.random.Generator,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
    epsilon_drop: float,
    loss: float,
    draw: float,
    win: float,
) -> Iterator[Update]:
    """Do what `training.double_q` does, yielding the average of the two tables at each update."""
    tables: list[Values] = [defaultdict(float), defaultdict(float)]
    average: Values = defaultdict(float)
    for opponent, games in opponents.items():
        for game in range(2 * games):
            explore = max(0.0, epsilon - epsilon_drop * (10 * (game // 2) // games))
            seat = "XO"[game % 2]
            trail, end = played_game(rng, average, explore, seat, opponent)
            result, later = reward(end, seat, loss, draw, win), None
            for board, cell in reversed(trail):
                made = standing(move(board, cell))
                if later is None:
                    for table in tables:
                        table[made] += alpha * (result - table[made])
                else:
                    learner, other = tables if rng.random() < 1 / 2 else tables[::-1]
                    options = [standing(move(later, cell)) for cell in legal_cells(later)]
                    target = gamma * other[max(options, key=learner.__getitem__)]
                    learner[made] += alpha * (target - learner[made])
                average[made] = (tables[0][made] + tables[1][made]) / 2
                yield (board, cell), average[made]
                later = board


def played_game(
    rng: np.random.Generator, values: Values, epsilon: float, seat: str, opponent: str
) -> tuple[list[tuple[str, int]], str]:
    """Play a game: the boards on which the learner moved and its moves, and the final board."""
    board, trail = EMPTY, []
    while not is_over(board):
        if (board.count("X") == board.count("O")) == (seat == "X"):
            cell = epsilon_greedy(values, board, epsilon, rng)
            trail.append((board, cell))
        else:
            cells = best_cells(board) if opponent == "minimax-random" else legal_cells(board)
            cell = pick(cells, rng.random())
        board = move(board, cell)
    return trail, board


def reward(end: str, seat: str, loss: float, draw: float, win: float) -> float:
    """Tell what a final board is worth to a seat."""
    if not has_line(end):
        return draw
    winner = "X" if end.count("X") > end.count("O") else "O"
    return win if winner == seat else loss


def epsilon_greedy(values: Values, board: str, epsilon: float, rng: np.random.Generator) -> int:
    """Draw any cell with chance epsilon, else one of the best, with one random number for both."""
    u = rng.random()
    cells, worth = legal_cells(board), made_values(values, board)
    if u < epsilon:
        return pick(cells, u / epsilon)
    best = [cell for cell, value in zip(cells, worth, strict=True) if value == max(worth)]
    return pick(best, (u - epsilon) / (1 - epsilon))


def made_values(values: Values, board: str) -> list[float]:
    """List what each move is worth."""
    return [values[standing(move(board, cell))] for cell in legal_cells(board)]


@cache
def standing(board: str) -> str:
    """Choose one board for all that look the same from some side."""
    images = []
    for _ in range(4):
        board = "".join(board[row + 3 * column] for row in (2, 1, 0) for column in (0, 1, 2))
        images += [board, board[6:] + board[3:6] + board[:3]]
    return min(images)


def best_cells(board: str) -> list[int]:
    """List the moves that keep the value of the game."""
    return [cell for cell in legal_cells(board) if -solved(move(board, cell)) == solved(board)]


@cache
def solved(board: str) -> int:
    """Tell who wins from here on: 1 whoever is to move, -1 the other, 0 nobody."""
    if is_over(board):
        return -int(has_line(board))
    return max(-solved(move(board, cell)) for cell in legal_cells(board))
