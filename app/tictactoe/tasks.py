"""Training tasks of agents, and their exact action values.

A training task is the opponent, the rewards and the discount with which an agent learns. An agent
that has learned its task perfectly may still blunder against optimal play. So a learned value can
be compared with two exact values: the value of optimal play, and the value of the training task.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import SEATS, BoolArray, FloatArray, Game, O, X
from app.tictactoe.policy import BASELINES, Policy
from app.tictactoe.reachable_play import find_reachable_games
from app.tictactoe.values import TIE_TOLERANCE, PlyArrays, Values, list_plies_backward
from app.tictactoe.views import RewardScale

# A function from the values of a ply's n moves to the values of its d positions.
StateValueFunction = Callable[[Values, PlyArrays], Values]
# A function from the values of a ply's n moves to their chances.
MoveChanceFunction = Callable[[Values, PlyArrays], Values]


class TrainingTask(msgspec.Struct, frozen=True):
    """A training task: the opponent, the rewards and the discount, in the learner's view.

    Exploration belongs to the training task only if the learner's values include its own random
    moves, as they do in Sarsa.
    """

    # the name of a baseline; None if the learner plays itself
    opponent: str | None = None
    gamma: float = 1.0
    # the rewards of a move if this move or the opponent's reply ends the game
    reward_scale: RewardScale = RewardScale()
    # the reward of a move after which the game goes on
    step_reward: float = 0.0
    # Gamma applies once in 2 plies, from one own move to the next. In self-play in which both sides
    # update one table, it applies in each ply.
    discounted_plies: int = 2
    # the seats that the learner plays: "x", "o" or both, "xo"
    seats: str = "xo"
    # whether games start in every position, not only on the empty board
    starts_everywhere: bool = False
    # the chance of a random move, if the learner's values include its random moves
    epsilon: float = 0.0

    def __post_init__(self) -> None:
        if self.opponent is not None and self.opponent not in BASELINES:
            raise ValueError(
                f"no opponent {self.opponent!r}: there are {', '.join(BASELINES)}"
            )
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma lies within 0 and 1, not {self.gamma}")
        if self.discounted_plies not in (1, 2) or (
            self.discounted_plies == 1 and self.opponent is not None
        ):
            raise ValueError("gamma counts once in 2 plies, or against itself in 1")
        if not 0 <= self.epsilon <= 1 or (self.epsilon and self.discounted_plies == 1):
            raise ValueError(
                f"epsilon lies within 0 and 1, and is 0 in 1 ply, not {self.epsilon}"
            )


# Each table has 0.3 MB.
@lru_cache(maxsize=4)
def solve_task(game: Game, task: TrainingTask) -> FloatArray:
    """Return the exact optimal action values of a training task, [D, cells] in the mover's view.

    Illegal moves have NaN. The plies are computed backward. The value of a move is its reward if
    the game ends, else the mean value of the mover's next positions, over the opponent's replies.
    In self-play both sides choose their best moves, and all best replies are equally likely. If
    `epsilon` is not 0, these are the values of the best epsilon-soft policy: the value of a
    position is 1 - epsilon times the value of its best move, plus epsilon times the mean value of
    all its moves. Sources: Bellman (1957), for a given opponent; Shapley (1953), "Stochastic
    games", for self-play; Sutton & Barto (2018), section 5.4, for policies that go on exploring.
    """
    state_values = partial(_compute_best_values, task.epsilon)
    table = _solve_backward(
        game, task, state_values, _make_reply_function(game, task, _choose_best_replies)
    )
    table.flags.writeable = False
    return table


def evaluate_policy(game: Game, task: TrainingTask, policy: Policy) -> FloatArray:
    """Return the action values of a policy in a training task, [D, cells], NaN for illegal moves.

    The learner explores with the task's epsilon; in self-play the opponent plays by the policy
    without exploration. Sources: Bellman (1957); Sutton & Barto (2018), section 4.1.
    """
    chances = policy[game.legal]

    def compute_state_values(action_values: Values, ply: PlyArrays) -> Values:
        policy_values: Values = np.add.reduceat(
            chances[ply.pairs] * action_values, ply.pair_starts
        )
        return _mix_in_random_moves(task.epsilon, policy_values, action_values, ply)

    def get_own_replies(_action_values: Values, ply: PlyArrays) -> Values:
        return chances[ply.pairs]

    return _solve_backward(
        game,
        task,
        compute_state_values,
        _make_reply_function(game, task, get_own_replies),
    )


@lru_cache(maxsize=12)
def find_reachable_moves(game: Game, task: TrainingTask) -> BoolArray:
    """Return a mask of the moves that the learner can play in a training task, [D, cells].

    The learner may try any move; so may its opponent in self-play.
    """
    own = np.zeros_like(game.legal)
    for seat in (SEATS[name] for name in task.seats):
        pairs = game.legal & (game.to_move == seat)[:, None]
        if task.opponent is not None and not task.starts_everywhere:
            opponent = BASELINES[task.opponent].build_policy(game)[game.legal]
            reachable = find_reachable_games(game, opponent, -seat).move_chances > 0
            pairs &= game.spread_pairs(reachable, illegal_value=False)
        own |= pairs
    own.flags.writeable = False
    return own


def _solve_backward(
    game: Game,
    task: TrainingTask,
    compute_state_values: StateValueFunction,
    compute_reply_chances: MoveChanceFunction,
) -> FloatArray:
    """Return the action values of a task by backward induction, [D, cells] in the mover's view.

    `compute_state_values` computes the values of a ply's positions if the learner is to move.
    `compute_reply_chances` computes the chances of the moves if the opponent is to move.
    """
    rewards = {seat: list_rewards(game, task.reward_scale, seat) for seat in (X, O)}
    # the value of each position for the player who has just moved
    after_move = np.empty(game.positions)
    after_move[game.decisions :] = np.where(
        _find_last_movers(game) == X, rewards[X], rewards[O]
    )
    # the value of each position for each player, if the other player has just moved
    after_reply = {seat: np.empty(game.positions) for seat in (X, O)}
    for seat, values in after_reply.items():
        values[game.decisions :] = rewards[seat]
    q = np.empty(game.pairs)
    for ply in list_plies_backward(game):
        action_values = after_move[ply.next_positions]
        q[ply.pairs] = action_values
        discounted = task.gamma * compute_state_values(action_values, ply)
        after_reply[ply.mover][ply.decisions] = task.step_reward + discounted
        if task.discounted_plies == 1:
            # The game is zero-sum: the value to the mover's opponent has the opposite sign.
            after_move[ply.decisions] = task.step_reward - discounted
        else:
            chances = compute_reply_chances(action_values, ply)
            other_values = after_reply[-ply.mover][ply.next_positions]
            after_move[ply.decisions] = np.add.reduceat(
                chances * other_values, ply.pair_starts
            )
    # Adding 0.0 turns -0.0 into 0.0.
    table: FloatArray = game.spread_pairs(q + 0.0)
    return table


def _make_reply_function(
    game: Game, task: TrainingTask, compute_own_replies: MoveChanceFunction
) -> MoveChanceFunction:
    """Return a function that computes the chances of the opponent's replies in a ply.

    In self-play it is `compute_own_replies`.
    """
    if task.opponent is None:
        return compute_own_replies
    chances = BASELINES[task.opponent].build_policy(game)[game.legal]
    return lambda _action_values, ply: chances[ply.pairs]


def _compute_best_values(
    epsilon: float, action_values: Values, ply: PlyArrays
) -> Values:
    best_values: Values = np.maximum.reduceat(action_values, ply.pair_starts)
    return _mix_in_random_moves(epsilon, best_values, action_values, ply)


def _mix_in_random_moves(
    epsilon: float, policy_values: Values, action_values: Values, ply: PlyArrays
) -> Values:
    """Return the values of a ply's positions, [d], if a move is random with chance `epsilon`.

    `policy_values` are the values without random moves.
    """
    if not epsilon:
        return policy_values
    mean = np.add.reduceat(action_values, ply.pair_starts) / ply.move_counts
    mixed_values: Values = (1 - epsilon) * policy_values + epsilon * mean
    return mixed_values


def list_rewards(game: Game, rewards: RewardScale, player: int) -> Values:
    """Return the reward of a player (+1 X, -1 O) in each finished position, [S - D]."""
    reward_of_result = np.array(rewards.x if player == X else rewards.o)
    result = game.outcome * player
    return reward_of_result[result + 1]


def _find_last_movers(game: Game) -> NDArray[np.int8]:
    # X begins, so X has one stone more than O if X moved last.
    surplus = game.board[game.decisions :].sum(axis=1, dtype=np.int8)
    return np.where(surplus == 0, O, X).astype(np.int8)


def _choose_best_replies(action_values: Values, ply: PlyArrays) -> Values:
    """Return the chances of a ply's moves, [n]: equal for the best moves, and 0 for all others."""
    highest = np.maximum.reduceat(action_values, ply.pair_starts).repeat(
        ply.move_counts
    )
    is_best = action_values >= highest - TIE_TOLERANCE
    count = np.add.reduceat(is_best, ply.pair_starts, dtype=np.intp).repeat(
        ply.move_counts
    )
    chances: Values = is_best / count
    return chances
