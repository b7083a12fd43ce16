"""The values on boards: equal to the values in the tables."""

import re
from typing import NamedTuple

import numpy as np
import pytest
from flask.testing import FlaskClient
from msgspec import structs

from app.tictactoe.agents import Agent
from app.tictactoe.game import GAME
from app.tictactoe.notation import parse_position
from app.tictactoe.policy import policy_from_values
from app.web.formatting import format_signed
from app.web.match import Match, replay_match
from app.web.move_values import (
    MoveValues,
    build_notes,
    choose_value_source,
    evaluate_match,
    evaluate_moves,
    find_shown_ply,
)
from app.web.site_data import SiteData

NETWORK = "dqn-vs-heuristic"


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def snapshots(site: SiteData, name: str) -> list[int | None]:
    """Return the first snapshot, some others, and None for the final agent."""
    last = site.get_last_snapshot(name)
    return [*range(0, last, max(1, last // 2)), None]


class View(NamedTuple):
    """A position with the values that an agent has at a snapshot: in its table, and as shown."""

    agent: Agent
    step: int | None
    row: list[float]
    shown: MoveValues


@pytest.fixture(scope="module")
def views(site: SiteData) -> list[View]:
    """Some positions, each with the values of an agent of each algorithm at some snapshots."""
    one_of_each = {agent.card.algorithm: name for name, agent in site.agents.items()}
    found = []
    for name in one_of_each.values():
        for step in snapshots(site, name):
            table = site.agents[name].build_value_table(GAME, step)
            for position in range(0, GAME.decisions, 193):
                shown = evaluate_moves(site, position, name, step)
                found.append(View(site.agents[name], step, table[position].tolist(), shown))
    return found


def test_every_value_shown_is_the_tables_to_two_decimals(site: SiteData, views: list[View]) -> None:
    for agent, step, row, shown in views:
        if agent.card.reward_scale is None:
            continue  # for beads see test_beads.py
        own = evaluate_moves(site, shown.position, agent.card.id, step, True)
        for cell in np.flatnonzero(GAME.legal[shown.position]).tolist():
            assert shown.values[cell] == row[cell]
            if shown.is_known[cell] or shown.is_best[cell]:
                scaled = float(shown.scaled_values[cell])
                assert abs(number(shown.value_texts[cell]) - scaled) < 0.0051
                assert own.value_texts[cell] == format_signed(row[cell])
            else:
                assert shown.value_texts[cell] == own.value_texts[cell] == ""


def test_what_training_updated_is_known_and_nothing_else(site: SiteData, views: list[View]) -> None:
    is_end = GAME.successor >= GAME.decisions
    for agent, step, _, shown in views:
        if agent.card.algorithm != "dqn":
            updated = agent.find_updated_moves(GAME, step)[shown.position]
            if agent.card.algorithm == "td-afterstates":  # the rules say how games end
                updated = updated | is_end[shown.position]
            assert shown.is_known == updated.tolist()


def test_a_known_value_is_wrong_if_another_result_is_nearest(
    site: SiteData, views: list[View]
) -> None:
    for shown in (view.shown for view in views if view.agent.card.reward_scale is not None):
        nearest = [None if np.isnan(value) else round(value) for value in shown.scaled_values]
        right = site.optimal_q[shown.position]
        assert shown.is_value_wrong == [
            shown.is_known[cell] and nearest[cell] != right[cell] for cell in range(9)
        ]


def test_a_network_has_a_value_everywhere_from_its_first_update_on(site: SiteData) -> None:
    legal = GAME.legal
    for position in range(0, GAME.decisions, 193):
        assert not any(evaluate_moves(site, position, NETWORK, 0).is_known)
        for step in snapshots(site, NETWORK)[1:]:
            np.testing.assert_array_equal(
                evaluate_moves(site, position, NETWORK, step).is_known, legal[position]
            )


def test_all_that_is_played_has_a_star_and_a_value_unless_nothing_is_known(
    views: list[View],
) -> None:
    for agent, _, row, shown in views:
        if agent.card.reward_scale is None:
            continue
        policy = policy_from_values(np.array(row, np.float32), agent.card.play_rule)
        likeliest = policy == policy.max()
        assert shown.policy.tolist() == policy.tolist()
        assert shown.likeliest_cells == np.flatnonzero(likeliest).tolist()
        assert shown.is_best == (likeliest & any(shown.is_known)).tolist()
        assert all(shown.value_texts[cell] for cell in np.flatnonzero(shown.is_best))


def test_best_play_prefers_to_win_sooner_and_to_lose_later(site: SiteData) -> None:
    lost = parse_position(GAME, "XO.X.....")  # O has to stop the left column
    seen = evaluate_moves(site, lost, "truth")
    assert seen.optimal_results[6] != "loss in 1"
    assert seen.is_best[6]
    assert "loss in 1" in seen.optimal_results


def test_only_blunders_that_it_does_not_see_are_marked_unless_more_is_asked_for(
    site: SiteData,
) -> None:
    for name in site.agents:
        for position in range(0, GAME.decisions, 193):
            seen = evaluate_moves(site, position, name)
            assert seen.is_blunder == [
                wrong and not right
                for wrong, right in zip(
                    seen.is_value_wrong, site.is_move_correct[position], strict=True
                )
            ]
            for errors, marked in (
                ("", seen.is_blunder),
                ("truth", seen.is_value_wrong),
                ("none", [0] * 9),
            ):
                said = build_notes(site, seen, None, errors)
                assert [bool(note.short_text) for note in said] == [bool(mark) for mark in marked]


def test_the_board_shows_the_values_of_the_player_to_move(site: SiteData) -> None:
    def ply(match: Match) -> int:
        return find_shown_ply(replay_match(match, site))

    assert ply(Match("40")) == 2
    assert ply(Match("4")) == 0  # an agent is about to reply: the person's values stay
    assert ply(Match("4", is_paused=True)) == 1
    assert [ply(Match("408", ply=shown)) for shown in (0, 1, 2)] == [0, 1, 2]
    assert ply(Match("", x="q-table", o="human")) == 0
    assert ply(Match("4", o="human")) == 1
    assert ply(Match("03142")) == 4  # X made the last move
    assert ply(Match("03142", x="q-table", o="human")) == 3  # the person's last decision
    watched = Match("4", x="q-learning-1", o="double-q")
    assert [ply(structs.replace(watched, record="4035"[:n])) for n in range(5)] == [0, 1, 2, 3, 4]
    assert ply(structs.replace(watched, record="03142")) == 4


def test_in_self_play_the_values_are_those_of_the_mover_in_its_own_view(site: SiteData) -> None:
    for record in ("4", "40"):
        state = replay_match(Match(record, x="q-learning-4", o="q-learning-4"), site)
        shown = evaluate_match(state, find_shown_ply(state))
        row = site.agents["q-learning-4"].q[state.position]
        np.testing.assert_array_equal(shown.values, row)
        assert shown.position == state.position


def test_a_task_is_the_other_truth(site: SiteData) -> None:
    """Against random moves a corner is best, and a move later counts 0.9."""
    assert site.get_task("q-learning-1") is not None
    seen = evaluate_moves(site, 0, "q-learning-1_task")
    corner, edge, centre = 0.792703, 0.786438, 0.788147
    expected = [corner, edge, corner, edge, centre, edge, corner, edge, corner]
    np.testing.assert_allclose(seen.values, expected, atol=5e-7)
    assert seen.is_best == [cell in (0, 2, 6, 8) for cell in range(9)]
    assert all(seen.is_known)
    assert not any(seen.is_value_wrong)


def test_no_value_is_a_negative_zero(
    site: SiteData, client: FlaskClient, views: list[View]
) -> None:
    exact = [
        evaluate_moves(site, position, source)
        for source in (*site.task_value_sources, "truth")
        for position in range(0, GAME.decisions, 401)
    ]
    recipe = "self-play,games=150,initial=0,draw=0"  # its table has zeros of both signs
    signed = np.signbit(site.agents[recipe].q) & (site.agents[recipe].q == 0)
    positions = np.flatnonzero(signed.any(axis=1)).tolist()
    assert positions
    both = [evaluate_moves(site, position, recipe) for position in positions]
    for shown in (*(view.shown for view in views), *exact, *both):
        assert not np.signbit(shown.values[shown.values == 0]).any()
    for url in ("/play/4081?lens=self-play", "/arena", "/agents/self-play", "/compare/40"):
        assert not re.search(
            r"[-−]0(\.0*)?(?![.\d])", re.sub(r"<path[^>]*>", "", visible(url, client))
        )


def visible(url: str, client: FlaskClient) -> str:
    """Return the numbers of a page: in texts and in the data of charts."""
    page = client.get(url).text
    texts = re.findall(r'>([^<]+)<|value="([^"]+)"|aria-label="([^"]+)"| d="([^"]+)"', page)
    return "\n".join(text for found in texts for text in found if not re.search(r"\d-0", text))


def test_the_lens_is_whoever_is_to_move_unless_asked_for(site: SiteData) -> None:
    match = Match(x="q-learning-1", o="q-iteration")
    assert choose_value_source(match, site, +1) == "q-learning-1"
    assert choose_value_source(match, site, -1) == "q-iteration"
    assert choose_value_source(Match(), site, +1) == "q-iteration"  # a person has no table
    assert choose_value_source(Match(x="minimax", o="random"), site, +1) == next(iter(site.agents))
    assert choose_value_source(Match(value_source="truth"), site, +1) == "truth"
