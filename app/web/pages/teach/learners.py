"""The learners that people can teach. The name of a taught learner, in its URL, contains its games."""

import re
from pathlib import Path

import msgspec
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe, RecipeError, name_recipe, parse_recipe
from app.recipes.algorithms import Menace
from app.recipes.taught import (
    Course,
    Refusal,
    add_game,
    format_taught_title,
    list_taught_phases,
    remove_all_games,
)
from app.tictactoe.game import GAME
from app.web.site_data import get_current_site
from app.web.translation import gettext, gettext_noop, mark_english

LEARNERS = {
    "menace": (
        "MENACE",
        gettext_noop(
            "A machine of matchboxes and beads (1961) that picks a bead at random as its move"
        ),
    ),
    "q-table,ties=random,alpha=0.9,epsilon=0,epsilon_drop=0": (
        "Q-table",
        gettext_noop(
            "Updates its values after each game, from the last move to the first"
        ),
    ),
    "q-learning,start=empty,alpha=0.5": (
        "Q-learning",
        gettext_noop("Updates a value after each of your moves, during the game"),
    ),
    "sarsa,start=empty,alpha=0.5": (
        "Sarsa",
        gettext_noop("Like Q-learning, but learns from the moves that it really plays"),
    ),
    "td-afterstates,symmetric=yes,alpha=1,epsilon=0,initial=1": (
        gettext_noop("High starting values"),
        gettext_noop(
            "Learns values of positions. At the start it expects a win from every position"
        ),
    ),
    "td-afterstates,symmetric=yes,alpha=1,epsilon=0,initial=0.25": (
        gettext_noop("Low starting values"),
        gettext_noop(
            "Learns values of positions. It expects a loss from every move that it has not tried"
        ),
    ),
}
DEFAULT_LEARNER = next(iter(LEARNERS))
# With this file the first visit need not wait for a training. `python -m training.first_courses`
# writes it.
FIRST_COURSES_FILE = Path(__file__).with_name("first_courses.json")
FIRST_COURSES = msgspec.json.decode(
    FIRST_COURSES_FILE.read_bytes(), type=dict[str, Course]
)


def get_opening_cell(recipe: Menace) -> int | None:
    """Return the cell in which this MENACE always begins, None if a bead decides."""
    cells = {"any": None, "corner": 0, "edge": 1, "centre": GAME.cells // 2}
    return cells[recipe.opening]


def find_truncated_link(recipe_name: str) -> tuple[int, int, Recipe] | None:
    """Return (games announced, games complete, recipe) for a truncated link, otherwise None.

    The recipe has the complete games. The last game is left out, because it may be truncated.
    """
    settings, _, typed = recipe_name.partition(",taught=")
    games = count_games(settings)
    held = [one for one in typed.split(".") if one]
    if not games or len(held) >= games:
        return None
    opponents = [part for part in settings.split(",") if not part.startswith("games=")]
    try:
        start = remove_all_games(
            parse_recipe(",".join(one for one in opponents if one[:3] != "vs="))
        )
        before = start
        for cells in held[:-1]:
            before = add_game(before, cells)
    except RecipeError:
        return None
    return games, len(held[:-1]), before


def count_games(recipe_settings: str) -> int:
    """Return the number of games with people in a recipe's name, which may lack their moves."""
    if ",vs=you," in f"{recipe_settings},":
        number = re.search(r",games=([0-9]{1,3})(,|$)", recipe_settings)
        return int(number[1]) if number else 1
    phases = re.findall(r"you:([0-9]{1,3})", recipe_settings)
    return sum(map(int, phases))


def parse_learner(recipe_name: str) -> Recipe:
    """Return the recipe with this name.

    Raises RecipeError if there is no such recipe, or if people cannot teach it.
    """
    recipe = parse_recipe(recipe_name)
    list_taught_phases(recipe)
    return recipe


def replay_course(
    recipe_name: str, unfinished_moves: str = ""
) -> tuple[Recipe, Course | Refusal]:
    """Return a recipe, and what its learner learned in its games, or why these are impossible.

    `unfinished_moves` are the person's moves in a game that goes on. Raises BadRequest if people
    cannot teach this recipe.
    """
    try:
        recipe = parse_learner(recipe_name)
    except RecipeError as error:
        raise BadRequest(
            gettext(
                "This learner cannot be taught: %(why)s.", why=mark_english(str(error))
            )
        ) from None
    first = FIRST_COURSES.get(name_recipe(recipe))
    if first and not unfinished_moves.strip("."):
        return recipe, first
    is_begun = bool(unfinished_moves) or not list_taught_phases(recipe)
    cells = unfinished_moves.strip(".") if is_begun else None
    return recipe, get_current_site().on_demand.replay_course(
        name_recipe(recipe), cells
    )


def format_learner_title(recipe: Recipe) -> str:
    start = remove_all_games(recipe).with_seed(0)
    titles = (
        gettext(words[0])
        for text, words in LEARNERS.items()
        if parse_recipe(text) == start
    )
    return next(titles, format_taught_title(start).partition(",")[0])
