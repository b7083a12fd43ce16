"""Learners as students write them, in three styles, each correct or with a planted fault.

A style is a function `train(report, faults, settings)`: it trains a learner and reports each update
with the seven values that `Doctor.update` takes.  The styles share only the settings.

"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Report = Callable[..., None]
Array = Any  # an array of numpy
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class Settings:
    """The settings of a training: against random moves, or self-play."""

    seed: int
    games: int = 400
    self_play: bool = False
    seat: str = "X"  # against random moves: "X", "O" or "both" in turn
    alpha: float = 0.3
    gamma: float = 0.9
    epsilon: float = 0.3
    initial: float = 0.0
    fault: str = ""


# The faults in words of this file: the doctor's id, then the variant.
PLANTED = {
    "terminal": "terminal",
    "answer": "answer",
    "sign": "sign",
    "occupied": "occupied",
    "loser": "loser",
    "sides": "sides",
    "one-seat": "sides",
    "credited": "reward",
    "negated": "reward",
    "in-place": "in-place",
    "never-explores": "exploration",
    "always-explores": "exploration",
    "first": "exploration",
    "no-step": "step",
    "large-step": "step",
    "discounted-reward": "step",
    "rounded": "step",
}
# These change a value only where untouched values are not 0 (or, at 0, after many games).
HIDDEN_BY_ZERO = ("terminal", "occupied")
GAMES = {"occupied": 900, "always-explores": 1500, "never-explores": 800, "sides": 300}
SELF_PLAY = ("sign", "sides", "one-seat")  # faults that exist in self-play only
EXPLORATION = ("never-explores", "always-explores", "first")
OPPONENT_ONLY = ("answer", "loser", "in-place", "credited", *EXPLORATION)


def make_settings(fault: str, seed: int, explores: bool = True) -> Settings:
    """Return the settings of a training for a fault; half of the seeds give self-play."""
    rng = random.Random(seed)
    self_play = fault in SELF_PLAY or (fault not in OPPONENT_ONLY and rng.random() < 0.4)
    epsilon = rng.choice((0.1, 0.2, 0.3, 0.5)) if explores else 0.0
    return Settings(
        seed=seed,
        games=GAMES.get(fault, 120 if self_play else 220),
        self_play=self_play,
        seat=rng.choice(("X", "O", "both")),
        alpha={"no-step": 0.0, "large-step": 1.3}.get(fault, rng.choice((0.1, 0.2, 0.3, 0.5))),
        gamma=rng.choice((0.8, 0.9, 0.95)),
        epsilon={"never-explores": 0.0, "always-explores": 1.0, "first": 0.0}.get(fault, epsilon),
        initial=rng.choice((0.4, 0.6)) if fault in HIDDEN_BY_ZERO else 0.0,
        fault=fault,
    )


# Style 1: dictionaries and functions; a board is a list of " ", "X" and "O".


def train_with_dictionaries(report: Report, s: Settings) -> None:  # noqa: PLR0915
    rng = random.Random(s.seed)
    q: dict[tuple[str, int], float] = {}

    def wins(board: list[str], mark: str) -> bool:
        return any(board[i] == board[j] == board[k] == mark for i, j, k in LINES)

    def over(board: list[str]) -> bool:
        return wins(board, "X") or wins(board, "O") or " " not in board

    def get(board: list[str], move: int) -> float:
        return q.get(("".join(board), move), s.initial)

    def choose(board: list[str]) -> int:
        free = [i for i in range(9) if board[i] == " "]
        if rng.random() < s.epsilon:
            return rng.choice(free)
        top = max(get(board, i) for i in free)
        best = [i for i in free if get(board, i) == top]
        return best[0] if s.fault == "first" else rng.choice(best)

    def learn(board: list[str], move: int, reward: float, after: list[str], mark: str) -> None:
        done = over(after)
        alpha = 0.0 if s.fault == "one-seat" and mark == "O" else s.alpha
        old = get(board, move)
        squares = [i for i in range(9) if s.fault == "occupied" or after[i] == " "] or [0]
        best = max(get(after, i) for i in squares)
        if done and s.fault != "terminal":
            best = 0.0
        if s.self_play and s.fault not in ("sign", "sides"):
            best = -best
        if s.fault == "discounted-reward":
            new = old + alpha * (s.gamma * (reward + best) - old)
        else:
            new = old + alpha * (reward + s.gamma * best - old)
        if s.fault == "rounded":
            new = round(new, 1)
        q["".join(board), move] = new
        report(board, move, reward, after, done, old, new)

    def reward_of(board: list[str], mark: str) -> float:
        other = "O" if mark == "X" else "X"
        if s.fault == "sides":
            mark, other = "X", "O"
        reward = float(wins(board, mark)) - float(wins(board, other))
        if s.fault == "credited":
            return abs(reward)
        return -reward if s.fault == "negated" else reward

    for game in range(s.games):
        board, turn = [" "] * 9, "X"
        seat = "XO"[game % 2] if s.seat == "both" else s.seat
        last = None
        while not over(board):
            if s.self_play or turn == seat:
                move = choose(board)
                before = board[:]
                board[move] = turn
                if s.fault == "in-place":
                    before = board
                if s.self_play or s.fault == "answer":
                    learn(before, move, reward_of(board, turn), board[:], turn)
                elif over(board):
                    learn(before, move, reward_of(board, turn), board, turn)
                else:
                    last = before, move
            else:
                board[rng.choice([i for i in range(9) if board[i] == " "])] = turn
            turn = "O" if turn == "X" else "X"
            if last and (turn == seat or over(board)) and s.fault != "answer":
                lost = over(board) and wins(board, "O" if seat == "X" else "X")
                if not (lost and s.fault == "loser"):
                    learn(last[0], last[1], reward_of(board, seat), board[:], seat)
                last = None


# Style 2: numpy arrays; a board is an array of 0, 1 and -1, a state its number in base 3.


def train_with_arrays(report: Report, s: Settings) -> None:  # noqa: PLR0915
    rng = np.random.default_rng(s.seed)
    table = np.full((3**9, 9), s.initial)
    powers = 3 ** np.arange(9)
    rows = np.array(LINES)
    winners: dict[bytes, int] = {}

    def winner(board: Array) -> int:
        key = board.tobytes()
        if key not in winners:
            sums = board[rows].sum(axis=1)
            winners[key] = 1 if 3 in sums else -1 if -3 in sums else 0
        return winners[key]

    def finished(board: Array) -> bool:
        return winner(board) != 0 or 0 not in board.tolist()

    def state(board: Array) -> int:
        return int((board % 3) @ powers)

    def pick(board: Array) -> int:
        free = np.flatnonzero(board == 0)
        if rng.random() < s.epsilon:
            return int(free[rng.integers(len(free))])
        values = table[state(board), free]
        if s.fault == "first":
            return int(free[np.argmax(values)])
        best = free[values == values.max()]
        return int(best[rng.integers(len(best))])

    def payoff(board: Array, player: int) -> float:
        result = winner(board) * (1 if s.fault == "sides" else player)
        return {"credited": abs(result), "negated": -result}.get(s.fault, result)

    def update(board: Array, move: int, reward: float, after: Array, player: int) -> None:
        values = table[state(after)]
        if s.fault != "occupied" and not finished(after):
            values = values[after == 0]
        future = values.max()
        if finished(after) and s.fault != "terminal":
            future = 0.0
        if s.self_play and s.fault not in ("sign", "sides"):
            future = -future
        target = reward + s.gamma * future
        if s.fault == "discounted-reward":
            target = s.gamma * (reward + future)
        before = table[state(board), move]
        alpha = 0.0 if s.fault == "one-seat" and player < 0 else s.alpha
        table[state(board), move] += alpha * (target - before)
        if s.fault == "rounded":
            table[state(board), move] = np.round(table[state(board), move], 1)
        report(board, move, reward, after, finished(after), before, table[state(board), move])

    for game in range(s.games):
        board = np.zeros(9, dtype=int)
        learner = {"X": 1, "O": -1, "both": 1 - 2 * (game % 2)}[s.seat]
        memory: tuple[Array, int] | None = None
        player = 1
        while not finished(board):
            mine = s.self_play or player == learner
            if mine and memory is not None and not s.self_play and s.fault != "answer":
                update(*memory, payoff(board, learner), board, learner)
            if mine:
                move = pick(board)
                old = board.copy()
                board[move] = player
                if s.fault == "in-place":
                    old = board.copy()
                memory = old, move
                if s.self_play or s.fault == "answer":
                    update(old, move, payoff(board, player), board.copy(), player)
            else:
                free = np.flatnonzero(board == 0)
                board[free[rng.integers(len(free))]] = player
            player = -player
        lost = winner(board) == -learner
        if not s.self_play and s.fault != "answer" and not (lost and s.fault == "loser"):
            assert memory is not None
            update(*memory, payoff(board, learner), board, learner)


# Style 3: classes; a board is a text, the environment answers a move with its consequences.


class Environment:
    def __init__(self, rng: random.Random) -> None:
        self.rng, self.cells = rng, "........."

    def reset(self) -> str:
        self.cells = "........."
        return self.cells

    def legal(self) -> list[int]:
        return list_free(self.cells)

    def winner(self) -> str:
        for a, b, c in LINES:
            if self.cells[a] == self.cells[b] == self.cells[c] != ".":
                return self.cells[a]
        return "" if "." in self.cells else "-"

    def turn(self) -> str:
        return "XO"[self.cells.count(".") % 2 == 0]

    def put(self, move: int) -> str:
        self.cells = put(self.cells, move)
        return self.cells


class Agent:
    def __init__(self, s: Settings, rng: random.Random, report: Report) -> None:
        self.s, self.rng, self.report = s, rng, report
        self.q: dict[str, list[float]] = {}

    def values(self, board: str) -> list[float]:
        return self.q.setdefault(board, [self.s.initial] * 9)

    def act(self, board: str, legal: list[int]) -> int:
        if self.rng.random() < self.s.epsilon:
            return self.rng.choice(legal)
        values = self.values(board)
        top = max(values[i] for i in legal)
        best = [i for i in legal if values[i] == top]
        return best[0] if self.s.fault == "first" else self.rng.choice(best)

    def reward(self, winner: str, mark: str) -> float:
        if winner in ("", "-"):
            return 0.0
        won = winner == ("X" if self.s.fault == "sides" else mark)
        if self.s.fault == "negated":
            won = not won
        return 1.0 if won or self.s.fault == "credited" else -1.0

    def bootstrap(self, board: str, done: bool) -> float:
        if done and self.s.fault != "terminal":
            return 0.0
        legal = (
            range(9)
            if self.s.fault == "occupied" or "." not in board
            else [i for i in range(9) if board[i] == "."]
        )
        best = max(self.values(board)[i] for i in legal)
        return -best if self.s.self_play and self.s.fault not in ("sign", "sides") else best

    def learn(self, board: str, move: int, mark: str, after: str, winner: str) -> None:
        s, done, reward = self.s, winner != "", self.reward(winner, mark)
        old = self.values(board)[move]
        future = self.bootstrap(after, done)
        target = reward + s.gamma * future
        if s.fault == "discounted-reward":
            target = s.gamma * reward + s.gamma * future
        alpha = 0.0 if s.fault == "one-seat" and mark == "O" else s.alpha
        new = (1 - alpha) * old + alpha * target
        if s.fault == "rounded":
            new = round(new, 1)
        self.values(board)[move] = new
        self.report(board, move, reward, after, done, old, new)


def train_with_classes(report: Report, s: Settings) -> None:
    rng = random.Random(s.seed)
    world = Environment(rng)
    agent = Agent(s, rng, report)
    for game in range(s.games):
        seat = "XO"[game % 2] if s.seat == "both" else s.seat
        board, pending = world.reset(), None
        while not world.winner():
            mark = world.turn()
            if s.self_play or mark == seat:
                if pending and s.fault != "answer":
                    agent.learn(*pending, mark, board, "")
                move = agent.act(board, world.legal())
                old, board = board, world.put(move)
                if s.fault == "in-place":
                    old = board
                if s.self_play or s.fault == "answer":
                    agent.learn(old, move, mark, board, world.winner())
                else:
                    pending = old, move
            else:
                board = world.put(rng.choice(world.legal()))
        if pending and not (s.fault == "loser" and world.winner() not in (seat, "-")):
            agent.learn(*pending, seat, board, world.winner())


STYLES = {
    "dictionaries": train_with_dictionaries,
    "arrays": train_with_arrays,
    "classes": train_with_classes,
}


# Correct learners of other kinds, written as simply as possible.


def play_games(
    s: Settings, choose: Callable[[str], int], rng: random.Random
) -> Iterator[tuple[list[tuple[str, int, str]], str]]:
    """Yield, for each game, the (board, move, next board) of a seat, and the seat."""
    for game in range(s.games):
        seat = "XO"[game % 2] if s.seat == "both" else s.seat
        world, steps, mine = Environment(rng), [], None
        while not world.winner():
            board = world.cells
            if world.turn() == seat:
                if mine:
                    steps.append((*mine, board))
                mine = board, choose(board)
                world.put(mine[1])
            else:
                world.put(rng.choice(world.legal()))
        assert mine is not None
        yield [*steps, (*mine, world.cells)], seat


def result(board: str, seat: str) -> float:
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return 1.0 if board[a] == seat else -1.0
    return 0.0


def is_over(board: str) -> bool:
    return "." not in board or result(board, "X") != 0


def list_free(board: str) -> list[int]:
    return [cell for cell in range(9) if board[cell] == "."]


def put(board: str, move: int) -> str:
    mark = "XO"[board.count(".") % 2 == 0]
    return board[:move] + mark + board[move + 1 :]


class Table(dict[Any, float]):
    def __missing__(self, key: Any) -> float:
        return 0.0


def greedy(q: Table, board: str, rng: random.Random, epsilon: float) -> int:
    free = list_free(board)
    if rng.random() < epsilon:
        return rng.choice(free)
    top = max(q[board, i] for i in free)
    return rng.choice([i for i in free if q[board, i] == top])


def list_values(q: Table, board: str) -> list[float]:
    return [q[board, i] for i in list_free(board)]


def train_online(report: Report, s: Settings, kind: str) -> None:
    """Learn during each game: Q-learning with a decreasing step size, Sarsa, expected Sarsa."""
    rng, q, rate = random.Random(s.seed), Table(), s.alpha
    for steps, seat in play_games(s, lambda board: greedy(q, board, rng, s.epsilon), rng):
        for number, (board, move, after) in enumerate(steps):
            done, old = is_over(after), q[board, move]
            reward = result(after, seat) if done else 0.0
            future = 0.0
            if not done:
                values = list_values(q, after)
                mean = sum(values) / len(values)
                future = {
                    "sarsa": q[after, steps[min(number + 1, len(steps) - 1)][1]],
                    "expected-sarsa": (1 - s.epsilon) * max(values) + s.epsilon * mean,
                }.get(kind, max(values))
            q[board, move] = old + rate * (reward + s.gamma * future - old)
            report(board, move, reward, after, done, old, q[board, move])
        if kind == "falling-step":
            rate *= 0.997


def train_on_returns(report: Report, s: Settings, kind: str) -> None:
    """Learn backward after each game: Monte Carlo (averages or steps), or Q-learning."""
    rng, q, visits = random.Random(s.seed), Table(), Table()
    for steps, seat in play_games(s, lambda board: greedy(q, board, rng, s.epsilon), rng):
        target = result(steps[-1][2], seat)
        for board, move, after in reversed(steps):
            old, done = q[board, move], is_over(after)
            if kind == "backward" and not done:
                target = s.gamma * max(list_values(q, after))
            visits[board, move] += 1
            rate = 1 / visits[board, move] if kind == "averages" else s.alpha
            q[board, move] = old + rate * (target - old)
            report(
                board, move, result(after, seat) if done else 0, after, done, old, q[board, move]
            )
            target *= s.gamma


def train_afterstates(report: Report, s: Settings, kind: str) -> None:
    """TD(0) on afterstates: each value moves towards the same player's next afterstate."""
    rng, v = random.Random(s.seed), Table()

    def choose(board: str) -> int:
        free = list_free(board)
        if rng.random() < s.epsilon:
            return rng.choice(free)
        top = max(v[put(board, i)] for i in free)
        return rng.choice([i for i in free if v[put(board, i)] == top])

    for steps, seat in play_games(s, choose, rng):
        for number, (board, move, after) in enumerate(steps):
            done, key = is_over(after), put(board, move)
            reward = result(after, seat) if done else 0.0
            following = 0.0 if done else v[put(after, steps[number + 1][1])]
            old = v[key]
            v[key] += s.alpha * (reward + s.gamma * following - old)
            report(board, move, reward, after, done, old, v[key])


