"""The data of the site: the game, all agents and baselines, and the experiments.

It is loaded once, when the server starts. Exact facts about agents are in `facts.py`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, wraps
from pathlib import Path
from typing import Any, TypeVar, cast
from zlib import crc32

import numpy as np
from flask import current_app
from msgspec import Raw
from numpy.typing import NDArray
from werkzeug.exceptions import BadRequest, NotFound

from app.experiments import Bars, Boards, Summary
from app.experiments import load_summaries as load_experiments
from app.recipes import Recipe, parse_recipe
from app.recipes.faults import FOLDER as FAULTS
from app.recipes.games import UpdateExample, load_examples, load_mistakes
from app.recipes.parameters import YOU
from app.recipes.taught import format_title
from app.tictactoe.agents import Agent, ModelError, load_agents, name_file_in_errors
from app.tictactoe.card import Card
from app.tictactoe.game import Game, tic_tac_toe
from app.tictactoe.history import EVERY
from app.tictactoe.notation import replay_record
from app.tictactoe.policy import (
    BASELINES,
    Choice,
    Policy,
    compute_optimal_q,
    find_best_moves,
    policy_from_values,
)
from app.tictactoe.policy_codec import decode_moves, policy_from_moves
from app.tictactoe.tasks import Task, solve_task
from app.tictactoe.value_map import Tiles, place_tiles
from app.tictactoe.values import Solution, solve_game
from app.tictactoe.views import RewardScale
from app.web.formatting import list_choices
from app.web.on_demand import Lab, find_trainer
from app.web.translation import current_language, gettext, mark_english

UPDATES = "updates"  # folder of updates of trainings, inside the folder of models
MISTAKES = "mistakes"  # folder of updates that made blunders, inside UPDATES
EXPERIMENTS = "experiments"  # folder of the summaries, inside the folder of models
HUMAN = "human"
TRUTH = "truth"
TASK = "_task"  # suffix of an agent's id; no id contains a "_"
MOVES = "moves."  # prefix of a policy that is named by its encoded moves
MANY = 256  # cached results of functions with small results
JUDGED = 8  # cached policies of recipes and of encoded moves, 0.3 MB each
TIE_DECIMALS = 9  # exact values are compared after rounding to this many decimals


Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])

BEATABLE = "q-learning-1"  # chosen for its many colours, and for a blunder


class Registry(dict[str, Value]):
    """Values by name: a fixed set, and other values that are created on demand.

    `in`, iteration and length cover the fixed set only. Brackets and `find` also return
    the other values.
    """

    def __init__(
        self,
        always: Mapping[str, Value],
        known: Callable[[str], bool],
        make: Callable[[str], Value],
    ) -> None:
        """Create a registry; `make` creates values for the other names, which `known` accepts."""
        super().__init__(always)
        self._known = known
        self._make = make

    def knows(self, name: str) -> bool:
        """Return whether there is a value of this name, without creating it."""
        return name in self or self._known(name)

    def find(self, name: str) -> Value | None:
        """Return a value, None for an unknown name."""
        return self[name] if self.knows(name) else None

    def __missing__(self, name: str) -> Value:
        if not self._known(name):
            raise KeyError(name)
        return self._make(name)


def cached_per_site(
    most: int, per_language: bool = False
) -> Callable[[Function], Function]:
    """Cache the last results of a function of the site, at most `most`, in the site itself.

    With `per_language` each language has its own results, for functions that return text.
    `lru_cache` alone would keep a replaced site alive, 36 MB.
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
    """All data that pages are made of; read-only. Arrays are [D, cells], in the mover's view."""

    game: Game
    lab: Lab
    always: dict[str, Agent]  # the agents loaded from the folder of models
    baselines: dict[str, Policy]
    experiments: dict[str, Summary] = field(default_factory=dict)  # claim -> summary
    # algorithm -> updates of real trainings, for the views step by step
    updates: dict[str, list[UpdateExample]] = field(default_factory=dict)
    # agent -> board and cell of a blunder -> the updates behind it, encoded
    mistakes: dict[str, dict[str, Raw]] = field(default_factory=dict)

    # results of `cached_per_site`
    caches: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    # These registries list what is always available, and find the recipes of the lab as well.
    # A policy can also be named by its encoded moves: see `policy_codec`.

    @cached_property
    def agents(self) -> Registry[Agent]:
        """All agents."""
        return Registry(self.always, self.lab.knows, self.lab.find)

    @cached_property
    def policies(self) -> Registry[Policy]:
        """The policy of every agent and baseline."""
        always = {
            name: policy_from_values(agent.q, agent.card.plays)
            for name, agent in self.always.items()
        }
        return Registry(always | self.baselines, self._plays, self._policy_on_demand)

    @property
    @cached_per_site(1, per_language=True)
    def titles(self) -> Registry[str]:
        """The title of every player and value source; a recipe is called by its name."""
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
                return gettext(
                    "Judged %(code)s", code=f"{crc32(name.encode()) & 0xFFFF:04x}"
                )
            agent = name.removesuffix(TASK)
            recipe = self.get_recipe(agent)
            short = format_title(recipe) if recipe.has_opponent(YOU) else agent
            return short if agent == name else _task_title(short)

        def known(name: str) -> bool:
            return self._plays(name if is_moves(name) else name.removesuffix(TASK))

        return Registry(always, known, title)

    @cached_property
    def seats(self) -> tuple[str, ...]:
        """The players that are always available."""
        return (HUMAN, *self.policies)

    @property
    def first_opponent(self) -> str:
        """The opponent for newcomers: BEATABLE, or the first agent."""
        return BEATABLE if BEATABLE in self.agents else next(iter(self.agents))

    @cached_property
    def lenses(self) -> tuple[str, ...]:
        """The value sources that are always available: agents, optimal play, and training tasks."""
        return (*self.agents, TRUTH, *self.task_lenses)

    @cached_property
    def task_lenses(self) -> tuple[str, ...]:
        """The value sources that show the exact values of an agent's training task."""
        return tuple(name + TASK for name in self.agents if self.get_task(name))

    def is_seat(self, name: str) -> bool:
        """Return whether a player has this name."""
        return name == HUMAN or self.policies.knows(name)

    def is_lens(self, name: str) -> bool:
        """Return whether a value source has this name."""
        return name in self.lenses or self.lab.knows(name) or self.is_task_lens(name)

    def is_task_lens(self, name: str) -> bool:
        """Return whether a name is the value source of an agent's training task."""
        agent = name.removesuffix(TASK)
        return (
            agent != name
            and self.agents.knows(agent)
            and self.get_task(agent) is not None
        )

    def canonicalize(self, name: str) -> str | None:
        """Return the canonical name of a player, None for an unknown name.

        Raises an HTTPException with a sentence for a recipe that is not available, and for moves
        that cannot be decoded.
        """
        if is_moves(name):
            try:
                self.decode_choice(name)
            except ValueError as error:
                words = f"These moves cannot be judged: {error}."
                raise BadRequest(mark_english(words)) from None
            return name
        return name if name in self.seats else self.lab.canonicalize(name)

    def is_taught(self, lens: str) -> bool:
        """Return whether an agent learned from games with a person."""
        return self.agents.knows(lens) and self.get_recipe(lens).has_opponent(YOU)

    def get_agent(self, name: str) -> Agent:
        """Return an agent; raises NotFound, with the names of all agents, if it does not exist."""
        agent = self.agents.find(name)
        if agent is None:
            words = (
                f"There is no agent {name!r} that learned. {list_choices(self.agents)}"
            )
            raise NotFound(mark_english(words))
        return agent

    def get_experiment(self, claim: str) -> Summary:
        """Return an experiment; raises NotFound, with all names, if it does not exist."""
        if claim not in self.experiments:
            raise NotFound(
                f"There is no experiment {claim!r}. {list_choices(self.experiments)}"
            )
        return self.experiments[claim]

    def list_algorithms(self, summary: Summary) -> list[str]:
        """Return the slugs of the algorithms of an experiment's agents and runs."""
        agents = [self.always[name] for name in summary.agents if name in self.always]
        slugs = [recipe.partition(",")[0] for recipe in summary.recipes if recipe]
        return [*dict.fromkeys([*(agent.card.algorithm for agent in agents), *slugs])]

    @cached_per_site(64)
    def list_claims(self, slug: str) -> tuple[Summary, ...]:
        """Return the experiments about an algorithm."""
        every = self.experiments.values()
        return tuple(one for one in every if slug in self.list_algorithms(one))

    def name_for_url(self, card: Card) -> str:
        """Return the name of an agent in URLs: its id, or its recipe."""
        agent = self.always.get(card.id)
        return card.id if agent and agent.card is card else card.recipe

    @cached_property
    def solution(self) -> Solution:
        """The result of every position with optimal play, in X's view."""
        return solve_game(self.game)

    @cached_property
    def truth(self) -> NDArray[np.float64]:
        """The action values of optimal play, -1, 0 or +1; NaN where illegal."""
        return compute_optimal_q(self.game)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Whether a move keeps the value of the position with optimal play."""
        return find_best_moves(self.game)

    @cached_property
    def endings(self) -> NDArray[np.int8]:
        """Number of moves to a win with optimal play, including this move.

        Negative numbers count the moves to a loss, 0 is a draw; entries of illegal moves
        have no meaning.
        """
        plies = self.solution.plies[np.maximum(self.game.successor, 0)] + np.int8(1)
        return np.nan_to_num(self.truth).astype(np.int8) * plies

    @cached_property
    def best_play(self) -> Policy:
        """The policy that wins soonest and loses latest; equal moves have equal probability."""
        return policy_from_values(
            self.truth * (self.game.cells + 2 - np.abs(self.endings)), "greedy"
        )

    @cached_per_site(JUDGED)
    def decode_choice(self, name: str) -> Choice:
        """Return the moves of a policy that is named by its moves, [D, cells].

        Raises ValueError, saying what is wrong, if the name cannot be decoded.
        """
        return decode_moves(self.game, name.removeprefix(MOVES))

    @cached_per_site(MANY)
    def get_recipe(self, name: str) -> Recipe:
        """Return the recipe of an agent."""
        return parse_recipe(
            self.always[name].card.recipe if name in self.always else name
        )

    @cached_per_site(MANY)
    def get_task(self, name: str) -> Task | None:
        """Return the training task of an agent, None if no table holds its exact values."""
        return self.get_recipe(name).training_task()

    def get_task_q(self, name: str) -> NDArray[np.float64] | None:
        """Return the exact optimal values of an agent's training task, if it has one."""
        task = self.get_task(name)
        return None if task is None else solve_task(self.game, task)

    def get_values(self, lens: str, step: int | None = None) -> NDArray[np.floating]:
        """Return the values of a source, as shipped or at a snapshot; NaN where illegal."""
        if lens == TRUTH:
            return self.truth
        if self.agents.knows(lens):
            return self.agents[lens].table(self.game, step)
        exact = self.get_task_q(lens.removesuffix(TASK))
        assert exact is not None  # such a source exists only for agents with a task
        return exact

    def get_rewards(self, lens: str) -> RewardScale | None:
        """Return the values of a win, a draw and a loss by a source; None if it counts beads."""
        if self.agents.knows(lens):
            return self.agents[lens].card.worth
        task = None if lens == TRUTH else self.get_task(lens.removesuffix(TASK))
        return task.worth if task else RewardScale()

    def get_policy(self, lens: str, step: int | None = None) -> Policy:
        """Return the policy of a source, as shipped or at a snapshot."""
        if lens == TRUTH:
            return self.best_play
        if lens.endswith(TASK):
            return policy_from_values(
                self.get_values(lens).round(TIE_DECIMALS), "greedy"
            )
        if step is None:
            return self.policies[lens]
        return policy_from_values(
            self.get_values(lens, step), self.agents[lens].card.plays
        )

    def get_last_step(self, name: str) -> int:
        """Return the last snapshot of an agent, which is the agent as shipped."""
        return len(self.agents[name].snapshot_updates) - 1

    def resolve_step(self, name: str, step: int | None) -> int:
        """Return the number of a snapshot; None, as in URLs, is the last one."""
        return self.get_last_step(name) if step is None else step

    def step_for_url(self, name: str, step: int | None) -> int | None:
        """Return a snapshot as URLs name it: None for the last one, the agent as shipped."""
        return None if step == self.get_last_step(name) else step

    def find_known_pairs(
        self, name: str, step: int, pairs: slice = EVERY
    ) -> NDArray[np.bool_]:
        """Return whether an agent had a value for each pair at a snapshot, [P]; -1 is the last.

        Known are the updated pairs, and all pairs of a network after its first update. For some
        agents the rules also give the value of moves that end the game.
        """
        agent = self.agents[name]
        updated = agent.history.updated_pairs(step, pairs)
        if self.get_recipe(name).knows_ends:
            return updated | self.ends[pairs]
        if not self.get_recipe(name).is_network:
            return updated
        return np.full(len(updated), agent.snapshot_updates[step] > 0)

    @cached_property
    def ends(self) -> NDArray[np.bool_]:
        """Whether a pair ends the game, [P]."""
        return self.game.pair_after >= self.game.decisions

    @cached_property
    def tiles(self) -> Tiles:
        """The place of each decision in the picture of a mind."""
        return place_tiles(self.game)

    def _plays(self, name: str) -> bool:
        """Return whether a policy is available on demand, by a recipe or by moves."""
        if not is_moves(name):
            return self.lab.knows(name)
        try:
            self.decode_choice(name)
        except ValueError:
            return False
        return True

    @cached_per_site(JUDGED)
    def _policy_on_demand(self, name: str) -> Policy:
        if is_moves(name):
            return policy_from_moves(self.decode_choice(name))
        agent = self.agents[name]
        return policy_from_values(agent.q, agent.card.plays)


