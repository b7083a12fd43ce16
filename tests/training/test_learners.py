"""What is true of every learner, whatever it plays against."""

from dataclasses import replace

import numpy as np
import pytest

from app.tictactoe.agents import Agent
from app.tictactoe.game import Game, connect
from app.tictactoe.npz import MAX_SNAPSHOTS
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders
from app.tictactoe.values import optimal, successor_values
from app.tictactoe.views import movers_view
from training.environment import Progress
from training.recipe import Recipe
from training.recipes import RECIPES
from training.run import learn, next_mark, next_stop, train

BRIEF = {
    recipe.id: replace(recipe, opponents=dict.fromkeys(recipe.opponents, 2))
    for recipe in RECIPES.values()
}


@pytest.fixture(scope="module", params=BRIEF)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    return BRIEF[request.param]


@pytest.fixture(scope="module")
def agent(game: Game, recipe: Recipe) -> Agent:
    return train(recipe, game, 5, nobody)


def nobody(progress: Progress) -> None:
    """Watch nothing."""


def test_a_seed_decides_everything(game: Game, recipe: Recipe) -> None:
    first, again, other = (tables(learn(recipe, game, seed, nobody)) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_snapshots_begin_untouched_rise_and_end_with_the_table(
    game: Game, recipe: Recipe, agent: Agent
) -> None:
    assert agent.snapshot_updates[0] == 0
    other_seed = learn(recipe, game, 6, nobody)
    np.testing.assert_array_equal(agent.snapshot_q[0], other_seed[0].q)
    assert (np.diff(agent.snapshot_updates) > 0).all()
    assert agent.snapshot_updates[-1] == agent.card.updates
    np.testing.assert_array_equal(agent.snapshot_q[-1], agent.q.astype(np.float16))
    assert len(agent.snapshot_q) == len(agent.card.figures.updates) <= MAX_SNAPSHOTS


@pytest.mark.parametrize("agent_id", ["q-iteration", "q-learning-1", "q-learning-4", "self-play"])
def test_visits_of_a_table_of_pairs_add_up_to_the_updates(game: Game, agent_id: str) -> None:
    *_, end = learn(BRIEF[agent_id], game, 1, nobody)
    assert end.visits.sum() == end.updates


def test_what_was_never_visited_is_as_it_was(game: Game, agent: Agent) -> None:
    never = game.legal & (agent.visits == 0)
    assert agent.visits.any()
    assert not agent.visits[~game.legal].any()
    np.testing.assert_array_equal(agent.q[never], agent.snapshot_q[0][never])


def test_a_watcher_sees_it_grow_to_the_end(game: Game, recipe: Recipe, agent: Agent) -> None:
    seen: list[Progress] = []
    learn(recipe, game, 5, seen.append)
    shares = [progress.done for progress in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert (seen[-1].games, seen[-1].updates) == (agent.card.games, agent.card.updates)


def test_where_there_is_more_history_than_room_the_first_makes_way(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = learn(BRIEF["q-iteration"], game, 0, nobody)
    monkeypatch.setattr("training.run.MAX_SNAPSHOTS", 5)
    kept = learn(BRIEF["q-iteration"], game, 0, nobody)
    updates = [moment.updates for moment in whole]
    assert [moment.updates for moment in kept] == [0, *updates[-4:]]


def test_stopping_to_look_changes_nothing(recipe: Recipe) -> None:
    small = connect(2, 3, 3)
    opponents = dict.fromkeys(recipe.opponents, 20)
    ends = []
    for stop in (lambda updates: updates + 1, lambda updates: updates + 99, next_stop):
        rng = np.random.default_rng(0)
        *_, end = recipe.algorithm(small, rng, stop, opponents=opponents, **recipe.parameters)
        ends.append((end.games, end.updates, end.q.tobytes(), end.visits.tobytes()))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("seed", range(10))
def test_q_iteration_always_finds_the_optimal_values(game: Game, seed: int) -> None:
    *_, end = learn(RECIPES["q-iteration"], game, seed, nobody)
    truth = movers_view(game, successor_values(game, optimal(game).value))
    np.testing.assert_array_equal(end.q, truth)
    assert not blunders(game, greedy(end.q)).any()


def test_a_loss_once_seen_stays(game: Game) -> None:
    """Even one learned against a random opponent, and only true ones are learned."""
    truth = movers_view(game, successor_values(game, optimal(game).value))
    lost = np.zeros(game.legal.shape, np.bool_)
    recipe = RECIPES["q-iteration"]
    for progress in recipe.algorithm(
        game, np.random.default_rng(0), next_stop, opponents={"random": 20}, gamma=1.0
    ):
        now = progress.q == -1
        assert now[lost].all()
        assert (truth[now] == -1).all()
        lost = now


@pytest.mark.parametrize(
    ("updates", "mark"), [(0, 1), (1, 2), (2, 5), (3, 5), (5, 10), (9, 10), (10, 20), (7000, 10000)]
)
def test_marks_are_1_2_5_10(updates: int, mark: int) -> None:
    assert next_mark(updates) == mark


def tables(history: list[Progress]) -> list[tuple[int, bytes, bytes]]:
    return [(moment.updates, moment.q.tobytes(), moment.visits.tobytes()) for moment in history]
