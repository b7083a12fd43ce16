"""The games of a training, as the trainer tells them, and how an algorithm's updates are put."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from app.recipes import Recipe
from app.web.numbers import MINUS

FLIPPED = {"win": "loss", "draw": "draw", "loss": "win"}


class TrainingMove(Struct, frozen=True):
    """A move: the board before it as text, the cell, and the board at the next move or the end."""

    board: str
    cell: int
    explored: bool  # drawn at random, or into something unseen where that is what is sought
    after: str

    @property
    def mark(self) -> str:
        """Who made it, "X" or "O"."""
        return "X" if self.board.count("X") == self.board.count("O") else "O"


class TrainingUpdate(Struct, frozen=True):
    """An update of the value of a move."""

    turn: int  # the number of the move, from 0
    old: float
    new: float
    times: int  # how often that value was updated, with this time
    observed: bool  # the move is the opponent's, learned as if it had been the learner's own


class TrainingGame(Struct, frozen=True):
    """A game of a training with its updates, in the order of the learner."""

    turns: list[TrainingMove]
    changes: list[TrainingUpdate]
    seat: str  # the learner's; "X" where it moves for both sides
    opponent: str  # "" where the recipe says who that is
    result: Literal["win", "draw", "loss"]  # of the seat

    @property
    def both_sides(self) -> bool:
        """Whether the learner moved for both; of a league the opponent's moves are told as well."""
        return not self.opponent and len({move.mark for move in self.turns}) == 2

    def result_for(self, mark: str) -> str:
        """Return what it was for a player, "win", "draw" or "loss"."""
        return self.result if mark == self.seat else FLIPPED[self.result]


RESULTS = {"win": "won", "draw": "drawn", "loss": "lost"}
MOVED, OVER = "While it played", "Now that the game is over"


def epsilon_greedy(_game: TrainingGame, move: TrainingMove) -> str:
    """Name how most learners choose their moves."""
    return "explored" if move.explored else "greedy"


def drawn_to(
    target: str, backward: bool = False, view: str = ""
) -> Callable[[Recipe, TrainingGame, int], str]:
    """Return what says that a move is drawn to `target`, or to the reward if it ended the game.

    `backward` says that updates come when the game is over, the last move first, and `view` whose
    value it is, after a space.
    """
    begun = f"{OVER}, it learned backward from the last move." if backward else began()

    def sentence(_recipe: Recipe, game: TrainingGame, update: int) -> str:
        if not update:
            return begun
        turn = game.changes[update - 1].turn
        # Where both sides learn the last move of each is drawn to what the end is worth to it.
        lasts = 2 if game.both_sides and not view else 1
        if turn < len(game.turns) - lasts:
            return f"Move {turn + 1} is drawn to {target}{view}."
        result = game.result if view else game.result_for(game.turns[turn].mark)
        return f"Move {turn + 1} ended in a {result}{view}: its value is drawn to that reward."

    return sentence


def began(aside: str = "") -> str:
    """Say that updates came while the game was played."""
    return f"{MOVED}, it learned move by move{aside}."


def stepped(recipe: Any, update: TrainingUpdate) -> str:
    """Write a step of the recipe's fixed size, alpha, towards a target."""
    if not recipe.alpha:
        return ""
    target = update.old + (update.new - update.old) / recipe.alpha
    way = f"({written(target)} {MINUS} {bracketed(update.old)})"
    return f"{written(update.old)} + {recipe.alpha:g} × {way} = {written(update.new)}"


def averaged_in(update: TrainingUpdate, parts: int) -> str:
    """Write what one more part makes of an average, of so many parts with this one."""
    brought = update.old + (update.new - update.old) * parts
    way = f"({written(brought)} {MINUS} {bracketed(update.old)}) / {parts}"
    return f"{written(update.old)} + {way} = {written(update.new)}"


def written(value: float) -> str:
    """Write a value with up to four figures, and without a plus."""
    text = f"{round(value, 6) + 0.0:.4g}"
    return text.replace("-", MINUS)


def bracketed(value: float) -> str:
    """Write a value that follows an operator, in parentheses if it is negative."""
    text = written(value)
    return f"({text})" if text.startswith(MINUS) else text


class Story(NamedTuple):
    """How the games of a training are told, update after update.

    `sentence` says what the first updates have done, as many as its last argument says; after
    none of them, what is to come.
    """

    sentence: Callable[[Recipe, TrainingGame, int], str]
    equation: Callable[[Recipe, TrainingUpdate], str] = stepped  # an update in numbers, "" for none
    choice: Callable[[TrainingGame, TrainingMove], str] = epsilon_greedy  # how a move was chosen
    movers_view: bool = False  # values are in the mover's view, not in the seat's
