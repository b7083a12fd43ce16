"""Monte Carlo tree search from every position: UCT.

Source: Kocsis & Szepesvari (2006), "Bandit based Monte-Carlo planning", with the bounds of UCB1,
Auer, Cesa-Bianchi & Fischer (2002).  Both are for returns from 0 to 1, where c is the square
root of 2.  Here returns go from -1 to 1, so the same c explores half as much relative to them.
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
    make_pair_reporter,
    run_phases,
)
from training.learners.randomness import make_rng_state


class Trees(NamedTuple):
    """The search trees of D states, stored together in arrays of M nodes.

    Nodes 0 to D - 1 are the roots, and the next P nodes their children, one for each pair.  Further
    nodes are taken when they are needed, in blocks: one node for each legal move of a state.
    """

    # [M] index of the child for the first legal move; 0 while the node has no children
    children: Indices
    tries: Visits  # [M] number of simulated games through the node
    # [M] sum of the results of these games, for the player who moved to the node
    total: Values
    used: Indices  # [1] number of nodes in use


def learn(
    game: Game, recipe: Mcts, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Simulate one game from every state in each rollout, yielding the trees' progress.

    *Selection*: within the tree the move with the highest upper bound is played,
    mean + c sqrt(ln N / n), where n is the number of games through the move and N through the
    state; untried moves come first, in random order.  *Expansion*: an untried move is added to the
    tree.  *Rollout*: from there both sides move at random.  *Backup*: every move of the tree that
    was played gets the result, 1 for a win of the player who made it, 0 for a draw, -1 for a loss.

    The reported q is the mean result of the moves at each root; a simulated game is an update.
    Every tree has its own random numbers, so no tree depends on the others.
    """
    row_start, next_state = list_legal_pairs(game)
    trees = _create_trees(game, recipe.rollouts)
    rng_states = np.stack(
        [make_rng_state(recipe.seed, root) for root in range(game.decisions)]
    )
    # ln N for every N that can occur, so the loop computes no logarithm.
    logs = np.array([math.log(max(n, 1)) for n in range(recipe.rollouts + 1)])
    # working memory of `_simulate`
    path = np.zeros(game.cells, np.int32)
    bounds = np.zeros(game.pairs)
    root_moves = slice(game.decisions, game.decisions + game.pairs)

    def report(done: float, _rollouts: int, games: int) -> Progress:
        """Return the progress after these turns and updates."""
        tries = trees.tries[root_moves]
        mean = trees.total[root_moves] / np.maximum(tries, 1)
        return make_pair_reporter(game, mean, tries)(done, games, games)

    sweep = partial(
        _sweep_roots,
        rng_states,
        recipe.c,
        logs,
        row_start,
        next_state,
        trees,
        path,
        bounds,
    )
    return run_phases([(None, recipe.rollouts)], next_checkpoint, sweep, report)


def _create_trees(game: Game, rollouts: int) -> Trees:
    """Return the trees before the first game, with room for all nodes that they can need."""
    row_start, next_state = list_legal_pairs(game)
    most_per_tree = rollouts * game.cells  # a game adds at most one block
    roots_and_moves = game.decisions + game.pairs
    nodes = roots_and_moves + _count_nodes(row_start, next_state, most_per_tree)
    children = np.zeros(nodes, np.int32)
    children[: game.decisions] = game.decisions + row_start[:-1]
    used = np.array([roots_and_moves], np.int32)
    return Trees(children, np.zeros(nodes, np.uint32), np.zeros(nodes), used)


@njit(cache=True)
def _count_nodes(row_start, next_state, most_per_tree):  # type: ignore[no-untyped-def]
    """Return the number of nodes below all roots; at most `most_per_tree` count in each tree."""
    # Each root has its own tree: a node for each move, and below it the nodes of the next state.
    size = np.zeros(len(row_start) - 1, np.int64)
    total = 0
    for s in range(len(size) - 1, -1, -1):  # backward: next states have higher numbers
        for p in range(row_start[s], row_start[s + 1]):
            size[s] += 1
            if next_state[p] >= 0:
                size[s] += size[next_state[p]]
        total += min(size[s], most_per_tree)
    return total


@njit(cache=True)
def _sweep_roots(  # type: ignore[no-untyped-def]
    rng_states,
    c,
    logs,
    row_start,
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
    """Simulate a game from every root in turn; `run_phases` explains the counts."""
    # A sweep adds one simulated game to each tree, so all trees have the same number of games.
    while rollouts < phase_end and updates < max_updates:
        # Each root has its own tree and generator, so the order of the roots does not matter.
        for root in range(len(rng_states)):
            _simulate(
                rng_states[root],
                c,
                logs,
                row_start,
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
def _simulate(rng_state, c, logs, row_start, next_state, trees, path, bounds, root):  # type: ignore[no-untyped-def]
    """Play one game from a root and count its result in the tree.

    `path` [cells] is working memory for the nodes of the game, `bounds` [P] for upper bounds.
    """
    children, tries, total, used = trees
    s = root
    node = root
    plies = 0
    # Selection and expansion, up to and including the first move that was never tried.
    while s >= 0 and (plies == 0 or tries[node] > 0):
        if children[node] == 0:
            children[node] = used[0]
            used[0] += row_start[s + 1] - row_start[s]
        # The child of pair p is node offset + p, for all pairs of s.
        offset = children[node] - row_start[s]
        for p in range(row_start[s], row_start[s + 1]):
            child = offset + p
            bounds[p] = _compute_upper_bound(
                total[child], tries[child], c, logs[tries[node]]
            )
        p = choose_epsilon_greedy(row_start, bounds, s, 0.0, False, rng_state)
        node = offset + p
        s = next_state[p]
        path[plies] = node
        plies += 1
    depth = plies
    # Rollout by random moves: with epsilon 1 the bounds are not read.
    while s >= 0:
        s = next_state[
            choose_epsilon_greedy(row_start, bounds, s, 1.0, False, rng_state)
        ]
        plies += 1
    # Backup.  The result is the last mover's, who made every second move, counted backward.
    tries[root] += 1
    result = s - DRAWN
    for ply in range(depth):
        tries[path[ply]] += 1
        is_last_mover = (plies - ply) % 2 == 1
        total[path[ply]] += result if is_last_mover else -result


@njit(cache=True)
def _compute_upper_bound(total, tries, c, log):  # type: ignore[no-untyped-def]
    """Return the upper confidence bound on a move's mean; infinite for a move without a game."""
    if tries == 0:
        return math.inf
    return total / tries + c * math.sqrt(log / tries)
