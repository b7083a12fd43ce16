"""A comparison and its URL determine each other."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.exceptions import BadRequest, Conflict, HTTPException, NotFound

from app.tictactoe.game import GAME
from app.tictactoe.notation import replay_record
from app.web.comparison import (
    CURVE_TITLES,
    MAX_VIEWS,
    Comparison,
    SourceSnapshot,
    build_comparison,
    get_default_views,
    parse_comparison,
)
from app.web.links.compare import COMPARE_ROUTE, compare_url
from app.web.match import Match, replay_match
from tests.web.test_match import WORLD, records

USUAL = (SourceSnapshot("q-learning-1"), SourceSnapshot("q-iteration"))


@st.composite
def views(draw: st.DrawFn) -> SourceSnapshot:
    lens = draw(st.sampled_from([*WORLD.agents, *WORLD.task_value_sources]))
    if lens not in WORLD.agents:
        return SourceSnapshot(lens)
    steps = st.integers(0, WORLD.get_last_snapshot(lens) - 1)
    return SourceSnapshot(lens, draw(st.none() | steps))


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    record = draw(records())
    several = st.lists(views(), min_size=1, max_size=MAX_VIEWS, unique=True).map(tuple)
    figure = draw(st.sampled_from(["", *list(CURVE_TITLES)[1:]]))
    return Comparison(record, draw(several | st.just(USUAL)), figure)


def read(url: str) -> Comparison:
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    lenses = [value for name, value in query if name == "lens"]
    figure = dict(query).get("figure", "")
    comparison, state = parse_comparison(
        parts.path.removeprefix(COMPARE_ROUTE.url("")), lenses, WORLD, figure
    )
    assert list(state.positions) == replay_record(GAME, comparison.record)
    return comparison


@given(comparisons())
def test_what_is_built_is_parsed_to_the_same(comparison: Comparison) -> None:
    assert read(compare_url(comparison)) == comparison


@given(comparisons())
def test_a_form_leads_to_the_same_address_as_a_link(comparison: Comparison) -> None:
    """A form keeps letters, digits and *-._ and encodes an @ as %40."""
    query = urlsplit(compare_url(comparison)).query
    assert re.fullmatch(r"[\w*.=&-]*", query, re.ASCII)


def test_the_last_snapshot_is_the_agent_as_shipped() -> None:
    last = WORLD.get_last_snapshot("self-play")
    assert read(f"/compare/?lens=self-play_{last}").views == (SourceSnapshot("self-play"),)


def test_where_nobody_says_two_that_differ_are_compared() -> None:
    assert tuple(get_default_views(WORLD)) == USUAL
    assert read("/compare/40") == Comparison("40", USUAL)
    assert compare_url(Comparison("40", USUAL[::-1])) == (
        "/compare/40?lens=q-iteration&lens=q-learning-1"
    )
    assert (
        compare_url(Comparison("4", (SourceSnapshot("self-play", 3),)))
        == "/compare/4?lens=self-play_3"
    )


def test_an_empty_lens_is_as_good_as_none() -> None:
    assert read("/compare/4?lens=&lens=") == Comparison("4", USUAL)
    assert read("/compare/?lens=self-play&lens=&utm=x") == Comparison(
        "", (SourceSnapshot("self-play"),)
    )


@pytest.mark.parametrize(
    ("url", "error", "named"),
    [
        ("/compare/0314256?lens=self-play", Conflict, "after move 5"),
        ("/compare/?lens=random", BadRequest, "random"),
        ("/compare/?lens=truth", BadRequest, "always there"),
        ("/compare/?lens=self-play&lens=self-play", BadRequest, "twice"),
        ("/compare/?lens=self-play_1&lens=self-play_01", BadRequest, "twice"),
        ("/compare/?lens=self-play_x", BadRequest, "whole number"),
        ("/compare/?lens=self-play_99", BadRequest, "step must be 0 to"),
        ("/compare/?lens=q-iteration_task_3", BadRequest, "lens=, the agent that was trained"),
        ("/compare/?lens=_3", BadRequest, "'_3'"),
        ("/compare/?" + "&".join(f"lens=self-play_{n}" for n in range(5)), BadRequest, "At most 4"),
    ],
)
def test_a_wrong_address_is_named(url: str, error: type[HTTPException], named: str) -> None:
    with pytest.raises(error) as raised:
        read(url)
    assert named in str(raised.value.description)


@given(st.text(max_size=12), st.lists(st.text(max_size=16), max_size=5))
def test_any_text_is_a_comparison_or_a_refusal(record: str, lenses: list[str]) -> None:
    try:
        comparison, _ = parse_comparison(record, lenses, WORLD)
    except (BadRequest, NotFound, Conflict):
        return
    # the position where the agents differ
    assert comparison.record == record or not any([record, *lenses])


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        (Match(), "/compare/?lens=q-iteration&lens=q-learning-1"),
        (Match(record="40", o="human"), "/compare/40?lens=q-learning-1&lens=q-iteration"),
        (
            Match(record="40", ply=1, value_source="truth", o="random"),
            "/compare/4?lens=q-learning-1&lens=q-iteration",
        ),
        (
            Match(value_source="self-play", snapshot=2, x="self-play", o="champion"),
            "/compare/?lens=self-play_2&lens=self-play&lens=champion",
        ),
        (
            Match(value_source="self-play_task"),
            "/compare/?lens=self-play_task&lens=q-iteration",
        ),
        (Match(value_source="champion", o="champion"), "/compare/?lens=champion&lens=q-learning-1"),
    ],
)
def test_a_match_leads_to_those_that_it_shows_and_that_play(match: Match, expected: str) -> None:
    comparison = build_comparison(replay_match(match, WORLD))
    assert compare_url(comparison) == expected
    assert read(expected) == comparison
