"""An agent's move is drawn from its policy."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web.match import Match, place_of
from app.web.scene import reply_chances
from app.web.world import World


def chances(world: World, match: Match) -> np.ndarray:
    return reply_chances(place_of(match, world))


def test_the_seat_that_is_to_move_decides(world: World) -> None:
    start = Match(x="fixed", o="random")
    assert chances(world, start).tolist() == [1, *[0] * 8]
    after = Match(record="0", x="fixed", o="random")
    np.testing.assert_allclose(chances(world, after), [0, *[1 / 8] * 8])


def test_in_a_persons_place_the_lens_plays_its_best_moves(world: World) -> None:
    match = Match(record="0314", lens="truth")  # X completes the top row
    assert chances(world, match).tolist() == [cell == 2 for cell in range(9)]


def test_in_a_persons_place_the_lens_plays_as_it_did_at_the_snapshot_shown(world: World) -> None:
    agent = world.agents["q-learning-1"]
    for step in range(agent.history.moments):
        match = Match(record="40", lens="q-learning-1", step=step)
        place = place_of(match, world)
        row = agent.table(world.game, step)[place.position]
        best = row == np.nanmax(row)
        np.testing.assert_array_equal(chances(world, match), best / best.sum())


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0])
def test_with_this_chance_the_move_is_random(world: World, epsilon: float) -> None:
    match = Match(x="fixed", epsilon=epsilon)
    random_part = epsilon / 9
    np.testing.assert_allclose(
        chances(world, match), [1 - epsilon + random_part, *[random_part] * 8]
    )


def test_a_reply_leads_to_the_position_after_it(client: FlaskClient) -> None:
    response = client.get("/reply/4?x=human&o=fixed&pause=1")
    assert response.status_code == 303
    assert response.headers["Location"] == "/play/40?o=fixed&pause=1"
    assert response.headers["Cache-Control"] == "no-store"


def test_a_reply_to_an_earlier_ply_starts_another_line(client: FlaskClient) -> None:
    assert client.get("/reply/408?ply=1&o=fixed").headers["Location"] == "/play/40?o=fixed"


def test_replies_come_as_often_as_the_policy_says_and_a_seed_repeats_them(
    start: Callable[..., Flask],
) -> None:
    def moves(number: int) -> list[str]:
        client = start(seed=3).test_client()
        return [client.get("/reply/?x=random").headers["Location"][6] for _ in range(number)]

    drawn = moves(900)
    counts = Counter(drawn)
    assert set(counts) == set("012345678")
    assert max(counts.values()) < 150  # 100 expected, with a standard deviation of 9.4
    assert moves(20) == drawn[:20]
