"""Monte Carlo tree search (UCT), with a separate tree for every position.

Source: Kocsis & Szepesvari (2006), "Bandit based Monte-Carlo planning", with the upper bounds of
UCB1, Auer, Cesa-Bianchi & Fischer (2002). In both papers returns are from 0 to 1, and c is the
square root of 2. Here returns are from -1 to 1, so the same c explores half as much, compared with
the returns.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from app.recipes.algorithms import Mcts
from app.tictactoe.game import Game
from training.learners.pairs import (
    DRAWN,
    Indices,
    Values,
    Visits,
    choose_epsilon_greedy,
    list_legal_pairs,
)
from training.learners.phases import (
    NextCheckpoint,
    Progress,
    make_progress_builder,
    run_phases,
)
from training.learners.randomness import make_rng_state


class Trees(NamedTuple):
    """The search trees of all D states, stored together in arrays of M nodes.

    Nodes 0 to D - 1 are the roots, and the next P nodes are their children, one for each move.
    Other nodes are taken when they are needed: as many at once as a state has legal moves.
    """

    # [M] the index of the node's first child; 0 while it has no children
    first_child: Indices
    # [M] how many simulated games went through the node
    game_counts: Visits
    # [M] the sum of the results of these games, in the view of the player who moved to the node
    result_sums: Values
    # [1] how many of the M nodes are in use
    node_count: Indices


def learn(
    game: Game, recipe: Mcts, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Simulate one game from every state in each rollout, yielding the progress of the search trees.

    *Selection*: in the tree the move with the highest upper bound is played, mean + c sqrt(ln N /
    n). Here n is the number of games through the move, and N that through the state. Untried moves
    come before all others, in random order. *Expansion*: the first untried move is added to the
    tree. *Rollout*: after this move both players move at random. *Backup*: every move of the tree
    that was played gets the result, 1 for a win of the player who made it, 0 for a draw, -1 for a
    loss.

    The reported q is the mean result of the moves at each root; a simulated game is an update.
    Every tree has its own random numbers, so no tree depends on the others.
    """
    first_pair, next_state = list_legal_pairs(game)
    trees = _create_trees(game, recipe.rollouts)
    rng_states = np.stack(
        [make_rng_state(recipe.seed, root) for root in range(game.decisions)]
    )
    # The loop looks up ln n here, because computing it takes longer.
    logs = np.array([math.log(max(n, 1)) for n in range(recipe.rollouts + 1)])
    # working memory for all simulated games
    path = np.zeros(game.cells, np.int32)
    bounds = np.zeros(game.pairs)
    root_moves = slice(game.decisions, game.decisions + game.pairs)

    def build_progress(finished_share: float, _rollouts: int, games: int) -> Progress:
        game_counts = trees.game_counts[root_moves]
        means = trees.result_sums[root_moves] / np.maximum(game_counts, 1)
        return make_progress_builder(game, means, game_counts)(
            finished_share, games, games
        )

    sweep = partial(
        _sweep_roots,
        rng_states,
        recipe.c,
        logs,
        first_pair,
        next_state,
        trees,
        path,
        bounds,
    )
    return run_phases([(None, recipe.rollouts)], next_checkpoint, sweep, build_progress)


def _create_trees(game: Game, rollouts: int) -> Trees:
    first_pair, next_state = list_legal_pairs(game)
    # Each move of a game adds at most one block of nodes.
    max_nodes_per_tree = rollouts * game.cells
    roots_and_moves = game.decisions + game.pairs
    nodes = roots_and_moves + _count_nodes(first_pair, next_state, max_nodes_per_tree)
    children = np.zeros(nodes, np.int32)
    children[: game.decisions] = game.decisions + first_pair[:-1]
    used = np.array([roots_and_moves], np.int32)
    return Trees(children, np.zeros(nodes, np.uint32), np.zeros(nodes), used)


@njit(cache=True)
def _count_nodes(first_pair, next_state, max_nodes_per_tree):  # type: ignore[no-untyped-def]
    """Return how many nodes all trees can have, except for their roots."""
    # A complete tree has a node for each move from its root, and below it the tree of the next state.
    tree_sizes = np.zeros(len(first_pair) - 1, np.int64)
    total = 0
    # Next states have higher numbers, so their trees are counted first.
    for state in range(len(tree_sizes) - 1, -1, -1):
        for pair in range(first_pair[state], first_pair[state + 1]):
            tree_sizes[state] += 1
            if next_state[pair] >= 0:
                tree_sizes[state] += tree_sizes[next_state[pair]]
        total += min(tree_sizes[state], max_nodes_per_tree)
    return total


@njit(cache=True)
def _sweep_roots(  # type: ignore[no-untyped-def]
    rng_states,
    exploration_constant,
    log_counts,
    first_pair,
    next_state,
    trees,
    path,
    bounds,
    _opponent,
    _phase_start,
    phase_end,
    max_updates,
    rollouts,
    updates,
):
    # A sweep adds one simulated game to each tree, so all trees have the same number of games.
    while rollouts < phase_end and updates < max_updates:
        for root in range(len(rng_states)):
            _simulate(
                rng_states[root],
                exploration_constant,
                log_counts,
                first_pair,
                next_state,
                trees,
                path,
                bounds,
                root,
            )
        rollouts += 1
        updates += len(rng_states)
    return rollouts, updates


@njit(cache=True)
def _simulate(  # type: ignore[no-untyped-def]
    rng_state,
    exploration_constant,
    log_counts,
    first_pair,
    next_state,
    trees,
    path,
    bounds,
    root,
):
    """Play one game from a root and count its result in the tree.

    `path`, [cells], is working memory for the nodes of the game, and `bounds`, [P], for upper
    bounds. `log_counts[N]` is ln N.
    """
    first_child, game_counts, result_sums, node_count = trees
    state = root
    node = root
    plies = 0
    # Selection and expansion go up to the first move that was never tried, and include it.
    while state >= 0 and (plies == 0 or game_counts[node] > 0):
        if first_child[node] == 0:
            first_child[node] = node_count[0]
            node_count[0] += first_pair[state + 1] - first_pair[state]
        # The children are in the order of the state's pairs: a pair's child is offset + pair.
        offset = first_child[node] - first_pair[state]
        for pair in range(first_pair[state], first_pair[state + 1]):
            child = offset + pair
            bounds[pair] = _compute_upper_bound(
                result_sums[child],
                game_counts[child],
                exploration_constant,
                log_counts[game_counts[node]],
            )
        pair = choose_epsilon_greedy(first_pair, bounds, state, 0.0, False, rng_state)
        node = offset + pair
        state = next_state[pair]
        path[plies] = node
        plies += 1
    depth = plies
    # The rollout: with epsilon 1 all moves are random, and `bounds` does not matter.
    while state >= 0:
        state = next_state[
            choose_epsilon_greedy(first_pair, bounds, state, 1.0, False, rng_state)
        ]
        plies += 1
    # The backup: `result` is in the view of the player who moved last, and who made every second move
    # before that.
    game_counts[root] += 1
    result = state - DRAWN
    for ply in range(depth):
        game_counts[path[ply]] += 1
        is_last_mover = (plies - ply) % 2 == 1
        result_sums[path[ply]] += result if is_last_mover else -result


@njit(cache=True)
def _compute_upper_bound(  # type: ignore[no-untyped-def]
    result_sum, game_count, exploration_constant, log_of_parent_count
):
    """Return the upper confidence bound on the mean result of a move, infinite if it is untried."""
    if game_count == 0:
        return math.inf
    return result_sum / game_count + exploration_constant * math.sqrt(
        log_of_parent_count / game_count
    )
