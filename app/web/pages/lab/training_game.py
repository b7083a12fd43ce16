"""The picture of a training game in the lab: a small board for each move with its change of value."""

import msgspec
import numpy as np
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe, name_recipe
from app.recipes.games import TrainingGame, TrainingUpdate
from app.tictactoe.game import O, X
from app.tictactoe.views import compute_colour_level, round_for_display, scale_values
from app.web.algorithms import ALGORITHM_PAGES
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.formula import format_short_unsigned
from app.web.formatting import format_count_of, format_signed
from app.web.match import read_integer
from app.web.move_values import HEAT_STEPS
from app.web.pages.lab.recipe_comparison import RecipeComparison
from app.web.rendering import Variables
from app.web.routes import Query
from app.web.site_data import SiteData

RESULT_VERBS = {"win": "won", "draw": "drew", "loss": "lost"}
OUTCOME_TEXTS_OF_X = {"win": "X won", "draw": "it was a draw", "loss": "O won"}


def build_game_picture(comparison: RecipeComparison, query: Query) -> Variables | None:
    """Return the training game whose number is in the query, move by move; None without one.

    Raises BadRequest if there is no such game, or if the algorithm has no games to show, and the
    errors of `AgentsOnDemand.get_game_log`.
    """
    if not query.get("game"):
        return None
    recipe = comparison.main_variant.recipe
    algorithm = ALGORITHM_PAGES[recipe.slug]
    if algorithm.no_game_reason:
        raise BadRequest(algorithm.no_game_reason)
    recorded = comparison.site.on_demand.get_game_log(name_recipe(recipe))
    games = msgspec.json.decode(recorded, type=list[TrainingGame])
    number = read_integer("game", query["game"], 1, len(games))
    game = games[number - 1]
    updates = len(game.updates)
    update = read_integer("update", query.get("update") or "0", 0, updates)
    turns = range(len(game.moves))
    equation = (
        algorithm.format_equation(recipe, game.updates[update - 1]) if update else ""
    )
    url = comparison.build_url
    return {
        "game_number": number,
        "update_number": update,
        "update_count": updates,
        "headline": _describe_game(comparison.site, game),
        "moves": [
            _build_move_picture(recipe, algorithm, game, turn, update) for turn in turns
        ],
        "final_squares": [{"mark": mark} for mark in game.moves[-1].next_own_board],
        "sentence": algorithm.describe_training_update(recipe, game, update),
        "equation": equation,
        "previous_game_url": url(game=number - 1) if number > 1 else "",
        "next_game_url": url(game=number + 1) if number < len(games) else "",
        "previous_update_url": url(game=number, update=update - 1) if update else "",
        "next_update_url": url(game=number, update=update + 1)
        if update < updates
        else "",
    }


def _describe_game(site: SiteData, game: TrainingGame) -> str:
    moves = len(game.moves)
    if game.played_both_sides:
        return f"It played itself, and {OUTCOME_TEXTS_OF_X[game.result]} after {moves} moves"
    moves = sum(move.mark == game.seat for move in game.moves)
    against = f" against {site.display_titles[game.opponent]}" if game.opponent else ""
    length = format_count_of(moves, "move")
    return f"It {RESULT_VERBS[game.result]} as {game.seat}{against} with {length}"


def _build_move_picture(
    recipe: Recipe,
    algorithm: Algorithm,
    game: TrainingGame,
    move_index: int,
    update_count: int,
) -> Variables:
    move = game.moves[move_index]
    changes = game.updates[:update_count]
    change = next(
        (one for one in reversed(changes) if one.move_index == move_index), None
    )
    played = {"mark": move.mark, "is_played": True}
    value_change = ""
    if change:
        old, new = map(format_short_unsigned, (change.old, change.new))
        value_change = f"{old} → {new}"
        played |= _colour_value(recipe, algorithm, game, change)
    return {
        "squares": [
            played if cell == move.cell else {"mark": mark}
            for cell, mark in enumerate(move.board)
        ],
        "title": f"Move {move_index + 1}",
        "choice_kind": algorithm.name_move_choice(game, move),
        "value_change_text": value_change,
        "is_updated_now": bool(changes) and changes[-1].move_index == move_index,
    }


def _colour_value(
    recipe: Recipe,
    algorithm: Algorithm,
    game: TrainingGame,
    change: TrainingUpdate,
) -> Variables:
    rewards = recipe.get_reward_scale()
    if not rewards:
        return {"value_text": format_short_unsigned(change.new)}
    is_movers_view = change.is_opponent_move or algorithm.uses_movers_view
    viewer = game.moves[change.move_index].mark if is_movers_view else game.seat
    value = scale_values(np.array(change.new), rewards, X if viewer == "X" else O)
    return {
        "value_text": format_signed(float(round_for_display(value))),
        "heat": int(compute_colour_level(value, HEAT_STEPS)),
    }
