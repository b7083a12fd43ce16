"""The first games of a training, told one at a time: each move, and then each update.

The plain learners play them.  They are step by step the same as the compiled ones, so what is told
is what happened.
"""

from collections import Counter
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.recipes import Recipe
from app.recipes.algorithms import League
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.tictactoe.game import Game
from training.plain import LEARNERS, at_first, key_of, learn
from training.plain.boards import Pair, is_over, legal_cells, move, result, to_move
from training.plain.randomness import Random

GAMES = 20  # that are told
RESULTS: dict[int, Literal["win", "draw", "loss"]] = {1: "win", 0: "draw", -1: "loss"}
UNTOLD = ("q-iteration", "mcts")  # one plays none, the other simulates them in every position
TOLD = tuple(slug for slug in LEARNERS if slug not in UNTOLD)
EVERY_PLY = ("league",)  # what learns of its opponent's moves, too: they are turns as well


class Listener(Random):
    """Random numbers that remember what a learner and its opponent made of them."""

    def __init__(self, game: Game, recipe: Recipe) -> None:
        super().__init__(recipe.seed)
        self.game, self.recipe = game, recipe
        self.learned: dict[object, float] = {}  # the values that were updated, by what has one
        self.times: Counter[object] = Counter()  # how often each was
        self.begin()

    def begin(self) -> None:
        """Forget the games that were told, and nothing of what was learned in them."""
        self.games: list[list[TrainingMove]] = []
        self.changes: list[list[TrainingUpdate]] = []  # of each game
        self.meetings: list[tuple[str, str]] = []  # opponent and seat in each game, where told
        self.watching = False  # a game of others
        self.emptied: list[str] = []  # boards whose box has just been filled again
        self.values: dict[object, float] = {}  # of boards, since the last game

    def moved(self, board: str, cell: int, explored: bool) -> None:
        """Remember a move of the learner."""
        if self.watching:
            return
        if not self.games or self.is_finished(self.games[-1]):
            self.games.append([])
        turn = TrainingMove(board=board, cell=cell, explored=explored, after=move(board, cell))
        self.games[-1].append(turn)

    def answered(self, board: str, itself: bool) -> None:
        """Remember an answer, which is no turn of the learner even if it is its own."""
        turns = self.games[-1] if self.games else []
        if itself and turns and turns[-1].after == board:
            turns.pop()
        if turns and not self.is_finished(turns):  # else it begins the game
            turns[-1] = replace(turns[-1], after=board)

    def is_finished(self, turns: list[TrainingMove]) -> bool:
        """Whether a game has ended with these turns."""
        return bool(turns) and is_over(self.game, turns[-1].after)

    def refilled(self, board: str) -> None:
        """Remember a box that is as it began."""
        self.emptied.append(board)

    def revised(self, board: str, value: float) -> None:
        """Remember what a board is worth, whether or not it was met in the last game."""
        self.values[board] = value

    def met(self, opponent: str, seat: str) -> None:
        """Remember against whom the next game is."""
        self.watching = not opponent
        if opponent:
            self.meetings.append((opponent, seat))

    def updated(self, pair: Pair, new: float) -> None:
        """Remember an update of the last game."""
        key = key_of(self.game, self.recipe, *pair)
        old = self.learned.get(key, at_first(self.game, self.recipe, *pair))
        self.learned[key] = new
        self.times[key] += 1
        number = len(self.games) - 1  # games that teach nothing come and go without an update
        self.changes += [[] for _ in range(number + 1 - len(self.changes))]
        turns, changes = self.games[number], self.changes[number]
        turn = len(turns) - 1 if self.recipe.slug in EVERY_PLY else _place(turns, pair)
        observed = isinstance(self.recipe, League) and (
            self.recipe.observing
            and to_move(turns[turn].board) != self.meetings[number][1]
            and (self.recipe.stages == "one" or turn in [change.turn for change in changes])
        )
        changes.append(
            TrainingUpdate(turn=turn, old=old, new=new, times=self.times[key], observed=observed)
        )
        for board in self.emptied:
            for cell in legal_cells(board):
                self.learned.pop(key_of(self.game, self.recipe, board, cell), None)
        self.emptied.clear()
        if turn == len(turns) - 1:
            self.learned |= self.values

    def told(self, number: int) -> TrainingGame:
        """Tell a game that is over."""
        turns = self.games[number]
        opponent, seat = self.meetings[number] if self.meetings else ("", "")
        if not seat:
            seats = {to_move(turn.board) for turn in turns}
            seat = seats.pop() if len(seats) == 1 else "X"
        return TrainingGame(
            turns=turns,
            changes=self.changes[number] if number < len(self.changes) else [],
            seat=seat,
            opponent=opponent,
            result=RESULTS[result(self.game, turns[-1].after, seat)],
        )


def story(game: Game, recipe: Recipe, games: int = GAMES) -> bytes:
    """Tell the first games of a training as JSON, a list of `TrainingGame`; none if it has none."""
    listener = Listener(game, recipe)
    if recipe.slug in TOLD:
        for pair, new in learn(game, recipe, listener):
            if len(listener.games) > games:
                break
            listener.updated(pair, new)
    return msgspec.json.encode([listener.told(n) for n in range(len(listener.games[:games]))])


def _place(turns: list[TrainingMove], pair: Pair) -> int:
    return next(i for i, turn in enumerate(turns) if (turn.board, turn.cell) == pair)
