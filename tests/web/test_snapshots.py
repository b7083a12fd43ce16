"""The slider over the training of a lens."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest
from flask.testing import FlaskClient

from app.web.match import Match, build, parse
from app.web.play.links import SNAPSHOT_DELAY, Auto, auto
from app.web.play.snapshots import next_snapshot, snapshots
from app.web.players import Players

LENS = "q-learning-1"


def test_there_is_a_mark_for_every_snapshot(players: Players) -> None:
    for name, agent in players.agents.items():
        shown = snapshots(Match(), players, name)
        assert shown is not None
        assert len(shown.marks) == len(agent.snapshot_updates)
        assert shown.marks[0] == "after 0 updates"
        assert shown.step == shown.last
        assert shown.marks[-1].startswith("fully trained")


def test_the_truth_was_never_trained(players: Players) -> None:
    assert snapshots(Match(lens="truth"), players, "truth") is None


def test_running_through_it_shows_every_snapshot_once_and_ends_as_shipped(players: Players) -> None:
    match = Match(record="40", lens=LENS)
    first = snapshots(match, players, LENS)
    assert first is not None
    address = urlsplit(first.toggle)
    query = dict(parse_qsl(address.query))
    match = parse("40", query, players)
    seen = []
    while match.train:
        assert match.step is not None
        seen.append(match.step)
        going_on = auto(match, players, 0)
        match = next_snapshot(match, players)
        assert going_on == Auto(build(match), SNAPSHOT_DELAY, "train")
    assert seen == list(range(first.last))
    assert match == Match(record="40", lens=LENS)


def test_a_run_can_be_stopped_where_it_is(players: Players) -> None:
    match = Match(lens=LENS, step=4, train=True)
    shown = snapshots(match, players, LENS)
    assert shown is not None
    assert shown.running
    assert shown.toggle == build(replace(match, train=False))


def test_a_move_ends_a_run() -> None:
    assert not Match(lens=LENS, step=4, train=True).go("4").train


@pytest.mark.parametrize(
    ("form", "address"),
    [
        # The slider was moved: the lens that was shown is held on to.
        (f"lens=&lens_was=&step_of={LENS}&step=3", f"/play/?lens={LENS}&step=3"),
        (f"lens={LENS}&lens_was={LENS}&step_of={LENS}&step=0", f"/play/?lens={LENS}&step=0"),
        # It is at its end: that is the agent as it plays.
        (f"lens=&lens_was=&step_of={LENS}&step=LAST", "/play/"),
        (f"lens={LENS}&lens_was={LENS}&step_of={LENS}&step=LAST", f"/play/?lens={LENS}"),
        # Somebody chose another lens, or none.
        (f"lens=champion&lens_was={LENS}&step_of={LENS}&step=3", "/play/?lens=champion"),
        (f"lens=&lens_was={LENS}&step_of={LENS}&step=3", "/play/"),
        ("lens=truth&lens_was=truth", "/play/?lens=truth"),
    ],
)
def test_what_the_form_means_by_its_step(
    client: FlaskClient, players: Players, form: str, address: str
) -> None:
    last = str(len(players.agents[LENS].snapshot_q) - 1)
    response = client.get("/set/?" + form.replace("LAST", last))
    assert response.headers["Location"] == address


def test_a_wrong_step_is_refused(client: FlaskClient) -> None:
    assert client.get(f"/set/?lens=&lens_was=&step_of={LENS}&step=99").status_code == 400


def test_the_last_step_is_the_agent_as_shipped(client: FlaskClient, players: Players) -> None:
    last = players.last_step(LENS)
    assert client.get(f"/play/4?lens={LENS}&step={last}").data == (
        client.get(f"/play/4?lens={LENS}").data
    )
