"""The view of a match: replies drawn from an agent's policy, and the slider of a value source."""

import re
from collections import Counter
from collections.abc import Callable
from urllib.parse import parse_qsl, quote, urlsplit

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.tictactoe.game import GAME
from app.web.links.play import play_url
from app.web.match import Match, parse_match, replay_match
from app.web.pages.parts.match_controls import (
    SNAPSHOT_SECONDS,
    AutomaticStep,
    build_snapshot_slider,
    compute_reply_chances,
    count_results,
    list_speeds,
    plan_automatic_step,
    show_next_snapshot,
)
from app.web.site_data import SiteData


def chances(site: SiteData, match: Match) -> np.ndarray:
    return compute_reply_chances(replay_match(match, site))


def test_in_a_persons_place_the_lens_plays_as_it_did_at_the_snapshot_shown(site: SiteData) -> None:
    agent = site.agents["q-learning-1"]
    for step in range(agent.history.snapshot_count):
        match = Match(record="40", value_source="q-learning-1", snapshot=step)
        state = replay_match(match, site)
        row = agent.build_value_table(GAME, step)[state.position]
        best = row == np.nanmax(row)
        np.testing.assert_array_equal(chances(site, match), best / best.sum())


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0])
def test_with_this_chance_the_move_is_random(site: SiteData, epsilon: float) -> None:
    match = Match(x="fixed", epsilon=epsilon)
    random_part = epsilon / 9
    np.testing.assert_allclose(
        chances(site, match), [1 - epsilon + random_part, *[random_part] * 8]
    )


def test_replies_come_as_often_as_the_policy_says_and_a_seed_repeats_them(
    start: Callable[..., Flask],
) -> None:
    def moves(number: int) -> list[str]:
        client = start(seed=3).test_client()
        return [client.get("/reply/?x=random").headers["Location"][6] for _ in range(number)]

    drawn = moves(450)
    counts = Counter(drawn)
    assert set(counts) == set("012345678")
    assert max(counts.values()) < 90  # 50 expected, with a standard deviation of 6.7
    assert moves(20) == drawn[:20]


# The slider over the training of a lens.


LENS = "q-learning-1"


def test_running_through_it_shows_every_snapshot_once_and_ends_as_shipped(site: SiteData) -> None:
    match = Match(record="40", value_source=LENS)
    first = build_snapshot_slider(replay_match(match, site), LENS)
    assert first is not None
    address = urlsplit(first["toggle_url"])
    query = dict(parse_qsl(address.query))
    state = parse_match("40", query, site)
    seen = []
    while state.match.plays_training:
        assert state.match.snapshot is not None
        seen.append(state.match.snapshot)
        going_on = plan_automatic_step(state)
        state = replay_match(show_next_snapshot(state), site)
        assert going_on == AutomaticStep(play_url(state.match), SNAPSHOT_SECONDS, "train")
    assert seen == list(range(first["last_snapshot"]))
    assert state.match == Match(record="40", value_source=LENS)


@pytest.mark.parametrize(
    ("at", "form", "address"),
    [
        # The slider was moved: the lens that was shown is held on to.
        (f"/play/?o={LENS}", "lens=&step=3", f"/play/?o={LENS}&lens={LENS}&step=3"),
        (f"/play/?lens={LENS}", f"lens={LENS}&step=0", f"/play/?lens={LENS}&step=0"),
        # It is at its end: that is the agent as it plays.
        (f"/play/?o={LENS}", "lens=&step=LAST", f"/play/?o={LENS}"),
        (f"/play/?lens={LENS}&step=4", f"lens={LENS}&step=LAST", f"/play/?lens={LENS}"),
        # Somebody chose another lens, or none.
        (f"/play/?lens={LENS}&step=3", "lens=champion&step=3", "/play/?lens=champion"),
        (f"/play/?lens={LENS}&step=3", "lens=&step=3", "/play/?o=q-iteration"),
        ("/play/?lens=truth", "lens=truth", "/play/?lens=truth"),
        # A run stops; where values are hidden there is no slider, and the step stays.
        (f"/play/?lens={LENS}&step=3&train=1", f"lens={LENS}&step=3", f"/play/?lens={LENS}&step=3"),
        (
            f"/play/?lens={LENS}&step=3&hide=1",
            f"lens={LENS}&hide=1",
            f"/play/?lens={LENS}&step=3&hide=1",
        ),
    ],
)
def test_what_the_form_means_by_its_step(
    client: FlaskClient, site: SiteData, at: str, form: str, address: str
) -> None:
    last = str(site.agents[LENS].history.snapshot_count - 1)
    response = client.get(f"/set/?at={quote(at)}&" + form.replace("LAST", last))
    assert response.headers["Location"] == address


def test_the_curve_behind_the_slider_is_that_of_the_blunders(site: SiteData) -> None:
    shown = build_snapshot_slider(replay_match(Match(), site), LENS)
    assert shown is not None
    blunders = site.agents[LENS].card.figures.blunders
    points = [tuple(map(float, point.split(","))) for point in shown["curve_points"].split()]
    assert [x for x, _ in points] == pytest.approx(np.linspace(0, 100, len(blunders)), abs=0.5)
    heights = [20 * number / max(blunders) for number in blunders]
    assert [20 - y for _, y in points] == pytest.approx(heights, abs=0.06)


@pytest.mark.parametrize("replay", ["", "&ply=0&replay=1"])
def test_the_title_of_a_shared_game_tells_what_its_picture_tells(
    client: FlaskClient, replay: str
) -> None:
    """X, a person, has lost this game by move 5."""
    page = client.get(f"/play/027684?o=q-learning-4{replay}").text
    (title,) = re.findall('property="og:title" content="([^"]*)"', page)
    assert "Q-learning 4 won because move 5 was a blunder" in title
    assert "move 2" not in title


def test_a_speed_from_an_address_is_among_the_choices() -> None:
    named = list_speeds(1.0)
    assert [delay for delay, _ in named] == [2.0, 1.0, 0.5]
    assert list_speeds(5.0) == [(5.0, "5 s"), *named]


@pytest.mark.parametrize(("replays", "games"), [(False, 1), (True, 0)])
def test_a_finished_game_counts_but_not_its_replay(
    site: SiteData, replays: bool, games: int
) -> None:
    match = Match("021486", o="q-learning-1", replays_record=replays)
    assert sum(count_results(replay_match(match, site))) == games
