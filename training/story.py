"""Record the first games of a training: each move and each update.

The textbook learners play the games. They make the same moves and updates as the compiled learners,
so the record shows what happened in the training.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from app.recipes import ALGORITHMS, Recipe
from app.recipes.algorithms import League
from app.recipes.games import (
    TrainingGame,
    TrainingMove,
    TrainingUpdate,
    make_training_update,
)
from app.reference import (
    ReferenceLearner,
    TrainingEvent,
    build_rules,
    get_move_key,
    get_update_key,
    learn,
    make_learner,
)
from app.textbook import league
from app.textbook.loop import Move, Update
from app.textbook.menace import Menace
from app.tictactoe.game import GAME

MAX_SHOWN_GAMES = 20
RESULT_BY_SIGN: dict[int, Literal["win", "draw", "loss"]] = {
    1: "win",
    0: "draw",
    -1: "loss",
}
# Q-iteration plays no games, and MCTS simulates games from every position.
UNRECORDED_ALGORITHMS = ("q-iteration", "mcts")
RECORDED_ALGORITHMS = tuple(
    slug
    for slug, algorithm in ALGORITHMS.items()
    if not algorithm.is_network and slug not in UNRECORDED_ALGORITHMS
)
# These learners learn after every move, also after the opponent's, so an update belongs to the move
# that was just made.
RECORDED_EVERY_PLY = ("league",)


class GameRecorder:
    """Records the games of a training, each with its moves and its updates."""

    def __init__(self, recipe: Recipe, records_values: bool = False) -> None:
        """Begin a record; with `records_values`, updates also have the values of all moves."""
        self.recipe = recipe
        self.rules = build_rules(GAME)
        self.records_values = records_values
        # {key of a table entry: number of its updates}
        self.update_counts: Counter[Hashable] = Counter()
        self.forget_games()

    def forget_games(self) -> None:
        """Delete the recorded games, but go on counting the updates of each table entry."""
        self.games: list[list[TrainingMove]] = []
        # {index of a game: its updates}; games without an update are missing
        self.updates_by_game: dict[int, list[TrainingUpdate]] = {}
        # In a league: the learner's opponent and the learner's seat in each game.
        self.meetings: list[tuple[str, str]] = []
        # In a league, learners also play games without this learner; these are not recorded.
        self.is_game_without_learner = False

    def record_event(self, learner: ReferenceLearner, event: TrainingEvent) -> None:
        match event:
            case league.Meeting(opponent, seat):
                self.is_game_without_learner = not opponent
                if opponent:
                    self.meetings.append((opponent, seat))
            case Move(board, cell, explored) if not self.is_game_without_learner:
                self.record_move(board, cell, explored)
            case Update():
                self.record_update(learner, event)

    def record_move(self, board: str, cell: int, explored: bool | None) -> None:
        """Record a move of the learner, or add the board after an opponent's move to the last record.

        `explored` is None for a move of the opponent.
        """
        moves = self.games[-1] if self.games else []
        next_board = self.rules.make_move(board, cell)
        if explored is None:
            # If the opponent makes the first move of a game, there is no move to complete.
            if moves and not self.is_finished(moves):
                moves[-1] = replace(moves[-1], next_own_board=next_board)
            return
        if not moves or self.is_finished(moves):
            self.games.append(moves := [])
        moves.append(
            TrainingMove(
                board=board, cell=cell, was_random=explored, next_own_board=next_board
            )
        )

    def is_finished(self, moves: list[TrainingMove]) -> bool:
        return bool(self.rules.is_over(moves[-1].next_own_board))

    def count_update(self, learner: ReferenceLearner, update: Update) -> int:
        key = get_update_key(learner, update)
        self.update_counts[key] += 1
        return self.update_counts[key]

    def record_update(self, learner: ReferenceLearner, update: Update) -> None:
        count = self.count_update(learner, update)
        game_index = len(self.games) - 1
        moves = self.games[game_index]
        updates = self.updates_by_game.setdefault(game_index, [])
        move_index = (
            len(moves) - 1
            if self.recipe.slug in RECORDED_EVERY_PLY
            else _find_move_index(moves, update)
        )
        move = moves[move_index]
        seat = ""
        is_opponent_move = False
        if isinstance(self.recipe, League):
            mover = self.rules.player_to_move(move.board)
            seat = self.meetings[game_index][1]
            if self.recipe.observing and mover != seat:
                is_second = any(earlier.move_index == move_index for earlier in updates)
                is_opponent_move = self.recipe.stages == "one" or is_second
            if is_opponent_move:
                seat = mover
        values = []
        next_values = []
        if self.records_values:
            values = list_entries_before(learner, update, move.board, move.cell, seat)
            next_values = list_entries(learner, update.next_board, seat)
        updates.append(
            make_training_update(
                update,
                move_index=move_index,
                update_count=count,
                is_opponent_move=is_opponent_move,
                values=values,
                next_values=next_values,
            )
        )

    def build_game(self, game_index: int) -> TrainingGame:
        moves = self.games[game_index]
        opponent, seat = self.meetings[game_index] if self.meetings else ("", "")
        if not seat:
            seats = {self.rules.player_to_move(move.board) for move in moves}
            seat = seats.pop() if len(seats) == 1 else "X"
        return TrainingGame(
            moves=moves,
            updates=self.updates_by_game.get(game_index, []),
            seat=seat,
            opponent=opponent,
            result=RESULT_BY_SIGN[self.rules.result(moves[-1].next_own_board, seat)],
        )


def encode_game_log(recipe: Recipe) -> bytes:
    """Return the first games of a training as JSON: a list of `TrainingGame`.

    The list is empty for an algorithm that plays no games.
    """
    recorder = GameRecorder(recipe)
    if recipe.slug in RECORDED_ALGORITHMS:
        learner = make_learner(GAME, recipe)
        for event in learn(GAME, recipe, learner):
            recorder.record_event(learner, event)
            if len(recorder.games) > MAX_SHOWN_GAMES:
                break
    return msgspec.json.encode(
        [recorder.build_game(n) for n in range(len(recorder.games[:MAX_SHOWN_GAMES]))]
    )


def replace_nan(values: NDArray[np.floating]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def list_entries(
    learner: ReferenceLearner, board: str, seat: str = ""
) -> list[float | None]:
    """Return the value of each cell on a board, with None for occupied cells; [] if the game is over.

    In a league the values also depend on the seat, "X" or "O", from which the learner sees the
    board.
    """
    if not board or learner.game.is_over(board):
        return []
    return [
        read_entry(learner, board, cell, seat) if stone == "." else None
        for cell, stone in enumerate(board)
    ]


def read_entry(learner: ReferenceLearner, board: str, cell: int, seat: str) -> float:
    match learner:
        case league.League():
            return float(learner.own.q[learner.own.see(board, cell, seat)])
        case Menace():
            return float(learner.beads(board, cell))
    return learner.value(board, cell)


def find_entry_key(
    learner: ReferenceLearner, board: str, cell: int, seat: str
) -> Hashable:
    if isinstance(learner, league.League):
        entry: Hashable = learner.own.see(board, cell, seat)
        return entry
    return get_move_key(learner, board, cell)


def list_entries_before(
    learner: ReferenceLearner, update: Update, board: str, cell: int, seat: str
) -> list[float | None]:
    """Return the values of all moves on a board, as they were before an update.

    The update changed the value of the move to `cell`, and of moves that share its table entry.
    """
    changed_entry = find_entry_key(learner, board, cell, seat)
    return [
        update.old
        if value is not None
        and find_entry_key(learner, board, move, seat) == changed_entry
        else value
        for move, value in enumerate(list_entries(learner, board, seat))
    ]


def _find_move_index(moves: list[TrainingMove], update: Update) -> int:
    updated_move = update.board, update.cell
    return next(
        index
        for index, move in enumerate(moves)
        if (move.board, move.cell) == updated_move
    )
