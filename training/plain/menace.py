"""MENACE in plain Python: see `training.learners.menace`."""

from collections.abc import Iterator

from app.recipes.algorithms import Menace
from app.tictactoe.game import Game
from training.plain import boards
from training.plain.boards import Pair, Turn, Update
from training.plain.randomness import Random


class Learner:
    """The beads of moves, each by the one that stands for it, and how often a box was refilled."""

    def __init__(self, game: Game, recipe: Menace) -> None:
        self.game, self.recipe = game, recipe
        self.first, self.fewer = recipe.beads, recipe.beads_drop
        self.changed: dict[Pair, int] = {}
        self.refills = 0

    def beads(self, board: str, cell: int) -> int:
        """Count the beads of a move."""
        own_move = (self.game.cells - board.count(".")) // 2
        full = max(1, self.first - self.fewer * own_move)
        return self.changed.get(boards.standing_pair(self.game, board, cell), full)

    def draw(self, board: str, rng: Random) -> int:
        """Draw a bead, and one of the squares of its move."""
        moves = [boards.standing_pair(self.game, board, cell) for cell in boards.legal_cells(board)]
        weights = [
            self.beads(board, cell) / moves.count(move)
            for cell, move in zip(boards.legal_cells(board), moves, strict=True)
        ]
        left = rng.random() * sum(weights)
        for cell, weight in zip(boards.legal_cells(board), weights, strict=True):
            left -= weight
            if left < 0:
                return cell
        raise AssertionError("a box is never empty")

    def put(self, board: str, cell: int, number: int) -> bool:
        """Let a move have so many beads; say whether its box was empty then, and was refilled."""
        self.changed[boards.standing_pair(self.game, board, cell)] = number
        emptied = not any(self.beads(board, other) for other in boards.legal_cells(board))
        if emptied:
            for other in boards.legal_cells(board):
                self.changed.pop(boards.standing_pair(self.game, board, other), None)
            self.refills += 1
        return emptied

    def play(self, turn: Turn, rng: Random) -> Iterator[Update]:
        """Play a game; yield what each move of it has then, before a box is filled again."""
        board, trail = boards.empty(self.game), list[Pair]()
        seat = turn.seat(self.recipe, turn.number)
        while not boards.is_over(self.game, board):
            if boards.to_move(board) in boards.learners(turn.opponent, seat):
                trail.append((board, self.draw(board, rng)))
                rng.moved(*trail[-1], explored=True)
                board = boards.move(*trail[-1])
            else:
                board = boards.answer(
                    self.game, turn, board, rng, lambda board: self.draw(board, rng)
                )
        for met, cell in trail:
            beads = int(boards.reward(self.game, self.recipe, board, boards.to_move(met)))
            number = max(0, self.beads(met, cell) + beads)
            if self.put(met, cell, number):
                rng.refilled(met)
            yield (met, cell), number
