"""How one position looks, as the page says it."""

import re

from flask.testing import FlaskClient


def encodings(client: FlaskClient, address: str) -> dict[str, str]:
    """Read the ways of writing a position from a page."""
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
