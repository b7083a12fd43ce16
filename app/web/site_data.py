"""The data of the site: the game, all agents and baselines, and the experiments.

It is loaded once, when the server starts. The module `facts` computes exact facts about agents.
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

from app.experiments import Bars, Boards, ClaimSummary, load_summaries
from app.recipes import Recipe, parse_recipe
from app.recipes.faults import FAULTS_FOLDER, SEED_RUNS_FILE
from app.recipes.games import (
    BLUNDERS_FOLDER,
    UPDATES_FOLDER,
    UpdateExample,
    load_blunder_updates,
    load_examples,
)
from app.recipes.parameters import PERSON_OPPONENT
from app.recipes.taught import format_taught_title
from app.tictactoe.agents import Agent, ModelError, load_agents, name_file_in_errors
from app.tictactoe.card import Card
from app.tictactoe.game import GAME, BoolArray, FloatArray
from app.tictactoe.history import ALL_MOVES
from app.tictactoe.notation import replay_record
from app.tictactoe.policy import (
    BASELINES,
    CellMask,
    Policy,
    compute_optimal_q,
    find_best_moves,
    policy_from_values,
)
from app.tictactoe.policy_codec import decode_moves, policy_from_moves
from app.tictactoe.tasks import TrainingTask, solve_task
from app.tictactoe.value_map import TileLayout, place_tiles
from app.tictactoe.values import Solution, solve_game
from app.tictactoe.views import RewardScale
from app.web.formatting import format_valid_names
from app.web.on_demand import AgentsOnDemand, load_seed_runs
from app.web.trainer import get_trainer
from app.web.translation import get_current_language, gettext, mark_english

EXPERIMENTS_FOLDER = "experiments"
HUMAN = "human"
TRUTH = "truth"
# "NAME_task" has the exact values in the training task of the agent NAME.
TASK_SUFFIX = "_task"
# The name of a policy that consists of its moves begins like this.
MOVES_PREFIX = "moves."
MAX_CACHED_RESULTS = 256
# A policy takes 0.3 MB of memory.
MAX_CACHED_POLICIES = 8
# Exact values that differ only after this many decimals count as equal.
TIE_DECIMALS = 9


Value = TypeVar("Value")
Function = TypeVar("Function", bound=Callable[..., Any])

# The opponent for newcomers: it has values of many colours, and it blunders.
BEATABLE_AGENT = "q-learning-1"


class Registry(dict[str, Value]):
    """A dictionary that also creates the values of some names it does not contain.

    Loops and `len` see only the fixed entries. `registry[name]` and `find` also create values.
    """

    def __init__(
        self,
        fixed_entries: Mapping[str, Value],
        is_known: Callable[[str], bool],
        build_value: Callable[[str], Value],
    ) -> None:
        """Create a registry that calls `build_value` for each other name that `is_known`."""
        super().__init__(fixed_entries)
        self._known = is_known
        self._make = build_value

    def contains_name(self, name: str) -> bool:
        return name in self or self._known(name)

    def find(self, name: str) -> Value | None:
        """Return the value of this name, None for an unknown name."""
        return self[name] if self.contains_name(name) else None

    def __missing__(self, name: str) -> Value:
        if not self._known(name):
            raise KeyError(name)
        return self._make(name)


def cached_per_site(
    max_entries: int, per_language: bool = False
) -> Callable[[Function], Function]:
    """Cache the last `max_entries` results of a function whose first argument is the site.

    `per_language` is for functions that return texts.
    """

    def cache_function(function: Function) -> Function:
        @wraps(function)
        def call_cached(
            site: "SiteData", *args: Hashable, **kwargs: Hashable
        ) -> object:
            key = (function, get_current_language()) if per_language else function
            # A cache outside of the site would keep a replaced site in memory (36 MB).
            if key not in site.caches:
                site.caches[key] = lru_cache(maxsize=max_entries)(
                    partial(function, site)
                )
            return site.caches[key](*args, **kwargs)

        return cast("Function", call_cached)

    return cache_function


@dataclass(frozen=True, eq=False)
class SiteData:
    """All data of the site: agents, baselines, experiments and exact results.

    Nothing changes after it is loaded. Values are [D, cells] in the mover's view, for the D
    decisions, which are the positions in which the game goes on. All of them together have P legal
    moves.
    """

    on_demand: AgentsOnDemand
    shipped_agents: dict[str, Agent]
    baselines: dict[str, Policy]
    # claim -> results
    experiments: dict[str, ClaimSummary] = field(default_factory=dict)
    # algorithm -> recorded updates of real trainings, which pages show step by step
    update_examples: dict[str, list[UpdateExample]] = field(default_factory=dict)
    # agent -> "board cell" -> recorded updates that led to this blunder, as JSON
    blunder_examples: dict[str, dict[str, Raw]] = field(default_factory=dict)

    caches: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    # Each registry lists what needs no training, and also finds recipes that are trained on demand.
    # A policy can also be named by its moves: see `policy_codec`.

    @cached_property
    def agents(self) -> Registry[Agent]:
        return Registry(
            self.shipped_agents, self.on_demand.is_available, self.on_demand.get_agent
        )

    @cached_property
    def policies(self) -> Registry[Policy]:
        always = {
            name: policy_from_values(agent.q, agent.card.play_rule)
            for name, agent in self.shipped_agents.items()
        }
        return Registry(
            always | self.baselines,
            self._has_policy_on_demand,
            self._get_policy_on_demand,
        )

    @property
    @cached_per_site(1, per_language=True)
    def display_titles(self) -> Registry[str]:
        """The title of each player and of each source of values, by name."""
        learned = {
            name: agent.card.title for name, agent in self.shipped_agents.items()
        }
        always = {
            HUMAN: gettext("Human"),
            TRUTH: gettext("Optimal play"),
            **learned,
            **{
                name + TASK_SUFFIX: _format_task_title(title)
                for name, title in learned.items()
            },
            **{name: gettext(BASELINES[name].title) for name in self.baselines},
        }

        def find_title(name: str) -> str:
            if is_policy_name(name):
                return gettext(
                    "Judged %(code)s", code=f"{crc32(name.encode()) & 0xFFFF:04x}"
                )
            agent = name.removesuffix(TASK_SUFFIX)
            recipe = self.get_recipe(agent)
            short = (
                format_taught_title(recipe)
                if recipe.has_opponent(PERSON_OPPONENT)
                else agent
            )
            fault = getattr(recipe, "fault", "none")
            # The recipe of an agent on /faults is too long for a title.
            if fault != "none":
                short = gettext("Q-learning (fault: %(fault)s)", fault=fault)
            return short if agent == name else _format_task_title(short)

        def has_title(name: str) -> bool:
            return self._has_policy_on_demand(
                name if is_policy_name(name) else name.removesuffix(TASK_SUFFIX)
            )

        return Registry(always, has_title, find_title)

    @cached_property
    def player_names(self) -> tuple[str, ...]:
        return (HUMAN, *self.policies)

    @property
    def opponent_for_newcomers(self) -> str:
        return (
            BEATABLE_AGENT if BEATABLE_AGENT in self.agents else next(iter(self.agents))
        )

    @cached_property
    def value_sources(self) -> tuple[str, ...]:
        """The sources of values that need no training: agents, optimal play, exact solutions."""
        return (*self.agents, TRUTH, *self.task_value_sources)

    @cached_property
    def task_value_sources(self) -> tuple[str, ...]:
        """The sources of exact values, one for each agent whose training task can be solved."""
        return tuple(name + TASK_SUFFIX for name in self.agents if self.get_task(name))

    def is_player_name(self, player_name: str) -> bool:
        return player_name == HUMAN or self.policies.contains_name(player_name)

    def is_value_source(self, source_name: str) -> bool:
        return (
            source_name in self.value_sources
            or self.on_demand.is_available(source_name)
            or self.is_task_value_source(source_name)
        )

    def is_task_value_source(self, source_name: str) -> bool:
        agent = source_name.removesuffix(TASK_SUFFIX)
        return (
            agent != source_name
            and self.agents.contains_name(agent)
            and self.get_task(agent) is not None
        )

    def canonicalize(self, player_name: str) -> str | None:
        """Return the canonical name of a player, None for an unknown name.

        Raises an HTTPException if the recipe is not available or the moves cannot be decoded.
        """
        if is_policy_name(player_name):
            try:
                self.decode_moves(player_name)
            except ValueError as error:
                words = f"These moves cannot be judged: {error}."
                raise BadRequest(mark_english(words)) from None
            return player_name
        return (
            player_name
            if player_name in self.player_names
            else self.on_demand.canonicalize(player_name)
        )

    def is_taught_by_person(self, value_source: str) -> bool:
        return self.agents.contains_name(value_source) and self.get_recipe(
            value_source
        ).has_opponent(PERSON_OPPONENT)

    def get_agent(self, agent_name: str) -> Agent:
        """Return the agent with this name; raises NotFound, with a list of all agents."""
        agent = self.agents.find(agent_name)
        if agent is None:
            words = f"There is no trained agent {agent_name!r}. {format_valid_names(self.agents)}"
            raise NotFound(mark_english(words))
        return agent

    def get_experiment(self, claim: str) -> ClaimSummary:
        """Return the experiment about a claim; raises NotFound, with a list of all claims."""
        if claim not in self.experiments:
            raise NotFound(
                f"There is no experiment {claim!r}. {format_valid_names(self.experiments)}"
            )
        return self.experiments[claim]

    def list_algorithms(self, summary: ClaimSummary) -> list[str]:
        slugs = [
            self.shipped_agents[name].card.algorithm
            for name in summary.agents
            if name in self.shipped_agents
        ]
        slugs += [recipe.partition(",")[0] for recipe in summary.recipes if recipe]
        return [*dict.fromkeys(slugs)]

    @cached_per_site(64)
    def list_claims(self, slug: str) -> tuple[ClaimSummary, ...]:
        every = self.experiments.values()
        return tuple(one for one in every if slug in self.list_algorithms(one))

    def get_url_name(self, card: Card) -> str:
        """Return the id of a shipped agent, the recipe of any other agent."""
        agent = self.shipped_agents.get(card.id)
        return card.id if agent and agent.card is card else card.recipe

    @cached_property
    def solution(self) -> Solution:
        return solve_game(GAME)

    @cached_property
    def optimal_q(self) -> FloatArray:
        """The result of each move with optimal play, [D, cells]: -1, 0, +1, or NaN if illegal."""
        return compute_optimal_q(GAME)

    @cached_property
    def is_move_correct(self) -> BoolArray:
        """Whether a move keeps the result of optimal play, [D, cells]."""
        return find_best_moves(GAME)

    @cached_property
    def signed_moves_to_end(self) -> NDArray[np.int8]:
        """How many moves the winner still makes with optimal play, from this move on, [D, cells].

        They are negative for a loss, 0 for a draw, and any number for an illegal move.
        """
        after = np.maximum(GAME.successor, 0)
        winner_moves = (self.solution.plies_to_end[after] + np.int8(2)) // np.int8(2)
        return np.nan_to_num(self.optimal_q).astype(np.int8) * winner_moves

    @cached_property
    def wins_at_once(self) -> BoolArray:
        """Whether a move wins the game, [D, cells]; False if illegal."""
        wins: BoolArray = GAME.legal & (self.signed_moves_to_end == 1)
        return wins

    @cached_property
    def loses_at_once(self) -> BoolArray:
        """Whether the opponent can win with its next move, [D, cells]; False if illegal."""
        losses: BoolArray = GAME.legal & (self.signed_moves_to_end == -1)
        return losses

    @cached_property
    def fastest_policy(self) -> Policy:
        """Optimal play that wins soonest or loses latest; equally good moves are equally likely."""
        return policy_from_values(
            self.optimal_q * (GAME.cells + 2 - np.abs(self.signed_moves_to_end)),
            "greedy",
        )

    @cached_per_site(MAX_CACHED_POLICIES)
    def decode_moves(self, policy_name: str) -> CellMask:
        """Return the moves in the name of a policy, [D, cells].

        Raises ValueError if the name is invalid.
        """
        return decode_moves(GAME, policy_name.removeprefix(MOVES_PREFIX))

    @cached_per_site(MAX_CACHED_RESULTS)
    def get_recipe(self, agent_name: str) -> Recipe:
        return parse_recipe(
            self.shipped_agents[agent_name].card.recipe
            if agent_name in self.shipped_agents
            else agent_name
        )

    @cached_per_site(MAX_CACHED_RESULTS)
    def get_task(self, agent_name: str) -> TrainingTask | None:
        """Return an agent's training task, None if it cannot be solved exactly."""
        return self.get_recipe(agent_name).build_training_task()

    def get_task_q(self, agent_name: str) -> FloatArray | None:
        """Return the exact values in an agent's training task, [D, cells]; None if unsolved."""
        task = self.get_task(agent_name)
        return None if task is None else solve_task(GAME, task)

    def get_values(
        self, value_source: str, snapshot: int | None = None
    ) -> NDArray[np.floating]:
        """Return the values of an agent or another source, [D, cells], NaN if illegal.

        The values are from a snapshot of the agent's training, by default the last one.
        """
        if value_source == TRUTH:
            return self.optimal_q
        if self.agents.contains_name(value_source):
            return self.agents[value_source].build_value_table(GAME, snapshot)
        exact = self.get_task_q(value_source.removesuffix(TASK_SUFFIX))
        # Only agents whose task can be solved exactly have such a source.
        assert exact is not None
        return exact

    def get_rewards(self, value_source: str) -> RewardScale | None:
        """Return the rewards that the values of a source predict; None if they are beads."""
        if self.agents.contains_name(value_source):
            return self.agents[value_source].card.reward_scale
        task = (
            None
            if value_source == TRUTH
            else self.get_task(value_source.removesuffix(TASK_SUFFIX))
        )
        return task.reward_scale if task else RewardScale()

    def get_policy(self, value_source: str, snapshot: int | None = None) -> Policy:
        """Return the policy of an agent or another source, [D, cells].

        The policy is from a snapshot of the agent's training, by default the last one.
        """
        if value_source == TRUTH:
            return self.fastest_policy
        if value_source.endswith(TASK_SUFFIX):
            return policy_from_values(
                self.get_values(value_source).round(TIE_DECIMALS), "greedy"
            )
        if snapshot is None:
            return self.policies[value_source]
        return policy_from_values(
            self.get_values(value_source, snapshot),
            self.agents[value_source].card.play_rule,
        )

    def get_last_snapshot(self, agent_name: str) -> int:
        """Return the number of the snapshot after the training."""
        return len(self.agents[agent_name].snapshot_updates) - 1

    def resolve_snapshot(self, agent_name: str, snapshot: int | None) -> int:
        """Return the number of a snapshot; None, as in URLs, is the last one."""
        return self.get_last_snapshot(agent_name) if snapshot is None else snapshot

    def get_snapshot_parameter(
        self, agent_name: str, snapshot: int | None
    ) -> int | None:
        """Return a snapshot as in URLs, where None is the last one."""
        return None if snapshot == self.get_last_snapshot(agent_name) else snapshot

    def find_known_moves(
        self, agent_name: str, snapshot: int, selected_moves: slice = ALL_MOVES
    ) -> BoolArray:
        """Return whether an agent knows the value of each selected move, [P].

        It knows the values that it has updated. Some agents also know the rewards of moves that end
        the game, and a network knows all values after its first update.
        """
        agent = self.agents[agent_name]
        updated = agent.history.find_updated_moves(snapshot, selected_moves)
        if self.get_recipe(agent_name).knows_final_values:
            return updated | self.is_final_move[selected_moves]
        if not self.get_recipe(agent_name).is_network:
            return updated
        return np.full(len(updated), agent.snapshot_updates[snapshot] > 0)

    @cached_property
    def is_final_move(self) -> BoolArray:
        return GAME.pair_successor >= GAME.decisions

    @cached_property
    def tile_layout(self) -> TileLayout:
        return place_tiles(GAME)

    def _has_policy_on_demand(self, policy_name: str) -> bool:
        if not is_policy_name(policy_name):
            return self.on_demand.is_available(policy_name)
        try:
            self.decode_moves(policy_name)
        except ValueError:
            return False
        return True

    @cached_per_site(MAX_CACHED_POLICIES)
    def _get_policy_on_demand(self, policy_name: str) -> Policy:
        if is_policy_name(policy_name):
            return policy_from_moves(self.decode_moves(policy_name))
        agent = self.agents[policy_name]
        return policy_from_values(agent.q, agent.card.play_rule)


