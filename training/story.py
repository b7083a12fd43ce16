"""A record of the first games of a training: each move and each update.

The textbook learners play the games.  They make the same moves and updates as the compiled
learners, so the record shows what happened in the training.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.recipes import Recipe
from app.recipes.algorithms import League
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.tictactoe.game import Game
from training.reference import (
    LEARNERS,
    ReferenceLearner,
    TrainingEvent,
    build_rules,
    get_move_key,
    get_update_key,
    learn,
    make_learner,
)
from training.textbook.league import League as TextbookLeague
from training.textbook.league import Meeting
from training.textbook.loop import Move, Update
from training.textbook.menace import Menace

MAX_STORY_GAMES = 20  # number of games that are recorded
RESULT_BY_SIGN: dict[int, Literal["win", "draw", "loss"]] = {
    1: "win",
    0: "draw",
    -1: "loss",
}
# Q-iteration plays no games; MCTS simulates games from every position.
UNRECORDED_ALGORITHMS = ("q-iteration", "mcts")
RECORDED_ALGORITHMS = tuple(
    slug for slug in LEARNERS if slug not in UNRECORDED_ALGORITHMS
)
# Algorithms that also learn from the opponent's moves: these are recorded like own moves.
RECORDED_EVERY_PLY = ("league",)


# The fields that `Update` and `TrainingUpdate` have in common.
COPIED_FIELDS = [
    name for name in Update._fields if name in TrainingUpdate.__struct_fields__
]


class GameRecorder:
    """A record of the games that a learner played, with its updates."""

    def __init__(self, game: Game, recipe: Recipe, with_values: bool = False) -> None:
        """`with_values`: whether an update holds the values of all moves of its boards."""
        self.game = game
        self.recipe = recipe
        self.rules = build_rules(game)
        self.with_values = with_values
        # number of updates of each table entry
        self.times: Counter[Hashable] = Counter()
        self.start_game()

    def start_game(self) -> None:
        """Delete the recorded games; the counts of updates stay."""
        self.games: list[list[TrainingMove]] = []
        self.changes: list[list[TrainingUpdate]] = []  # the updates of each game
        self.meetings: list[
            tuple[str, str]
        ] = []  # opponent and seat in each game of a league
        self.is_watching = False  # whether a league game without the learner is played

    def record_event(self, learner: ReferenceLearner, event: TrainingEvent) -> None:
        """Record the next event of the training."""
        match event:
            case Meeting(opponent, seat):
                self.is_watching = not opponent
                if opponent:
                    self.meetings.append((opponent, seat))
            case Move(board, cell, explored) if not self.is_watching:
                self.record_move(board, cell, explored)
            case Update():
                self.record_update(learner, event)

    def record_move(self, board: str, cell: int, explored: bool | None) -> None:
        """Record a move of the learner, or the board after the opponent's reply to its last move."""
        turns = self.games[-1] if self.games else []
        after = self.rules.make_move(board, cell)
        if explored is None:
            # An opponent's first move of a game is not a reply: it changes no recorded move.
            if turns and not self.is_finished(turns):
                turns[-1] = replace(turns[-1], next_own_board=after)
            return
        if not turns or self.is_finished(turns):
            self.games.append(turns := [])
        turns.append(
            TrainingMove(
                board=board, cell=cell, was_random=explored, next_own_board=after
            )
        )

    def is_finished(self, turns: list[TrainingMove]) -> bool:
        """Return whether these moves are a finished game."""
        return bool(self.rules.is_over(turns[-1].next_own_board))

    def count_update(self, learner: ReferenceLearner, update: Update) -> int:
        """Count an update of its table entry; return the number of updates of the entry so far."""
        key = get_update_key(learner, update)
        self.times[key] += 1
        return self.times[key]

    def record_update(self, learner: ReferenceLearner, update: Update) -> None:
        """Record an update of the last game."""
        count = self.count_update(learner, update)
        # A game without any update gets an empty list.
        number = len(self.games) - 1
        self.changes += [[] for _ in range(number + 1 - len(self.changes))]
        turns = self.games[number]
        changes = self.changes[number]
        turn = (
            len(turns) - 1
            if self.recipe.slug in RECORDED_EVERY_PLY
            else _find_move_index(turns, update)
        )
        board = turns[turn].board
        seat = ""
        observed = False
        if isinstance(self.recipe, League):
            mover = self.rules.player_to_move(board)
            seat = self.meetings[number][1]
            if self.recipe.observing and mover != seat:
                is_second = any(change.move_index == turn for change in changes)
                observed = self.recipe.stages == "one" or is_second
            if observed:
                seat = mover
        values = []
        next_values = []
        if self.with_values:
            values = list_values_before(learner, update, board, turns[turn].cell, seat)
            next_values = list_values(learner, update.next_board, seat)
        changes.append(
            TrainingUpdate(
                move_index=turn,
                update_count=count,
                is_opponent_move=observed,
                values=values,
                next_values=next_values,
                **{name: getattr(update, name) for name in COPIED_FIELDS},
            )
        )

    def build_game(self, number: int) -> TrainingGame:
        """Return the record of a finished game."""
        turns = self.games[number]
        opponent, seat = self.meetings[number] if self.meetings else ("", "")
        if not seat:
            seats = {self.rules.player_to_move(turn.board) for turn in turns}
            seat = seats.pop() if len(seats) == 1 else "X"
        return TrainingGame(
            moves=turns,
            updates=self.changes[number] if number < len(self.changes) else [],
            seat=seat,
            opponent=opponent,
            result=RESULT_BY_SIGN[self.rules.result(turns[-1].next_own_board, seat)],
        )


