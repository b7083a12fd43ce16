import pytest

from app.tictactoe.game import Game
from tests.tictactoe.both import Both
from tests.tictactoe.reference import Policy, Rules

# Tic-tac-toe, and boards that are not square, have one row, or end with the first stone.
BOARDS = [(3, 3, 3), (1, 1, 1), (2, 2, 1), (2, 2, 2), (1, 5, 2), (5, 1, 3), (2, 4, 3), (3, 2, 3)]


@pytest.fixture(scope="session")
def tictactoe() -> Both:
    return Both()


@pytest.fixture(scope="session")
def game(tictactoe: Both) -> Game:
    return tictactoe.game


@pytest.fixture(scope="session")
def rules(tictactoe: Both) -> Rules:
    return tictactoe.rules


@pytest.fixture(scope="session")
def players(rules: Rules) -> dict[str, Policy]:
    """The reference's version of every baseline."""
    return {
        "random": rules.uniform(),
        "fixed": rules.first_empty(),
        "t-hand": rules.t_hand(),
        "minimax": rules.minimax(),
        "minimax-random": rules.minimax_random(),
        "strongest": rules.strongest(),
    }


@pytest.fixture(scope="session", params=BOARDS, ids=lambda board: "{}x{},{}".format(*board))
def both(request: pytest.FixtureRequest) -> Both:
    return Both(*request.param)
