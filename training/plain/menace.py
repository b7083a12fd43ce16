"""MENACE in plain Python: see `training.learners.menace`."""

from collections.abc import Iterator

from app.recipes.algorithms import Menace
from app.tictactoe.game import Game
from training.plain.boards import (
    Pair,
    Update,
    answer,
    empty,
    is_over,
    learners,
    legal_cells,
    move,
    reward,
    standing_pair,
    to_move,
)
from training.plain.randomness import Random


class Boxes:
    """The beads of moves, each by the one that stands for it, and how often a box was refilled."""

    def __init__(self, game: Game, recipe: Menace) -> None:
        self.game = game
        self.first, self.fewer = recipe.beads, recipe.beads_drop
        self.changed: dict[Pair, int] = {}
        self.refills = 0

    def beads(self, board: str, cell: int) -> int:
        """Count the beads of a move."""
        own_move = (self.game.cells - board.count(".")) // 2
        full = max(1, self.first - self.fewer * own_move)
        return self.changed.get(standing_pair(self.game, board, cell), full)

    def draw(self, board: str, rng: Random) -> int:
        """Draw a bead, and one of the squares of its move."""
        moves = [standing_pair(self.game, board, cell) for cell in legal_cells(board)]
        weights = [
            self.beads(board, cell) / moves.count(move)
            for cell, move in zip(legal_cells(board), moves, strict=True)
        ]
        left = rng.random() * sum(weights)
        for cell, weight in zip(legal_cells(board), weights, strict=True):
            left -= weight
            if left < 0:
                return cell
        raise AssertionError("a box is never empty")

    def put(self, board: str, cell: int, number: int) -> bool:
        """Let a move have so many beads; say whether its box was empty then, and was refilled."""
        self.changed[standing_pair(self.game, board, cell)] = number
        emptied = not any(self.beads(board, other) for other in legal_cells(board))
        if emptied:
            for other in legal_cells(board):
                self.changed.pop(standing_pair(self.game, board, other), None)
            self.refills += 1
        return emptied


def menace(game: Game, recipe: Menace, rng: Random, boxes: Boxes | None = None) -> Iterator[Update]:
    """Play game after game; yield what each move of it has then, before a box is filled again."""
    boxes = boxes or Boxes(game, recipe)
    seats = {"both": "XO", "x": "X", "o": "O"}[recipe.seat]
    for opponent, games in recipe.phases:
        for played in range(games):
            seat = seats[played % len(seats)]
            trail, end = played_game(boxes, seat, opponent, rng)
            for board, cell in trail:
                beads = int(reward(game, recipe, end, to_move(board)))
                number = max(0, boxes.beads(board, cell) + beads)
                if boxes.put(board, cell, number):
                    rng.refilled(board)
                yield (board, cell), number


def played_game(boxes: Boxes, seat: str, opponent: str, rng: Random) -> tuple[list[Pair], str]:
    """Play a game: the boards on which the learner moved and its moves, and the final board."""
    game = boxes.game
    board, trail = empty(game), []
    while not is_over(game, board):
        if to_move(board) in learners(opponent, seat):
            trail.append((board, boxes.draw(board, rng)))
            rng.moved(*trail[-1], explored=True)
            board = move(*trail[-1])
        else:
            board = answer(game, opponent, board, rng, lambda board: boxes.draw(board, rng))
    return trail, board
