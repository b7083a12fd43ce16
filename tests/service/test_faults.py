"""The faults that can be tried in seconds: `make faults` tries all of them, and longer."""

import pytest

from tests.service.faults.__main__ import SCENARIOS
from tests.service.faults.raw import half_open
from tests.service.faults.slow_clients import beside_a_good_request, silent

QUICK = ["encodings", "log-lines", "claims", "odd-requests", "ascii", "closed-terminal", "staying"]
LAB = ["lab-off"]  # the trainer's other faults take more patience than a busy machine has


@pytest.mark.parametrize("name", [*QUICK, *LAB])
def test_what_must_hold_holds(name: str) -> None:
    found = list(SCENARIOS[name]())
    assert found
    assert [finding for finding in found if not finding.ok] == []


@pytest.mark.parametrize("hold", [half_open, silent])
def test_more_connections_than_threads_do_not_keep_anybody_out(hold) -> None:
    finding = beside_a_good_request(600, "", hold)
    assert finding.ok, finding.seen
