"""Recipes with games against a person: add, remove and describe these games.

A lesson is a game against a person or a phase of practice, and a course is the learner with all its
lessons. Before its first game against a person, a learner's recipe has the default opponents and
the default number of games.
"""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from app.recipes.parameters import (
    PERSON_OPPONENT,
    Recipe,
    RecipeError,
    TrainingPhases,
    get_parameters,
    list_taught_games,
)
from app.recipes.shipped import SHIPPED
from app.tictactoe.blunder_boards import BlunderChance

# skills of a learner, in the order in which most learners reach them
MILESTONES = ("rows", "blocks", "random", "x", "o", "both")


class ValueChange(NamedTuple):
    """The change of a move's number of beads, or of its Q-value in the mover's view, by a game.

    `move_index` is the number of the move in the game, from 0.
    """

    move_index: int
    old_value: float
    new_value: float


class LosingMove(NamedTuple):
    """The move that lost a game: the learner's last move that gave away a draw or a win.

    `chance` is the probability of this move before the learner learned from the game.
    """

    move_index: int
    chance: float


class Lesson(Struct, frozen=True):
    """A game against a person, or a phase of practice without one, and its effects on the learner.

    `updates` has the updates of the learner's own moves, and `opponent_update_count` counts the
    updates of the person's moves. `loss_chances` has for each seat the probability that the best
    responder wins, and `blunder_count` is the number of positions in which the learner can blunder.
    `losing_move_chances` has two numbers for each losing move so far: the chance of the move when
    it first lost a game, and after this lesson. In practice the seat ("X" or "O"), the record and the
    result ("win", "draw" or "loss") are "".
    """

    opponent: str
    games: int
    seat: str
    record: str
    result: str
    updates: list[ValueChange]
    opponent_update_count: int
    loss_chances: dict[str, float]
    blunder_count: int
    milestones: list[str]
    losing_move: LosingMove | None = None
    losing_move_chances: list[tuple[float, float]] = []


class TouchedBoard(NamedTuple):
    """A board whose values changed in games against a person.

    The values are by cell, and in the view of the player to move. `game_count` is the number of
    games that updated a value of the board. `old_values` are from the time before the first lesson.
    `is_updated` has a flag for each cell whose value was ever updated.
    """

    position: int
    game_count: int
    old_values: list[float | None]
    new_values: list[float | None]
    is_updated: list[bool]


class Course(Struct, frozen=True):
    """A learner that a person teaches: its values, its lessons and its unfinished game.

    `record` has the unfinished game, or else the last game. `seat` is the learner's seat in the
    unfinished game, or else in the next one. `values` has for each position of the record the
    values of the moves, by cell, in the mover's view; `is_value_known` marks those that were ever
    updated. `losing_games` has for each seat the likeliest game that the learner loses. During a
    game there are no `blunder_chances`. `touched_boards` has the boards of all games; during the first
    game it has the boards of the learner's latest decisions.
    """

    recipe: str
    record: str
    has_unfinished_game: bool
    seat: str
    values: list[list[float | None]]
    is_value_known: list[list[bool]]
    lessons: list[Lesson]
    losing_games: dict[str, str | None]
    blunder_chances: dict[int, BlunderChance] = {}
    touched_boards: list[TouchedBoard] = []


class Refusal(Struct, frozen=True):
    """The reason why a recipe with games against a person cannot be trained.

    If a move of the person is wrong, `game_number` is the number of its game, from 1.
    `is_link_truncated` says that the link was cut off: only the end of the last game is missing.
    """

    reason: str
    game_number: int | None
    is_link_truncated: bool = False


def remove_all_games(recipe: Recipe) -> Recipe:
    """Return the recipe before the first game against a person.

    Raises RecipeError if people cannot teach this algorithm.
    """
    if not hasattr(recipe, "taught"):
        raise RecipeError(f"no person teaches {recipe.slug}")
    return _replace_games(recipe, [], [])


def list_taught_phases(recipe: Recipe) -> TrainingPhases:
    """Return the phases of all lessons so far, [] before the first lesson.

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
    """Return the recipe with one more phase of practice against a program.

    Raises RecipeError if the new recipe is invalid.
    """
    return _replace_games(
        recipe,
        [*list_taught_phases(recipe), (opponent, turns)],
        list_taught_games(recipe),
    )


def remove_last_lesson(recipe: Recipe) -> Recipe:
    """Return the recipe without its last game against a person, or last phase of practice."""
    *phases, (opponent, turns) = list_taught_phases(recipe)
    games = list_taught_games(recipe)
    if opponent == PERSON_OPPONENT:
        games.pop()
        phases += [(PERSON_OPPONENT, turns - 1)] if turns > 1 else []
    return _replace_games(recipe, phases, games)


def format_taught_title(recipe: Recipe) -> str:
    """Return a title such as "MENACE, taught 23 games"."""
    who = SHIPPED[recipe.slug].title if recipe.slug in SHIPPED else recipe.slug
    number = len(list_taught_games(recipe))
    return f"{who}, taught {number} game{'s' * (number != 1)}"


def keep_first_games(recipe: Recipe, last_game_number: int) -> Recipe:
    """Return the recipe with its games up to this number, and without later lessons."""
    while len(list_taught_games(recipe)) > last_game_number or (
        recipe.phases[-1][0] != PERSON_OPPONENT and last_game_number
    ):
        recipe = remove_last_lesson(recipe)
    return recipe


def _replace_games(recipe: Recipe, phases: TrainingPhases, games: list[str]) -> Recipe:
    """Return the recipe with these phases and games; without phases, with its default opponents."""
    usual = {
        one: get_parameters(type(recipe))[one].default
        for one in ("vs", recipe.length_parameter)
    }
    if len(phases) == 1:
        usual = dict(zip(usual, phases[0], strict=True))
    elif phases:
        usual["vs"] = "+".join(f"{opponent}:{turns}" for opponent, turns in phases)
    return replace(recipe, **usual, taught=".".join(games))
