"""Train agents from recipes, and compare agents.

A trained agent has arrays with its values at snapshots of the training, and a card: a JSON file
with its recipe, its results and other facts.
"""

import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import monotonic, perf_counter
from typing import NamedTuple

import msgspec
import numpy as np

from app.project import ROOT
from app.recipes import AGENT_IDS_BY_RECIPE, SHIPPED, Recipe, name_recipe, parse_recipe
from app.recipes.parameters import PERSON_OPPONENT
from app.recipes.taught import format_taught_title
from app.tictactoe.agents import Agent, load_agent, save_agent
from app.tictactoe.card import Card, ReportedResult, compute_numbering_digest
from app.tictactoe.game import GAME, Game
from app.tictactoe.history import History
from app.tictactoe.npz import MAX_SNAPSHOTS
from app.tictactoe.policy import BASELINES, Policy, policy_from_values
from app.tictactoe.report import PolicyResults, RatesBySeat, compute_figures
from app.tictactoe.values import Values
from training import learners
from training.fast_evaluation import compute_recipe_figures, evaluate_policies_fast
from training.learners.phases import NextCheckpoint, Progress
from training.processes import report_progress, run_in_parallel

MODELS = ROOT / "models"
# Reports cost time, so an agent makes one at most this often.
REPORT_SECONDS = 0.1
MAX_CHECKPOINT_STEP = 100_000
TABLE_PACKAGES = ("numpy", "numba")
NETWORK_PACKAGES = ("numpy", "jax", "jaxlib", "optax")
# Equal trainings may differ in these entries of the card. "arrays" is a digest of the file.
UNCOMPARED_FIELDS = {"seconds", "versions", "arrays"}

OnProgress = Callable[[Progress], None]


class TrainingMethod(NamedTuple):
    """A function that trains a recipe, and one that evaluates policies, both compiled or both plain."""

    learn: Callable[[Game, Recipe, NextCheckpoint], Iterator[Progress]]
    evaluate_policies: Callable[[Game, Values], PolicyResults]


COMPILED_METHOD = TrainingMethod(learners.learn, evaluate_policies_fast)


class CardTexts(msgspec.Struct, frozen=True, rename={"findings": "found"}):
    """The texts on an agent's card, which people write."""

    title: str
    origin: str
    reported: list[ReportedResult] = []
    findings: list[str] = []


def read_texts(agent_id: str, recipe: Recipe) -> CardTexts:
    """Return the texts for an agent's new card: those on its present card, if it is shipped."""
    card = MODELS / f"{agent_id}.json"
    if agent_id in SHIPPED and card.exists():
        return msgspec.json.decode(card.read_bytes(), type=CardTexts)
    if agent_id in SHIPPED:
        return CardTexts(SHIPPED[agent_id].title, "To be written on its card")
    title = (
        format_taught_title(recipe)
        if recipe.has_opponent(PERSON_OPPONENT)
        else name_recipe(recipe)
    )
    return CardTexts(title, "A recipe of the command line")


def make_agent_id(recipe: Recipe) -> str:
    """Return the id of the agent of a recipe, which is also the name of its files.

    A shipped agent has an id of its own. Other ids are made from the recipe: `q-learning,alpha=0.5`
    becomes `q-learning-alpha-0-5`, and a minus sign becomes `minus`. If a person taught MENACE in
    three games, the id is `menace-taught-3-` and the beginning of the recipe's SHA-256.
    """
    text = name_recipe(recipe)
    if recipe.has_opponent(PERSON_OPPONENT):
        games = recipe.count_turns_against(PERSON_OPPONENT)
        return f"{recipe.slug}-taught-{games}-{sha256(text.encode()).hexdigest()[:8]}"
    return AGENT_IDS_BY_RECIPE.get(text) or re.sub(
        "[^a-z0-9]+", "-", text.replace("=-", "-minus-")
    )


