"""Properties of every learner, for any opponent."""

import shutil

import msgspec
import numpy as np
import pytest

from app.recipes import SHIPPED, Recipe, parse_recipe
from app.recipes.algorithms import QLearning
from app.tictactoe.agents import Agent
from app.tictactoe.game import Game, build_game
from app.tictactoe.npz import MAX_SNAPSHOTS
from app.tictactoe.policy import greedy_policy
from app.tictactoe.report import find_blunders
from app.tictactoe.values import compute_successor_values, solve_game
from app.tictactoe.views import convert_view
from tests.training.bench import CLoop
from training import learners
from training.learners.phases import Progress
from training.run import find_next_checkpoint, record_history, train

TABLES = {one: agent.recipe for one, agent in SHIPPED.items() if agent.recipe.slug != "dqn"}


def shortened(recipe: Recipe, turns: int) -> Recipe:
    """Return a recipe with this number of turns against each opponent."""
    if ":" in getattr(recipe, "vs", ""):
        vs = "+".join(f"{opponent}:{turns}" for opponent, _ in recipe.phases)
        return msgspec.structs.replace(recipe, vs=vs)
    return msgspec.structs.replace(recipe, **{recipe.length_parameter: turns})


BRIEF = {one: shortened(recipe, 2) for one, recipe in TABLES.items()}


@pytest.fixture(scope="module", params=BRIEF)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    return BRIEF[request.param]


@pytest.fixture(scope="module")
def agent(game: Game, recipe: Recipe) -> Agent:
    return train("somebody", recipe.with_seed(5), game, nobody)


def nobody(progress: Progress) -> None:
    """Ignore progress."""


def test_snapshots_begin_untouched_rise_and_end_with_the_table(
    game: Game, recipe: Recipe, agent: Agent
) -> None:
    assert agent.snapshot_updates[0] == 0
    other_seed = record_history(recipe.with_seed(6), game, nobody)
    np.testing.assert_array_equal(agent.build_value_table(game, 0), other_seed[0].q)
    assert not agent.history.find_updated_moves(0).any()
    assert (np.diff(agent.snapshot_updates) > 0).all()
    assert agent.snapshot_updates[-1] == agent.card.updates
    np.testing.assert_array_equal(agent.history.get_values(-1), agent.q[game.legal])
    np.testing.assert_array_equal(
        agent.history.find_updated_moves(-1), agent.visits[game.legal] > 0
    )
    assert agent.history.snapshot_count == len(agent.card.figures.snapshot_updates) <= MAX_SNAPSHOTS


def test_where_there_is_more_history_than_room_the_first_makes_way(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = record_history(BRIEF["q-iteration"], game, nobody)
    monkeypatch.setattr("training.run.MAX_SNAPSHOTS", 5)
    kept = record_history(BRIEF["q-iteration"], game, nobody)
    updates = [moment.updates for moment in whole]
    assert [moment.updates for moment in kept] == [0, *updates[-4:]]


def test_stopping_to_look_changes_nothing(recipe: Recipe) -> None:
    small = build_game(2, 3, 3)
    longer = shortened(recipe, 20)
    ends = []
    for stop in (lambda updates: updates + 1, lambda updates: updates + 99, find_next_checkpoint):
        *_, end = learners.learn(small, longer, stop)
        ends.append((end.games, end.updates, end.q.tobytes(), end.visits.tobytes()))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("seed", range(3))
def test_q_iteration_always_finds_the_optimal_values(game: Game, seed: int) -> None:
    *_, end = record_history(TABLES["q-iteration"].with_seed(seed), game, nobody)
    truth = convert_view(game, compute_successor_values(game, solve_game(game).values))
    np.testing.assert_array_equal(end.q, truth)
    assert not find_blunders(game, greedy_policy(end.q)).any()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc here")
@pytest.mark.parametrize("settings", ["", ",alpha=0.5,gamma=1,epsilon=0,initial=0.5,seed=3"])
def test_the_loop_in_c_makes_the_same_table_bit_for_bit(game: Game, settings: str) -> None:
    recipe = parse_recipe(f"q-learning,games=20000{settings}")
    assert isinstance(recipe, QLearning)
    updates, q = CLoop().learn(game, recipe)
    *_, end = learners.learn(game, recipe, lambda updates: 10**9)
    assert end.updates == updates
    np.testing.assert_array_equal(end.q[game.legal], q.astype(np.float32))
