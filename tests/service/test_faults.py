"""The faults that can be tried in seconds: `make faults` tries all of them, and longer."""

from functools import partial

import pytest

from tests.service.faults.__main__ import SCENARIOS
from tests.service.faults.raw import WHOLE, half_open
from tests.service.faults.slow_clients import (
    PATIENCE,
    beside_a_good_request,
    silent,
    staying,
)

QUICK = ["encodings", "log-lines", "claims", "odd-requests", "ascii", "closed-terminal"]
LAB = ["lab-off"]  # the trainer's other faults take more patience than a busy machine has


@pytest.mark.parametrize("name", [*QUICK, *LAB])
def test_what_must_hold_holds(name: str) -> None:
    found = list(SCENARIOS[name]())
    assert found
    assert [finding for finding in found if not finding.ok] == []


@pytest.mark.parametrize("hold", [half_open, silent])
def test_more_connections_than_threads_do_not_keep_anybody_out(hold) -> None:
    finding = beside_a_good_request(600, "", hold, PATIENCE)
    assert finding.ok, finding.seen


def test_new_connections_whose_clients_stay_do_not_keep_anybody_out() -> None:
    """They did: a server that waits for each to hang up would need minutes for these."""
    finding = beside_a_good_request(300, "", partial(staying, WHOLE), PATIENCE)
    assert finding.ok, finding.seen
