import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from app.tictactoe.agents import save_agent
from app.tictactoe.game import Game
from app.tictactoe.tasks import TrainingTask
from app.tictactoe.values import compute_successor_values, solve_game
from app.tictactoe.views import convert_view
from tests.tictactoe.both import Both
from tests.tictactoe.models import ID, Arrays, Keys, make_agent
from tests.tictactoe.reference import PLAYERS, Policy, Rules, in_floats
from tests.tictactoe.slow_report import SlowTask, Table, slow_task

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
    """The reference's policy of every baseline."""
    return {name: play(rules) for name, play in PLAYERS.items()}


@pytest.fixture(scope="session")
def float_players(players: dict[str, Policy]) -> dict[str, Policy]:
    return {name: in_floats(policy) for name, policy in players.items()}


@pytest.fixture(scope="session")
def slow_tasks(
    tictactoe: Both, float_players: dict[str, Policy]
) -> Callable[[TrainingTask], SlowTask]:
    """The reference's values of every task, computed once."""
    return cache(lambda task: slow_task(tictactoe, task, float_players))


@pytest.fixture(scope="session", params=BOARDS, ids=lambda board: "{}x{},{}".format(*board))
def both(request: pytest.FixtureRequest) -> Both:
    return Both(*request.param)


@pytest.fixture(scope="session")
def tables(game: Game) -> dict[str, Table]:
    """Perfect, empty and random tables with ties, and three mixtures; mover's view."""
    random = np.random.default_rng(5)
    shape = game.legal.shape
    truth = convert_view(game, compute_successor_values(game, solve_game(game).values))
    tables = {
        "optimal": truth,
        "zero": np.zeros(shape),
        "lucky": random.integers(-2, 3, shape),
        "noisy": truth + random.normal(scale=0.4, size=shape),
        "rough": np.where(random.random(shape) < 0.02, 1, truth),
        "first": np.broadcast_to(-np.arange(game.cells), shape),
    }
    return {name: np.where(game.legal, q, np.nan).astype(np.float32) for name, q in tables.items()}


@pytest.fixture(scope="session")
def policies(tictactoe: Both, tables: dict[str, Table]) -> dict[str, Policy]:
    """The reference's policy for each table."""
    return {name: tictactoe.greedy(q) for name, q in tables.items()}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for tens of thousands of files, in memory if possible."""
    held = Path("/dev/shm")
    folder = held if held.is_dir() else tmp_path_factory.mktemp("disk")
    with TemporaryDirectory(dir=folder) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory, game: Game) -> tuple[bytes, bytes]:
    """A valid card with its arrays."""
    folder = tmp_path_factory.mktemp("models")
    save_agent(folder, game, make_agent(game))
    return (folder / f"{ID}.json").read_bytes(), (folder / f"{ID}.npz").read_bytes()


@pytest.fixture(scope="session")
def card(files: tuple[bytes, bytes]) -> Keys:
    parsed: Keys = json.loads(files[0])
    return parsed


@pytest.fixture(scope="session")
def arrays(game: Game) -> Arrays:
    return make_agent(game).collect_arrays()
