"""The deep Q-learner as a whole: its epochs, its seed, what it learns and what it refuses."""

import pytest

from app.recipes import parse
from app.tictactoe.game import Game, connect
from training import learners
from training.learners.phases import Progress
from training.run import next_stop, train

BRIEF = "games=10,epsilon=0.5,epsilon_last=0.1,step_size=0.001,memory=100,steps=20,batch=8"


def learn(game: Game, settings: str = "vs=t-hand,epochs=3", brief: str = BRIEF) -> list[Progress]:
    """Three epochs, if nothing else is asked for."""
    return list(learners.learn(game, parse(f"dqn,{settings},{brief}"), next_stop))


@pytest.fixture(scope="module")
def seen(game: Game) -> list[Progress]:
    return learn(game)


def test_a_seed_decides_everything(game: Game, seen: list[Progress]) -> None:
    assert contents(learn(game)) == contents(seen)
    assert contents(learn(game, "vs=t-hand,epochs=3,seed=1")) != contents(seen)


def test_an_epoch_is_games_in_both_seats_and_steps(seen: list[Progress]) -> None:
    assert [progress.games for progress in seen] == [0, 20, 40, 60]
    assert [progress.updates for progress in seen] == [0, 20, 40, 60]
    assert [round(progress.done, 3) for progress in seen] == [0, 0.333, 0.667, 1]
    assert [progress.won is None for progress in seen] == [True, False, False, False]
    assert len({progress.q.tobytes() for progress in seen}) == 4


def test_opponents_come_one_after_the_other(game: Game) -> None:
    seen = learn(game, "vs=random:1+t-hand:2")
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
    brief = BRIEF.replace("steps=20", "steps=40").replace("last=0.1", "last=0")
    brief = brief.replace("memory=100", "memory=1000")
    *_, end = learn(connect(1, 5, 2), "vs=fixed,epochs=25", brief)
    assert end.won is not None
    assert end.won[0] == 1


def test_the_card_tells_the_win_rate_of_every_epoch_and_what_computed_it(game: Game) -> None:
    recipe = parse(f"dqn,vs=t-hand,epochs=3,{BRIEF}")
    told: list[Progress] = []
    card = train("somebody", recipe, game, told.append).card
    won = [progress.won for progress in told[1:]]
    assert card.win_rate is not None
    assert list(zip(card.win_rate.x, card.win_rate.o, strict=True)) == won
    assert {"platform", "python", "numpy", "jax", "optax"} <= card.versions.keys()
    assert card.updates == recipe.updates_at_most() == 60


def contents(seen: list[Progress]) -> list[tuple[bytes, bytes, tuple[float, float] | None]]:
    return [(progress.q.tobytes(), progress.visits.tobytes(), progress.won) for progress in seen]
