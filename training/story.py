"""The first games of a training, told one at a time: each move, and then each update.

The plain learners play them.  They are step by step the same as the compiled ones, so what is told
is what happened.
"""

from typing import TypedDict

import msgspec

from app.recipes import Recipe
from app.recipes.algorithms import QTable
from training.plain import LEARNERS
from training.plain.boards import Pair, has_line, is_over, move, to_move
from training.plain.q_table import key_of
from training.plain.randomness import Random

GAMES = 20  # that are told
TOLD = ("q-learning", "q-table", "double-q", "self-play")  # what plays games epsilon-greedily


class Turn(TypedDict):
    """A move of the learner: before it, by chance or not, and after it and the answer to it."""

    board: str
    cell: int
    explored: bool
    after: str


class Change(TypedDict):
    """An update: the number of its turn, and the value of that move before and after it."""

    turn: int
    old: float
    new: float


class Told(TypedDict):
    """A game; what it was worth is in `result`, of the learner, or of X where it plays both."""

    turns: list[Turn]
    changes: list[Change]  # in the order of the learner
    result: str  # "win", "draw" or "loss"


class Listener(Random):
    """Random numbers that remember what a learner and its opponent made of them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.turns: list[tuple[int, bool, str]] = []  # cell, by chance or not, and the answer

    def moved(self, cell: int, explored: bool) -> None:
        """Remember a move of the learner."""
        self.turns.append((cell, explored, ""))

    def answered(self, board: str, itself: bool) -> None:
        """Remember an answer, which is no turn of the learner even if it is its own."""
        if itself:
            self.turns.pop()
        if self.turns:  # else it begins the game
            cell, explored, _ = self.turns[-1]
            self.turns[-1] = (cell, explored, board)


def story(recipe: Recipe, games: int = GAMES) -> bytes:
    """Tell the first games of a training as JSON: a list of `Told`, empty if none can be told."""
    told: list[Told] = []
    if recipe.slug in TOLD:
        listener, known = Listener(recipe.seed), Known(recipe)
        updates = LEARNERS[recipe.slug](recipe, listener)
        pending: list[tuple[Pair, float, float]] = []
        for pair, value in updates:
            pending.append((pair, known.learn(pair, value), value))
            if len(pending) == len(listener.turns) and (game := _game(recipe, listener, pending)):
                told.append(game)
                listener.turns, pending = [], []
                if len(told) == games:
                    break
    return msgspec.json.encode(told)


class Known:
    """The values so far: those of a move, or of all that look the same from some side."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.values: dict[object, float] = {}

    def learn(self, pair: Pair, value: float) -> float:
        """Take over a new value; return the one before."""
        key = key_of(self.recipe, *pair) if isinstance(self.recipe, QTable) else pair
        old = self.values.get(key, float(getattr(self.recipe, "initial", 0.0)))
        self.values[key] = value
        return old


def _game(
    recipe: Recipe, listener: Listener, pending: list[tuple[Pair, float, float]]
) -> Told | None:
    """Put a game together from as many turns and updates; None if it is not at its end."""
    updated = sorted(pending, key=lambda one: -one[0][0].count("."))
    turns = [
        Turn(board=board, cell=cell, explored=explored, after=answer or move(board, cell))
        for ((board, cell), _, _), (_, explored, answer) in zip(
            updated, listener.turns, strict=True
        )
    ]
    end = turns[-1]["after"]
    if not is_over(end):
        return None
    places = {board: number for number, ((board, _), _, _) in enumerate(updated)}
    changes = [Change(turn=places[board], old=old, new=new) for (board, _), old, new in pending]
    seat = "X" if recipe.slug == "self-play" else to_move(turns[0]["board"])
    result = "draw" if not has_line(end) else "loss" if to_move(end) == seat else "win"
    return Told(turns=turns, changes=changes, result=result)
