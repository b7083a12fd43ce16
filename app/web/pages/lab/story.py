"""The first games of a training, told one at a time: the moves, and then update after update."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe
from app.recipes.games import TrainingGame
from app.tictactoe.game import Game, O, X
from app.tictactoe.views import heat, on_scale, shown
from app.web.algorithms import ALGORITHMS
from app.web.algorithms.story import Story, written
from app.web.lens import HEAT_STEPS
from app.web.match import read_whole
from app.web.numbers import signed
from app.web.world import World

RESULTS = {"win": "won", "draw": "drew", "loss": "lost"}
RESULTS_OF_X = {"win": "X won", "draw": "it was a draw", "loss": "O won"}


class StorySquare(NamedTuple):
    """A square of a small board."""

    mark: str  # "X", "O" or "."
    played: bool  # the move of this turn
    heat: int | None
    text: str  # the new value, where the turn has been updated


class StoryMove(NamedTuple):
    """A move of the learner as a board."""

    ranks: list[list[StorySquare]]
    title: str
    how: str  # "explored", "greedy", "drawn", "unseen", "seen", or "answer" of the opponent
    change: str  # the value before and after, "" as long as it has not been updated
    now: bool  # whether it is being updated


class StoryGame(NamedTuple):
    """A game of the training, as far as it is told."""

    game: int
    games: int
    update: int
    updates: int
    headline: str
    turns: list[StoryMove]
    end: list[list[StorySquare]]  # the final board
    sentence: str
    equation: str


def story_game(
    world: World, recipe: Recipe, text: str, query: Mapping[str, str]
) -> StoryGame | None:
    """Tell the game that an address asks for, None if it asks for none.

    `text` is the whole name of the recipe.
    Raises BadRequest, saying what there is, and what `Lab.story` raises.
    """
    if not query.get("game"):
        return None
    algorithm = ALGORITHMS[recipe.slug]
    if (story := algorithm.story) is None:
        raise BadRequest(algorithm.untold)
    games = msgspec.json.decode(world.lab.story(text), type=list[TrainingGame])
    number = read_whole("game", query["game"], 1, len(games))
    game = games[number - 1]
    update = read_whole("update", query.get("update") or "0", 0, len(game.changes))
    end = [StorySquare(mark, False, None, "") for mark in game.turns[-1].after]
    return StoryGame(
        game=number,
        games=len(games),
        update=update,
        updates=len(game.changes),
        headline=_headline(world, game),
        turns=[
            _move(world.game, recipe, story, game, turn, update) for turn in range(len(game.turns))
        ],
        end=_ranks(world.game, end),
        sentence=story.sentence(recipe, game, update),
        equation=story.equation(recipe, game.changes[update - 1]) if update else "",
    )


def _headline(world: World, game: TrainingGame) -> str:
    moves = len(game.turns)
    if game.both_sides:
        return f"It played itself, and {RESULTS_OF_X[game.result]} after {moves} moves"
    moves = sum(move.mark == game.seat for move in game.turns)
    against = f" against {world.titles[game.opponent]}" if game.opponent else ""
    plural = "s" if moves != 1 else ""
    return f"It {RESULTS[game.result]} as {game.seat}{against} with {moves} move{plural}"


def _move(
    rules: Game, recipe: Recipe, story: Story, game: TrainingGame, turn: int, update: int
) -> StoryMove:
    """Lay out a move after so many updates of its game."""
    move, changes = game.turns[turn], game.changes[:update]
    change = next((one for one in reversed(changes) if one.turn == turn), None)
    squares = [StorySquare(mark, False, None, "") for mark in move.board]
    squares[move.cell] = StorySquare(move.mark, True, None, "")
    if change:
        whose = move.mark if change.observed or story.movers_view else game.seat
        worth, colour, text = recipe.worth(), None, written(change.new)
        if worth:
            player = X if whose == "X" else O
            value = on_scale(np.array(change.new), worth, player)
            colour, text = int(heat(value, HEAT_STEPS)), signed(float(shown(value)))
        squares[move.cell] = StorySquare(move.mark, True, colour, text)
    return StoryMove(
        ranks=_ranks(rules, squares),
        title=f"Move {turn + 1}",
        how=story.choice(game, move),
        change=f"{written(change.old)} → {written(change.new)}" if change else "",
        now=bool(changes) and changes[-1].turn == turn,
    )


def _ranks(rules: Game, squares: list[StorySquare]) -> list[list[StorySquare]]:
    return [
        squares[start : start + rules.columns] for start in range(0, rules.cells, rules.columns)
    ]
