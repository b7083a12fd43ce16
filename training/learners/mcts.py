"""Monte Carlo tree search from every position: UCT.

Source: Kocsis & Szepesvari (2006), "Bandit based Monte-Carlo planning", with the bounds of UCB1,
Auer, Cesa-Bianchi & Fischer (2002).  Both are written for returns from 0 to 1, where c is the root
of 2; those of a game go from -1 to 1, so the same c explores half as much of that range.
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
    """A search tree for each of D states, all in one row of M nodes.

    Nodes 0 to D - 1 are the roots, the next P their children, pair by pair.  The nodes after these
    are taken in blocks, as they are needed: a block has a node for each move of a state.
    """

    # [M] the node of the first legal move; 0 as long as no move was tried
    children: Indices
    tries: Visits  # [M] how many simulated games went through the node
    # [M] the sum of the results of these games, for the player who moved to the node
    total: Values
    used: Indices  # [1] how many nodes are in use


def learn(
    game: Game, recipe: Mcts, next_checkpoint: NextCheckpoint
) -> Iterator[Progress]:
    """Simulate one game from every state, then a second one, and so on.

    Within the tree of its root a game goes on by the move with the highest bound,
    mean + c sqrt(ln N / n), where n games went through the move and N through the state; a move
    that no game went through comes first, a random one of several.  Such a move is added to the
    tree, and from there on both sides move at random.  The result counts for every move of the tree
    that the game went through, 1 for a win of the player who made it, 0 for a draw, -1 for a loss.

    The q shown is the mean of every root's moves; an update is a simulated game.  Every tree has
    random numbers of its own, so none depends on the others.
    """
    row_start, next_state = list_legal_pairs(game)
    trees = _plant_trees(game, recipe.rollouts)
    rng_states = np.stack(
        [make_rng_state(recipe.seed, root) for root in range(game.decisions)]
    )
    # ln N for every N that can occur, so the loop computes no logarithm.
    logs = np.array([math.log(max(n, 1)) for n in range(recipe.rollouts + 1)])
    # room for `_simulate`
    path, bounds = (np.zeros(game.cells, np.int32), np.zeros(game.pairs))
    root_moves = slice(game.decisions, game.decisions + game.pairs)

    def report(done: float, _rollouts: int, games: int) -> Progress:
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


def _plant_trees(game: Game, rollouts: int) -> Trees:
    """Return the trees before the first game, with as many nodes as they can need."""
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
    """Return the number of nodes below all roots in complete trees, at most so many in each."""
    size, total = np.zeros(len(row_start) - 1, np.int64), 0
    for s in range(len(size) - 1, -1, -1):  # next states have higher numbers
        for p in range(row_start[s], row_start[s + 1]):
            size[s] += 1 + (size[next_state[p]] if next_state[p] >= 0 else 0)
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
    while rollouts < phase_end and updates < max_updates:
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
        rollouts, updates = rollouts + 1, updates + len(rng_states)
    return rollouts, updates


@njit(cache=True)
def _simulate(rng_state, c, logs, row_start, next_state, trees, path, bounds, root):  # type: ignore[no-untyped-def]
    """Play one game from a root and count its result in the tree.

    `path` [cells] has room for the nodes of the game, `bounds` [P] for those of the moves.
    """
    children, tries, total, used = trees
    s, node, plies = root, root, 0
    # Selection, until a move that was never tried, which the game then adds to the tree.
    while s >= 0 and (plies == 0 or tries[node] > 0):
        if children[node] == 0:
            children[node] = used[0]
            used[0] += row_start[s + 1] - row_start[s]
        # node = offset + pair, for the pairs of s
        offset = children[node] - row_start[s]
        for p in range(row_start[s], row_start[s + 1]):
            bounds[p] = _compute_upper_bound(
                total[offset + p], tries[offset + p], c, logs[tries[node]]
            )
        p = choose_epsilon_greedy(row_start, bounds, s, 0.0, False, rng_state)
        node, s = offset + p, next_state[p]
        path[plies] = node
        plies += 1
    depth = plies
    # Simulation by random moves: with epsilon 1 the bounds are not read.
    while s >= 0:
        s = next_state[
            choose_epsilon_greedy(row_start, bounds, s, 1.0, False, rng_state)
        ]
        plies += 1
    # Backup.  The result is that of the last mover, who made every second move before.
    tries[root] += 1
    result = s - DRAWN
    for ply in range(depth):
        tries[path[ply]] += 1
        total[path[ply]] += result if (plies - ply) % 2 == 1 else -result


@njit(cache=True)
def _compute_upper_bound(total, tries, c, log):  # type: ignore[no-untyped-def]
    """Return the upper confidence bound on a move's mean; infinite for a move without a game."""
    return total / tries + c * math.sqrt(log / tries) if tries else math.inf