def train_in_x_view(report: Report, s: Settings, kind: str) -> None:
    """Self-play with one table in X's view: X takes the maximum, O the minimum."""
    rng, q = random.Random(s.seed), Table()
    for _ in range(s.games):
        world = Environment(rng)
        while not world.winner():
            board, mark = world.cells, world.turn()
            free = world.legal()
            pick = max if mark == "X" else min
            top = pick(q[board, i] for i in free)
            move = rng.choice([i for i in free if q[board, i] == top])
            if rng.random() < s.epsilon:
                move = rng.choice(free)
            after = world.put(move)
            done, reward = bool(world.winner()), result(after, "X")
            future = 0.0 if done else (min if mark == "X" else max)(list_values(q, after))
            old = q[board, move]
            q[board, move] += s.alpha * (reward + s.gamma * future - old)
            report(board, move, reward, after, done, old, q[board, move])


# Correct learners by kind, and a word that the name of the rule contains.
CORRECT: dict[str, tuple[Callable[[Report, Settings, str], None], str]] = {
    "sarsa": (train_online, "Sarsa"),
    "expected-sarsa": (train_online, "expected Sarsa"),
    "falling-step": (train_online, "Q-learning"),
    "averages": (train_on_returns, "Monte Carlo"),
    "monte-carlo": (train_on_returns, "Monte Carlo"),
    "backward": (train_on_returns, "Q-learning"),
    "afterstates": (train_afterstates, "afterstates"),
    "x-view": (train_in_x_view, "X's view"),
}
