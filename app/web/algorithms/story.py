"""How an algorithm's updates are put where the games of a training are told."""

from collections.abc import Callable
from typing import Any, NamedTuple

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.web.numbers import MINUS

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
