"""Record one training step of a deep Q-network for a page: a minibatch before and after the step.

`python -m training updates dqn` runs this. It needs JAX, whose sums differ in the last digits
between processors.
"""

from itertools import islice

import numpy as np

from app.recipes.algorithms import Dqn
from app.recipes.games import TrainingMove, TrainingUpdate, UpdateExample
from app.recipes.shipped import SHIPPED
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from training.networks import net
from training.networks.dqn import (
    NO_NEXT_STATE,
    MoveArrays,
    NetworkTrainee,
    compute_targets,
    learn,
)
from training.story import replace_nan

NETWORK_AGENT = "dqn-vs-random"
# The page shows the first step of this epoch; epochs are counted from 1.
RECORDED_EPOCH = 12
MAX_SHOWN_UPDATES = 8


def build_minibatch() -> list[UpdateExample]:
    """Return the first moves of a minibatch, with their values before and after its step."""
    recipe = SHIPPED[NETWORK_AGENT].recipe
    assert isinstance(recipe, Dqn)
    samples: list[tuple[NetworkTrainee, MoveArrays]] = []

    def store_sample(trainee: NetworkTrainee, moves: MoveArrays) -> None:
        samples.append((trainee, moves))

    tables = [
        one.q
        for one in islice(learn(GAME, recipe, int, store_sample), RECORDED_EPOCH + 1)
    ]
    trainee, moves = samples[RECORDED_EPOCH - 1]
    moves = MoveArrays(
        moves.decision[:1], moves.cell[:1], moves.reward[:1], moves.next_decision[:1]
    )
    target_table = tables[RECORDED_EPOCH - 1]
    inputs = net.build_inputs(GAME, recipe.encoding, recipe.convolution)
    target = compute_targets(target_table, moves, recipe.gamma)
    batch = net.Minibatches(moves.decision, moves.cell, target)
    after = net.train_steps(
        trainee.state,
        inputs,
        ~GAME.legal & recipe.guard_rails,
        batch,
        recipe.step_size,
        recipe.error == "squared",
        target_table if recipe.outputs == "all" else None,
    )
    before_step = net.compute_outputs(trainee.state.network, inputs)
    after_step = net.compute_outputs(after.network, inputs)
    training_moves: list[TrainingMove] = []
    training_updates: list[TrainingUpdate] = []
    rows = zip(
        moves.decision[0],
        moves.cell[0],
        moves.reward[0],
        moves.next_decision[0],
        target[0],
        strict=True,
    )
    for decision, cell, reward, next_decision, wanted in rows:
        over = next_decision == NO_NEXT_STATE
        made = int(GAME.successor[decision, cell])
        if over and not GAME.is_over(made):
            # The opponent's reply ended the game. A page cannot show the final board, because the
            # replay buffer does not have it.
            continue
        following = format_position(GAME, made if over else int(next_decision))
        next_row = [] if over else replace_nan(target_table[next_decision])
        best = 0.0 if over else float(np.nanmax(target_table[next_decision]))
        board = format_position(GAME, int(decision))
        training_moves.append(TrainingMove(board, int(cell), False, following))
        training_updates.append(
            TrainingUpdate(
                move_index=len(training_updates),
                old=float(before_step[decision, cell]),
                new=float(after_step[decision, cell]),
                update_count=1,
                is_opponent_move=False,
                reward=float(reward),
                next_board=following,
                next_value=best,
                target=float(wanted),
                step_size=recipe.step_size,
                values=replace_nan(
                    np.where(GAME.legal[decision], before_step[decision], np.nan)
                ),
                next_values=next_row,
            )
        )
    del training_moves[MAX_SHOWN_UPDATES:], training_updates[MAX_SHOWN_UPDATES:]
    return [
        UpdateExample(
            "minibatch",
            NETWORK_AGENT,
            RECORDED_EPOCH,
            (RECORDED_EPOCH - 1) * recipe.steps,
            training_moves,
            training_updates,
            next(
                n
                for n, change in enumerate(training_updates)
                if _is_easy_to_follow(change)
            ),
            "." * GAME.cells,
        )
    ]


def _is_easy_to_follow(change: TrainingUpdate) -> bool:
    """Return whether an update has a next state and a smaller error afterwards."""
    assert change.target is not None
    error = abs(change.target - change.new)
    return bool(change.next_values) and error < abs(change.target - change.old)
