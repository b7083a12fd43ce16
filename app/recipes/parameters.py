"""The parameters of recipes, and the checks of their values.

A recipe is a frozen msgspec struct, and each of its fields is a parameter. `parameters.toml` is the
one place for a parameter's range, meaning and symbol in formulas: forms, the command line, agents'
pages and checks all read it.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
import numpy as np

from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import BASELINES, PlayRule
from app.tictactoe.tasks import TrainingTask
from app.tictactoe.views import RewardScale

ParameterValue = bool | int | float | str
# A phase is an opponent and the number of turns (games, sweeps or rounds) against it.
TrainingPhases = list[tuple[str, int]]

# The opponent plays the learner's greedy policy, and the learner learns nothing from its moves.
SELF_OPPONENT = "self"
# The learner plays both X and O, and explores and learns as both.
BOTH_OPPONENT = "both"
SELF_OPPONENTS = (SELF_OPPONENT, BOTH_OPPONENT)
OPPONENTS = (*BASELINES, *SELF_OPPONENTS)
# The opponent is a person, and the recipe lists this person's moves.
PERSON_OPPONENT = "you"
MAX_TAUGHT_GAMES = 300
# A learner that people teach may also practise against other opponents, while a visitor waits.
MAX_PRACTICE_UPDATES = 20_000
# The agent is evaluated after each phase of practice, which takes time.
MAX_PRACTICE_PHASES = 40
# Most algorithms have these parameters, so forms and names of recipes list them last.
COMMON_PARAMETERS = "taught win draw loss seed"
MAX_QUOTED_LENGTH = 40
YES_NO_WORDS = {True: "yes", False: "no"}
PARAMETER_TABLES: dict[str, dict[str, Any]] = msgspec.toml.decode(
    Path(__file__).with_name("parameters.toml").read_bytes()
)


class RecipeError(ValueError):
    """Raised for an invalid recipe; the message names the parameter and the valid values."""


class TaughtMoveError(RecipeError):
    """Raised for an impossible move of a person; games and moves are counted from 1."""

    def __init__(self, game_number: int, move_number: int, fault: str) -> None:
        super().__init__(game_number, move_number, fault)
        self.game = game_number
        self.move = move_number
        self.fault = fault

    def __str__(self) -> str:
        return f"taught: move {self.move} of game {self.game} {self.fault}"


class Parameter(NamedTuple):
    """A parameter of an algorithm, with its value in a recipe.

    `field_name` differs from the name if that is a Python keyword, such as "lambda". The `symbol`
    is used in formulas, and can be "". `value_type` is bool, int, float or str. Only numbers
    have a minimum and a maximum, and `choices` is empty for numbers and free texts.
    """

    name: str
    field_name: str
    symbol: str
    value_type: type
    value: ParameterValue
    default: ParameterValue
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    meaning: str


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters that determine an agent: equal recipes give equal agents, bit for bit.

    A training has turns, which are games, sweeps, rounds or epochs, and phases, each of many turns
    against one opponent. `length_parameter` names the parameter with the number of turns, as
    "games" does. With `knows_final_values` the learner takes the values of final positions from the
    rules. Raises RecipeError if a parameter is out of range or if two parameters contradict each
    other.
    """

    slug: ClassVar[str]
    length_parameter: ClassVar[str] = "games"
    knows_final_values: ClassVar[bool] = False
    is_network: ClassVar[bool] = False

    seed: int = 0

    def __post_init__(self) -> None:
        for parameter in get_parameters(type(self)).values():
            check_value(parameter, getattr(self, parameter.field_name))
        self.check_combination()

    def check_combination(self) -> None:
        usual = get_parameters(type(self))[self.length_parameter].default
        if ":" in self._opponents and getattr(self, self.length_parameter) != usual:
            raise RecipeError(
                f"{self.length_parameter} is not given where vs says how many: {self._opponents}"
            )
        if self.has_opponent(BOTH_OPPONENT) and getattr(self, "seat", "both") != "both":
            raise RecipeError(
                "seat is both where vs is both: it learns in both seats of a game"
            )
        if self.has_opponent(PERSON_OPPONENT) or list_taught_games(self):
            check_taught_games(self)
        if hasattr(self, "win"):
            check_rewards(
                *(getattr(self, result) for result in ("loss", "draw", "win"))
            )

    @classmethod
    def list_lineage(cls) -> list[str]:
        """Return the slugs of the algorithm and of its base classes, the nearest one first.

        The training loop is that of the first slug for which `training.learners` has one.
        """
        return [vars(kind)["slug"] for kind in cls.__mro__ if "slug" in vars(kind)]

    @property
    def _opponents(self) -> str:
        return str(getattr(self, "vs", SELF_OPPONENT))

    @property
    def phases(self) -> TrainingPhases:
        """The phases of the training, such as [("random", 500), ("self", 200)]."""
        if ":" not in self._opponents:
            return [(self._opponents, int(getattr(self, self.length_parameter)))]
        phases = (phase.split(":") for phase in self._opponents.split("+"))
        return [(opponent, int(turns)) for opponent, turns in phases]

    def with_seed(self, seed: int | None) -> Self:
        return self if seed is None else msgspec.structs.replace(self, seed=seed)

    @property
    def plays(self) -> PlayRule:
        """The rule by which the agent chooses moves: "greedy", "first" or "proportional"."""
        return "greedy"

    def get_reward_scale(self) -> RewardScale | None:
        """Return the rewards of a loss, a draw and a win, for X and for O.

        The result is None if the values are numbers of beads, which are no expected rewards.
        """
        return RewardScale()

    def build_training_task(self) -> TrainingTask | None:
        """Return the training task of the last phase: its opponent, its rewards and its discount.

        The result is None if this task has no exact values, for example against a person.
        """
        return (
            None
            if self.phases[-1][0] == PERSON_OPPONENT
            else self.build_exact_values_task()
        )

    def build_exact_values_task(self) -> TrainingTask | None:
        """Return what `build_training_task` returns if the last opponent is no person."""
        return None

    def compute_max_updates(self) -> int:
        return (
            sum(turns for _, turns in self.phases) * self.compute_max_updates_per_turn()
        )

    def compute_max_updates_per_turn(self) -> int:
        """Return an upper bound on the number of updates in a turn, by default a game.

        There is an update for each move of X, or for each move of both if the learner plays both.
        """
        cells = GAME.cells
        return cells if self.has_opponent(BOTH_OPPONENT) else -(-cells // 2)

    def has_opponent(self, *opponents: str) -> bool:
        return any(opponent in opponents for opponent, _ in self.phases)

    def count_turns_against(self, *opponents: str) -> int:
        return sum(turns for opponent, turns in self.phases if opponent in opponents)


class RecipeWithRewards(Recipe, frozen=True, kw_only=True):
    """A recipe with the rewards as parameters, the same for X and for O."""

    win: float = 1.0
    draw: float = 0.0
    loss: float = -1.0

    def get_reward_scale(self) -> RewardScale:
        rewards = (self.loss, self.draw, self.win)
        return RewardScale(x=rewards, o=rewards)

    def get_task_opponent(self) -> str | None:
        """Return the training task's opponent: a baseline, or None if the learner plays itself."""
        # With `vs=both` the opponent explores in training, but not in the training task.
        last, _ = self.phases[-1]
        return None if last in SELF_OPPONENTS else last


def check_rewards(loss: float, draw: float, win: float) -> None:
    """Raise RecipeError unless loss <= draw <= win and loss < win."""
    if not (loss <= draw <= win and loss < win):
        rewards = ", ".join(map(format_value, (loss, draw, win)))
        raise RecipeError(f"rewards rise from loss to draw to win, not {rewards}")


@cache
def get_parameters(algorithm: type[Recipe]) -> Mapping[str, Parameter]:
    """Return the parameters of an algorithm by name, with their default values.

    They are in the order of the class, but the COMMON_PARAMETERS come last.
    """
    hints = get_type_hints(algorithm)
    described = {}
    fields = msgspec.structs.fields(algorithm)
    for field in sorted(fields, key=lambda field: COMMON_PARAMETERS.find(field.name)):
        name = field.encode_name
        kind = hints[field.name]
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        table = _get_entry(algorithm, name)
        limits = [kind(limit) for limit in table.get("range", ())] or [None, None]
        described[name] = Parameter(
            name=name,
            field_name=field.name,
            symbol=table.get("symbol", ""),
            value_type=str if choices else kind,
            value=field.default,
            default=field.default,
            minimum=limits[0],
            maximum=limits[1],
            choices=tuple(YES_NO_WORDS.values()) if kind is bool else choices,
            meaning=table["meaning"],
        )
    return MappingProxyType(described)


def _get_entry(algorithm: type[Recipe], name: str) -> dict[str, Any]:
    """Return the range and the texts of a parameter from `parameters.toml`.

    An algorithm's own texts replace the texts of its base classes, and these replace general texts.
    """
    names = [name, *(f"{slug}.{name}" for slug in reversed(algorithm.list_lineage()))]
    tables = [PARAMETER_TABLES.get(each, {}) for each in names]
    return {key: value for table in tables for key, value in table.items()}


def list_parameters(recipe: Recipe) -> list[Parameter]:
    described = get_parameters(type(recipe)).values()
    return [
        parameter._replace(value=getattr(recipe, parameter.field_name))
        for parameter in described
    ]


def check_value(parameter: Parameter, value: ParameterValue) -> None:
    names_opponents = parameter.name == "vs" and (
        not parameter.choices or includes_person(str(value))
    )
    if names_opponents and isinstance(value, str):
        check_opponents(value, parameter.choices or OPPONENTS)
    elif not _is_in_range(parameter, value):
        raise RecipeError(
            f"{parameter.name} {describe_range(parameter)}, not {quote_value(value)}"
        )


def _is_in_range(parameter: Parameter, value: ParameterValue) -> bool:
    kind = parameter.value_type
    if kind is str and parameter.choices:
        return value in parameter.choices
    if kind not in (int, float):
        return isinstance(value, kind)
    if isinstance(value, (bool, str)) or (kind is int and isinstance(value, float)):
        return False
    low = parameter.minimum
    high = parameter.maximum
    return low is not None and high is not None and low <= value <= high


def describe_range(parameter: Parameter) -> str:
    """Return the end of a sentence about valid values, such as "must be a number from 0 to 1"."""
    if parameter.choices:
        return f"must be {' or '.join(parameter.choices)}"
    if parameter.value_type is str:
        return "must be a text"
    number = "a whole number" if parameter.value_type is int else "a number"
    low = format_value(parameter.minimum or 0)
    high = format_value(parameter.maximum or 0)
    return f"must be {number} from {low} to {high}"


def includes_person(vs: str) -> bool:
    return PERSON_OPPONENT in (phase.partition(":")[0] for phase in vs.split("+"))


def list_taught_games(recipe: Recipe) -> list[str]:
    """Return the cells that the person played in each game, such as ["408", "02"]."""
    taught = getattr(recipe, "taught", "")
    return taught.split(".") if taught else []


def check_taught_games(recipe: Recipe) -> None:
    """Raise RecipeError if the games against a person contradict the other parameters.

    In each game the person plays at least one cell, and no cell twice. Whether the moves are legal
    depends on the learner's replies, so only the training shows it.
    """
    if not hasattr(recipe, "taught"):
        raise RecipeError(
            f"vs is not {PERSON_OPPONENT}: no person teaches {recipe.slug}"
        )
    games = list_taught_games(recipe)
    taught_turns = recipe.count_turns_against(PERSON_OPPONENT)
    if len(games) != taught_turns:
        raise RecipeError(
            f"taught has {len(games)} games, and vs={recipe._opponents} has {taught_turns}"
        )
    if taught_turns > MAX_TAUGHT_GAMES:
        raise RecipeError(
            f"people teach {MAX_TAUGHT_GAMES} games at most, not {taught_turns}"
        )
    _check_practice(recipe)
    for parameter, value in (
        ("start", "empty"),
        ("epsilon_drop", 0),
        ("alpha_drop", 0),
    ):
        if getattr(recipe, parameter, value) != value:
            # With another value, one more game would change the learner's moves in earlier games.
            raise RecipeError(f"{parameter} is {value} where a person teaches")
    for number, game in enumerate(games, 1):
        _check_taught_cells(number, game)


def _check_practice(recipe: Recipe) -> None:
    wanted = recipe.count_turns_against(PERSON_OPPONENT)
    practice = (
        sum(turns for _, turns in recipe.phases) - wanted
    ) * recipe.compute_max_updates_per_turn()
    if practice > MAX_PRACTICE_UPDATES:
        raise RecipeError(
            f"a learner with people practises for {MAX_PRACTICE_UPDATES:,} updates at most, and this "
            f"may be {practice:,}"
        )
    phases = sum(opponent != PERSON_OPPONENT for opponent, _ in recipe.phases)
    if phases > MAX_PRACTICE_PHASES:
        raise RecipeError(
            f"a learner with people practises {MAX_PRACTICE_PHASES} times at most, not {phases}"
        )


def _check_taught_cells(game_number: int, cells: str) -> None:
    valid_cells = DIGITS[: GAME.cells]
    for move, cell in enumerate(cells or " ", 1):
        if cell not in valid_cells:
            fault = f"is {quote_value(cell)}, and a cell is 0 to {valid_cells[-1]}"
            raise TaughtMoveError(game_number, move, fault if cells else "is missing")
        if cell in cells[: move - 1]:
            raise TaughtMoveError(game_number, move, f"is cell {cell} once more")


# Each recipe has only one name, so a number must not begin with a sign, a space or a zero.
POSITIVE_COUNT_PATTERN = "[1-9][0-9]{0,8}"


def check_opponents(vs: str, opponents: tuple[str, ...] = OPPONENTS) -> None:
    """Raise RecipeError unless `vs` is valid, such as `random` or `random:50+self:200`."""
    phases = [phase.split(":") for phase in vs.split("+")]
    for name, *turns in phases:
        if name not in (*opponents, PERSON_OPPONENT):
            raise RecipeError(
                f"vs is one or more of {', '.join(opponents)}, not {quote_value(name)}"
            )
        if (turns or len(phases) > 1) and not re.fullmatch(
            POSITIVE_COUNT_PATTERN, ":".join(turns)
        ):
            raise RecipeError(
                f"vs counts the turns against each opponent, as in random:50+self:200, "
                f"from 1 to 999999999, not {quote_value(vs)}"
            )
    if len(phases) == 1 and ":" in vs:
        raise RecipeError(
            f"vs needs no count for a single opponent, as in {quote_value(vs)}"
        )


def format_value(value: ParameterValue) -> str:
    """Return a value as in a recipe's name: `yes`, `20000`, `0.5`, `0.00005`, `self`."""
    if isinstance(value, bool):
        return YES_NO_WORDS[value]
    if isinstance(value, float):
        return _format_float(value)
    return str(value)


# A page that offers recipes writes the same few numbers thousands of times.
@lru_cache(1_000)
def _format_float(number: float) -> str:
    # Adding 0.0 turns -0.0 into 0.0.
    return np.format_float_positional(number + 0.0, trim="-")


def quote_value(value: ParameterValue) -> str:
    """Return a rejected value in quotes, cut to 40 characters."""
    text = str(value)
    return repr(
        text if len(text) <= MAX_QUOTED_LENGTH else text[:MAX_QUOTED_LENGTH] + "..."
    )
