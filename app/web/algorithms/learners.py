"""Textbook learners that start from stored values; they make the updates that pages show."""

from types import SimpleNamespace
from typing import Any

from numpy.typing import NDArray

from app.recipes.algorithms import compute_final_rate
from app.reference import ReferenceLearner, build_rules, find_learner
from app.textbook.rng import Random
from app.tictactoe.game import Game
from app.tictactoe.notation import parse_position
from app.web.algorithms.targets import ValueQuery


class StoredValues(dict[Any, float]):
    """The table of a textbook learner, which reads missing values from a stored table.

    A key is a move, (board, cell), or the board after a move. A value that is not stored, such as
    that of a finished board, is the initial value.
    """

    def __init__(
        self, game: Game, table: NDArray[Any], initial_value: float = 0.0
    ) -> None:
        """Store the table, [D, cells] in the mover's view."""
        super().__init__()
        self.game, self.table, self.initial_value = game, table, initial_value

    def __missing__(self, key: tuple[str, int] | str) -> float:
        board, cell = self._find_move(key) if isinstance(key, str) else key
        position = parse_position(self.game, board)
        is_stored = not self.game.is_over(position) and self.game.legal[position, cell]
        return float(self.table[position, cell]) if is_stored else self.initial_value

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key; all keys have one."""
        return self[key]

    def _find_move(self, after: str) -> tuple[str, int]:
        """Return a move that leads to a board."""
        rules = build_rules(self.game)
        mover = rules.last_player(after)
        for cell, stone in enumerate(after):
            board = f"{after[:cell]}.{after[cell + 1 :]}"
            if stone == mover and not rules.has_line(board, mover):
                return board, cell
        raise ValueError(f"no move leads to {after}")


def load_learner(query: ValueQuery, kind: type[ReferenceLearner] | None = None) -> Any:
    """Return the learner that makes the next update of a value, with the stored values.

    Its rates (step size, exploration) are those of the last games. For values that nobody learned,
    such as exact ones, it is a learner of the class `kind` with the step size 1.
    """
    parameters: Any = SimpleNamespace(alpha=1.0, gamma=query.gamma, initial=0.0)
    if kind is None:
        kind, parameters = find_learner(query.recipe), query.recipe
    learner: Any = kind(build_rules(query.game), parameters)
    learner.epsilon = query.epsilon
    if hasattr(learner, "alpha"):
        learner.alpha = compute_final_rate(parameters.alpha, parameters.alpha_drop)
    for name in {"q", "v"} & vars(learner).keys():
        initial_value = getattr(parameters, "initial", 0.0)
        setattr(learner, name, StoredValues(query.game, query.table, initial_value))
    # Double Q-learning has two tables, of which only the average is stored.
    if hasattr(learner, "tables"):
        learner.tables = [StoredValues(query.game, query.table) for _ in range(2)]
        learner.coin = Random(0)
    return learner
