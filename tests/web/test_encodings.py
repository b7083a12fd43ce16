"""How one position looks, as the page says it."""

from flask.testing import FlaskClient

from app.tictactoe.notation import replay
from app.web.numbers import encoded
from app.web.world import World


def test_every_way_of_writing_a_position(world: World) -> None:
    written = {way.name: way.value for way in encoded(world.game, replay(world.game, "02")[-1])}
    assert written == {
        "Text": "X.O......",
        "Base-3 number": "8,019",  # 1 x 3^8 + 2 x 3^6
        "Symmetry class": "......X.O",  # 11, the lowest number of its eight images
        "Bit-packed integer": "294,913",  # 01 00 10, twelve zeros and 01: 2^18 + 2^15 + 1
        "Flat array": "[1 0 2 0 0 0 0 0 0 1]",
        "One-hot vector": "010 100 001 100 100 100 100 100 100 10 0",
    }


def test_a_network_is_never_asked_about_a_finished_game(world: World) -> None:
    names = [way.name for way in encoded(world.game, replay(world.game, "03142")[-1])]
    assert "One-hot vector" not in names


def test_they_are_on_the_page(client: FlaskClient) -> None:
    assert "<code>X.O......</code>" in client.get("/minds/02").text
