"""Recipes with games of a person, from one game to the next.

A recipe whose opponents and games are the usual ones stands for a learner before its first game:
as many as those no learner with people plays.
"""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from app.recipes.parameters import (
    YOU,
    Phases,
    Recipe,
    RecipeError,
    get_parameters,
    list_taught_games,
)
from app.recipes.shipped import SHIPPED

MILESTONES = (
    "rows",
    "blocks",
    "random",
    "x",
    "o",
    "both",
)  # in the order in which most come


class ValueChange(NamedTuple):
    """A value that a game changed: beads, or the mover's view."""

    ply: int  # of the move in the record
    old: float
    new: float


class Slip(NamedTuple):
    """The move that cost a learner a game: the last one after which it was lost."""

    ply: int  # of the move in the record
    chance: float  # of a move that loses on that board, before the game


class LostLine(NamedTuple):
    """The last game that a learner lost, and its play on the board of its mistake since then."""

    lesson: int  # number of the game among the lessons, from 1
    chance: float  # of a move that loses on that board, now
    is_safe: bool  # whether no opponent can beat the learner from that board any more


class Lesson(Struct, frozen=True):
    """A game with a person, or the practice between two: what it changed, and what is true then."""

    opponent: str
    games: int
    seat: str  # "X" or "O" in a game with a person, "" in practice, as the next two
    record: str
    result: str  # for the learner: "win", "draw" or "loss"
    updates: list[
        ValueChange
    ]  # of its own moves, in the order of the learner; none of practice
    others: int  # updates besides: of the person's moves
    beaten: dict[str, float]  # seat -> how often its best responder wins against it
    blunders: int
    milestones: list[str]  # those of MILESTONES that hold
    refills: int = 0  # boxes that ran empty and were filled again
    slip: Slip | None = None  # of a lost game


class Course(Struct, frozen=True):
    """What a person sees of the learner that they teach."""

    recipe: str  # the whole name of what was learned by now; its settings' before the first game
    record: str  # of the game that is begun, else of the last one
    begun: bool
    seat: str  # the learner's in the game that is begun, else in the next one
    values: list[list[float | None]]  # [decisions of the record][cells], mover's view
    known: list[list[bool]]  # whether any update reached them
    lessons: list[Lesson]
    losing: dict[str, str | None]  # seat -> the likeliest game that it loses
    lost_line: LostLine | None = None


class Refusal(Struct, frozen=True):
    """Why a recipe cannot be learned."""

    sentence: str
    # of a person, from 1; None if no move of a game is the reason
    game: int | None
    # whether only the end of the last game is missing, as in a link that was cut off
    is_cut: bool = False


def make_untaught(recipe: Recipe) -> Recipe:
    """Return the recipe of the learner before its first game.

    Raises RecipeError if no person can teach it.
    """
    if not hasattr(recipe, "taught"):
        raise RecipeError(f"no person teaches {recipe.slug}")
    return _replace_games(recipe, [], [])


def list_taught_phases(recipe: Recipe) -> Phases:
    """Return the opponents of a learner and the turns against each, none before its first game.

    Raises RecipeError if no person can teach it, or not after these.
    """
    phases = [] if recipe == make_untaught(recipe) else recipe.phases
    if YOU not in dict(phases):
        _replace_games(recipe, [*phases, (YOU, 1)], ["0"])
    return phases


def add_game(recipe: Recipe, cells: str) -> Recipe:
    """Return a recipe with one more game of a person, who played these cells.

    Raises RecipeError as for all recipes.
    """
    phases = list_taught_phases(recipe)
    before = phases.pop()[1] if phases and phases[-1][0] == YOU else 0
    return _replace_games(
        recipe, [*phases, (YOU, before + 1)], [*list_taught_games(recipe), cells]
    )


def add_practice(recipe: Recipe, opponent: str, turns: int) -> Recipe:
    """Return a recipe with so many turns more against an opponent that is no person.

    Raises RecipeError as for all recipes.
    """
    return _replace_games(
        recipe,
        [*list_taught_phases(recipe), (opponent, turns)],
        list_taught_games(recipe),
    )


def remove_last(recipe: Recipe) -> Recipe:
    """Return a recipe without its last game of a person or its last practice."""
    *phases, (opponent, turns) = list_taught_phases(recipe)
    games = list_taught_games(recipe)
    if opponent == YOU:
        games.pop()
        phases += [(YOU, turns - 1)] if turns > 1 else []
    return _replace_games(recipe, phases, games)


def format_title(recipe: Recipe) -> str:
    """Return what a learner is called that people taught: "MENACE, taught 23 games"."""
    who = SHIPPED[recipe.slug].title if recipe.slug in SHIPPED else recipe.slug
    number = len(list_taught_games(recipe))
    return f"{who}, taught {number} game{'s' * (number != 1)}"


def cut_after_game(recipe: Recipe, game: int) -> Recipe:
    """Return a recipe without what comes after a game of a person, counted from 1."""
    while len(list_taught_games(recipe)) > game or (
        recipe.phases[-1][0] != YOU and game
    ):
        recipe = remove_last(recipe)
    return recipe


def _replace_games(recipe: Recipe, phases: Phases, games: list[str]) -> Recipe:
    usual = {
        one: get_parameters(type(recipe))[one].default for one in ("vs", recipe.turns)
    }
    if len(phases) == 1:
        usual = dict(zip(usual, phases[0], strict=True))
    elif phases:
        usual["vs"] = "+".join(f"{opponent}:{turns}" for opponent, turns in phases)
    return replace(recipe, **usual, taught=".".join(games))
