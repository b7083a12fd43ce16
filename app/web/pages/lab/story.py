"""The first games of a training, told one at a time: the moves, and then update after update."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe
from app.tictactoe.game import O, X
from app.tictactoe.views import on_scale
from app.web.algorithms.champion import BOUNDS
from app.web.lens import HEAT_STEPS
from app.web.match import read_whole
from app.web.numbers import MINUS
from app.web.world import World

RESULTS = {"win": "won", "draw": "drew", "loss": "lost"}
BACKWARD = ("q-table", "double-q", "monte-carlo")  # these learn when the game is over, from its end
DRAWN = "menace"  # which has no greedy moves: it draws all of them
LEAGUE = "league"  # which draws its moves, too, and learns of its opponent's
CHAMPION = "champion"  # which plays what it has not seen
BOTH_SIDES = {"self-play": "played itself", CHAMPION: "played itself"}
LATER = {
    "q-learning": "gamma times the best that it expects of its next move",
    "q-table": "gamma times the best that it expects of its next move",
    "double-q": "gamma times what one table expects of the move that the other finds best",
    "self-play": "gamma times what it expects of the best answer",
    "sarsa": "gamma times what it expects of the move that it plays next",
    "expected-sarsa": "gamma times what it expects of its next move on average",
    "monte-carlo": "gamma times what the next move brought",
    "td-afterstates": "what the board is worth that its next move makes",
    LEAGUE: "gamma times the best that it knows of the board it makes",
    CHAMPION: "",  # which keeps what a move is worth at least and at most
    DRAWN: "",  # which is paid alike for every move
}  # what a move is drawn to that does not end the game
UNTOLD = {
    "q-iteration": "There are no games to tell: it goes through every position and every move, "
    "sweep after sweep, and values each by one answer.",
    "dqn": "Its games are not told one by one: what it learns from is drawn from a store of many "
    "games, and every step moves all of its values.",
}  # why


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
    how: str  # "explored", "greedy", "drawn", "unseen", "seen", or "answer" of the opponent
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
        raise BadRequest(UNTOLD[recipe.slug])
    game = read_whole("game", query["game"], 1, len(games))
    told = games[game - 1]
    updates = len(told["changes"])
    update = read_whole("update", query.get("update") or "0", 0, updates)
    return Telling(
        game=game,
        games=len(games),
        update=update,
        updates=updates,
        headline=_headline(world, recipe, told),
        turns=[_turn(world, recipe, told, number, update) for number in range(len(told["turns"]))],
        end=_ranks(world, [Square(mark, False, None, "") for mark in told["turns"][-1]["after"]]),
        sentence=_sentence(recipe, told, update),
        equation=_equation(recipe, told, update),
    )


def _headline(world: World, recipe: Recipe, told: Mapping[str, Any]) -> str:
    seat, moves = told["seat"], len(told["turns"])
    if recipe.slug in BOTH_SIDES:
        end = {"win": "X won", "draw": "nobody won", "loss": "O won"}[told["result"]]
        return f"It {BOTH_SIDES[recipe.slug]}, and {end} after {moves} moves"
    moves = sum(_mark(turn) == seat for turn in told["turns"])
    against = f" against {world.titles[told['opponent']]}" if told["opponent"] else ""
    return f"It {RESULTS[told['result']]} as {seat}{against} with {moves} move{'s' * (moves != 1)}"


def _turn(world: World, recipe: Recipe, told: Mapping[str, Any], number: int, update: int) -> Turn:
    turn, changes = told["turns"][number], told["changes"][:update]
    change = next((one for one in reversed(changes) if one["turn"] == number), None)
    mark = _mark(turn)
    squares = [
        Square(stone, False, None, "") if cell != turn["cell"] else Square(mark, True, None, "")
        for cell, stone in enumerate(turn["board"])
    ]
    if change:
        mover = change["observed"] or recipe.slug == CHAMPION
        whose = mark if mover else told["seat"]  # in whose view a value is kept
        worth, heat = recipe.worth(), None
        if worth:
            player = X if whose == "X" else O
            heat = round(float(on_scale(np.array(change["new"]), worth, player)) * HEAT_STEPS)
        squares[turn["cell"]] = Square(mark, True, heat, _written(change["new"]))
    return Turn(
        ranks=_ranks(world, squares),
        title=f"Move {number + 1}",
        how=_how(recipe, told, turn),
        change=f"{_written(change['old'])} → {_written(change['new'])}" if change else "",
        now=bool(changes) and changes[-1]["turn"] == number,
    )


def _how(recipe: Recipe, told: Mapping[str, Any], turn: Mapping[str, Any]) -> str:
    if recipe.slug == LEAGUE and _mark(turn) != told["seat"]:
        return "answer"
    if recipe.slug == CHAMPION:
        return "unseen" if turn["explored"] else "seen"
    if recipe.slug in (DRAWN, LEAGUE):
        return "drawn"
    return "explored" if turn["explored"] else "greedy"


def _paid(told: Mapping[str, Any], update: int) -> str:
    """Say what a game paid for a move that was drawn from a box of beads."""
    result = {"win": "won", "draw": "drawn", "loss": "lost"}[told["result"]]
    if not update:
        return f"The game was {result}: now every move that was drawn is paid alike."
    change = told["changes"][update - 1]
    emptied = "; it keeps none, and if its box is empty it is filled again" * (not change["new"])
    before, after = (f"{change[key]:.0f}" for key in ("old", "new"))
    drawn = f"Move {change['turn'] + 1} was drawn from a box with {before} beads of it"
    return f"{drawn}. The game was {result}, so now there are {after}{emptied}."


def _bounded(told: Mapping[str, Any], update: int) -> str:
    """Say what a move is now known to be worth at least and at most to whoever makes it."""
    if not update:
        return (
            "Now that the game is over, every board met so far is valued by the answers to it, the "
            "last plies first."
        )
    change = told["changes"][update - 1]
    number = change["turn"] + 1
    least, most = BOUNDS[change["new"]]
    worth = f"just {_written(least)}"
    if least < most:
        worth = f"at least {_written(least)} and at most {_written(most)}"
    by = "the rules" if number == len(told["turns"]) else "its answers"
    return f"By {by} move {number} is worth {worth} to {_mark(told['turns'][number - 1])}."


def _of_a_league(told: Mapping[str, Any], update: int) -> str:
    if not update:
        return "While it played, it learned move by move, of its opponent's moves what they say."
    change = told["changes"][update - 1]
    number, turn = change["turn"] + 1, told["turns"][change["turn"]]
    whose = f"Move {number}"
    if _mark(turn) != told["seat"]:
        whose += ", its opponent's,"
    as_own = ", as if it had been its own" * change["observed"]
    if number < len(told["turns"]):
        return f"{whose} is drawn to {LATER[LEAGUE]}{as_own}."
    ends = {"win": "won", "draw": "drawn", "loss": "lost"}
    flipped = {"win": "loss", "draw": "draw", "loss": "win"}
    result = flipped[told["result"]] if change["observed"] else told["result"]
    kept = ", and gamma times what it has kept for this end"
    return f"{whose} ended the game, {ends[result]}{as_own}: it is drawn to that reward{kept}."


def _sentence(recipe: Recipe, told: Mapping[str, Any], update: int) -> str:
    if recipe.slug == DRAWN:
        return _paid(told, update)
    if recipe.slug == CHAMPION:
        return _bounded(told, update)
    if recipe.slug == LEAGUE:
        return _of_a_league(told, update)
    if not update:
        after = "backward from the last move" if recipe.slug in BACKWARD else "move by move"
        when = "Now that the game is over" if recipe.slug in BACKWARD else "While it played"
        exploring = "; a move that it explored taught it nothing"
        silent = exploring if getattr(recipe, "learn_from", "all") == "greedy" else ""
        return f"{when}, it learned {after}{silent}."
    turn = told["changes"][update - 1]["turn"]
    whose = " for X" if recipe.slug == "self-play" else ""
    if turn == len(told["turns"]) - 1:
        result = {"win": "a win", "draw": "a draw", "loss": "a loss"}[told["result"]]
        return f"Move {turn + 1} ended in {result}{whose}: its value is drawn to that reward."
    return f"Move {turn + 1} is drawn to {LATER[recipe.slug]}{whose}."


def _equation(recipe: Recipe, told: Mapping[str, Any], update: int) -> str:
    """Write an update out in numbers.

    Nothing where the tables are two, of which one moves, or the step size falls as games go by.
    """
    alpha = float(getattr(recipe, "alpha", 0.0))
    falls = float(getattr(recipe, "alpha_drop", 0.0)) > 0
    if not update or recipe.slug == "double-q" or falls:
        return ""
    old, new, times = (told["changes"][update - 1][key] for key in ("old", "new", "times"))
    if recipe.slug == CHAMPION:
        least, most = BOUNDS[new]
        way = f"({_written(most)} {MINUS} {_bracket(least)}) / 4"
        return f"{_written(least)} + {way} = {_written(new)}"
    if recipe.slug in ("monte-carlo", LEAGUE):
        parts = times + (recipe.slug == LEAGUE)  # what it began with is one of those averaged there
        brought = old + (new - old) * parts
        way = f"({_written(brought)} {MINUS} {_bracket(old)}) / {parts}"
        return f"{_written(old)} + {way} = {_written(new)}"
    if not alpha:
        return ""
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


def _ranks(world: World, squares: list[Square]) -> list[list[Square]]:
    columns = world.game.columns
    return [squares[start : start + columns] for start in range(0, len(squares), columns)]


def _mark(turn: Mapping[str, Any]) -> str:
    """Return who made a move."""
    board = turn["board"]
    return "X" if board.count("X") == board.count("O") else "O"
