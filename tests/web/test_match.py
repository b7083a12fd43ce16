"""A match and its URL determine each other."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.exceptions import BadRequest, Conflict, HTTPException, NotFound

from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS, IllegalMoveError, replay_record
from app.web.links.play import play_url
from app.web.match import Match, MatchState, parse_match
from app.web.site_data import SiteData
from tests.web.running import get_site

WORLD: SiteData = get_site().extensions["site"]


@st.composite
def records(draw: st.DrawFn) -> str:
    """Generate a game, finished or not, from a shuffled order of cells."""
    record = ""
    for cell in draw(st.permutations(range(9)))[: draw(st.integers(0, 9))]:
        try:
            replay_record(GAME, record + DIGITS[cell])
        except IllegalMoveError:
            break
        record += DIGITS[cell]
    return record


@st.composite
def matches(draw: st.DrawFn) -> Match:
    record = draw(records())
    lens = draw(st.sampled_from(["", *WORLD.value_sources]))
    learned = WORLD.agents.get(lens)
    steps = st.integers(0, learned.history.snapshot_count - 2) if learned else st.none()
    step = draw(st.none() | steps)
    return Match(
        record=record,
        ply=draw(st.none() | st.integers(0, len(record) - 1)) if record else None,
        x=draw(st.sampled_from(WORLD.player_names)),
        o=draw(st.sampled_from(WORLD.player_names)),
        value_source=lens,
        snapshot=step,
        plays_training=step is not None and draw(st.booleans()),
        epsilon=draw(st.integers(0, 100)) / 100,
        move_delay=draw(st.integers(25, 500)) / 100,
        is_paused=draw(st.booleans()),
        hides_values=draw(st.booleans()),
        in_source_units=draw(st.booleans()),
        result_counts=draw(st.tuples(*[st.integers(0, 999_999)] * 3)),
    )


def place(url: str) -> MatchState:
    address = urlsplit(url)
    query = dict(parse_qsl(address.query, keep_blank_values=True))
    return parse_match(address.path.removeprefix("/play/"), query, WORLD)


def read(url: str) -> Match:
    return place(url).match


@given(matches())
def test_what_is_built_is_parsed_to_the_same(match: Match) -> None:
    assert read(play_url(match)) == match


@given(matches())
def test_a_match_comes_with_the_positions_that_it_passes_through(match: Match) -> None:
    read = place(play_url(match))
    assert list(read.positions) == replay_record(GAME, match.record)
    assert read.position == replay_record(GAME, match.shown_record)[-1]
    assert read.is_over == (read.position >= GAME.decisions)
    assert "".join(DIGITS[cell] for cell in read.played_cells) == match.record


@pytest.mark.parametrize(
    ("url", "error", "named"),
    [
        ("/play/?x=nobody", NotFound, "q-iteration"),
        ("/play/?o=truth&x=", NotFound, "truth"),
        ("/play/?lens=random", BadRequest, "random"),
        ("/play/?step=-1&lens=q-iteration", BadRequest, "whole number"),
        ("/play/?step=99&lens=q-iteration", BadRequest, "step must be 0 to"),
        ("/play/?step=1", BadRequest, "lens"),
        ("/play/?step=1&lens=truth", BadRequest, "lens"),
        ("/play/?step=1&lens=q-learning-1_task", BadRequest, "lens"),
        ("/play/?x=q-learning-1_task", NotFound, "q-iteration"),
        ("/play/?train=1&lens=q-iteration", BadRequest, "step"),
        ("/play/4?ply=1", BadRequest, "ply"),
        ("/play/4?ply=٠", BadRequest, "ply"),
        ("/play/?epsilon=1.5", BadRequest, "0 to 1"),
        ("/play/?epsilon=nan", BadRequest, "0 to 1"),
        ("/play/?delay=0.1", BadRequest, "0.25 to 5"),
        ("/play/?delay=1e3", BadRequest, "0.25 to 5"),
        ("/play/?pause=yes", BadRequest, "0 or 1"),
        ("/play/?tally=1-2", BadRequest, "2-1-0"),
    ],
)
def test_a_wrong_address_is_named(url: str, error: type[HTTPException], named: str) -> None:
    """Faults of the record are tested in `test_errors.py`."""
    with pytest.raises(error) as raised:
        read(url)
    assert named in str(raised.value.description)


@given(st.text(max_size=12), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4))
def test_any_text_is_a_match_or_a_refusal(record: str, query: dict[str, str]) -> None:
    try:
        match = parse_match(record, query, WORLD).match
    except (BadRequest, NotFound, Conflict):
        return
    assert match.record == record


@given(
    st.sampled_from(["x", "o", "lens", "ply", "step", "epsilon", "delay", "pause", "tally"]),
    st.text(min_size=1, max_size=8),
)
def test_any_value_is_read_or_refused(name: str, value: str) -> None:
    try:
        match = parse_match("40", {name: value}, WORLD).match
    except (BadRequest, NotFound):
        return
    assert read(play_url(match)) == match
