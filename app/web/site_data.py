"""The game, its solution, and all agents and baselines: made once when the server starts.

What is exactly true of an agent is worked out when it is first asked for and kept here.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, wraps
from pathlib import Path
from typing import Any, TypeVar, cast
from zlib import crc32

import numpy as np
from flask import current_app
from numpy.typing import NDArray
from werkzeug.exceptions import BadRequest, NotFound

from app.experiments import Bars, Boards, Summary
from app.experiments import load_all as load_experiments
from app.recipes import Recipe, parse
from app.recipes.parameters import YOU
from app.recipes.taught import title_of
from app.tictactoe.agents import Agent, ModelError, blaming, load_all
from app.tictactoe.card import Card
from app.tictactoe.game import Game, tic_tac_toe
from app.tictactoe.history import EVERY
from app.tictactoe.notation import replay
from app.tictactoe.policy import BASELINES, Choice, Policy, best_moves, optimal_q, policy_of
from app.tictactoe.policy_codec import decode, policy_of_choice
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.tasks import Task, task_q
from app.tictactoe.value_map import Tiles, place_tiles
from app.tictactoe.values import Solution, optimal
from app.tictactoe.views import Worth
from app.web.formatting import list_choices
from app.web.service.on_demand import Lab, source
from app.web.translation import current_language, gettext

EXPERIMENTS = "experiments"  # the folder of their summaries, beside the models
HUMAN = "human"
TRUTH = "truth"
TASK = "_task"  # behind the id of an agent; no id has a "_"
MOVES = "moves."  # before the code of some moves: who plays them is known by nothing else
MANY = 256  # of small facts that are kept
JUDGED = 8  # agents that were named last by a recipe or their moves: 0.3 MB each
TIE_DECIMALS = 9  # exact values of a task that differ by less are equal


Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])


class Registry(dict[str, Value]):
    """Values by name: those that are always there, and others that are made when asked for.

    `in`, iteration and length go by those that are always there.  Brackets and `find` return the
    others as well.
    """

    def __init__(
        self,
        always: Mapping[str, Value],
        known: Callable[[str], bool],
        make: Callable[[str], Value],
    ) -> None:
        """`known` says of which other names `make` makes a value."""
        super().__init__(always)
        self._known, self._make = known, make

    def knows(self, name: str) -> bool:
        """Whether there is a value of this name; none is made for that."""
        return name in self or self._known(name)

    def find(self, name: str) -> Value | None:
        """Return a value, None for a name that is not known."""
        return self[name] if self.knows(name) else None

    def __missing__(self, name: str) -> Value:
        if not self._known(name):
            raise KeyError(name)
        return self._make(name)


def cached_per_site(most: int, per_language: bool = False) -> Callable[[Function], Function]:
    """Keep the last answers of a function of a world in that world, as many as `most`.

    What has words in it is kept for each language on its own, `per_language`.
    `lru_cache` alone would keep the world itself, 36 MB, when another has taken its place.
    """

    def keep(function: Function) -> Function:
        @wraps(function)
        def answer(site: "SiteData", *args: Hashable, **kwargs: Hashable) -> object:
            key = (function, current_language()) if per_language else function
            if key not in site.caches:
                site.caches[key] = lru_cache(maxsize=most)(partial(function, site))
            return site.caches[key](*args, **kwargs)

        return cast("Function", answer)

    return keep


@dataclass(frozen=True, eq=False)
class SiteData:
    """Everything that pages are made of; read-only.  Arrays are [D, cells], mover's view."""

    game: Game
    lab: Lab
    always: dict[str, Agent]  # the agents of a folder, which are there without any training
    baselines: dict[str, Policy]
    experiments: dict[str, Summary] = field(default_factory=dict)  # by claim, in their order

    caches: dict[Hashable, Any] = field(default_factory=dict, repr=False)  # of `kept`

    # All that follow list what is always there, and know the recipes of the lab besides.
    # What plays at a board can also be named by its moves, see `policy_codec`.

    @cached_property
    def agents(self) -> Registry[Agent]:
        """The agents."""
        return Registry(self.always, self.lab.knows, self.lab.find)

    @cached_property
    def policies(self) -> Registry[Policy]:
        """How every agent and baseline plays."""
        always = {name: policy_of(agent.q, agent.card.plays) for name, agent in self.always.items()}
        return Registry(always | self.baselines, self._plays, self._policy_on_demand)

    @property
    @cached_per_site(1, per_language=True)
    def titles(self) -> Registry[str]:
        """What every seat and lens is called; a recipe by its name."""
        learned = {name: agent.card.title for name, agent in self.always.items()}
        always = {
            HUMAN: gettext("Human"),
            TRUTH: gettext("Optimal play"),
            **learned,
            **{name + TASK: _task_title(title) for name, title in learned.items()},
            **{name: gettext(BASELINES[name].title) for name in self.baselines},
        }

        def title(name: str) -> str:
            if is_moves(name):
                return gettext("Judged %(code)s", code=f"{crc32(name.encode()) & 0xFFFF:04x}")
            agent = name.removesuffix(TASK)
            recipe = self.recipe(agent)
            short = title_of(recipe) if recipe.is_met(YOU) else agent
            return short if agent == name else _task_title(short)

        def known(name: str) -> bool:
            return self._plays(name if is_moves(name) else name.removesuffix(TASK))

        return Registry(always, known, title)

    @cached_property
    def seats(self) -> tuple[str, ...]:
        """The players that are always there."""
        return (HUMAN, *self.policies)

    @cached_property
    def lenses(self) -> tuple[str, ...]:
        """Whose values a board can always show: of agents, optimal play, and the agents' tasks."""
        return (*self.agents, TRUTH, *self.task_lenses)

    @cached_property
    def task_lenses(self) -> tuple[str, ...]:
        """The lenses that show the exact values of an agent's task."""
        return tuple(name + TASK for name in self.agents if self.task(name))

    def is_seat(self, name: str) -> bool:
        """Whether a player is called this."""
        return name == HUMAN or self.policies.knows(name)

    def is_lens(self, name: str) -> bool:
        """Whether a board can show the values that are called this."""
        return name in self.lenses or self.lab.knows(name) or self.is_task_lens(name)

    def is_task_lens(self, name: str) -> bool:
        """Whether these are the exact values of the task of an agent."""
        agent = name.removesuffix(TASK)
        return agent != name and self.agents.knows(agent) and self.task(agent) is not None

    def canonical(self, name: str) -> str | None:
        """Return the one name of a player, None if there is none of this name.

        Raises an HTTPException with a sentence for a recipe that cannot be had, and for moves that
        are none.
        """
        if is_moves(name):
            try:
                self.choice(name)
            except ValueError as error:
                raise BadRequest(f"These moves cannot be judged: {error}.") from None
            return name
        return name if name in self.seats else self.lab.canonical(name)

    def is_taught(self, lens: str) -> bool:
        """Whether an agent learned from games with a person, whose answers nothing can foretell."""
        return self.agents.knows(lens) and self.recipe(lens).is_met(YOU)

    def learned(self, name: str) -> Agent:
        """Return an agent; raises NotFound, naming those there are, if it is not one of them."""
        agent = self.agents.find(name)
        if agent is None:
            raise NotFound(f"There is no agent {name!r} that learned. {list_choices(self.agents)}")
        return agent

    def experiment(self, claim: str) -> Summary:
        """Return an experiment; raises NotFound, naming those there are, if there is none."""
        if claim not in self.experiments:
            raise NotFound(f"There is no experiment {claim!r}. {list_choices(self.experiments)}")
        return self.experiments[claim]

    def list_algorithms(self, summary: Summary) -> list[str]:
        """List the slugs of the algorithms of an experiment's agents, and of its runs."""
        agents = [self.always[name] for name in summary.agents if name in self.always]
        slugs = [recipe.partition(",")[0] for recipe in summary.recipes if recipe]
        return [*dict.fromkeys([*(agent.card.algorithm for agent in agents), *slugs])]

    @cached_per_site(64)
    def list_claims(self, slug: str) -> tuple[Summary, ...]:
        """List the experiments that are about an algorithm."""
        every = self.experiments.values()
        return tuple(one for one in every if slug in self.list_algorithms(one))

    def name_for_url(self, card: Card) -> str:
        """Return by what name addresses call an agent."""
        listed = self.always.get(card.id)
        return card.id if listed and listed.card is card else card.recipe

    @cached_property
    def solution(self) -> Solution:
        """How every position ends with optimal play, X's view."""
        return optimal(self.game)

    @cached_property
    def truth(self) -> NDArray[np.float64]:
        """The action values of optimal play, -1, 0 or +1, NaN where illegal."""
        return optimal_q(self.game)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Whether a move keeps what the decision is worth with optimal play."""
        return best_moves(self.game)

    @cached_property
    def endings(self) -> NDArray[np.int8]:
        """Moves to a win with optimal play, this one included; below 0 to a loss, 0 for a draw.

        Illegal moves mean nothing.
        """
        plies = self.solution.plies[np.maximum(self.game.successor, 0)] + np.int8(1)
        return np.nan_to_num(self.truth).astype(np.int8) * plies

    @cached_property
    def best_play(self) -> Policy:
        """The policy that wins as soon and loses as late as possible; equal chances for equals."""
        return policy_of(self.truth * (self.game.cells + 2 - np.abs(self.endings)), "greedy")

    @cached_per_site(JUDGED)
    def choice(self, name: str) -> Choice:
        """Return the moves that a policy is named by, [D, cells].

        Raises ValueError, saying what is wrong, if they are none.
        """
        return decode(self.game, name.removeprefix(MOVES))

    @cached_per_site(MANY)
    def recipe(self, name: str) -> Recipe:
        """Return what an agent was made by."""
        return parse(self.always[name].card.recipe if name in self.always else name)

    @cached_per_site(MANY)
    def task(self, name: str) -> Task | None:
        """Return the training task of an agent, None where no table says it exactly."""
        return self.recipe(name).task()

    def task_q(self, name: str) -> NDArray[np.float64] | None:
        """Return the exact optimal values of the training task of an agent, if it has one."""
        task = self.task(name)
        return None if task is None else task_q(self.game, task)

    def values(self, lens: str, step: int | None = None) -> NDArray[np.floating]:
        """Return the values of a lens, of an agent at a snapshot too; NaN where illegal."""
        if lens == TRUTH:
            return self.truth
        if self.agents.knows(lens):
            return self.agents[lens].table(self.game, step)
        exact = self.task_q(lens.removesuffix(TASK))
        assert exact is not None  # a lens of a task is there only if the task is
        return exact

    def worth(self, lens: str) -> Worth | None:
        """Return what results are worth on the scale of a lens; None if its values are beads."""
        if self.agents.knows(lens):
            return self.agents[lens].card.worth
        task = None if lens == TRUTH else self.task(lens.removesuffix(TASK))
        return task.worth if task else Worth()

    def policy(self, lens: str, step: int | None = None) -> Policy:
        """Return the policy of a lens, of an agent at a snapshot too."""
        if lens == TRUTH:
            return self.best_play
        if lens.endswith(TASK):
            return policy_of(self.values(lens).round(TIE_DECIMALS), "greedy")
        if step is None:
            return self.policies[lens]
        return policy_of(self.values(lens, step), self.agents[lens].card.plays)

    def last_step(self, name: str) -> int:
        """Return the last snapshot of an agent, which is the agent as shipped."""
        return len(self.agents[name].snapshot_updates) - 1

    def resolve_step(self, name: str, step: int | None) -> int:
        """Return the number of a snapshot, of which addresses leave out the last: None."""
        return self.last_step(name) if step is None else step

    def step_for_url(self, name: str, step: int | None) -> int | None:
        """Return a snapshot as addresses name it: None is the last, the agent as shipped."""
        return None if step == self.last_step(name) else step

    def known(self, name: str, step: int, pairs: slice = EVERY) -> NDArray[np.bool_]:
        """Return of which pairs, [P], an agent knew anything at a snapshot; the last one is -1.

        That are those which training had updated, and any update of a network moves all its values.
        Some know besides from the rules what the moves are worth that end the game.
        """
        agent = self.agents[name]
        updated = agent.history.updated(step, pairs)
        if self.recipe(name).knows_ends:
            return updated | self.ends[pairs]
        if not self.recipe(name).is_network:
            return updated
        return np.full(len(updated), agent.snapshot_updates[step] > 0)

    @cached_property
    def ends(self) -> NDArray[np.bool_]:
        """Which pairs end the game, [P]."""
        return self.game.pair_after >= self.game.decisions

    @cached_per_site(4)  # 0.3 MB each
    def reachable_play(self, name: str) -> ReachablePlay:
        """Return the positions that come about where a policy plays."""
        return ReachablePlay(self.game, self.policies[name])

    @cached_property
    def tiles(self) -> Tiles:
        """Return where each decision lies in the picture of a mind."""
        return place_tiles(self.game)

    def _plays(self, name: str) -> bool:
        """Whether a policy that is not always there can be had, by a recipe or by moves."""
        if not is_moves(name):
            return self.lab.knows(name)
        try:
            self.choice(name)
        except ValueError:
            return False
        return True

    @cached_per_site(JUDGED)
    def _policy_on_demand(self, name: str) -> Policy:
        if is_moves(name):
            return policy_of_choice(self.choice(name))
        agent = self.agents[name]
        return policy_of(agent.q, agent.card.plays)


def load_site_data(models: Path, lab: bool = False) -> SiteData:
    """Load and check every model of a folder; with the `lab` every recipe is an agent, too.

    Raises ModelError, naming the file and the reason, if one of them, or of the experiments beside
    them, is broken.
    """
    game = tic_tac_toe()
    agents = load_all(models, game)
    for name, agent in agents.items():
        with blaming(f"{models / name}.json"):
            _check_recipe(agent.card)
    try:
        experiments = load_experiments(models / EXPERIMENTS)
    except ValueError as error:  # which names the file
        raise ModelError(str(error)) from error
    for claim, summary in experiments.items():
        with blaming(f"{models / EXPERIMENTS / claim}.json"):
            _check_positions(game, summary)
    return SiteData(
        game=game,
        lab=Lab(game, agents, source() if lab else None),
        always=agents,
        baselines={name: baseline.policy(game) for name, baseline in BASELINES.items()},
        experiments=experiments,
    )


def current_site() -> SiteData:
    """Return the world of the app that is answering."""
    loaded: SiteData = current_app.extensions["site"]
    return loaded


def is_moves(name: str) -> bool:
    """Whether a name is meant as the code of moves, right or wrong."""
    return name.startswith(MOVES)


def _check_recipe(card: Card) -> None:
    """Raise ValueError if a card has no recipe, or what is not its recipe's."""
    recipe = parse(card.recipe)
    for what, there, wanted in (
        ("algorithm", card.algorithm, recipe.slug),
        ("seed", card.seed, recipe.seed),
        ("worth", card.worth, recipe.worth()),
        ("plays", card.plays, recipe.plays),
    ):
        if there != wanted:
            raise ValueError(f"{what} is {there!r}, and {wanted!r} in its recipe")


def _check_positions(game: Game, summary: Summary) -> None:
    """Raise ValueError if a figure shows a position that no game leads to."""
    for figure in summary.figures:
        if isinstance(figure, Boards):
            for board in figure.boards:
                replay(game, board.record)
        elif isinstance(figure, Bars):
            for bar in figure.bars:
                replay(game, bar.record or "")


def _task_title(title: str) -> str:
    return gettext("The training task of %(agent)s", agent=title)
