"""A recipe never changes its meaning: each of these recipes always gives the same table.

If a test fails, a kernel has changed.  Then the changed algorithm needs a new name.

"""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from app.recipes import ALGORITHMS, SHIPPED, name_recipe, parse_recipe
from app.tictactoe.agents import Agent, load_agent, load_agents
from app.tictactoe.game import Game
from app.tictactoe.history import History
from app.tictactoe.report import compute_figures
from training.learners import learn
from training.run import list_differences, recompute_figures, train

DIGESTS = Path(__file__).with_name("digests.txt")
PINNED = [line.split() for line in DIGESTS.read_text().splitlines()]


def digest(game: Game, name: str) -> str:
    """Return a digest of the table of a training."""
    *_, end = learn(game, parse_recipe(name), lambda updates: 10**12)
    return hashlib.sha256(end.q.tobytes() + end.visits.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize(("name", "pinned"), PINNED, ids=[name for name, _ in PINNED])
def test_a_name_means_what_it_always_meant(game: Game, name: str, pinned: str) -> None:
    assert digest(game, name) == pinned


def test_every_algorithm_with_a_table_is_pinned_more_than_once() -> None:
    slugs = [name.split(",")[0] for name, _ in PINNED]
    assert len(PINNED) >= 40
    for slug, algorithm in ALGORITHMS.items():
        assert slugs.count(slug) > 1 or algorithm.is_network


# Training a shipped recipe again gives the shipped model.


MODELS = Path("models")


TABLES = [one for one, agent in SHIPPED.items() if agent.recipe.slug != "dqn"]
MOST_BYTES = 20 << 20


@pytest.mark.long
@pytest.mark.parametrize("agent_id", TABLES)
def test_a_shipped_model_is_rebuilt_bit_for_bit(game: Game, agent_id: str) -> None:
    saved = load_agent(MODELS, game, agent_id)
    rebuilt = train(agent_id, parse_recipe(saved.card.recipe), game, lambda progress: None)
    assert list_differences(saved, rebuilt) == []


@pytest.mark.long
@pytest.mark.parametrize("agent_id", SHIPPED)
def test_a_shipped_card_tells_the_truth_of_its_table(game: Game, agent_id: str) -> None:
    agent = load_agent(MODELS, game, agent_id)
    card, recipe = agent.card, SHIPPED[agent_id].recipe
    assert (card.recipe, card.title) == (name_recipe(recipe), SHIPPED[agent_id].title)
    assert (card.algorithm, card.play_rule, card.seed) == (recipe.slug, recipe.plays, recipe.seed)
    assert card.reward_scale == recipe.get_reward_scale()
    no_task = card.algorithm in ("league", "menace")
    assert (card.figures.task_distance is None) == (recipe.build_training_task() is None) == no_task
    updates = card.figures.snapshot_updates
    values = agent.history.get_all_values()
    figures = compute_figures(
        game, values, updates, card.reward_scale, card.play_rule, recipe.build_training_task()
    )
    assert figures == card.figures
    assert recompute_figures(game, agent).card == card


def test_everything_shipped_is_there_and_nothing_else(game: Game) -> None:
    assert load_agents(MODELS, game).keys() == SHIPPED.keys()
    assert sum(path.stat().st_size for path in MODELS.iterdir()) < MOST_BYTES


@pytest.fixture(scope="module")
def agent(game: Game) -> Agent:
    return load_agent(MODELS, game, "q-iteration")


@pytest.mark.parametrize(
    "name", ["q", "visits", "snapshot_updates", "snapshot_q", "snapshot_updated"]
)
def test_one_other_bit_is_a_difference(agent: Agent, name: str) -> None:
    arrays = agent.collect_arrays()
    arrays[name] = arrays[name].copy()
    arrays[name].reshape(-1).view(np.uint8)[7] ^= 1
    other = Agent(
        card=agent.card,
        q=arrays["q"],
        visits=arrays["visits"],
        snapshot_updates=arrays["snapshot_updates"],
        history=History.from_snapshots(arrays["snapshot_q"], arrays["snapshot_updated"]),
    )
    assert list_differences(agent, other) == [name]
