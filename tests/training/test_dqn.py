"""The deep Q-learner as a whole: its epochs, its seed, what it learns and what it refuses."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.tictactoe.card import ID
from app.tictactoe.game import Game, connect
from training.dqn import dqn
from training.environment import Progress
from training.networks import NETWORKS
from training.recipe import Recipe
from training.run import next_stop, train

BRIEF: dict[str, Any] = {
    "games_per_seat": 10,
    "epsilon_first": 0.5,
    "epsilon_last": 0.1,
    "gamma": 0.9,
    "step_size": 1e-3,
    "memory": 100,
    "steps": 20,
    "batch": 8,
}


def learn(game: Game, seed: int = 0, **changes: Any) -> list[Progress]:
    """Three epochs, if nothing else is asked for."""
    settings = {"opponents": {"t-hand": 3}} | BRIEF | changes
    return list(dqn(game, np.random.default_rng(seed), next_stop, **settings))


@pytest.fixture(scope="module")
def seen(game: Game) -> list[Progress]:
    return learn(game)


def test_a_seed_decides_everything(game: Game, seen: list[Progress]) -> None:
    assert contents(learn(game)) == contents(seen)
    assert contents(learn(game, seed=1)) != contents(seen)


def test_an_epoch_is_games_in_both_seats_and_steps(seen: list[Progress]) -> None:
    assert [progress.games for progress in seen] == [0, 20, 40, 60]
    assert [progress.updates for progress in seen] == [0, 20, 40, 60]
    assert [round(progress.done, 3) for progress in seen] == [0, 0.333, 0.667, 1]
    assert [progress.won is None for progress in seen] == [True, False, False, False]
    assert len({progress.q.tobytes() for progress in seen}) == 4


def test_opponents_come_one_after_the_other(game: Game) -> None:
    seen = learn(game, opponents={"random": 1, "t-hand": 2})
    assert [progress.games for progress in seen] == [0, 20, 40, 60]


def test_visits_are_the_moves_that_it_made(game: Game, seen: list[Progress]) -> None:
    before, end = seen[-2].visits, seen[-1].visits
    assert not end[~game.legal].any()
    assert (end >= before).all()
    # The shortest game has three moves of X and two of O, the longest five and four.
    assert 10 * (2 + 2) <= (end - before).sum() <= 10 * (5 + 4)
    assert end[0].sum() == 3 * 10


def test_it_learns_to_beat_a_player_who_never_wavers() -> None:
    """Two in a row of five: X always beats the first empty cell with the right two moves."""
    settings: dict[str, Any] = {"steps": 40, "epsilon_last": 0.0, "memory": 1_000}
    *_, end = learn(connect(1, 5, 2), opponents={"fixed": 25}, **settings)
    assert end.won is not None
    assert end.won[0] == 1


def test_an_unknown_opponent_is_refused_before_anything_is_learned(game: Game) -> None:
    recipe = replace(NETWORKS["dqn-vs-random"], opponents={"random": 1, "nobody": 1})
    with pytest.raises(ValueError, match="no opponent 'nobody' here, only random, fixed, t-hand"):
        train(recipe, game, 0, lambda progress: pytest.fail("it began"))


@pytest.mark.parametrize("epsilon", [-0.1, 1.5])
def test_an_epsilon_that_is_no_chance_is_refused(game: Game, epsilon: float) -> None:
    with pytest.raises(ValueError, match="a chance lies between 0 and 1"):
        learn(game, epsilon_first=epsilon)


def test_the_card_tells_the_win_rate_of_every_epoch_and_what_computed_it(game: Game) -> None:
    recipe = replace(NETWORKS["dqn-vs-heuristic"], opponents={"t-hand": 3}, parameters=BRIEF)
    told: list[Progress] = []
    card = train(recipe, game, 0, told.append).card
    won = [progress.won for progress in told[1:]]
    assert card.win_rate is not None
    assert list(zip(card.win_rate.x, card.win_rate.o, strict=True)) == won
    assert {"platform", "python", "numpy", "jax", "optax"} <= card.versions.keys()
    assert card.parameters == BRIEF | {"iterations_vs_t-hand": 3}


@pytest.mark.parametrize("recipe", NETWORKS.values(), ids=NETWORKS)
def test_the_recipes_are_named_as_files_are(recipe: Recipe) -> None:
    assert ID.fullmatch(recipe.id)
    assert recipe.title
    assert recipe.origin
    assert recipe.reported


def contents(seen: list[Progress]) -> list[tuple[bytes, bytes, tuple[float, float] | None]]:
    return [(progress.q.tobytes(), progress.visits.tobytes(), progress.won) for progress in seen]
