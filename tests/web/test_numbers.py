"""How numbers are written."""

import pytest

from app.web.numbers import percent


@pytest.mark.parametrize(
    ("chance", "two", "one"),
    [
        (0, "0", "0"),
        (1, "100", "100"),
        (0.5, "50.00", "50.0"),
        (737 / 1260, "58.49", "58.5"),
        (0.0006, "0.06", "0.1"),
        (0.0004, "0.04", "<0.1"),
        (0.00004, "<0.01", "<0.1"),
        (0.9996, "99.96", ">99.9"),
        (0.99996, ">99.99", ">99.9"),
    ],
)
def test_what_is_not_none_or_all_is_not_written_so(chance: float, two: str, one: str) -> None:
    assert (percent(chance), percent(chance, 1)) == (two, one)
