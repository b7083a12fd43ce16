"""Q-iteration with sampled replies; a value that is a loss is never updated again.

Source: value iteration, Bellman (1957); Sutton & Barto (2018), eq. 4.10 for its action values,
with one sampled next state in place of the expectation.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numba import njit

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.learners.pairs import compute_greedy_target, get_rewards, list_legal_pairs
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
    list_opponents,
    make_pair_reporter,
    run_phases,
)
from training.learners.randomness import make_rng_state


def learn(
    game: Game, recipe: QIteration, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Sweep over all pairs, in the order of plies.

    Q(s, a) <- r + gamma max Q(s', .), where s' is the state after one sampled reply of the
    opponent.  If the recipe is sticky, a pair whose value is a loss is passed over.  With gamma 1 a
    value is a loss only if some reply wins or leaves nothing but losses, so the opponent can force
    the loss, and no later sweep could change that.

    Nothing is played to the end, so there are no games; a pair that is passed over is no update.
    """
    row_start, next_state = list_legal_pairs(game)
    q, visits = np.full(game.pairs, recipe.initial), np.zeros(game.pairs, np.uint32)
    turns = [
        (replies, sweeps * game.pairs)
        for replies, sweeps in list_opponents(game, recipe)
    ]
    report = make_pair_reporter(game, q, visits)
    rules = (recipe.gamma, recipe.sticky, get_rewards(recipe))
    state = make_rng_state(recipe.seed)
    return run_phases(
        turns,
        next_checkpoint,
        partial(_sweep_pairs, state, rules, row_start, next_state, q, visits),
        lambda done, _turns, updates: report(done, 0, updates),
    )


@njit(cache=True)
def _sweep_pairs(  # type: ignore[no-untyped-def]
    rng_state,
    rules,
    row_start,
    next_state,
    q,
    visits,
    replies,
    _phase_start,
    phase_end,
    max_updates,
    turns,
    updates,
):
    """Update q [P] and visits [P], one pair a turn; `run_phases` explains the counts."""
    gamma, sticky, rewards = rules
    while turns < phase_end and updates < max_updates:
        p = turns % len(q)
        if not (sticky and q[p] == rewards.loss):
            # An ending by the learner is in its view, and one by the opponent's reply is, too.
            s = next_state[p]
            if s >= 0:
                s = draw_reply(replies, q, s, False, rng_state)
            q[p] = compute_greedy_target(row_start, q, s, gamma, rewards)
            visits[p] += 1
            updates += 1
        turns += 1
    return turns, updates
