"""The update and the choice of actions, one at a time."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from training.learners.league import grown, proportional, update

# What the league meets: rewards of 10 both ways, a win counted twice, k from 0.001 to 100.
VALUES = st.lists(st.floats(-20, 20), min_size=1, max_size=9)
SHARPNESS = st.floats(0.001, 100)


def chosen(u: float, values: list[float], k: float) -> int:
    """Choose among values that lie apart and backwards in their table."""
    q = np.zeros(2 * len(values))
    entries = np.arange(len(q) - 1, 0, -2, dtype=np.int32)
    q[entries] = values
    return proportional(u, q, k, entries, np.empty(len(values)))


@given(u=st.floats(0, 1, exclude_max=True), values=VALUES, k=SHARPNESS)
def test_each_is_chosen_in_proportion_to_its_power_of_k(u, values, k) -> None:
    powers = [k**value for value in values]
    ends = list(accumulate(power / sum(powers) for power in powers))
    assume(all(abs(u - end) > 1e-9 for end in ends[:-1]))
    assert chosen(u, values, k) == np.searchsorted(ends[:-1], u, side="right")


@given(
    u=st.floats(0, 1, exclude_max=True),
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9),
    k=st.floats(1e-300, 1e300),
)
def test_no_power_is_too_large_or_too_small(u, values, k) -> None:
    choice = chosen(u, values, k)
    assert 0 <= choice < len(values)
    best = max(values) if k > 1 else min(values)
    assert abs((values[choice] - best) * np.log(k)) < 800  # what is drawn has a chance


@pytest.mark.parametrize(
    ("k", "choice"), [(100.0, 1), (0.001, 0)], ids=["late, the best", "early, the worst"]
)
def test_a_large_k_exploits_and_one_below_1_avoids_what_is_good(k: float, choice: int) -> None:
    assert {chosen(u, [-10.0, 10.0, 0.0], k) for u in np.linspace(0.001, 0.999, 99)} == {choice}


def test_k_1_is_indifferent() -> None:
    choices = [chosen(u, [-10.0, 17.0, 0.0, 3.0], 1.0) for u in (0.1, 0.3, 0.6, 0.9)]
    assert choices == [0, 1, 2, 3]


def test_k_grows_up_to_its_limit() -> None:
    k = [grown(0.001, 0.001, 100.0, updates) for updates in (0, 1, 999, 99_999, 10**9)]
    assert k == pytest.approx([0.001, 0.002, 1.0, 100.0, 100.0])
    assert grown(0.5, 0.0, 0.5, 10**9) == 0.5


def learned(targets: list[float], after: list[float], gamma: float) -> tuple[float, int]:
    """Update a pair with these rewards; the next board is worth `after`."""
    q, visits = np.array([0.0, *after]), np.zeros(1 + len(after), np.uint32)
    for target in targets:
        update(q, visits, 0, target, gamma, 1, len(after))
    assert q[1:].tolist() == after
    assert not visits[1:].any()
    return q[0], visits[0]


def test_the_first_visit_goes_half_of_the_way() -> None:
    assert learned([10.0], [0.0, 0.0], 0.7) == (5.0, 1)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=50))
def test_the_value_is_the_mean_of_what_was_met_and_the_0_it_began_with(rewards) -> None:
    value, visits = learned(rewards, [0.0], 0.7)
    assert value == pytest.approx(sum(rewards) / (len(rewards) + 1))
    assert visits == len(rewards)


@pytest.mark.parametrize(
    ("after", "value"),
    [([10.0, -10.0, 0.0], 0.5 * (3 + 0.7 * 10)), ([-10.0, -2.0], 0.5 * 3), ([0.0, -1.0], 0.5 * 3)],
    ids=["the best of the next board counts", "but never less than 0", "nor an untried move less"],
)
def test_what_comes_next_is_discounted(after: list[float], value: float) -> None:
    assert learned([3.0], after, 0.7)[0] == pytest.approx(value)
