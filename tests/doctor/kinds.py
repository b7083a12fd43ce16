"""Learners of kinds that public programs have: correct ones, and faults that no textbook lists.

Each is a function `train(report, seed)` that reports its updates with the seven values of
`Doctor.update`.
"""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tests.doctor.students import (
    Environment,
    Settings,
    is_over,
    list_free,
    play_games,
    put,
    result,
)

Report = Callable[..., None]
AS_X = Settings(seed=0, games=250)  # against random moves


class Learner:
    """Q-learning as X against random moves; subclasses change a line."""

    alpha, gamma, epsilon = 0.3, 0.9, 0.3

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.alpha = self.rng.choice((0.1, 0.2, 0.5))
        self.gamma = self.rng.choice((0.8, 0.9, 0.95))
        self.q: dict[tuple[str, int], float] = {}
        self.visits: dict[tuple[str, int], int] = {}

    def get(self, board: str, move: int) -> float:
        return self.q.get((board, move), 0.0)

    def choose(self, board: str) -> int:
        free = list_free(board)
        if self.rng.random() < self.epsilon:
            return self.rng.choice(free)
        top = max(self.get(board, move) for move in free)
        return self.rng.choice([move for move in free if self.get(board, move) == top])

    def bootstrap(self, board: str) -> float:
        return max(self.get(board, move) for move in list_free(board))

    def change(self, old: float, target: float, key: tuple[str, int], step: int) -> float:
        return old + self.alpha * (target - old)

    def discount(self, step: int) -> float:
        return self.gamma

    def shown_next(self, board: str, move: int, after: str) -> str:
        return after

    def train(self, report: Report) -> None:
        for steps, _ in play_games(AS_X, self.choose, self.rng):
            for step, (board, move, after) in enumerate(steps):
                done, reward = is_over(after), result(after, "X") if is_over(after) else 0.0
                future = 0.0 if done else self.bootstrap(after)
                key = board, move
                old = self.get(*key)
                self.visits[key] = self.visits.get(key, 0) + 1
                target = reward + self.discount(step) * future
                self.q[key] = self.change(old, target, key, step)
                shown = self.shown_next(board, move, after)
                report(board, move, reward, shown, done, old, self.q[key])


class OverTried(Learner):
    """The maximum is over the moves tried so far, and so is the choice."""

    def bootstrap(self, board: str) -> float:
        tried = [self.q[board, move] for move in list_free(board) if (board, move) in self.q]
        return max(tried, default=0.0)

    def choose(self, board: str) -> int:
        tried = [move for move in list_free(board) if (board, move) in self.q]
        if not tried or self.rng.random() < self.epsilon:
            return self.rng.choice(list_free(board))
        return max(tried, key=lambda move: self.q[board, move])


class ExploringTried(OverTried):
    """The random moves, too, are among those tried so far."""

    def choose(self, board: str) -> int:
        tried = [move for move in list_free(board) if (board, move) in self.q]
        if tried and self.rng.random() < self.epsilon:
            return self.rng.choice(tried)
        return super().choose(board)


class FallingByVisits(Learner):
    def change(self, old: float, target: float, key: tuple[str, int], step: int) -> float:
        return old + self.alpha / (1 + 0.2 * self.visits[key]) * (target - old)


class StaleEnd(Learner):
    """The next board of a game's last row is the one before the move."""

    def shown_next(self, board: str, move: int, after: str) -> str:
        return board if is_over(after) else after


class PowersOfGamma(Learner):
    """Gamma to the power of the number of the move."""

    def discount(self, step: int) -> float:
        return self.gamma ** (step + 1)


class SumOfValues(Learner):
    def bootstrap(self, board: str) -> float:
        return sum(self.get(board, move) for move in list_free(board))


class AbsoluteError(Learner):
    def change(self, old: float, target: float, key: tuple[str, int], step: int) -> float:
        return old + self.alpha * abs(target - old)


class LowestValue(Learner):
    def bootstrap(self, board: str) -> float:
        return min(self.get(board, move) for move in list_free(board))


class OldValueTwice(Learner):
    """The old value is not subtracted."""

    def change(self, old: float, target: float, key: tuple[str, int], step: int) -> float:
        return old + self.alpha * target


def train_late(report: Report, seed: int, kind: str) -> None:
    """The reward of a game comes with one update more, or (two faults) with the next game, or never.

    `kind` is "once more", "next game", or "never".
    """
    learner = Learner(seed)
    owed = 0.0
    for steps, _ in play_games(AS_X, learner.choose, learner.rng):
        for board, move, after in steps:
            done = is_over(after)
            future = 0.0 if done else learner.bootstrap(after)
            reward = owed if kind == "next game" else 0.0
            update(learner, report, board, move, reward, after, done, future)
            owed = result(after, "X") if done else 0.0
        if kind == "once more":
            update(learner, report, board, move, owed, after, True, 0.0)


def train_canonical(report: Report, seed: int) -> None:
    """Boards are turned and mirrored to one of each class before they are looked up."""
    learner = Learner(seed)

    def canonize(board: str) -> tuple[str, tuple[int, ...]]:
        maps = [tuple(range(9)), (2, 1, 0, 5, 4, 3, 8, 7, 6)]
        for i in range(6):
            maps.append(tuple(maps[i][j] for j in (6, 3, 0, 7, 4, 1, 8, 5, 2)))
        return min(("".join(board[i] for i in one), one) for one in maps)

    def choose(board: str) -> int:
        seen, cells = canonize(board)
        return cells[learner.choose(seen)]

    for steps, _ in play_games(AS_X, choose, learner.rng):
        for board, move, after in steps:
            key, cells = canonize(board)
            where, done = cells.index(move), is_over(after)
            next_key, reward = canonize(after)[0], result(after, "X") if is_over(after) else 0.0
            old = learner.get(key, where)
            future = 0.0 if done else learner.bootstrap(next_key)
            learner.q[key, where] = old + learner.alpha * (reward + learner.gamma * future - old)
            report(key, where, reward, next_key, done, old, learner.q[key, where])


