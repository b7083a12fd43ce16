"""The learners from self-play in plain Python, as `reference` has the others."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from training.reference.both_seats import standing
from training.reference.plain import EMPTY, Pair, Update, has_line, is_over, legal_cells, move, pick


def self_play(
    rng: np.random.Generator,
    *,
    opponents: Mapping[str, int],
    alpha: float,
    gamma: float,
    epsilon: float,
    initial: float,
    draw: float,
) -> Iterator[Update]:
    """Do what `training.self_play` does, in X's view, yielding each update."""
    q: dict[Pair, float] = defaultdict(lambda: initial)
    for _ in range(opponents["self"]):
        board = EMPTY
        while not is_over(board):
            x_moves = board.count("X") == board.count("O")
            cell = chosen(q, board, epsilon, max if x_moves else min, rng)
            after = move(board, cell)
            if has_line(after):
                target = 1.0 if x_moves else -1.0
            elif is_over(after):
                target = draw
            else:
                answers = [q[after, answer] for answer in legal_cells(after)]
                target = gamma * (min(answers) if x_moves else max(answers))
            q[board, cell] += alpha * (target - q[board, cell])
            yield (board, cell), q[board, cell]
            board = after


def chosen(
    q: dict[Pair, float],
    board: str,
    epsilon: float,
    optimum: Callable[[Iterable[float]], float],
    rng: np.random.Generator,
) -> int:
    """Draw any cell with chance epsilon, else one with the optimal value; one number for both."""
    u = rng.random()
    if u < epsilon:
        return pick(legal_cells(board), u / epsilon)
    best = optimum(q[board, cell] for cell in legal_cells(board))
    cells = [cell for cell in legal_cells(board) if q[board, cell] == best]
    return pick(cells, (u - epsilon) / (1 - epsilon))


class Memory:
    """What the champion knows of boards, each by the one that stands for it."""

    def __init__(self) -> None:
        self.at_least: dict[str, int] = defaultdict(lambda: -1)
        self.at_most: dict[str, int] = defaultdict(lambda: 1)
        self.visits: Counter[str] = Counter()
        self.finished_with: set[str] = set()  # nothing that follows is unseen

    def moves(self, board: str) -> list[str]:
        """List what can be made of a board, in the order of the cells."""
        return [standing(move(board, cell)) for cell in legal_cells(board)]

    def choose(self, board: str, rng: np.random.Generator) -> int:
        """Choose where something is unseen: worth most at best, then least visited, then any."""
        made = dict(zip(legal_cells(board), self.moves(board), strict=True))
        appeal = {
            cell: (self.at_most[after], -self.visits[after])
            for cell, after in made.items()
            if after not in self.finished_with
        }
        highest = max(appeal.values(), default=None)
        best = [cell for cell, key in appeal.items() if key == highest]
        return pick(best or list(made), rng.random())

    def revise(self, board: str) -> None:
        """Value a board by its result, or by the answers to it."""
        if is_over(board):
            self.at_least[board] = self.at_most[board] = int(has_line(board))
            self.finished_with.add(board)
            return
        answers = self.moves(board)
        self.at_least[board] = -max(self.at_most[answer] for answer in answers)
        self.at_most[board] = -max(self.at_least[answer] for answer in answers)
        if self.finished_with.issuperset(answers):
            self.finished_with.add(board)


def champion(
    rng: np.random.Generator, *, opponents: Mapping[str, int], memory: Memory | None = None
) -> Iterator[Update]:
    """Do what `training.champion` does, yielding each move when its game is over.

    All that it knows is in `memory`, to look at.
    """
    memory = memory or Memory()
    for _ in range(opponents["self"]):
        if EMPTY in memory.finished_with:
            return
        board, trail = EMPTY, []
        memory.visits[EMPTY] += 1
        while not is_over(board):
            trail.append((board, memory.choose(board, rng)))
            board = move(*trail[-1])
            memory.visits[standing(board)] += 1
        for met in sorted(memory.visits, key=lambda met: met.count(".")):
            memory.revise(met)
        for board, cell in trail:
            made = standing(move(board, cell))
            spread = memory.at_most[made] - memory.at_least[made]
            yield (board, cell), memory.at_least[made] + spread / 4
