import pytest

from app.tictactoe.game import Game, connect


@pytest.fixture(scope="session")
def game() -> Game:
    return connect()
