"""The formats of numbers."""

import re

import pytest
from flask.testing import FlaskClient

from app.web.formatting import format_percent, format_signed


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
    assert (format_percent(chance), format_percent(chance, 1)) == (two, one)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.424, "+0.42"),
        (-1.0, "−1.00"),
        (0.0, "0.00"),
        (-0.001, "0.00"),
        (0.004, "0.00"),
        (12.5, "+12.50"),
    ],
)
def test_a_value_has_a_sign_unless_it_is_zero(value: float, text: str) -> None:
    assert format_signed(value) == text


# How one position looks, as the page says it.


def encodings(client: FlaskClient, address: str) -> dict[str, str]:
    """Return the notations of a position on a page."""
    page = client.get(address).text
    return dict(re.findall(r"<dt>(.*?)</dt>\s*<dd><code>(.*?)</code>", page))


def test_every_way_of_writing_a_position(client: FlaskClient) -> None:
    assert encodings(client, "/minds/02") == {
        "Text": "X.O......",
        "Base-3 number": "8,019",  # 1 x 3^8 + 2 x 3^6
        "Symmetry class": "......X.O",  # 11, the lowest number of its eight images
        "Bit-packed integer": "294,913",  # 01 00 10, twelve zeros and 01: 2^18 + 2^15 + 1
        "Flat array": "[1 0 2 0 0 0 0 0 0 1]",
        "One-hot vector": "010 100 001 100 100 100 100 100 100 10 0",
    }


def test_a_network_is_never_asked_about_a_finished_game(client: FlaskClient) -> None:
    ended = encodings(client, "/how/writing?board=XXXOO....")
    assert ended["Flat array"] == "[1 1 1 2 2 0 0 0 0 0]"
    assert "One-hot vector" not in ended
