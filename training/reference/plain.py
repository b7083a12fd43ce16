"""The same learners as a textbook would write them, in plain Python on boards as text.

Slow and independent on purpose: nothing here is numbered or compiled, and the rules are written
down again.  The tests hold the compiled learners to it update by update on the same random
numbers, and the benchmark measures against it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

Pair = tuple[str, int]  # a board, its cells in reading order as X, O or '.', and the cell played
Update = tuple[Pair, float]  # and the new value of the pair

EMPTY = "." * 9
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
EPSILON = {"random": 1.0, "self": 0.0}  # how much the opponent explores the learner's table


def q_iteration(
    rng: np.random.Generator, *, opponents: Mapping[str, int], gamma: float
) -> Iterator[Update]:
    """Do what `training.q_iteration` does, yielding each update."""
    q: dict[Pair, float] = defaultdict(float)
    boards = unfinished_boards()
    for opponent, sweeps in opponents.items():
        for _ in range(sweeps):
            for board in boards:
                for cell in legal_cells(board):
                    if q[board, cell] != -1:
                        after, reward = step(q, board, cell, EPSILON[opponent], rng)
                        q[board, cell] = reward + gamma * highest(q, after)
                        yield (board, cell), q[board, cell]


def from_random_states(
    rng: np.random.Generator,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
) -> Iterator[Update]:
    """Do what `training.q_learning.from_random_states` does, yielding each update."""
    q: dict[Pair, float] = defaultdict(float)
    boards = unfinished_boards()
    for opponent, games in opponents.items():
        for _ in range(games):
            board = boards[int(rng.random() * len(boards))]
            yield from play(q, board, EPSILON[opponent], rng, alpha, gamma, epsilon)


def from_every_state(
    rng: np.random.Generator,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
) -> Iterator[Update]:
    """Do what `training.q_learning.from_every_state` does, yielding each update."""
    q: dict[Pair, float] = defaultdict(float)
    boards = unfinished_boards()
    for opponent, iterations in opponents.items():
        for _ in range(iterations):
            for board in boards:
                yield from play(q, board, EPSILON[opponent], rng, alpha, gamma, epsilon)


def play(
    q: dict[Pair, float],
    board: str,
    opponent_epsilon: float,
    rng: np.random.Generator,
    alpha: float,
    gamma: float,
    epsilon: float,
) -> Iterator[Update]:
    """Play one game of Q-learning from a board to the end."""
    while not is_over(board):
        cell = epsilon_greedy(q, board, epsilon, rng)
        after, reward = step(q, board, cell, opponent_epsilon, rng)
        q[board, cell] += alpha * (reward + gamma * highest(q, after) - q[board, cell])
        yield (board, cell), q[board, cell]
        board = after


def step(
    q: dict[Pair, float], board: str, cell: int, opponent_epsilon: float, rng: np.random.Generator
) -> tuple[str, float]:
    """Move and be answered: the board that comes of it and the mover's reward."""
    board = move(board, cell)
    if is_over(board):
        return board, float(has_line(board))
    board = move(board, epsilon_greedy(q, board, opponent_epsilon, rng))
    return board, -float(has_line(board))


def epsilon_greedy(
    q: dict[Pair, float], board: str, epsilon: float, rng: np.random.Generator
) -> int:
    """Draw any cell with chance epsilon, else one of the best, with one random number for both."""
    u = rng.random()
    if u < epsilon:
        return pick(legal_cells(board), u / epsilon)
    best = highest(q, board)
    return pick(
        [cell for cell in legal_cells(board) if q[board, cell] == best],
        (u - epsilon) / (1 - epsilon),
    )


def pick(cells: list[int], u: float) -> int:
    """Choose by a number from 0 to 1."""
    return cells[min(int(u * len(cells)), len(cells) - 1)]


def highest(q: dict[Pair, float], board: str) -> float:
    """Return the highest value on a board, 0 if the game is over."""
    if is_over(board):
        return 0.0
    return max(q[board, cell] for cell in legal_cells(board))


def legal_cells(board: str) -> list[int]:
    """List the empty cells."""
    return [cell for cell, stone in enumerate(board) if stone == "."]


def move(board: str, cell: int) -> str:
    """Put the stone of whoever is to move."""
    stone = "X" if board.count("X") == board.count("O") else "O"
    return board[:cell] + stone + board[cell + 1 :]


def has_line(board: str) -> bool:
    """Whether somebody has three in a row."""
    return any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)


def is_over(board: str) -> bool:
    """Whether nobody can move any more."""
    return has_line(board) or "." not in board


def unfinished_boards() -> list[str]:
    """List every board in which somebody is to move, by plies, then in the order '.' < X < O."""
    found, ply = [], {EMPTY}
    while ply:
        found += sorted(ply, key=lambda board: board.translate(str.maketrans(".XO", "012")))
        children = {move(board, cell) for board in ply for cell in legal_cells(board)}
        ply = {board for board in children if not is_over(board)}
    return found