def train(
    agent_id: str,
    recipe: Recipe,
    game: Game,
    on_progress: OnProgress,
    method: TrainingMethod = COMPILED_METHOD,
) -> Agent:
    """Train and evaluate the agent of a recipe; pass the progress to `on_progress`.

    The digest of the arrays on its card is empty, because `save_agent` adds it. The compiled and
    the textbook method make the same agent.
    """
    won_shares: list[tuple[float, float]] = []

    def report_progress(progress: Progress) -> None:
        won_shares.extend([progress.epoch.won] if progress.epoch else [])
        on_progress(progress)

    start = perf_counter()
    history = record_history(recipe, game, report_progress, method)
    seconds = perf_counter() - start
    return build_agent(game, agent_id, recipe, history, seconds, won_shares, method)


def train_all(
    recipes: Mapping[str, Recipe],
    output_folder: Path,
    add_progress_line: Callable[[str], OnProgress],
    jobs: int,
) -> None:
    """Train agents in parallel, and save each one when it is finished; `recipes` are by agent id.

    `add_progress_line` is called with an agent's id, and returns the callback for its progress.
    Raises ModelError or OSError if an agent cannot be saved.
    """
    callbacks: dict[str, OnProgress] = {}

    def on_progress(agent_progress: tuple[str, Progress]) -> None:
        agent_id, progress = agent_progress
        if agent_id not in callbacks:
            callbacks[agent_id] = add_progress_line(agent_id)
        callbacks[agent_id](progress)

    calls = [
        (one, name_recipe(recipe), output_folder) for one, recipe in recipes.items()
    ]
    for _ in run_in_parallel(train_and_save, calls, jobs, on_progress):
        pass


def train_and_save(agent_id: str, recipe: str, output_folder: Path) -> None:
    reported = 0.0

    def on_progress(progress: Progress) -> None:
        nonlocal reported
        if progress.finished_share == 1 or monotonic() - reported > REPORT_SECONDS:
            reported = monotonic()
            report_progress(
                (
                    agent_id,
                    progress._replace(q=progress.q[:0], visits=progress.visits[:0]),
                )
            )

    save_agent(
        output_folder, GAME, train(agent_id, parse_recipe(recipe), GAME, on_progress)
    )


def load_or_train_agent(game: Game, agent_text: str, models: Path = MODELS) -> Agent:
    """Return the agent that an id or a recipe names; train it if it is not in the folder `models`.

    Raises RecipeError if the text is neither, and ModelError if the agent's files are invalid.
    """
    recipe = (
        SHIPPED[agent_text].recipe
        if agent_text in SHIPPED
        else parse_recipe(agent_text)
    )
    agent_id = make_agent_id(recipe)
    if (models / f"{agent_id}.npz").exists():
        return load_agent(models, game, agent_id)
    return train(agent_id, recipe, game, lambda progress: None)


def get_policy(game: Game, policy_text: str, models: Path = MODELS) -> Policy:
    """Return the policy, [D, cells], of a baseline, an agent id or a recipe.

    Raises RecipeError for any other text, and ModelError if an agent's files are invalid.
    """
    if policy_text in BASELINES:
        return BASELINES[policy_text].build_policy(game)
    agent = load_or_train_agent(game, policy_text, models)
    return policy_from_values(agent.q, agent.card.play_rule)


def record_history(
    recipe: Recipe,
    game: Game,
    on_progress: OnProgress,
    method: TrainingMethod = COMPILED_METHOD,
) -> list[Progress]:
    """Train a recipe; return its progress at 0, 1, 2, 5, 10, ... updates and at the end."""
    history: list[Progress] = []
    mark = 0
    for progress in method.learn(game, recipe, find_next_checkpoint):
        on_progress(progress)
        if progress.updates >= mark:
            history.append(progress)
            mark = find_next_round_number(progress.updates)
    if history[-1].updates < progress.updates:
        history.append(progress)
    # A file of an agent has room for MAX_SNAPSHOTS; the first ones after the start are left out.
    surplus = max(0, len(history) - MAX_SNAPSHOTS)
    return history[:1] + history[1 + surplus :]


