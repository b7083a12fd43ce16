"""Textbook learners that hold stored values, so that they can make the updates that pages show."""

from types import SimpleNamespace
from typing import Any

from numpy.typing import NDArray

from app.recipes.algorithms import compute_final_rate
from app.reference import ReferenceLearner, build_rules, find_learner
from app.textbook.rng import Random
from app.tictactoe.game import GAME
from app.tictactoe.notation import parse_position
from app.web.algorithms.targets import ValueQuery


class StoredValues(dict[Any, float]):
    """The table of a textbook learner, read from `table`, [D, cells] in the mover's view.

    A key is (board, cell), or the board after a move. Keys without a stored value, such as a
    finished board, have the initial value.
    """

    def __init__(self, table: NDArray[Any], initial_value: float = 0.0) -> None:
        super().__init__()
        self.table, self.initial_value = table, initial_value

    def __missing__(self, key: tuple[str, int] | str) -> float:
        board, cell = self._find_move(key) if isinstance(key, str) else key
        position = parse_position(GAME, board)
        is_stored = not GAME.is_over(position) and GAME.legal[position, cell]
        return float(self.table[position, cell]) if is_stored else self.initial_value

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key]

    def _find_move(self, after: str) -> tuple[str, int]:
        rules = build_rules(GAME)
        mover = rules.last_player(after)
        for cell, stone in enumerate(after):
            board = f"{after[:cell]}.{after[cell + 1 :]}"
            if stone == mover and not rules.has_line(board, mover):
                return board, cell
        raise ValueError(f"no move leads to {after}")


def load_learner(query: ValueQuery, kind: type[ReferenceLearner] | None = None) -> Any:
    """Return a learner that holds the stored values and can make their next updates.

    For exact values it is a learner of the class `kind` with the step size 1. Any other learner has
    the step size and the exploration rate of the end of the training.
    """
    parameters: Any = SimpleNamespace(alpha=1.0, gamma=query.gamma, initial=0.0)
    if kind is None:
        kind, parameters = find_learner(query.recipe), query.recipe
    learner: Any = kind(build_rules(GAME), parameters)
    learner.epsilon = query.epsilon
    if hasattr(learner, "alpha"):
        learner.alpha = compute_final_rate(parameters.alpha, parameters.alpha_drop)
    for name in {"q", "v"} & vars(learner).keys():
        initial_value = getattr(parameters, "initial", 0.0)
        setattr(learner, name, StoredValues(query.table, initial_value))
    # Double Q-learning has two tables, of which only the average is stored.
    if hasattr(learner, "tables"):
        learner.tables = [StoredValues(query.table) for _ in range(2)]
        learner.rng = Random(0)
    return learner