def encode_story(game: Game, recipe: Recipe, games: int = MAX_STORY_GAMES) -> bytes:
    """Return the first games of a training as JSON: a list of `TrainingGame`.

    The list is empty for an algorithm without recorded games.
    """
    listener = GameRecorder(game, recipe)
    if recipe.slug in RECORDED_ALGORITHMS:
        learner = make_learner(game, recipe)
        for event in learn(game, recipe, learner):
            listener.record_event(learner, event)
            if len(listener.games) > games:
                break
    return msgspec.json.encode(
        [listener.build_game(n) for n in range(len(listener.games[:games]))]
    )


def list_row(row: NDArray[np.floating]) -> list[float | None]:
    """Return a row of values as a list, with None in place of NaN."""
    return [None if np.isnan(value) else float(value) for value in row]


def list_values(
    learner: ReferenceLearner, board: str, seat: str = ""
) -> list[float | None]:
    """Return the value of each cell of a board, None where it is taken; [] after the end.

    In a league a value depends on the `seat` of the player who looks at the board.
    """
    if not board or learner.game.is_over(board):
        return []
    return [
        read_value(learner, board, cell, seat) if stone == "." else None
        for cell, stone in enumerate(board)
    ]


def read_value(learner: ReferenceLearner, board: str, cell: int, seat: str) -> float:
    """Return the entry of a move in the learner's table: its value, or its number of beads."""
    match learner:
        case TextbookLeague():
            return float(learner.own.q[learner.own.see(board, cell, seat)])
        case Menace():
            return float(learner.beads(board, cell))
    return learner.value(board, cell)


def find_entry_key(
    learner: ReferenceLearner, board: str, cell: int, seat: str
) -> Hashable:
    """Return the key of the table entry that has a move's value."""
    if isinstance(learner, TextbookLeague):
        entry: Hashable = learner.own.see(board, cell, seat)
        return entry
    return get_move_key(learner, board, cell)


def list_values_before(
    learner: ReferenceLearner, update: Update, board: str, cell: int, seat: str
) -> list[float | None]:
    """Return the values of all moves of a board as they were before an update of one of them."""
    changed_entry = find_entry_key(learner, board, cell, seat)
    return [
        update.old
        if value is not None
        and find_entry_key(learner, board, move, seat) == changed_entry
        else value
        for move, value in enumerate(list_values(learner, board, seat))
    ]


def _find_move_index(turns: list[TrainingMove], update: Update) -> int:
    """Return the index of the move that an update belongs to."""
    move = update.board, update.cell
    return next(
        number for number, turn in enumerate(turns) if (turn.board, turn.cell) == move
    )
