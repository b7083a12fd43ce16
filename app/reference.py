"""Train with the textbook learners, which are the reference for the compiled learners.

The textbook learners are slow, but they make exactly the same updates: tests compare every update.
The lab shows the first games of a training with them, people teach them, and the page /why computes
the next update of a value with them.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

from app import textbook
from app.recipes import Recipe
from app.recipes.algorithms import League
from app.recipes.parameters import TaughtMoveError, list_taught_games
from app.textbook.league import Meeting
from app.textbook.loop import Move, Turn, Update
from app.textbook.opponents.first_empty import list_first_move
from app.textbook.opponents.minimax import list_best_moves, list_minimax_move
from app.textbook.opponents.opponent import Opponent
from app.textbook.opponents.random_moves import list_random_moves
from app.textbook.opponents.strongest import list_strongest_move
from app.textbook.opponents.t_hand import list_win_or_block_moves
from app.textbook.people import list_turns_with_people
from app.textbook.q_learning_with_faults import QLearningWithFaults
from app.textbook.rng import Random
from app.textbook.rules import TicTacToe
from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS, parse_position
from app.tictactoe.policy import BASELINES, Policy

TrainingEvent = Move | Update | Meeting
BoardAndCell = tuple[str, int]
MoveLister = Callable[[TicTacToe, str], list[int]]

TEXTBOOK_OPPONENTS: Mapping[str, MoveLister] = MappingProxyType(
    {
        "random": list_random_moves,
        "fixed": list_first_move,
        "t-hand": list_win_or_block_moves,
        "minimax": list_minimax_move,
        "minimax-random": list_best_moves,
        "strongest": list_strongest_move,
    }
)


class ReferenceLearner(Protocol):
    """A textbook learner, which chooses moves and learns from their results."""

    game: TicTacToe
    parameters: Any

    def __init__(self, game: TicTacToe, parameters: Any) -> None: ...

    def play(self, turn: Turn, rng: Random) -> Iterator[TrainingEvent]:
        """Yield each move and each update of a turn."""

    def choose(self, board: str, rng: Random) -> int:
        """Return a move of the trained agent, which no longer explores."""

    def value(self, board: str, cell: int) -> float:
        """Return the value of a move in the table, in the view of the player who makes it."""


@cache
def build_rules(game: Game) -> TicTacToe:
    # X moves first, so X completes a line in the first won position. If this is a win of O, a line
    # loses the game (misère).
    first_won = game.outcome[game.outcome != 0][0]
    return TicTacToe(game.rows, game.columns, game.in_a_row, misere=bool(first_won < 0))


def make_learner(game: Game, recipe: Recipe) -> ReferenceLearner:
    return find_learner(recipe)(build_rules(game), recipe)


def find_learner(recipe: Recipe) -> type[ReferenceLearner]:
    """Return the textbook class that has the same name as the recipe's class."""
    if getattr(recipe, "fault", "none") != "none":
        return QLearningWithFaults
    module = import_module(f"{textbook.__name__}.{recipe.slug.replace('-', '_')}")
    learner: type[ReferenceLearner] = getattr(module, type(recipe).__name__)
    return learner


UNFINISHED_TEXT = "is missing: the game is not over"


class UnfinishedError(TaughtMoveError):
    """Raised if a person's move is missing because the game is not over; `board` is the last board."""

    def __init__(self, game_number: int, move_number: int, board: str) -> None:
        super().__init__(game_number, move_number, UNFINISHED_TEXT)
        self.board = board


class CheckedPerson:
    """The person in one game of a recipe, who plays `cells` in this order.

    `game_number` counts the games of the recipe from 1.
    """

    def __init__(self, game_number: int, cells: str) -> None:
        self.number = game_number
        self.cells = cells
        self.moves = 0

    def choose(self, board: str, _rng: Random) -> int:
        """Return the person's next cell.

        Raises TaughtMoveError if the cell is taken, and UnfinishedError if no cell is left.
        """
        self.moves += 1
        if self.moves > len(self.cells):
            raise UnfinishedError(self.number, self.moves, board)
        cell = DIGITS.index(self.cells[self.moves - 1])
        if board[cell] != ".":
            raise TaughtMoveError(
                self.number, self.moves, f"is cell {cell}, which is taken"
            )
        return cell

    def check_no_cells_are_left(self) -> None:
        if self.moves < len(self.cells):
            raise TaughtMoveError(
                self.number, self.moves + 1, "comes after the end of the game"
            )


def list_recipe_turns(game: Game, recipe: Recipe) -> Iterator[Turn]:
    people = (
        CheckedPerson(number, cells)
        for number, cells in enumerate(list_taught_games(recipe), 1)
    )
    names = () if isinstance(recipe, League) else {name for name, _ in recipe.phases}
    opponents = {
        name: Opponent(build_rules(game), find_move_lister(game, name))
        for name in names
        if name in BASELINES
    }
    yield from list_turns_with_people(recipe.phases, opponents, people)


def find_move_lister(game: Game, baseline: str) -> MoveLister:
    """Return the function that lists the moves of a baseline.

    A baseline without a file in `app/textbook` plays by its policy.
    """
    return TEXTBOOK_OPPONENTS.get(baseline) or (
        lambda rules, board: [
            cell
            for cell in rules.legal_moves(board)
            if compute_baseline_policy(game, baseline)[
                parse_position(game, board), cell
            ]
            > 0
        ]
    )


@cache
def compute_baseline_policy(game: Game, baseline: str) -> Policy:
    return BASELINES[baseline].build_policy(game)


def learn(
    game: Game, recipe: Recipe, learner: ReferenceLearner | None = None
) -> Iterator[TrainingEvent]:
    """Yield each move and each update of a training, as `training.learners.learn` makes them.

    Raises TaughtMoveError for an impossible move of a person.
    """
    learner = learner or make_learner(game, recipe)
    rng = Random(recipe.seed)
    for turn in list_recipe_turns(game, recipe):
        yield from learner.play(turn, rng)
        if isinstance(turn.player, CheckedPerson):
            turn.player.check_no_cells_are_left()


def get_move_key(learner: ReferenceLearner, board: str, cell: int) -> Hashable:
    return learner.key(board, cell) if hasattr(learner, "key") else (board, cell)


def get_update_key(learner: ReferenceLearner, update: Update) -> Hashable:
    """Return the key of the updated value in the learner's table.

    In a league, this key is the board and the cell of the update.
    """
    if isinstance(learner.parameters, League):
        return update.board, update.cell
    return get_move_key(learner, update.board, update.cell)
