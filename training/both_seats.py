"""Whole games in both seats against a fixed opponent, to learn from when they are over.

The opponent is a part of the environment, and never learns.  What moves from function to function
for every game is inlined: counting references to a dozen arrays would take as long as the game.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numba import njit

from app.tictactoe.game import Game
from app.tictactoe.policy import BASELINES
from training.afterstates import AFTER, Afterstates, Visits, progress, refresh
from training.environment import NextStop, Progress
from training.pairs import DRAWN, Indices, Values, epsilon_greedy

MET, PLAYED = 0, 1  # columns of `trail`


class Replies(NamedTuple):
    """What an opponent may answer, each with equal chances."""

    first: Indices  # [D + 1] those to decision s are first[s]:first[s + 1]
    after: Indices  # as in Pairs, after the answer


class Rules(NamedTuple):
    """How to learn, and what for."""

    alpha: float
    gamma: float
    epsilon: float
    epsilon_drop: float  # after every tenth of the games in a seat
    loss: float
    draw: float
    win: float


class Memory(NamedTuple):
    """What is known of the K classes, and two scratch pads."""

    values: Values  # [K] what the learner moves by
    visits: Visits  # [K]
    q: Values  # [P] values, up to date only where a game has just been
    trail: Indices  # [cells, 2] of the last game: the decisions MET and the pairs PLAYED


def checked(rules: Rules) -> Rules:
    """Return the rules, as numbers of one type.

    Raises ValueError if a share is not within 0 and 1 or rewards do not rise from loss to win.
    """
    for name in ("alpha", "gamma", "epsilon", "epsilon_drop"):
        share = getattr(rules, name)
        if not 0 <= share <= 1:
            raise ValueError(f"{name} lies within 0 and 1, not {share}")
    if not (rules.loss <= rules.draw <= rules.win and rules.loss < rules.win):
        rewards = ", ".join(map(str, rules[-3:]))
        raise ValueError(f"rewards rise from loss to draw to win, not {rewards}")
    return Rules(*map(float, rules))


def memory(states: Afterstates) -> Memory:
    """Begin with every value 0."""
    classes, cells = len(states.decision), states.pairs.legal.shape[1]
    return Memory(
        values=np.zeros(classes),
        visits=np.zeros(classes, np.uint32),
        q=np.zeros(len(states.leads)),
        trail=np.zeros((cells, 2), np.int32),
    )


def in_both_seats(
    game: Game,
    states: Afterstates,
    known: Memory,
    next_stop: NextStop,
    opponents: Mapping[str, int],
    play: Callable[..., tuple[int, int]],
) -> Iterator[Progress]:
    """Play so many games in each seat, X and O in turn, against one opponent after the other.

    `play(replies, length, stop, played, updates)` goes on until there were 2 * `length` games
    against this opponent or `stop` updates in all, and returns how many there were of both.
    Raises ValueError if an opponent is unknown.
    """
    matches = [(_replies(game, states, name), length) for name, length in opponents.items()]
    total, before, updates = 2 * sum(opponents.values()), 0, 0
    yield progress(states, (0.0, 0, 0), known.values, known.visits)
    for replies, length in matches:
        played = 0
        while played < 2 * length:
            played, updates = play(replies, length, next_stop(updates), played, updates)
            counts = (before + played) / total, before + played, updates
            yield progress(states, counts, known.values, known.visits)
        before += played


def _replies(game: Game, states: Afterstates, opponent: str) -> Replies:
    if opponent not in BASELINES:
        raise ValueError(f"no opponent {opponent!r} here, only {', '.join(BASELINES)}")
    chosen = BASELINES[opponent].policy(game) > 0
    first = np.cumsum(np.concatenate([[0], chosen.sum(axis=1)]), dtype=np.int32)
    return Replies(first, states.pairs.after[chosen[game.legal]])


@njit(cache=True)
def lowered(rules: Rules, played: int, length: int) -> float:
    """Return the epsilon of a seat that has `length` games, after `played` of them."""
    return max(0.0, rules.epsilon - rules.epsilon_drop * (10 * played // length))


@njit(cache=True, inline="always")
def play_game(  # type: ignore[no-untyped-def]
    rng, epsilon, rules, first, leads, values, q, trail, reply_first, reply_after, seat
):
    """Play a game as X (seat 0) or O (seat 1): how many moves the learner made, and the reward."""
    s = 0 if seat == 0 else _answered(rng, reply_first, reply_after, 0)
    count, won = 0, False
    while s >= 0:
        refresh(first, leads, values, q, s)
        p = epsilon_greedy(first, q, s, epsilon, rng)
        trail[count, MET], trail[count, PLAYED] = s, p
        count += 1
        s, won = leads[p, AFTER], True
        if s >= 0:
            s, won = _answered(rng, reply_first, reply_after, s), False
    if s == DRAWN:
        return count, rules.draw
    return count, rules.win if won else rules.loss


@njit(cache=True)
def _answered(rng: np.random.Generator, first: Indices, after: Indices, s: int) -> int:
    """Draw what the opponent answers in decision `s`, and return what it leads to."""
    answers: int = first[s + 1] - first[s]
    reached: int = after[first[s] + int(rng.random() * answers)]
    return reached
