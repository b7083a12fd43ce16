"""Textbook learners that hold the stored values: the updates that pages show are theirs."""

from types import SimpleNamespace
from typing import Any

from numpy.typing import NDArray

from app.recipes.algorithms import compute_final_rate
from app.reference import build_rules, find_learner
from app.textbook.expected_sarsa import ExpectedSarsa
from app.textbook.loop import Update
from app.textbook.self_play import SelfPlay
from app.tictactoe.game import Game
from app.tictactoe.notation import format_position, parse_position
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
    build_reason_before_reply,
)


class StoredValues(dict[Any, float]):
    """A learner's table that reads values which it does not have yet from a stored table.

    A key of a textbook learner is a move, (board, cell), or the board after a move.
    """

    def __init__(self, game: Game, table: NDArray[Any]) -> None:
        """Store the table, [D, cells] in the mover's view."""
        super().__init__()
        self.game, self.table = game, table

    def __missing__(self, key: tuple[str, int] | str) -> float:
        board, cell = self._find_move(key) if isinstance(key, str) else key
        return float(self.table[parse_position(self.game, board), cell])

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


def load_learner(query: ValueQuery) -> Any:
    """Return the textbook learner of a value, with the stored values and the rates of its last games.

    The outputs of a network, and the exact values of a task, are moved to their targets by Expected
    Sarsa with the step size 1; without exploration these are the targets of Q-learning.
    """
    if query.is_learned and not query.recipe.is_network:
        kind, parameters = find_learner(query.recipe), query.recipe
    else:
        kind = ExpectedSarsa
        parameters = SimpleNamespace(alpha=1.0, gamma=query.gamma, initial=0.0)
    learner: Any = kind(build_rules(query.game), parameters)
    learner.epsilon = query.task.epsilon if query.task else 0.0
    if hasattr(learner, "alpha"):
        learner.alpha = compute_final_rate(parameters.alpha, parameters.alpha_drop)
    for name in {"q", "v"} & vars(learner).keys():
        setattr(learner, name, StoredValues(query.game, query.table))
    return learner


def update_after_reply(
    query: ValueQuery, reply_cell: int | None, next_cell: int | None
) -> Update:
    """Return the update of a learner that learns at its next move, after a reply of the opponent.

    `reply_cell` is None if the move ended the game, `next_cell` if the move or the reply did.
    """
    update: Update = load_learner(query).update(
        *list_transition(query, reply_cell), next_cell
    )
    return update


def list_transition(
    query: ValueQuery, reply_cell: int | None
) -> tuple[str, int, float, str]:
    """Return (s, a, reward, s_next) of a move and the reply to it."""
    position = query.find_position_after(reply_cell)
    outcome = query.get_outcome(position)
    step = query.task.step_reward if query.task else 0.0
    reward = step if outcome is None else query.compute_reward(outcome)
    board = format_position(query.game, query.position)
    return board, query.cell, reward, format_position(query.game, position)


def update_before_reply(query: ValueQuery, reply_cell: int | None) -> Update:
    """Return the update of self-play, if a reply is the only one that the opponent can play."""
    assert query.reward_scale is not None  # no learner by results counts beads
    loss, draw, win = query.reward_scale.x
    parameters = SimpleNamespace(
        alpha=getattr(query.recipe, "alpha", 1.0) if query.is_learned else 1.0,
        gamma=query.gamma,
        initial=0.0,
        win=win,
        draw=draw,
        loss=loss,
    )
    learner: Any = SelfPlay(build_rules(query.game), parameters)
    learner.q = StoredValues(query.game, query.table)
    if reply_cell is not None:
        learner.values = lambda board: {reply_cell: learner.value(board, reply_cell)}
    update: Update = learner.update(
        format_position(query.game, query.position), query.cell
    )
    return update


def compute_reason_after_reply(query: ValueQuery) -> ValueReason:
    """Return the reason of an algorithm that learns at its next move."""
    return build_reason_after_reply(query, update_after_reply)


def compute_reason_before_reply(query: ValueQuery) -> ValueReason:
    """Return the reason of an algorithm whose next state is the opponent's decision."""
    return build_reason_before_reply(query, update_before_reply)
