"""The champion in plain Python: see `training.learners.champion`."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from app.recipes.algorithms import Champion
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Turn, Update
from training.plain.randomness import Random


class Learner:
    """What the champion knows of boards, each by the one that stands for it."""

    def __init__(self, game: Game, _recipe: Champion) -> None:
        self.game = game
        self.at_least: dict[str, int] = defaultdict(lambda: -1)
        self.at_most: dict[str, int] = defaultdict(lambda: 1)
        self.visits: Counter[str] = Counter()
        self.finished_with: set[str] = set()  # nothing that follows is unseen

    def moves(self, board: str) -> list[str]:
        """List what can be made of a board, in the order of the cells."""
        return [
            boards.standing(self.game, boards.move(board, cell))
            for cell in boards.legal_cells(board)
        ]

    def choose(self, board: str, rng: Random) -> int:
        """Choose where something is unseen: worth most at best, then least visited, then any."""
        made = dict(zip(boards.legal_cells(board), self.moves(board), strict=True))
        appeal = {
            cell: (self.at_most[after], -self.visits[after])
            for cell, after in made.items()
            if after not in self.finished_with
        }
        highest = max(appeal.values(), default=None)
        best = [cell for cell, key in appeal.items() if key == highest]
        cell = boards.pick(best or list(made), rng.random())
        rng.moved(board, cell, explored=bool(best))
        return cell

    def value(self, board: str) -> float:
        """Return the value by which a board is played."""
        return self.at_least[board] + (self.at_most[board] - self.at_least[board]) / 4

    def revise(self, board: str) -> None:
        """Value a board by its result, or by the answers to it."""
        if boards.is_over(self.game, board):
            ended = boards.result(self.game, board, boards.made_by(board))
            self.at_least[board] = self.at_most[board] = ended
            self.finished_with.add(board)
            return
        answers = self.moves(board)
        self.at_least[board] = -max(self.at_most[answer] for answer in answers)
        self.at_most[board] = -max(self.at_least[answer] for answer in answers)
        if self.finished_with.issuperset(answers):
            self.finished_with.add(board)

    def play(self, _turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game if anything is unseen, and yield each move when it is over."""
        if boards.empty(self.game) in self.finished_with:
            return
        board, trail = boards.empty(self.game), []
        self.visits[board] += 1
        while not boards.is_over(self.game, board):
            trail.append((board, self.choose(board, rng)))
            board = boards.move(*trail[-1])
            self.visits[boards.standing(self.game, board)] += 1
        for met in sorted(self.visits, key=lambda met: met.count(".")):
            self.revise(met)
            rng.revised(met, self.value(met))
        for pair in trail:
            yield pair, self.value(boards.standing(self.game, boards.move(*pair)))
