"""MENACE: a box of beads for each position; each bead stands for a move, and one is drawn at random.

Source: Michie (1961), "Trial and error", and (1963), "Experiments on the mechanization of
game-learning", whose numbers are the defaults. His machine only ever played X.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.recipes.algorithms import Menace
from app.tictactoe.beads import count_symmetric_cells
from app.tictactoe.game import Game
from training.learners import pairs
from training.learners.classes import list_pair_classes
from training.learners.pairs import Indices, Values, Visits, get_rewards
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    draw_reply,
    list_opponents,
    run_phases,
)
from training.learners.randomness import draw_uniform, make_rng_state


class Boxes(NamedTuple):
    """The beads of all boxes, and the moves of the last game.

    Symmetry groups the P state-action pairs of the game into K moves; the state-action pairs of a
    move share its beads.
    """

    # [P] the move (class of symmetric pairs) of each pair
    class_index: Indices
    # [P] 1 / (number of symmetric cells), because these share the beads of their move equally
    cell_share: Values
    # [K] the present number of beads of each move
    beads: Values
    # [K] the number of beads of each move in a full box
    initial_beads: Values
    # [K] how often each move was updated
    visits: Visits
    # [1] how often an empty box was filled again
    refills: NDArray[np.int64]
    # [cells] the state before each ply of the last game
    states: Indices
    # [cells] the pair that the learner played at each ply, -1 at the opponent's plies
    played_pairs: Indices


def learn(
    game: Game, recipe: Menace, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Play games as X or O, as the recipe says, drawing a bead for every move.

    Symmetric positions share a box. Symmetric moves share their beads, and each of their cells is
    equally likely. After a game, each move that was played gets `win` or `draw` beads of its
    colour, or loses `-loss` beads, as far as the box has them. Michie's machine resigns at an empty
    box; here the box is filled as at the beginning, and the refill is counted. With `self` as the
    opponent, the replies are drawn from the same boxes. If both players learn, each player's moves
    are rewarded for its own result.
    """
    first_pair, next_state = pairs.list_legal_pairs(game)
    next_state = pairs.flip_endings(next_state)
    classes = list_pair_classes(game)
    own_move = game.ply[game.pair_decision] // 2
    initial_beads = np.zeros(classes.class_count)
    initial_beads[classes.class_index] = np.maximum(
        1, recipe.beads - recipe.beads_drop * own_move
    )
    if recipe.opening != "any":
        opening_cell = {"corner": 0, "edge": 1, "centre": game.cells // 2}[
            recipe.opening
        ]
        # The empty board is state 0, so its pairs come first.
        first_moves = classes.class_index[: game.cells]
        initial_beads[first_moves[first_moves != first_moves[opening_cell]]] = 0
    boxes = Boxes(
        class_index=classes.class_index,
        cell_share=1 / count_symmetric_cells(game),
        beads=initial_beads.copy(),
        initial_beads=initial_beads,
        visits=np.zeros(classes.class_count, np.uint32),
        refills=np.zeros(1, np.int64),
        states=np.zeros(game.cells, np.int32),
        played_pairs=np.zeros(game.cells, np.int32),
    )
    shown_share = (
        boxes.cell_share if recipe.plays == "proportional" else np.ones(game.pairs)
    )

    def build_progress(finished_share: float, games: int, updates: int) -> Progress:
        q = game.spread_pairs(
            (boxes.beads[classes.class_index] * shown_share).astype(np.float32)
        )
        visits = game.spread_pairs(boxes.visits[classes.class_index], 0)
        return Progress(
            finished_share, games, updates, q, visits, refills=int(boxes.refills[0])
        )

    rng_state = make_rng_state(recipe.seed)
    rewards = get_rewards(recipe)
    seats = pairs.list_seats(recipe)
    play = partial(
        _play_games, rng_state, rewards, seats, first_pair, next_state, boxes
    )
    return run_phases(
        list_opponents(game, recipe), next_checkpoint, play, build_progress
    )


@njit(cache=True)
def _play_games(  # type: ignore[no-untyped-def]
    rng_state,
    rewards,
    seats,
    first_pair,
    next_state,
    boxes,
    replies,
    phase_start,
    phase_end,
    max_updates,
    games,
    updates,
):
    while games < phase_end and updates < max_updates:
        state = 0
        plies = 0
        mover = seats[(games - phase_start) % len(seats)]
        while state >= 0:
            boxes.states[plies] = state
            boxes.played_pairs[plies] = -1
            if mover == 0 or replies.learns_both_sides:
                pair = _draw_bead(first_pair, boxes, state, rng_state)
                boxes.played_pairs[plies] = pair
                state = next_state[pair]
            else:
                state = _draw_reply(replies, boxes, state, rng_state)
            plies += 1
            mover = 1 - mover
        # `state` is now an ending, in the view of the player who did not make the last move.
        last_movers = pairs.get_reward(pairs.flip_ending(state), rewards)
        others = pairs.get_reward(state, rewards)
        for ply in range(plies):
            if boxes.played_pairs[ply] >= 0:
                move_class = boxes.class_index[boxes.played_pairs[ply]]
                added = others if (plies - ply) % 2 == 0 else last_movers
                boxes.beads[move_class] = max(0.0, boxes.beads[move_class] + added)
                boxes.visits[move_class] += 1
                _refill_if_empty(first_pair, boxes, boxes.states[ply])
                updates += 1
        games += 1
    return games, updates


# numba inlines it, because a call would copy seven fields for each array.
@njit(cache=True, inline="always")
def _draw_bead(first_pair, boxes, state, rng_state):  # type: ignore[no-untyped-def]
    """Draw a bead from the box of a state; return the index of a state-action pair.

    Symmetric moves share their beads, and are equally likely.
    """
    total = 0.0
    for pair in range(first_pair[state], first_pair[state + 1]):
        total += boxes.beads[boxes.class_index[pair]] * boxes.cell_share[pair]
    # The first pair at which the running sum of beads exceeds a random share of `total` is drawn. The
    # sum has the order of the loop above, so rounding cannot keep it below `total` at the last pair.
    remaining = draw_uniform(rng_state) * total
    pair = first_pair[state]
    while True:
        remaining -= boxes.beads[boxes.class_index[pair]] * boxes.cell_share[pair]
        if remaining < 0:
            return pair
        pair += 1


@njit(cache=True, inline="always")
def _draw_reply(replies, boxes, state, rng_state):  # type: ignore[no-untyped-def]
    # In self-play the reply is drawn from the learner's own boxes.
    if replies.epsilon == 0:
        return replies.next_state[
            _draw_bead(replies.reply_start, boxes, state, rng_state)
        ]
    return draw_reply(replies, boxes.cell_share, state, False, rng_state)


@njit(cache=True)
def _refill_if_empty(first_pair, boxes, state):  # type: ignore[no-untyped-def]
    for pair in range(first_pair[state], first_pair[state + 1]):
        if boxes.beads[boxes.class_index[pair]] > 0:
            return
    for pair in range(first_pair[state], first_pair[state + 1]):
        move_class = boxes.class_index[pair]
        boxes.beads[move_class] = boxes.initial_beads[move_class]
    boxes.refills[0] += 1