def load_site_data(models_folder: Path, trains_on_demand: bool = False) -> SiteData:
    """Load the data of the site from a folder of models.

    `trains_on_demand` allows agents that are not in the folder. Raises ModelError, naming the file,
    if a model or an experiment is broken.
    """
    agents = load_agents(models_folder, GAME)
    for name, agent in agents.items():
        with name_file_in_errors(f"{models_folder / name}.json"):
            _check_recipe(agent.card)
    try:
        experiments = load_summaries(models_folder / EXPERIMENTS_FOLDER)
    except ValueError as error:  # The message already names the file.
        raise ModelError(str(error)) from error
    for claim, summary in experiments.items():
        with name_file_in_errors(f"{models_folder / EXPERIMENTS_FOLDER / claim}.json"):
            _check_positions(summary)
    try:
        updates = load_examples(models_folder / UPDATES_FOLDER)
        mistakes = load_blunder_updates(
            models_folder / UPDATES_FOLDER / BLUNDERS_FOLDER
        )
    except ValueError as error:  # The message already names the file.
        raise ModelError(str(error)) from error
    on_demand = AgentsOnDemand(agents, get_trainer() if trains_on_demand else None)
    if (models_folder / FAULTS_FOLDER).is_dir():
        faulty = load_agents(models_folder / FAULTS_FOLDER, GAME).values()
        on_demand.fault_agents = {agent.card.recipe: agent for agent in faulty}
        on_demand.fault_runs = load_seed_runs(
            models_folder / FAULTS_FOLDER / SEED_RUNS_FILE
        )
    return SiteData(
        update_examples=updates,
        blunder_examples=mistakes,
        on_demand=on_demand,
        shipped_agents=agents,
        baselines={
            name: baseline.build_policy(GAME) for name, baseline in BASELINES.items()
        },
        experiments=experiments,
    )


def get_current_site() -> SiteData:
    site_data: SiteData = current_app.extensions["site"]
    return site_data


def is_policy_name(name: str) -> bool:
    """Return whether a name is a code of moves, perhaps an invalid one."""
    return name.startswith(MOVES_PREFIX)


def _check_recipe(card: Card) -> None:
    recipe = parse_recipe(card.recipe)
    for what, value, expected in (
        ("algorithm", card.algorithm, recipe.slug),
        ("seed", card.seed, recipe.seed),
        ("worth", card.reward_scale, recipe.get_reward_scale()),
        ("plays", card.play_rule, recipe.plays),
    ):
        if value != expected:
            raise ValueError(f"{what} is {value!r}, and {expected!r} in its recipe")


def _check_positions(summary: ClaimSummary) -> None:
    for figure in summary.figures:
        if isinstance(figure, Boards):
            for board in figure.boards:
                replay_record(GAME, board.record)
        elif isinstance(figure, Bars):
            for bar in figure.bars:
                replay_record(GAME, bar.record or "")


def _format_task_title(title: str) -> str:
    return gettext(
        "Exact values against the training opponent of %(agent)s", agent=title
    )
