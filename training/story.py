"""The first games of a training, told one at a time: each move, and then each update.

The plain learners play them.  They are step by step the same as the compiled ones, so what is told
is what happened.
"""

from collections import Counter
from typing import TypedDict

import msgspec

from app.recipes import Recipe
from app.recipes.algorithms import League
from app.tictactoe.game import Game
from training.plain import LEARNERS, at_first, key_of, learn
from training.plain.boards import Pair, is_over, legal_cells, move, result, to_move
from training.plain.randomness import Random

GAMES = 20  # that are told
RESULTS = {1: "win", 0: "draw", -1: "loss"}
UNTOLD = ("q-iteration", "mcts")  # one plays none, the other simulates them in every position
TOLD = tuple(slug for slug in LEARNERS if slug not in UNTOLD)
EVERY_PLY = ("league",)  # what learns of its opponent's moves, too: they are turns as well


class Turn(TypedDict):
    """A move: before it, by chance or not, and after it and the answer to it, if that is no turn.

    `explored` also says of a move that something unseen follows it, where that is what is sought.
    """

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
    observed: bool  # of a move of the opponent, as if it had been the learner's own


class Told(TypedDict):
    """A game, and what it was worth to the learner in this seat: "X" where it moved in both."""

    turns: list[Turn]
    changes: list[Change]  # in the order of the learner
    seat: str
    opponent: str  # "" where the recipe says who that is
    result: str  # "win", "draw" or "loss"


class Listener(Random):
    """Random numbers that remember what a learner and its opponent made of them."""

    def __init__(self, game: Game, seed: int) -> None:
        super().__init__(seed)
        self.game = game
        self.games: list[list[Turn]] = []
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
        turn = Turn(board=board, cell=cell, explored=explored, after=move(board, cell))
        self.games[-1].append(turn)

    def answered(self, board: str, itself: bool) -> None:
        """Remember an answer, which is no turn of the learner even if it is its own."""
        turns = self.games[-1] if self.games else []
        if itself and turns and turns[-1]["after"] == board:
            turns.pop()
        if turns and not self.is_finished(turns):  # else it begins the game
            turns[-1]["after"] = board

    def is_finished(self, turns: list[Turn]) -> bool:
        """Whether a game has ended with these turns."""
        return bool(turns) and is_over(self.game, turns[-1]["after"])

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


def story(game: Game, recipe: Recipe, games: int = GAMES) -> bytes:
    """Tell the first games of a training as JSON: a list of `Told`, empty if none can be told."""
    told: list[Told] = []
    if recipe.slug in TOLD:
        listener = Listener(game, recipe.seed)
        values, times = dict[object, float](), Counter[object]()
        changes: list[list[Change]] = [[] for _ in range(games)]
        for pair, new in learn(game, recipe, listener):
            number = len(listener.games) - 1
            if number >= games:  # games that teach nothing come and go without an update
                break
            key = key_of(game, recipe, *pair)
            old = values.get(key, at_first(game, recipe, *pair))
            values[key] = new
            times[key] += 1
            turns = listener.games[number]
            turn = len(turns) - 1 if recipe.slug in EVERY_PLY else _place(turns, pair)
            before = [change["turn"] for change in changes[number]]
            observed = isinstance(recipe, League) and (
                recipe.observing
                and to_move(turns[turn]["board"]) != listener.meetings[number][1]
                and (recipe.stages == "one" or turn in before)
            )
            changes[number].append(
                Change(turn=turn, old=old, new=new, times=times[key], observed=observed)
            )
            for board in listener.emptied:
                for cell in legal_cells(board):
                    values.pop(key_of(game, recipe, board, cell), None)
            listener.emptied.clear()
            if turn == len(turns) - 1:
                values |= listener.values
        told = [
            _told(listener, number, learned)
            for number, learned in enumerate(changes[: len(listener.games)])
        ]
    return msgspec.json.encode(told)


def _told(listener: Listener, number: int, changes: list[Change]) -> Told:
    turns = listener.games[number]
    opponent, seat = listener.meetings[number] if listener.meetings else ("", "")
    if not seat:
        seats = {to_move(turn["board"]) for turn in turns}
        seat = seats.pop() if len(seats) == 1 else "X"
    ended = RESULTS[result(listener.game, turns[-1]["after"], seat)]
    return Told(turns=turns, changes=changes, seat=seat, opponent=opponent, result=ended)


def _place(turns: list[Turn], pair: Pair) -> int:
    return next(i for i, turn in enumerate(turns) if (turn["board"], turn["cell"]) == pair)