def train_values_of_boards(report: Report, seed: int, kind: str) -> None:
    """TD(0) on the board after each move, in X's view, finished boards preset.

    `kind` is "every ply, backward", "every ply", or "own moves".
    """
    rng = random.Random(seed)
    alpha, gamma = rng.choice((0.1, 0.2, 0.5)), rng.choice((1.0, 0.9))
    values: dict[str, float] = {}

    def get(board: str) -> float:
        if is_over(board):
            return {1: 1.0, 0: 0.5, -1: 0.0}[round(result(board, "X"))]
        return values.get(board, 0.5)

    for _ in range(300):
        world = Environment(rng)
        path = [world.cells]
        while not world.winner():
            free = world.legal()
            best = max(free, key=lambda move: (get(put(world.cells, move)), rng.random()))
            is_greedy = world.turn() == "X" and rng.random() > 0.2
            world.put(best if is_greedy else rng.choice(free))
            path.append(world.cells)
        boards = path[1:]
        pairs = list(pairwise(boards))
        if kind == "own moves":
            mine = boards[::2]
            pairs = list(zip(mine, [*mine[1:], boards[-1]], strict=True))
            pairs = [(one, other) for one, other in pairs if not is_over(one)]
        for board, after in reversed(pairs) if "backward" in kind else pairs:
            before = path[path.index(board) - 1]
            move = next(cell for cell in range(9) if before[cell] != board[cell])
            old = get(board)
            values[board] = old + alpha * (gamma * get(after) - old)
            shown = board if kind != "own moves" else after
            report(before, move, 0, shown, 0, old, values[board])


def train_both_seats(report: Report, seed: int, fault: str = "") -> None:
    """Self-play in which each seat learns when it moves again; the loser's last board is early.

    The last row of the loser has the board before the winning move as its next board, and done 1.
    """
    learner = Learner(seed)
    for _ in range(150):
        world = Environment(learner.rng)
        waiting: dict[str, tuple[str, int]] = {}
        while not world.winner():
            mark, board = world.turn(), world.cells
            if mark in waiting:
                update(learner, report, *waiting[mark], 0, board, False, learner.bootstrap(board))
            move = learner.choose(board)
            waiting[mark] = board, move
            world.put(move)
        other = "O" if mark == "X" else "X"
        reward = result(world.cells, mark)
        update(learner, report, *waiting[mark], reward, world.cells, True, 0.0)
        future = learner.bootstrap(board) if fault else 0.0
        update(learner, report, *waiting[other], -reward, board, True, future)


def update(
    learner: Learner,
    report: Report,
    board: str,
    move: int,
    reward: float,
    after: str,
    done: bool,
    future: float,
) -> None:
    old = learner.get(board, move)
    learner.q[board, move] = old + learner.alpha * (reward + learner.gamma * future - old)
    report(board, move, reward, after, done, old, learner.q[board, move])


def make_trainer(kind: type[Learner]) -> Callable[[Report, int], None]:
    return lambda report, seed: kind(seed).train(report)


# Kind -> (its training, words that the name of its rule contains).
CORRECT_KINDS: dict[str, tuple[Callable[[Report, int], None], str]] = {
    "plain": (make_trainer(Learner), "Q-learning"),
    "maximum over tried moves": (make_trainer(OverTried), "tried moves only"),
    "random moves among tried ones": (make_trainer(ExploringTried), "tried moves only"),
    "reward with one update more": (
        lambda report, seed: train_late(report, seed, "once more"),
        "Q-learning",
    ),
    "step falling by visits": (make_trainer(FallingByVisits), "Q-learning"),
    "stale last board": (make_trainer(StaleEnd), "Q-learning"),
    "canonical boards": (train_canonical, "Q-learning"),
    "early board of the loser": (train_both_seats, "Q-learning"),
    "values of boards, every ply, backward": (
        lambda report, seed: train_values_of_boards(report, seed, "every ply, backward"),
        "TD(0)",
    ),
    "values of boards, every ply": (
        lambda report, seed: train_values_of_boards(report, seed, "every ply"),
        "TD(0)",
    ),
    "values of boards, own moves": (
        lambda report, seed: train_values_of_boards(report, seed, "own moves"),
        "TD(0)",
    ),
}
# Kind -> (its training, the fault that may be named; "No rule is recognised" is right, too).
FAULTY_KINDS: dict[str, tuple[Callable[[Report, int], None], str]] = {
    "powers of gamma": (make_trainer(PowersOfGamma), ""),
    "sum for maximum": (make_trainer(SumOfValues), ""),
    "absolute error": (make_trainer(AbsoluteError), ""),
    "lowest value": (make_trainer(LowestValue), ""),
    "old value not subtracted": (make_trainer(OldValueTwice), ""),
    "reward with the next game": (
        lambda report, seed: train_late(report, seed, "next game"),
        "late",
    ),
    "no reward": (lambda report, seed: train_late(report, seed, "never"), "reward"),
    "early board of the loser is valued": (
        lambda report, seed: train_both_seats(report, seed, "valued"),
        "terminal",
    ),
}


def examine(doctor: Any, train: Callable[[Report, int], None], seed: int) -> Any:
    examined = doctor.Doctor()
    train(examined.update, seed)
    return examined.diagnose()