def build_agent(
    game: Game,
    agent_id: str,
    recipe: Recipe,
    history: Sequence[Progress],
    seconds: float,
    won_shares: Sequence[tuple[float, float]] = (),
    method: TrainingMethod = COMPILED_METHOD,
) -> Agent:
    """Return a trained agent with its card, and with exact results for every snapshot in `history`.

    `won_shares` are the shares of games won as X and as O in each epoch of a network's training.
    """
    end = history[-1]
    texts = read_texts(agent_id, recipe)
    updates = np.array([moment.updates for moment in history], np.int64)
    tables = np.stack([game.gather_pairs(moment.q) for moment in history])
    card = Card(
        id=agent_id,
        title=texts.title,
        origin=texts.origin,
        recipe=name_recipe(recipe),
        algorithm=recipe.slug,
        reported=texts.reported,
        findings=texts.findings,
        play_rule=recipe.plays,
        seed=recipe.seed,
        games=end.games,
        updates=end.updates,
        training_seconds=round(seconds, 3),
        versions=list_versions(recipe),
        numbering_digest=compute_numbering_digest(game),
        arrays_digest="",
        reward_scale=recipe.get_reward_scale(),
        figures=compute_figures(
            game,
            tables,
            updates.tolist(),
            recipe.get_reward_scale(),
            recipe.plays,
            recipe.build_training_task(),
            method.evaluate_policies,
        ),
        win_rate=RatesBySeat(*map(list, zip(*won_shares, strict=True)))
        if won_shares
        else None,
        refill_count=end.refills,
    )
    return Agent(
        card=card,
        q=end.q,
        visits=end.visits,
        snapshot_updates=updates,
        history=History.from_snapshots(
            tables,
            np.stack([game.gather_pairs(moment.visits) > 0 for moment in history]),
        ),
    )


def recompute_figures(game: Game, agent: Agent) -> Agent:
    recipe = parse_recipe(agent.card.recipe)
    tables = agent.history.get_all_values()
    updates = agent.snapshot_updates.tolist()
    card = msgspec.structs.replace(
        agent.card,
        play_rule=recipe.plays,
        reward_scale=recipe.get_reward_scale(),
        figures=compute_recipe_figures(game, recipe, tables, updates),
    )
    return replace(agent, card=card)


def compare_agents(saved: Agent, rebuilt: Agent) -> str:
    """Say whether a saved agent equals a rebuilt one, or else what differs, with all versions."""
    found = list_differences(saved, rebuilt)
    if not found:
        return "the same, bit for bit"
    made_with, here = (
        ", ".join(f"{name} {version}" for name, version in agent.card.versions.items())
        for agent in (saved, rebuilt)
    )
    return f"{', '.join(found)} differ (made with {made_with}; here {here})"


def list_differences(saved: Agent, rebuilt: Agent) -> list[str]:
    """Return the names of the arrays and card entries that differ; arrays may differ in one bit."""
    arrays = []
    rebuilt_arrays = rebuilt.collect_arrays()
    for name, a in saved.collect_arrays().items():
        b = rebuilt_arrays[name]
        same_shape = a.dtype == b.dtype and a.shape == b.shape
        if not same_shape or a.tobytes() != b.tobytes():
            arrays.append(name)
    before = msgspec.to_builtins(saved.card)
    now = msgspec.to_builtins(rebuilt.card)
    entries = [
        name
        for name in before
        if name not in UNCOMPARED_FIELDS and before[name] != now[name]
    ]
    return arrays + [f"{name} of the card" for name in entries]


def find_next_round_number(updates: int) -> int:
    """Return the first of 1, 2, 5, 10, 20, 50, ... that is larger than `updates`."""
    power = int(10 ** (len(str(updates)) - 1))
    return next(
        power * leading for leading in (1, 2, 5, 10) if power * leading > updates
    )


def find_next_checkpoint(updates: int) -> int:
    """Return the next round number, but at most MAX_CHECKPOINT_STEP updates from now."""
    return min(find_next_round_number(updates), updates + MAX_CHECKPOINT_STEP)


def list_versions(*recipes: Recipe) -> dict[str, str]:
    used = [package for recipe in recipes for package in list_packages(recipe)]
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ["numpy", *used]},
    }


def list_packages(recipe: Recipe) -> Sequence[str]:
    return NETWORK_PACKAGES if recipe.is_network else TABLE_PACKAGES
