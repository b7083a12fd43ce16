"""The boards whose values the games with a person changed, before these games and now."""

import numpy as np

from app.recipes import Recipe, name_recipe
from app.recipes.algorithms import Menace
from app.recipes.taught import Course, Lesson, TouchedBoard
from app.tictactoe.game import GAME
from app.tictactoe.notation import MARKS, replay_record
from app.tictactoe.policy import policy_from_values
from app.web.move_values import HEAT_STEPS, MoveValues, build_move_values
from app.web.rendering import Variables
from app.web.site_data import get_current_site
from app.web.translation import gettext, ngettext

MAX_BOARDS = 2


def evaluate_board(
    position: int,
    recipe: Recipe,
    cell_values: list[float | None],
    is_updated: list[bool],
) -> MoveValues:
    """Return a learner's values in a position; the lists have an entry for each cell."""
    site = get_current_site()
    # numpy turns a missing value, None, into NaN.
    values = np.array(cell_values, np.float64)
    known = np.array(is_updated)
    if recipe.knows_final_values:
        known |= GAME.successor[position] >= GAME.decisions
    # Beads can be counted without an update.
    if recipe.get_reward_scale() is None:
        known |= np.isfinite(values)
    return build_move_values(
        site,
        position,
        name_recipe(recipe),
        source_values=values,
        is_known=known,
        policy=policy_from_values(values, recipe.plays),
        reward_scale=recipe.get_reward_scale(),
        play_rule=recipe.plays,
        unknown_text=gettext("not tried yet"),
    )


def choose_touched_boards(course: Course, lesson: Lesson | None) -> list[TouchedBoard]:
    """Return the two boards whose values a lesson changed most, in the order of its moves."""
    if lesson is None:
        return course.touched_boards
    boards = {board.position: board for board in course.touched_boards}
    positions = replay_record(GAME, lesson.record)
    changes = [
        change
        for change in lesson.updates
        if change.old_value != change.new_value
        and positions[change.move_index] in boards
    ]
    changes.sort(key=lambda change: -abs(change.new_value - change.old_value))
    shown = sorted(change.move_index for change in changes[:MAX_BOARDS])
    return [boards[positions[ply]] for ply in shown]


def describe_touched_board(
    recipe: Recipe, touched: TouchedBoard, game_count: int
) -> Variables:
    """Return a board as it was before the first game, and as it is now.

    Each square has a mark, a text and a colour. `game_count` is the number of all games.
    """
    stages = (
        (touched.old_values, [False] * len(touched.is_updated)),
        (touched.new_values, touched.is_updated),
    )
    before, now = (
        _list_squares(evaluate_board(touched.position, recipe, values, known))
        for values, known in stages
    )
    if isinstance(recipe, Menace):
        # The colour shows the change: with 50% fewer beads a square is half red, with 50% more half
        # green.
        changes = zip(touched.old_values, touched.new_values, strict=True)
        gains = [(new or 0) / old - 1 if old else 0 for old, new in changes]
        heats = np.clip(np.round(np.array(gains) * HEAT_STEPS), -HEAT_STEPS, HEAT_STEPS)
        before = [square | {"heat": None} for square in before]
        now = [
            square | {"heat": heat or None}
            for square, heat in zip(now, heats.astype(int).tolist(), strict=True)
        ]
    ply = int(GAME.ply[touched.position])
    text = gettext("Move %(number)s", number=ply + 1)
    if touched.game_count:
        text = ngettext(
            "Move %(number)s, before and after %(changing)s of %(count)s game",
            "Move %(number)s, before and after %(changing)s of %(count)s games",
            game_count,
            number=ply + 1,
            changing=touched.game_count,
        )
    return {"text": text, "before": before, "now": now if touched.game_count else []}


def _list_squares(values: MoveValues) -> list[Variables]:
    squares = []
    stones = GAME.board[values.position].tolist()
    for cell, stone in enumerate(stones):
        mark, text, heat = MARKS[stone] if stone else "", "", None
        if not stone:
            text = "–"
            if values.is_known[cell]:
                text, heat = values.value_texts[cell], values.heats[cell]
        squares.append({"mark": mark, "value_text": text, "heat": heat})
    return squares
