"""What a parameter is, where it is written down once, and how a recipe is checked against it.

A recipe is a frozen msgspec struct.  Each of its fields is a parameter: the field's type holds the
range (`Meta(ge, le)`), one plain sentence of meaning, and the symbol that formulas use.  Forms,
command lines, cards and the checks of names all read it there.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import (
    Annotated,
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
from msgspec import Meta

from app.tictactoe.game import tic_tac_toe
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import BASELINES, Plays
from app.tictactoe.tasks import Task
from app.tictactoe.views import Worth

Value = bool | int | float | str
Phases = list[tuple[str, int]]  # an opponent, and for how long

SELF = "self"  # the learner's own greedy play, of which nothing is learned
BOTH = "both"  # the learner in both seats, learning and exploring in each
SELF_OPPONENTS = (SELF, BOTH)
OPPONENTS = (*BASELINES, *SELF_OPPONENTS)
YOU = "you"  # the person who teaches, whose moves the recipe holds
MAX_TAUGHT_GAMES = 300  # games with people
MAX_PRACTICE_UPDATES = 20_000  # updates of the other games of a recipe with people
# each is judged by itself: 100 games at a time come to MOST_PRACTICE
MAX_PRACTICE_PHASES = 40
COMMON_PARAMETERS = (
    "taught win draw loss seed"  # parameters that come last, in this order
)
MAX_QUOTED = 40  # characters of a refused value
SWITCH_WORDS = {True: "yes", False: "no"}  # how a name writes a switch


class RecipeError(ValueError):
    """A recipe that cannot be meant: the message names the parameter and what would be right."""


class TaughtError(RecipeError):
    """A move of a game with a person that cannot have been played: the message names both."""

    def __init__(self, game: int, move: int, fault: str) -> None:
        """`game` and `move` count those of the person from 1."""
        super().__init__(game, move, fault)
        self.game, self.move, self.fault = game, move, fault

    def __str__(self) -> str:
        return f"taught: move {self.move} of game {self.game} {self.fault}"


class Parameter(NamedTuple):
    """One parameter of an algorithm, with the value that a recipe gives it."""

    name: str
    field: str  # of the recipe: the name, or another one where Python keeps the name for itself
    symbol: str  # as formulas write it, or empty
    kind: type  # bool, int, float or str
    value: Value
    default: Value
    low: float | None  # None where it is no number
    high: float | None
    choices: tuple[str, ...]  # empty where it is free within its range
    meaning: str


def describe_reward(meaning: str) -> Meta:
    """Describe a reward."""
    return Meta(ge=-100.0, le=100.0, description=meaning, extra={"symbol": "r"})


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what an agent becomes: the same recipe, the same agent bit for bit.

    Raises RecipeError if a parameter is outside its range or two of them contradict each other.
    """

    slug: ClassVar[str]
    turns: ClassVar[str] = "games"  # the parameter that says how long it learns
    # whether the rules tell it what moves that end a game are
    knows_ends: ClassVar[bool] = False
    # every update moves all values, and training takes minutes
    is_network: ClassVar[bool] = False

    seed: Annotated[
        int,
        Meta(
            ge=0,
            le=999_999_999,
            description="Which random numbers: another seed, another run.",
        ),
    ] = 0

    def __post_init__(self) -> None:
        for parameter in get_parameters(type(self)).values():
            check_value(parameter, getattr(self, parameter.field))
        self.check_together()

    def check_together(self) -> None:
        """Raise RecipeError if parameters that are right by themselves contradict each other."""
        usual = get_parameters(type(self))[self.turns].default
        if ":" in self._vs and getattr(self, self.turns) != usual:
            raise RecipeError(
                f"{self.turns} is not given where vs says how many: {self._vs}"
            )
        if self.is_met(BOTH) and getattr(self, "seat", "both") != "both":
            raise RecipeError(
                "seat is both where vs is both: it learns in both seats of a game"
            )
        if self.is_met(YOU) or list_taught_games(self):
            check_taught_games(self)
        if hasattr(self, "win"):
            check_rewards(
                *(getattr(self, result) for result in ("loss", "draw", "win"))
            )

    @classmethod
    def lineage(cls) -> list[str]:
        """Name the algorithm, then those whose parameters it extends, the nearest first.

        It is learned by a loop of its own or by the nearest one's, see `training`.
        """
        return [vars(kind)["slug"] for kind in cls.__mro__ if "slug" in vars(kind)]

    @property
    def _vs(self) -> str:
        return str(getattr(self, "vs", SELF))

    @property
    def phases(self) -> Phases:
        """Whom it learns against, one after the other, and for how many turns."""
        if ":" not in self._vs:
            return [(self._vs, int(getattr(self, self.turns)))]
        phases = (phase.split(":") for phase in self._vs.split("+"))
        return [(opponent, int(turns)) for opponent, turns in phases]

    def with_seed(self, seed: int | None) -> Self:
        """Return the recipe with another seed, or as it is with none."""
        return self if seed is None else msgspec.structs.replace(self, seed=seed)

    @property
    def plays(self) -> Plays:
        """How its table is played: see `app.tictactoe.policy.policy_of`."""
        return "greedy"

    def worth(self) -> Worth | None:
        """Return what its rewards are worth to the mover, in each seat.

        None where its values are no expected rewards: they are beads, see `app.tictactoe.beads`.
        """
        return Worth()

    def task(self) -> Task | None:
        """Return its training task in the end, or None where that has no exact values.

        Against a person it has none.
        """
        return None if self.phases[-1][0] == YOU else self.exact_task()

    def exact_task(self) -> Task | None:
        """Return the task of an algorithm whose last opponent is a policy."""
        return None

    def updates_at_most(self) -> int:
        """Return a bound on how many updates its training makes."""
        return sum(turns for _, turns in self.phases) * self.updates_a_turn()

    def updates_a_turn(self) -> int:
        """Return a bound on those of one turn: of a game, the moves of who begins, or of both."""
        cells = tic_tac_toe().cells
        return cells if self.is_met(BOTH) else -(-cells // 2)

    def is_met(self, *opponents: str) -> bool:
        """Whether one of these is an opponent at some time of the training."""
        return any(opponent in opponents for opponent, _ in self.phases)

    def turns_against(self, *opponents: str) -> int:
        """Return how many turns it has against these."""
        return sum(turns for opponent, turns in self.phases if opponent in opponents)


class Rewarded(Recipe, frozen=True, kw_only=True):
    """A recipe in which a result is worth the same in either seat."""

    win: Annotated[float, describe_reward("The reward of a won game.")] = 1.0
    draw: Annotated[float, describe_reward("The reward of a drawn game.")] = 0.0
    loss: Annotated[float, describe_reward("The reward of a lost game.")] = -1.0

    def worth(self) -> Worth:
        """Return the rewards."""
        rewards = (self.loss, self.draw, self.win)
        return Worth(x=rewards, o=rewards)

    def opponent(self) -> str | None:
        """Return the opponent at the end of the training as a `Task` has it, None for itself.

        The exploration of an opponent that is itself, which `vs=both` has, is no part of a task.
        """
        last, _ = self.phases[-1]
        return None if last in SELF_OPPONENTS else last


def check_rewards(loss: float, draw: float, win: float) -> None:
    """Raise RecipeError if a loss is worth more than a draw, a draw than a win, or all the same."""
    if not (loss <= draw <= win and loss < win):
        rewards = ", ".join(map(format_value, (loss, draw, win)))
        raise RecipeError(f"rewards rise from loss to draw to win, not {rewards}")


@cache
def get_parameters(algorithm: type[Recipe]) -> Mapping[str, Parameter]:
    """Return the parameters of an algorithm with their defaults.

    They come in the order of its class, and those that algorithms share at the end.
    """
    hints = get_type_hints(algorithm, include_extras=True)
    described = {}
    fields = msgspec.structs.fields(algorithm)
    for field in sorted(fields, key=lambda field: COMMON_PARAMETERS.find(field.name)):
        kind, meta = get_args(hints[field.name])
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        described[field.encode_name] = Parameter(
            name=field.encode_name,
            field=field.name,
            symbol=(meta.extra or {}).get("symbol", ""),
            kind=str if choices else kind,
            value=field.default,
            default=field.default,
            low=meta.ge,
            high=meta.le,
            choices=tuple(SWITCH_WORDS.values()) if kind is bool else choices,
            meaning=meta.description,
        )
    return MappingProxyType(described)


def list_parameters(recipe: Recipe) -> list[Parameter]:
    """Return the parameters of a recipe, in the order of its class."""
    described = get_parameters(type(recipe)).values()
    return [
        parameter._replace(value=getattr(recipe, parameter.field))
        for parameter in described
    ]


def check_value(parameter: Parameter, value: Value) -> None:
    """Raise RecipeError, naming the range, if a value of a parameter is not within it."""
    names_opponents = parameter.name == "vs" and (
        not parameter.choices or has_person(str(value))
    )
    if names_opponents and isinstance(value, str):
        check_opponents(value, parameter.choices or OPPONENTS)
    elif not _is_in_range(parameter, value):
        raise RecipeError(
            f"{parameter.name} {describe_range(parameter)}, not {quote_value(value)}"
        )


def _is_in_range(parameter: Parameter, value: Value) -> bool:
    """Whether a value has the type of a parameter and is one of its choices or in its range."""
    kind = parameter.kind
    if kind is str and parameter.choices:
        return value in parameter.choices
    if kind not in (int, float):
        return isinstance(value, kind)
    if isinstance(value, (bool, str)) or (kind is int and isinstance(value, float)):
        return False
    low, high = parameter.low, parameter.high
    return low is not None and high is not None and low <= value <= high


def describe_range(parameter: Parameter) -> str:
    """Say what a parameter may be, to go on after its name."""
    if parameter.choices:
        return f"is {' or '.join(parameter.choices)}"
    if parameter.kind is str:
        return "is a text"
    number = "a whole number" if parameter.kind is int else "a number"
    low, high = format_value(parameter.low or 0), format_value(parameter.high or 0)
    return f"is {number} within {low} and {high}"


def has_person(vs: str) -> bool:
    """Whether a person is among these opponents."""
    return YOU in (phase.partition(":")[0] for phase in vs.split("+"))


def list_taught_games(recipe: Recipe) -> list[str]:
    """Return the cells that the person played in each game with one."""
    taught = getattr(recipe, "taught", "")
    return taught.split(".") if taught else []


def check_taught_games(recipe: Recipe) -> None:
    """Raise RecipeError if a recipe's games with people do not go with the rest of it.

    Which of their moves are possible depends on the learner's own, so it shows when it learns:
    here each game has a cell at least, and none twice.
    """
    if not hasattr(recipe, "taught"):
        raise RecipeError(f"vs is not {YOU}: no person teaches {recipe.slug}")
    games, wanted = list_taught_games(recipe), recipe.turns_against(YOU)
    if len(games) != wanted:
        raise RecipeError(
            f"taught has {len(games)} games, and vs={recipe._vs} has {wanted}"
        )
    if wanted > MAX_TAUGHT_GAMES:
        raise RecipeError(
            f"people teach {MAX_TAUGHT_GAMES} games at most, not {wanted}"
        )
    _check_practice(recipe)
    for parameter, value in (
        ("start", "empty"),
        ("epsilon_drop", 0),
        ("alpha_drop", 0),
    ):
        if getattr(recipe, parameter, value) != value:
            # What a game more changes in the games before it would be another learner's.
            raise RecipeError(f"{parameter} is {value} where a person teaches")
    for number, game in enumerate(games, 1):
        _check_taught_cells(number, game)


def _check_practice(recipe: Recipe) -> None:
    """Raise RecipeError if a learner with people practises too much between their games."""
    wanted = recipe.turns_against(YOU)
    practice = (
        sum(turns for _, turns in recipe.phases) - wanted
    ) * recipe.updates_a_turn()
    if practice > MAX_PRACTICE_UPDATES:
        raise RecipeError(
            f"a learner with people practises for {MAX_PRACTICE_UPDATES:,} updates at most, and this "
            f"may be {practice:,}"
        )
    phases = sum(opponent != YOU for opponent, _ in recipe.phases)
    if phases > MAX_PRACTICE_PHASES:
        raise RecipeError(
            f"a learner with people practises {MAX_PRACTICE_PHASES} times at most, not {phases}"
        )


def _check_taught_cells(number: int, game: str) -> None:
    """Raise TaughtError if a game of a person has no cells, or other ones, or one twice."""
    cells = DIGITS[: tic_tac_toe().cells]
    for move, cell in enumerate(game or " ", 1):
        if cell not in cells:
            fault = f"is {quote_value(cell)}, and a cell is 0 to {cells[-1]}"
            raise TaughtError(number, move, fault if game else "is missing")
        if cell in game[: move - 1]:
            raise TaughtError(number, move, f"is cell {cell} once more")


def check_opponents(vs: str, opponents: tuple[str, ...] = OPPONENTS) -> None:
    """Raise RecipeError if opponents are not `random` or `random:50+self:200`."""
    phases = [phase.split(":") for phase in vs.split("+")]
    for name, *turns in phases:
        if name not in (*opponents, YOU):
            raise RecipeError(
                f"vs is one or more of {', '.join(opponents)}, not {quote_value(name)}"
            )
        if turns or len(phases) > 1:
            number = turns[0] if len(turns) == 1 else ""
            # No number that is written in another way than `int` would write it.
            right = number.isascii() and number.isdigit() and not number.startswith("0")
            if not right or len(number) > 9:
                raise RecipeError(
                    f"vs counts the turns against each opponent, as in random:50+self:200, "
                    f"from 1 to 999999999, not {quote_value(vs)}"
                )
    if len(phases) == 1 and ":" in vs:
        raise RecipeError(
            f"vs needs no count for a single opponent, as in {quote_value(vs)}"
        )


def format_value(value: Value) -> str:
    """Write a value as a name has it: `yes`, `20000`, `0.5`, `0.00005`, `self`."""
    if isinstance(value, bool):
        return SWITCH_WORDS[value]
    if isinstance(value, float):
        return np.format_float_positional(value + 0.0, trim="-")  # 0.0 makes -0.0 a 0
    return str(value)


def quote_value(value: Value) -> str:
    """Write a value that is refused, but not at any length."""
    text = str(value)
    return repr(text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "...")
