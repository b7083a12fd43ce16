"""The first games of a training, told one at a time: each move, and then each update.

The plain learners play them.  They are step by step the same as the compiled ones, so what is told
is what happened.
"""

from collections import Counter
from typing import TypedDict

import msgspec

from app.recipes import Recipe
from training.plain import LEARNERS, at_first, key_of
from training.plain.boards import Pair, has_line, is_over, legal_cells, move, to_move
from training.plain.randomness import Random

GAMES = 20  # that are told
TOLD = (
    "q-learning",
    "q-table",
    "double-q",
    "self-play",
    "sarsa",
    "expected-sarsa",
    "monte-carlo",
    "td-afterstates",
    "menace",
)  # what plays games, and learns from them move by move
BOTH_SIDES = ("self-play",)  # what moves for both


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
    times: int  # how often that value was updated, with this time


class Told(TypedDict):
    """A game; what it was worth is in `result`, of the learner, or of X where it plays both."""

    turns: list[Turn]
    changes: list[Change]  # in the order of the learner
    result: str  # "win", "draw" or "loss"


class Listener(Random):
    """Random numbers that remember what a learner and its opponent made of them."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.games: list[list[Turn]] = []
        self.emptied: list[str] = []  # boards whose box has just been filled again

    def moved(self, board: str, cell: int, explored: bool) -> None:
        """Remember a move of the learner."""
        if not self.games or _is_finished(self.games[-1]):
            self.games.append([])
        turn = Turn(board=board, cell=cell, explored=explored, after=move(board, cell))
        self.games[-1].append(turn)

    def answered(self, board: str, itself: bool) -> None:
        """Remember an answer, which is no turn of the learner even if it is its own."""
        turns = self.games[-1] if self.games else []
        if itself and turns and turns[-1]["after"] == board:
            turns.pop()
        if turns and not _is_finished(turns):  # else it begins the game
            turns[-1]["after"] = board

    def refilled(self, board: str) -> None:
        """Remember a box that is as it began."""
        self.emptied.append(board)


def story(recipe: Recipe, games: int = GAMES) -> bytes:
    """Tell the first games of a training as JSON: a list of `Told`, empty if none can be told."""
    told: list[Told] = []
    if recipe.slug in TOLD:
        listener, values, times = Listener(recipe.seed), dict[object, float](), Counter[object]()
        changes: list[list[Change]] = [[] for _ in range(games)]
        for pair, new in LEARNERS[recipe.slug](recipe, listener):
            number = len(listener.games) - 1
            if number == games:
                break
            key = key_of(recipe, *pair)
            old = values.get(key, at_first(recipe, *pair))
            values[key] = new
            times[key] += 1
            turn = _place(listener.games[number], pair)
            changes[number].append(Change(turn=turn, old=old, new=new, times=times[key]))
            for board in listener.emptied:
                for cell in legal_cells(board):
                    values.pop(key_of(recipe, board, cell), None)
            listener.emptied.clear()
        told = [
            Told(turns=turns, changes=learned, result=_result(recipe, turns))
            for turns, learned in zip(listener.games, changes, strict=False)
        ]
    return msgspec.json.encode(told)


def _is_finished(turns: list[Turn]) -> bool:
    return bool(turns) and is_over(turns[-1]["after"])


def _place(turns: list[Turn], pair: Pair) -> int:
    return next(i for i, turn in enumerate(turns) if (turn["board"], turn["cell"]) == pair)


def _result(recipe: Recipe, turns: list[Turn]) -> str:
    end = turns[-1]["after"]
    if not has_line(end):
        return "draw"
    seat = "X" if recipe.slug in BOTH_SIDES else to_move(turns[0]["board"])
    return "loss" if to_move(end) == seat else "win"
