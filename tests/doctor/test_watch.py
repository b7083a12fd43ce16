"""A watched table: its updates are recorded without a line at the update."""

import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.doctor.loading import doctor
from tests.doctor.students import Environment, is_over, list_free, put, result

ALPHA, GAMMA = 0.3, 0.9
Get = Callable[[str, int], float]
Change = Callable[[str, int, float], None]


def encode(board: str) -> int:
    return int("".join(str(".XO".index(mark)) for mark in board), 3)


def decode(code: int, move: int) -> tuple[str, int]:
    return "".join(".XO"[int(digit)] for digit in np.base_repr(code, 3).zfill(9)), move


def open_table(examined: Any, shape: str) -> tuple[Get, Change]:
    """Return functions that read a value and add to it, for a table of this shape."""
    if shape == "dict":
        table = examined.watch({})

        def get(board: str, move: int) -> float:
            return float(table.get((board, move), 0.0))

        def change(board: str, move: int, by: float) -> None:
            table[board, move] = get(board, move) + by

        return get, change
    if shape in ("dict of dicts", "dict of lists", "dict of arrays"):
        kinds = {
            "dict of dicts": lambda: defaultdict(float),
            "dict of lists": lambda: [0.0] * 9,
            "dict of arrays": lambda: np.zeros(9),
        }
        rows = examined.watch(defaultdict(kinds[shape]))

        def add(board: str, move: int, by: float) -> None:
            rows[board][move] += by

        return lambda board, move: float(rows[board][move]), add
    array = examined.watch(np.zeros((3**9, 9)), decode)

    def add_to_array(board: str, move: int, by: float) -> None:
        if shape == "array":
            array[encode(board), move] += by
        else:
            array[encode(board)][move] += by

    return lambda board, move: float(array[encode(board), move]), add_to_array


def train(examined: Any, shape: str, setting: str, *, fault: bool = False) -> None:
    """Train Q-learning: of X, of both seats at their next turn, or of both by negamax."""
    get, change = open_table(examined, shape)
    rng = random.Random(4)

    def learn(board: str, move: int, reward: float, after: str) -> None:
        future = 0.0
        if not is_over(after):
            future = max(get(after, cell) for cell in list_free(after))
            if setting == "negamax" and not fault:
                future = -future
        change(board, move, ALPHA * (reward + GAMMA * future - get(board, move)))

    for _ in range(200):
        world = Environment(rng)
        waiting: dict[str, tuple[str, int]] = {}
        while not world.winner():
            board, mark = world.cells, world.turn()
            if setting == "one seat" and mark == "O":
                world.put(rng.choice(world.legal()))
                continue
            if mark in waiting and setting != "negamax":
                learn(*waiting[mark], 0, board)
            move = max(world.legal(), key=lambda cell: (get(board, cell), rng.random()))
            move = rng.choice(world.legal()) if rng.random() < 0.3 else move
            waiting[mark] = board, move
            world.put(move)
            if setting == "negamax":
                learn(board, move, result(world.cells, mark), world.cells)
        for mark, pending in waiting.items() if setting != "negamax" else ():
            learn(*pending, result(world.cells, mark), world.cells)
        examined.game_over(world.cells)


SHAPES = ("dict", "dict of dicts", "dict of lists", "dict of arrays", "array", "rows of an array")


@pytest.mark.long
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("setting", ["one seat", "both seats", "negamax"])
def test_a_watched_table_shows_the_rule(shape: str, setting: str) -> None:
    examined = doctor.Doctor()
    train(examined, shape, setting)
    found = examined.diagnose()
    assert found.status == 0, found
    assert found.rule.startswith("Q-learning")
    assert ("negamax" in found.rule) is (setting == "negamax")
    assert (found.alpha, found.gamma) == (pytest.approx(ALPHA), pytest.approx(GAMMA))


def test_a_watched_table_shows_a_fault() -> None:
    examined = doctor.Doctor()
    train(examined, "dict", "negamax", fault=True)
    assert examined.diagnose().fault == "sign"


def test_values_of_boards_are_watched() -> None:
    examined, rng = doctor.Doctor(), random.Random(2)
    values = examined.watch({})
    for _ in range(300):
        world, mine = Environment(rng), []
        while not world.winner():
            if world.turn() == "X":
                best = max(
                    world.legal(),
                    key=lambda cell: (values.get(put(world.cells, cell), 0.0), rng.random()),
                )
                mine.append(world.put(best if rng.random() < 0.7 else rng.choice(world.legal())))
            else:
                world.put(rng.choice(world.legal()))
        target = result(world.cells, "X")
        for board in reversed(mine):
            values[board] = values.get(board, 0.0) + ALPHA * (target - values.get(board, 0.0))
            target = GAMMA * values[board]
        examined.game_over(world.cells)
    found = examined.diagnose()
    assert found.status == 0, found
    assert "TD(0)" in found.rule


def test_what_cannot_be_watched_is_named() -> None:
    examined = doctor.Doctor()
    table = examined.watch({})
    with pytest.raises(doctor.TraceError, match="to_board"):
        table[17] = 0.5
    with pytest.raises(doctor.TraceError, match="the game goes on"):
        examined.game_over("X........")


def test_a_move_of_an_earlier_game_that_is_updated_again_is_named() -> None:
    examined = doctor.Doctor()
    table = examined.watch({})
    table["O........", 1] = 0.5
    with pytest.raises(doctor.TraceError, match="no board of this game"):
        examined.game_over("XXXOO....")
