"""A game on boards as text: its moves, how it ends, and the opponents' answers."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from app.recipes import Recipe
from app.recipes.algorithms import Menace, SelfPlay
from app.recipes.parameters import BOTH, SELF, YOU, Rewarded, TaughtError, games_taught
from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS, parse_position, position_text
from app.tictactoe.policy import BASELINES, Policy
from training.plain.randomness import Random

Pair = tuple[str, int]  # a board and the cell played
Update = tuple[Pair, float]  # and its new value
Choose = Callable[[str], int]  # the learner's own greedy play, for an opponent that is itself


class UnfinishedError(TaughtError):
    """A game in which a person has not moved yet: the board is where they are to move."""

    def __init__(self, number: int, move: int, board: str) -> None:
        super().__init__(number, move, "is missing: the game is not over")
        self.board = board


class Person:
    """The person who teaches in one game, by the cells that they played."""

    def __init__(self, number: int, cells: str) -> None:
        """`number` is that of the game among those with people, from 1."""
        self.number, self.cells, self.moves = number, cells, 0

    def choose(self, board: str) -> int:
        """Return the next cell.

        Raises TaughtError if it is taken, and UnfinishedError if there is none.
        """
        self.moves += 1
        if self.moves > len(self.cells):
            raise UnfinishedError(self.number, self.moves, board)
        cell = DIGITS.index(self.cells[self.moves - 1])
        if board[cell] != ".":
            raise TaughtError(self.number, self.moves, f"is cell {cell}, which is taken")
        return cell

    def leave(self) -> None:
        """Raise TaughtError if there are cells left when the game is over."""
        if self.moves < len(self.cells):
            raise TaughtError(self.number, self.moves + 1, "comes after the end of the game")


class Turn(NamedTuple):
    """A turn of a training: a game, or a round or sweep of it."""

    opponent: str
    number: int  # of the turn among those against this opponent, from 0
    length: int  # how many there are against it
    played: int  # turns before it, against any opponent
    person: Person | None  # where that is the opponent

    def seat(self, recipe: Recipe, number: int) -> str:
        """Return in which seat, "X" or "O", the learner plays game `number` of the training.

        People change seats from each of their games to the next, whatever lies between.
        """
        seats = {"both": "XO", "x": "X", "o": "O"}[getattr(recipe, "seat", "both")]
        return seats[(self.person.number - 1 if self.person else number) % len(seats)]


def turns(recipe: Recipe) -> Iterator[Turn]:
    """List the turns of a training."""
    played, people = 0, 0
    for opponent, length in recipe.phases:
        for number in range(length):
            person = None
            if opponent == YOU:
                person = Person(people + 1, games_taught(recipe)[people])
                people += 1
            yield Turn(opponent, number, length, played, person)
            played += 1


def empty(game: Game) -> str:
    """Return the board with which every game begins."""
    return "." * game.cells


def legal_cells(board: str) -> list[int]:
    """List the empty cells."""
    return [cell for cell, stone in enumerate(board) if stone == "."]


@cache
def to_move(board: str) -> str:
    """Tell whose turn it is, or of a finished board who did not end the game."""
    return "X" if board.count("X") == board.count("O") else "O"


@cache
def made_by(board: str) -> str:
    """Tell who moved last."""
    return "O" if to_move(board) == "X" else "X"


def move(board: str, cell: int) -> str:
    """Put the stone of the player to move."""
    return board[:cell] + to_move(board) + board[cell + 1 :]


@cache
def endings(game: Game) -> dict[str, int]:
    """Say of every finished board who won: 1 X, 0 a draw, -1 O."""
    finished = range(game.decisions, game.positions)
    return {position_text(game, position): game.result(position) for position in finished}


def is_over(game: Game, board: str) -> bool:
    """Whether the game has ended on a board."""
    return board in endings(game)


def result(game: Game, board: str, player: str) -> int:
    """Return how a finished board ended for "X" or "O": 1 won, 0 drawn, -1 lost."""
    return endings(game)[board] if player == "X" else -endings(game)[board]


def reward(game: Game, recipe: Rewarded | SelfPlay | Menace, board: str, player: str) -> float:
    """Return what a finished board is worth to "X" or "O"."""
    return {1: recipe.win, 0: recipe.draw, -1: recipe.loss}[result(game, board, player)]


@cache
def unfinished_boards(game: Game) -> list[str]:
    """List every board on which the game goes on, by plies, then in the order '.' < X < O."""
    found, ply = [], {empty(game)}
    while ply:
        found += sorted(ply, key=lambda board: board.translate(str.maketrans(".XO", "012")))
        children = {move(board, cell) for board in ply for cell in legal_cells(board)}
        ply = {board for board in children if not is_over(game, board)}
    return found


@cache
def boards_of(game: Game, seat: str) -> list[str]:
    """List those of them in which a seat, "x" or "o", is to move; all for "both"."""
    boards = unfinished_boards(game)
    return [board for board in boards if seat in ("both", to_move(board).lower())]


def pick(cells: list[int], u: float) -> int:
    """Choose by a number from 0 to 1."""
    return cells[min(int(u * len(cells)), len(cells) - 1)]


def epsilon_greedy(
    board: str, worth: dict[int, float], epsilon: float, rng: Random, ties: str = "random"
) -> int:
    """Draw any cell with chance epsilon, else one of the best, with one random number for both.

    `worth` says what each cell of the board is worth.
    """
    u, highest = rng.random(), max(worth.values())
    if u < epsilon:
        cell = pick(list(worth), u / epsilon)
    else:
        best = [cell for cell, value in worth.items() if value == highest]
        cell = best[0] if ties == "first" else pick(best, (u - epsilon) / (1 - epsilon))
    rng.moved(board, cell, explored=u < epsilon)
    return cell


def lowered(epsilon: float, drop: float, turn: Turn, together: int = 1) -> float:
    """Return epsilon in a turn: it falls after every tenth of those against an opponent.

    So many turns one after the other have the same.
    """
    before = turn.number - turn.number % together
    return max(0.0, epsilon - drop * (10 * before // turn.length))


def learners(opponent: str, seat: str) -> str:
    """Name the players that learn in a game, "X", "O" or "XO" for both."""
    return "XO" if opponent == BOTH else seat


def answer(game: Game, turn: Turn, board: str, rng: Random, own: Choose) -> str:
    """Return the board after the opponent's answer; raises as `Person.choose` does."""
    if turn.person:
        cell = turn.person.choose(board)
    elif turn.opponent == SELF:
        cell = own(board)
    else:
        cell = pick(choices(game, turn.opponent, board), rng.random())
    rng.answered(move(board, cell), turn.opponent == SELF)
    return move(board, cell)


@cache
def choices(game: Game, opponent: str, board: str) -> list[int]:
    """List the cells that an opponent plays with equal chances."""
    policy = _policy(game, opponent)[parse_position(game, board)]
    return [cell for cell in legal_cells(board) if policy[cell] > 0]


@cache
def _policy(game: Game, opponent: str) -> Policy:
    return BASELINES[opponent].policy(game)


@cache
def standing(game: Game, board: str) -> str:
    """Choose one board for all that look the same from some side."""
    return min(turned for turned, _ in images(game, board, 0))


@cache
def standing_pair(game: Game, board: str, cell: int) -> Pair:
    """Choose one pair for all that look the same from some side."""
    return min(images(game, board, cell))


def images(game: Game, board: str, cell: int) -> list[Pair]:
    """List what a board and a cell become by the symmetries of the board."""
    return [("".join(board[one] for one in cells), cells.index(cell)) for cells in _sides(game)]


@cache
def _sides(game: Game) -> list[list[int]]:
    """List from where each cell's stone comes when a board is looked at from some side."""
    sides: list[list[int]] = game.symmetry.tolist()
    return sides
