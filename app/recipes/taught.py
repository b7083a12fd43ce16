"""Recipes with games against a person: add, remove and describe these games.

Before its first game against a person, a learner's recipe has the default opponents and the default
number of games.
"""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from app.recipes.parameters import (
    PERSON_OPPONENT,
    Phases,
    Recipe,
    RecipeError,
    get_parameters,
    list_taught_games,
)
from app.recipes.shipped import SHIPPED
from app.tictactoe.blunder_boards import BlunderChance

# What a learner can achieve, in the order in which most learners do. The page shows it.
MILESTONES = ("rows", "blocks", "random", "x", "o", "both")


class ValueChange(NamedTuple):
    """How a game changed a value: a number of beads, or a Q-value in the mover's view."""

    move_index: int  # counted from 0 in the game
    old_value: float
    new_value: float


class LosingMove(NamedTuple):
    """The move with which the learner lost a game: its last one that turned the game into a loss."""

    move_index: int  # counted from 0 in the game
    chance: float  # how likely the learner was to play the move, before the game


class Lesson(Struct, frozen=True):
    """What a learner did and learned in a game against a person, or in practice without a person."""

    opponent: str
    games: int
    # "X" or "O", the learner's mark. In practice `seat`, `record` and `result` are "".
    seat: str
    record: str
    result: str  # the learner's result: "win", "draw" or "loss"
    # updates of the learner's own moves, in order; [] in practice
    updates: list[ValueChange]
    opponent_update_count: int  # how many moves of the person were updated
    # for each seat, the chance that the best responder beats the learner
    loss_chances: dict[str, float]
    blunder_count: int  # how many positions have a possible blunder
    milestones: list[str]  # the MILESTONES that the learner has reached
    losing_move: LosingMove | None = None  # None if the game was not lost
    # For each losing move so far, in the order of the games: how likely the learner was to play it
    # before its first time, and how likely it is after this lesson.
    losing_move_chances: list[tuple[float, float]] = []


class TouchedBoard(NamedTuple):
    """A board whose values changed in games against a person."""

    position: int
    game_count: int  # how many games updated a value of this board
    old_values: list[float | None]  # [cells] before the first lesson, mover's view
    new_values: list[float | None]
    is_updated: list[bool]  # [cells] whether the value was ever updated


class Course(Struct, frozen=True):
    """The state of a learner taught by a person: its values, its lessons and its unfinished game."""

    recipe: str  # the name of the recipe with all games so far
    record: str  # the unfinished game, else the last game
    has_unfinished_game: bool
    seat: str  # the learner's seat in the unfinished game, else in the next game
    # [positions of the record][cells] in the mover's view
    values: list[list[float | None]]
    # [positions of the record][cells] whether the value was ever updated
    is_value_known: list[list[bool]]
    lessons: list[Lesson]
    # for each seat, the record of the likeliest game that the learner loses
    losing_games: dict[str, str | None]
    # the chances of a blunder by board, from `find_blunder_chances`; {} during a game
    blunder_chances: dict[int, BlunderChance] = {}
    # boards that the games changed; during the first game its latest decisions
    touched_boards: list[TouchedBoard] = []


class Refusal(Struct, frozen=True):
    """Why a recipe with games against a person cannot be trained."""

    reason: str
    # the number, from 1, of the game in which the person's move is wrong; None for another reason
    game_number: int | None
    # whether only the end of the last game is missing, as in a link that was cut off
    is_link_truncated: bool = False


def remove_all_games(recipe: Recipe) -> Recipe:
    """Return the recipe that the learner had before its first game against a person.

    Raises RecipeError if people cannot teach this algorithm.
    """
    if not hasattr(recipe, "taught"):
        raise RecipeError(f"no person teaches {recipe.slug}")
    return _replace_games(recipe, [], [])


def list_taught_phases(recipe: Recipe) -> Phases:
    """Return the opponents so far, each with its number of games; [] before the first game.

    Raises RecipeError if people cannot teach this algorithm, or not after these phases.
    """
    phases = [] if recipe == remove_all_games(recipe) else recipe.phases
    if PERSON_OPPONENT not in dict(phases):
        _replace_games(recipe, [*phases, (PERSON_OPPONENT, 1)], ["0"])
    return phases


def add_game(recipe: Recipe, cells: str) -> Recipe:
    """Return the recipe with one more game against a person, who played these cells.

    Raises RecipeError if the new recipe is invalid.
    """
    phases = list_taught_phases(recipe)
    games = 1
    if phases and phases[-1][0] == PERSON_OPPONENT:
        games += phases.pop()[1]
    phases.append((PERSON_OPPONENT, games))
    return _replace_games(recipe, phases, [*list_taught_games(recipe), cells])


def add_practice(recipe: Recipe, opponent: str, turns: int) -> Recipe:
    """Return the recipe with more turns against an opponent that is not a person.

    Raises RecipeError if the new recipe is invalid.
    """
    return _replace_games(
        recipe,
        [*list_taught_phases(recipe), (opponent, turns)],
        list_taught_games(recipe),
    )


def remove_last_lesson(recipe: Recipe) -> Recipe:
    """Return the recipe without its last game against a person, or without its last practice."""
    *phases, (opponent, turns) = list_taught_phases(recipe)
    games = list_taught_games(recipe)
    if opponent == PERSON_OPPONENT:
        games.pop()
        phases += [(PERSON_OPPONENT, turns - 1)] if turns > 1 else []
    return _replace_games(recipe, phases, games)


def format_taught_title(recipe: Recipe) -> str:
    """Return the title of a learner taught by a person, such as "MENACE, taught 23 games"."""
    who = SHIPPED[recipe.slug].title if recipe.slug in SHIPPED else recipe.slug
    number = len(list_taught_games(recipe))
    return f"{who}, taught {number} game{'s' * (number != 1)}"


def keep_first_games(recipe: Recipe, last_game_number: int) -> Recipe:
    """Return the recipe without the lessons after this game against a person; games count from 1."""
    while len(list_taught_games(recipe)) > last_game_number or (
        recipe.phases[-1][0] != PERSON_OPPONENT and last_game_number
    ):
        recipe = remove_last_lesson(recipe)
    return recipe


def _replace_games(recipe: Recipe, phases: Phases, games: list[str]) -> Recipe:
    """Return the recipe with other opponents and other games against a person.

    If there are no phases, the recipe gets its default opponents and its default length.
    """
    usual = {
        one: get_parameters(type(recipe))[one].default
        for one in ("vs", recipe.length_parameter)
    }
    if len(phases) == 1:
        usual = dict(zip(usual, phases[0], strict=True))
    elif phases:
        usual["vs"] = "+".join(f"{opponent}:{turns}" for opponent, turns in phases)
    return replace(recipe, **usual, taught=".".join(games))
