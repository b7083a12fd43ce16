"""Q-iteration with sampled replies: sweeps over all moves in all positions.

Source: value iteration, Bellman (1957); Sutton & Barto (2018), eq. 4.10 for its action values, with
one sampled next state in place of the expectation.
"""

from collections.abc import Iterator
from functools import partial

from numba import njit

from app.recipes.algorithms import QIteration
from app.tictactoe.game import Game
from training.learners.pairs import (
    compute_greedy_target,
    get_rewards,
    list_legal_pairs,
    make_table,
)
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
    list_opponents,
    make_progress_builder,
    run_phases,
)
from training.learners.randomness import make_rng_state


def learn(
    game: Game, recipe: QIteration, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Sweep over all moves, in the order of plies, updating each after one sampled reply.

    Q(s, a) <- r + gamma max Q(s', .), where s' is the state after one sampled reply of the
    opponent. If the recipe is sticky, a move whose value is the reward of a loss is skipped. With
    gamma 1 a value becomes this reward only if some reply wins, or leads to a state whose moves all
    lose. Then the opponent can force the loss, so no later sweep needs to update the move.

    No game is played to the end, so the number of games is 0. A skipped move is not counted as an
    update.
    """
    first_pair, next_state = list_legal_pairs(game)
    q, visits = make_table(game, recipe.initial)
    turns = [
        (replies, sweeps * game.pairs)
        for replies, sweeps in list_opponents(game, recipe)
    ]
    build_progress = make_progress_builder(game, q, visits)
    parameters = (recipe.gamma, recipe.sticky, get_rewards(recipe))
    rng_state = make_rng_state(recipe.seed)
    return run_phases(
        turns,
        next_checkpoint,
        partial(_sweep_pairs, rng_state, parameters, first_pair, next_state, q, visits),
        lambda done, _turns, updates: build_progress(done, 0, updates),
    )


@njit(cache=True)
def _sweep_pairs(  # type: ignore[no-untyped-def]
    rng_state,
    parameters,
    first_pair,
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
    """Update the state-action pairs one after the other; each of them is a turn."""
    # `turns` counts pairs over all sweeps, so `turns % len(q)` is the next pair of the sweep.
    gamma, sticky, rewards = parameters
    while turns < phase_end and updates < max_updates:
        pair = turns % len(q)
        if not (sticky and q[pair] == rewards.loss):
            # An ending is in the learner's view, also if the opponent made the last move.
            next_position = next_state[pair]
            if next_position >= 0:
                next_position = draw_reply(replies, q, next_position, False, rng_state)
            q[pair] = compute_greedy_target(
                first_pair, q, next_position, gamma, rewards
            )
            visits[pair] += 1
            updates += 1
        turns += 1
    return turns, updates
