"""Training tasks of agents, and their exact action values.

An agent that has learned its training task perfectly may still blunder against optimal play: the
task holds the opponent that it met in training, and how much a later reward counts.  So there are
two truths, and a value can only be called wrong by one of them.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import SEATS, Game, O, X
from app.tictactoe.policy import BASELINES, Policy
from app.tictactoe.reachable_play import follow_games
from app.tictactoe.values import TIE, Ply, Values, backward
from app.tictactoe.views import Worth

Chances = Callable[[Values, Ply], Values]  # of the moves of a ply, [n], by what they are worth


class Task(msgspec.Struct, frozen=True):
    """An opponent and rewards, in the view of the learner.

    Exploration is a part of it only where it is what the learner values: its own play, random
    moves and all, as Sarsa does.
    """

    opponent: str | None = None  # a baseline that answers, None for the learner's own best play
    gamma: float = 1.0
    worth: Worth = Worth()  # rewards of the move that ends the game, or lets the answer end it
    step: float = 0.0  # reward of a move after which the game goes on
    plies: int = 2  # gamma counts once in so many plies: 2 a move of one's own, 1 (itself) every
    seats: str = "xo"  # the seats in which it learned
    everywhere: bool = False  # whether games began in every position, not in the empty one
    epsilon: float = 0.0  # how often a later move of one's own is a random one

    def __post_init__(self) -> None:
        if self.opponent is not None and self.opponent not in BASELINES:
            raise ValueError(f"no opponent {self.opponent!r}: there are {', '.join(BASELINES)}")
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma lies within 0 and 1, not {self.gamma}")
        if self.plies not in (1, 2) or (self.plies == 1 and self.opponent is not None):
            raise ValueError("gamma counts once in 2 plies, or against itself in 1")
        if not 0 <= self.epsilon <= 1 or (self.epsilon and self.plies == 1):
            raise ValueError(f"epsilon lies within 0 and 1, and is 0 in 1 ply, not {self.epsilon}")


@lru_cache(maxsize=4)  # 0.3 MB each
def task_q(game: Game, task: Task) -> NDArray[np.float64]:
    """Return the exact optimal action values of a task, [D, cells] in the mover's view.

    NaN where illegal.  Backward over the plies: a move is worth the reward, or what the mover's
    next decision is worth after the answers, by their chances.  Where the learner plays itself
    both sides choose what is best for them, and equals are equal for the other side too.
    Where `epsilon` is not 0 these are the values of the best among those who move at random that
    often: of their next decision the best move counts 1 - epsilon, and the average of all the rest.
    Source: Bellman (1957), for a given opponent; Shapley (1953), "Stochastic games", for itself;
    Sutton & Barto (2018), section 5.4, for policies that go on exploring.
    """
    table = _backward(
        game, task, partial(_best, task.epsilon), _answers(game, task, _equal_chances)
    )
    table.flags.writeable = False
    return table


def mean_returns(game: Game, task: Task, policy: Policy) -> NDArray[np.float64]:
    """Return what each move brings on average if one goes on by a policy, [D, cells] as `task_q`.

    One explores as the task says, and an opponent that is oneself plays by the policy alone.
    `policy` is [D, cells]; so is what comes back, NaN where illegal.
    Source: Bellman (1957); Sutton & Barto (2018), section 4.1.
    """
    chances = policy[game.legal]

    def followed(worth: Values, ply: Ply) -> Values:
        by_policy: Values = np.add.reduceat(chances[ply.pairs] * worth, ply.starts)
        return _exploring(task.epsilon, by_policy, worth, ply)

    def answered(_worth: Values, ply: Ply) -> Values:
        return chances[ply.pairs]

    return _backward(game, task, followed, _answers(game, task, answered))


@lru_cache(maxsize=12)
def reachable_pairs(game: Game, task: Task) -> NDArray[np.bool_]:
    """Whether the learner of a task can come to play each pair, [D, cells].

    It may try any move, and so may its opponent where that is itself.
    """
    own = np.zeros_like(game.legal)
    for seat in (SEATS[name] for name in task.seats):
        pairs = game.legal & (game.to_move == seat)[:, None]
        if task.opponent is not None and not task.everywhere:
            opponent = BASELINES[task.opponent].policy(game)[game.legal]
            met = follow_games(game, opponent, -seat).chance > 0
            pairs &= game.spread(met, illegal=False)
        own |= pairs
    own.flags.writeable = False
    return own


def _backward(
    game: Game, task: Task, worth_of: Callable[[Values, Ply], Values], answers: Chances
) -> NDArray[np.float64]:
    """Value all moves of a task from its end, [D, cells].

    `worth_of` says what the decisions of a ply are worth by what their moves are, and `answers`
    how likely each of these is where it is an opponent's.
    """
    rewards = {seat: _rewards(game, task.worth, seat) for seat in (X, O)}
    # What a position is worth to who has just moved there, and to who is to move or has lost.
    made, met = np.empty(game.positions), {seat: np.empty(game.positions) for seat in (X, O)}
    made[game.decisions :] = np.where(_moved_last(game) == X, rewards[X], rewards[O])
    for seat, worth in met.items():
        worth[game.decisions :] = rewards[seat]
    q = np.empty(game.pairs)
    for ply in backward(game):
        worth = made[ply.after]
        q[ply.pairs] = worth
        found = worth_of(worth, ply)
        met[ply.mover][ply.decisions] = task.step + task.gamma * found
        if task.plies == 1:
            made[ply.decisions] = task.step - task.gamma * found
        else:
            answered = answers(worth, ply) * met[-ply.mover][ply.after]
            made[ply.decisions] = np.add.reduceat(answered, ply.starts)
    table: NDArray[np.float64] = game.spread(q + 0.0)  # no -0.0
    return table


def _answers(game: Game, task: Task, own: Chances) -> Chances:
    """Return how an opponent answers, which may be the learner's `own` way to."""
    if task.opponent is None:
        return own
    chances = BASELINES[task.opponent].policy(game)[game.legal]
    return lambda _worth, ply: chances[ply.pairs]


def _best(epsilon: float, worth: Values, ply: Ply) -> Values:
    best: Values = np.maximum.reduceat(worth, ply.starts)
    return _exploring(epsilon, best, worth, ply)


def _exploring(epsilon: float, by_policy: Values, worth: Values, ply: Ply) -> Values:
    """Mix what decisions are worth by a policy with what their moves are on average."""
    if not epsilon:
        return by_policy
    mean = np.add.reduceat(worth, ply.starts) / ply.sizes
    mixed: Values = (1 - epsilon) * by_policy + epsilon * mean
    return mixed


def _rewards(game: Game, worth: Worth, seat: int) -> Values:
    """Return what each finished position is worth to a player (+1 X, -1 O), [S - D]."""
    return np.array(worth.x if seat == X else worth.o)[game.outcome * seat + 1]


def _moved_last(game: Game) -> NDArray[np.int8]:
    """Return who made each finished position, [S - D]: X has a stone more than O, or as many."""
    stones = game.board[game.decisions :].sum(axis=1, dtype=np.int8)
    return np.where(stones == 0, O, X).astype(np.int8)


def _equal_chances(worth: Values, ply: Ply) -> Values:
    """Let the best moves of each decision be played with equal chances, [n]."""
    best = worth >= np.maximum.reduceat(worth, ply.starts).repeat(ply.sizes) - TIE
    chances: Values = best / np.add.reduceat(best, ply.starts, dtype=np.intp).repeat(ply.sizes)
    return chances
