"""The first games of a training, told one at a time: the moves, and then update after update."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe
from app.tictactoe.game import O, X
from app.tictactoe.views import on_scale
from app.web.lens import HEAT_STEPS
from app.web.numbers import MINUS
from app.web.world import World

RESULTS = {"win": "won", "draw": "drew", "loss": "lost"}
BACKWARD = ("q-table", "double-q")  # these learn when the game is over, from its end
LATER = {
    "q-learning": "the best that it expects of its next move",
    "q-table": "the best that it expects of its next move",
    "double-q": "what one table expects of the move that the other finds best",
    "self-play": "what it expects of the best answer",
}  # what a move is drawn to that does not end the game


class Square(NamedTuple):
    """A square of a small board."""

    mark: str  # "X", "O" or "."
    played: bool  # the move of this turn
    heat: int | None
    text: str  # the new value, where the turn has been updated


class Turn(NamedTuple):
    """A move of the learner as a board."""

    ranks: list[list[Square]]
    title: str
    how: str  # "explored" or "greedy"
    change: str  # the value before and after, "" as long as it has not been updated
    now: bool  # whether it is being updated


class Telling(NamedTuple):
    """A game of the training, as far as it is told."""

    game: int
    games: int
    update: int
    updates: int
    headline: str
    turns: list[Turn]
    end: list[list[Square]]  # the final board
    sentence: str
    equation: str


def telling(world: World, recipe: Recipe, text: str, query: Mapping[str, str]) -> Telling | None:
    """Tell the game that an address asks for, None if it asks for none or none can be told.

    `text` is the whole name of the recipe.
    Raises BadRequest, saying what there is, and what `Lab.story` raises.
    """
    if not query.get("game"):
        return None
    games: list[dict[str, Any]] = msgspec.json.decode(world.lab.story(text))
    if not games:
        raise BadRequest(f"The games of {recipe.slug} are not told one by one.")
    game = _number("game", query["game"], 1, len(games))
    told = games[game - 1]
    updates = len(told["changes"])
    update = _number("update", query.get("update") or "0", 0, updates)
    return Telling(
        game=game,
        games=len(games),
        update=update,
        updates=updates,
        headline=_headline(recipe, told),
        turns=[_turn(recipe, told, number, update) for number in range(len(told["turns"]))],
        end=_ranks([Square(mark, False, None, "") for mark in told["turns"][-1]["after"]]),
        sentence=_sentence(recipe, told, update),
        equation=_equation(recipe, told, update),
    )


def is_told(recipe: Recipe) -> bool:
    """Whether the games of a recipe are told."""
    return recipe.slug in LATER


def _number(key: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 5 and low <= int(text) <= high):
        raise BadRequest(f"{key}={text[:20]} in the address is wrong: {key} is {low} to {high}.")
    return int(text)


def _headline(recipe: Recipe, told: Mapping[str, Any]) -> str:
    moves = len(told["turns"])
    if recipe.slug == "self-play":
        end = {"win": "X won", "draw": "nobody won", "loss": "O won"}[told["result"]]
        return f"It played itself, and {end} after {moves} moves"
    seat = "X" if _mover(told["turns"][0]["board"]) == X else "O"
    plural = "" if moves == 1 else "s"
    return f"It {RESULTS[told['result']]} as {seat} with {moves} move{plural}"


def _turn(recipe: Recipe, told: Mapping[str, Any], number: int, update: int) -> Turn:
    turn, changes = told["turns"][number], told["changes"][:update]
    change = next((one for one in changes if one["turn"] == number), None)
    mark = "X" if _mover(turn["board"]) == X else "O"
    squares = [
        Square(stone, False, None, "") if cell != turn["cell"] else Square(mark, True, None, "")
        for cell, stone in enumerate(turn["board"])
    ]
    if change:
        player = X if recipe.slug == "self-play" else _mover(turn["board"])
        heat = float(on_scale(np.array(change["new"]), recipe.worth(), player))
        squares[turn["cell"]] = Square(
            mark, True, round(heat * HEAT_STEPS), _written(change["new"])
        )
    return Turn(
        ranks=_ranks(squares),
        title=f"Move {number + 1}",
        how="explored" if turn["explored"] else "greedy",
        change=f"{_written(change['old'])} → {_written(change['new'])}" if change else "",
        now=bool(changes) and changes[-1]["turn"] == number,
    )


def _sentence(recipe: Recipe, told: Mapping[str, Any], update: int) -> str:
    if not update:
        after = "backward from the last move" if recipe.slug in BACKWARD else "move by move"
        when = "Now that the game is over" if recipe.slug in BACKWARD else "While it played"
        return f"{when}, it learned {after}."
    turn = told["changes"][update - 1]["turn"]
    whose = " for X" if recipe.slug == "self-play" else ""
    if turn == len(told["turns"]) - 1:
        result = {"win": "a win", "draw": "a draw", "loss": "a loss"}[told["result"]]
        return f"Move {turn + 1} ended in {result}{whose}: its value is drawn to that reward."
    return f"Move {turn + 1} is drawn to gamma times {LATER[recipe.slug]}{whose}."


def _equation(recipe: Recipe, told: Mapping[str, Any], update: int) -> str:
    """Write an update out in numbers; nothing where the tables are two, of which one moves."""
    alpha = float(getattr(recipe, "alpha", 0.0))
    if not update or not alpha or recipe.slug == "double-q":
        return ""
    old, new = (told["changes"][update - 1][key] for key in ("old", "new"))
    if getattr(recipe, "update", "average") == "sum":
        return f"{_written(old)} + {alpha:g} × {_bracket((new - old) / alpha)} = {_written(new)}"
    target = old + (new - old) / alpha
    difference = f"({_written(target)} {MINUS} {_bracket(old)})"
    return f"{_written(old)} + {alpha:g} × {difference} = {_written(new)}"


def _written(value: float) -> str:
    """Write a value with up to four figures, and without a plus."""
    text = f"{round(value, 6) + 0.0:.4g}"
    return text.replace("-", MINUS)


def _bracket(value: float) -> str:
    text = _written(value)
    return f"({text})" if text.startswith(MINUS) else text


def _ranks(squares: list[Square]) -> list[list[Square]]:
    return [squares[start : start + 3] for start in range(0, 9, 3)]


def _mover(board: str) -> int:
    return X if board.count("X") == board.count("O") else O