def load_site_data(models: Path, lab: bool = False) -> SiteData:
    """Return the site's data from a folder of models; with `lab`, any recipe is trained on demand.

    Raises ModelError, naming the file and the reason, if a model or an experiment is broken.
    """
    game = tic_tac_toe()
    agents = load_agents(models, game)
    for name, agent in agents.items():
        with name_file_in_errors(f"{models / name}.json"):
            _check_recipe(agent.card)
    try:
        experiments = load_experiments(models / EXPERIMENTS)
    except ValueError as error:  # the message names the file
        raise ModelError(str(error)) from error
    for claim, summary in experiments.items():
        with name_file_in_errors(f"{models / EXPERIMENTS / claim}.json"):
            _check_positions(game, summary)
    try:
        updates = load_examples(models / UPDATES)
        mistakes = load_mistakes(models / UPDATES / MISTAKES)
    except ValueError as error:  # the message names the file
        raise ModelError(str(error)) from error
    on_demand = Lab(game, agents, find_trainer() if lab else None)
    if (models / FAULTS).is_dir():
        faulty = load_agents(models / FAULTS, game).values()
        on_demand.faults = {agent.card.recipe: agent for agent in faulty}
    return SiteData(
        game=game,
        updates=updates,
        mistakes=mistakes,
        lab=on_demand,
        always=agents,
        baselines={name: baseline.policy(game) for name, baseline in BASELINES.items()},
        experiments=experiments,
    )


def current_site() -> SiteData:
    """Return the data of the site that answers the current request."""
    loaded: SiteData = current_app.extensions["site"]
    return loaded


def is_moves(name: str) -> bool:
    """Return whether a name is meant as encoded moves, valid or not."""
    return name.startswith(MOVES)


def _check_recipe(card: Card) -> None:
    """Raise ValueError if a card has no recipe, or if it contradicts its recipe."""
    recipe = parse_recipe(card.recipe)
    for what, value, expected in (
        ("algorithm", card.algorithm, recipe.slug),
        ("seed", card.seed, recipe.seed),
        ("worth", card.worth, recipe.reward_scale()),
        ("plays", card.plays, recipe.plays),
    ):
        if value != expected:
            raise ValueError(f"{what} is {value!r}, and {expected!r} in its recipe")


def _check_positions(game: Game, summary: Summary) -> None:
    """Raise ValueError if a figure shows a position that no game leads to."""
    for figure in summary.figures:
        if isinstance(figure, Boards):
            for board in figure.boards:
                replay_record(game, board.record)
        elif isinstance(figure, Bars):
            for bar in figure.bars:
                replay_record(game, bar.record or "")


def _task_title(title: str) -> str:
    return gettext("The training task of %(agent)s", agent=title)
