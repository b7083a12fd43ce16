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
from training.learners.pairs import DRAWN, Indices, Values, Visits, epsilon_greedy, legal_pairs
from training.learners.phases import NextStop, Progress, over_phases, show_pairs
from training.learners.randomness import stream


class Trees(NamedTuple):
    """A tree for each of D positions, in one row of nodes.

    Nodes 0 to D - 1 are the roots, the next P their children, pair by pair; what follows is taken
    as it is needed, a node for each move of a position.
    """

    children: Indices  # [M] the node of the first legal move; 0 where no move was tried yet
    tries: Visits  # [M] how many simulated games went through the node
    total: Values  # [M] the sum of their results, for the player who made the move to it
    taken: Indices  # [1] how many nodes are in use


def learn(game: Game, recipe: Mcts, next_stop: NextStop) -> Iterator[Progress]:
    """Simulate one game from every position, then a second one, and so on.

    Within the tree of its position a game goes on by the move with the highest bound,
    mean + c sqrt(ln N / n), where n games went through the move and N through the position, and by
    a random one of those that none went through yet.  Such a move is added to the tree, and from
    there on both sides move at random.  The result counts for every move of the tree that the game
    went through, 1 for a win of who made it, 0 for a draw, -1 for a loss.

    It shows the mean of every root's moves; an update is a simulated game.  Every tree has random
    numbers of its own, so none depends on the others.
    """
    first, after = legal_pairs(game)
    trees = _roots(game, recipe.rollouts)
    streams = np.stack([stream(recipe.seed, root) for root in range(game.decisions)])
    logs = np.array([math.log(max(n, 1)) for n in range(recipe.rollouts + 1)])
    scratch = np.zeros(game.cells, np.int32), np.zeros(game.pairs)
    below = slice(game.decisions, game.decisions + game.pairs)

    def show(done: float, _rollouts: int, games: int) -> Progress:
        tries = trees.tries[below]
        mean = trees.total[below] / np.maximum(tries, 1)
        return show_pairs(game, mean, tries)(done, games, games)

    sweep = partial(_sweep, streams, recipe.c, logs, first, after, trees, scratch)
    return over_phases([(None, recipe.rollouts)], next_stop, sweep, show)


def _roots(game: Game, rollouts: int) -> Trees:
    """Begin the trees, with as much room as they can need."""
    first, after = legal_pairs(game)
    room = _room(first, after, rollouts * game.cells)
    nodes = game.decisions + game.pairs + room
    children = np.zeros(nodes, np.int32)
    children[: game.decisions] = game.decisions + first[:-1]
    taken = np.array([game.decisions + game.pairs], np.int32)
    return Trees(children, np.zeros(nodes, np.uint32), np.zeros(nodes), taken)


@njit(cache=True)
def _room(first, after, most):  # type: ignore[no-untyped-def]
    """Count the nodes of all trees when they are whole, but of each no more than `most`."""
    size, room = np.zeros(len(first) - 1, np.int64), 0
    for s in range(len(size) - 1, -1, -1):
        for p in range(first[s], first[s + 1]):
            size[s] += 1 + (size[after[p]] if after[p] >= 0 else 0)
        room += min(size[s], most)
    return room


@njit(cache=True)
def _sweep(  # type: ignore[no-untyped-def]
    streams, c, logs, first, after, trees, scratch, opponent, begin, last, stop, rollouts, updates
):
    path, bound = scratch
    while rollouts < last and updates < stop:
        for root in range(len(streams)):
            _simulate(streams[root], c, logs, first, after, trees, path, bound, root)
        rollouts, updates = rollouts + 1, updates + len(streams)
    return rollouts, updates


@njit(cache=True)
def _simulate(stream, c, logs, first, after, trees, path, bound, root):  # type: ignore[no-untyped-def]
    """Play one game from a position and count its result."""
    children, tries, total, taken = trees
    s, node, plies = root, root, 0
    while s >= 0 and (plies == 0 or tries[node] > 0):
        if children[node] == 0:
            children[node] = taken[0]
            taken[0] += first[s + 1] - first[s]
        offset = children[node] - first[s]
        for p in range(first[s], first[s + 1]):
            bound[p] = _bound(total[offset + p], tries[offset + p], c, logs[tries[node]])
        p = epsilon_greedy(first, bound, s, 0.0, False, stream)
        node, s = offset + p, after[p]
        path[plies] = node
        plies += 1
    depth = plies
    while s >= 0:
        s, plies = after[epsilon_greedy(first, bound, s, 1.0, False, stream)], plies + 1
    tries[root] += 1
    result = s - DRAWN  # for who made the last move, and so for who made every second one
    for ply in range(depth):
        tries[path[ply]] += 1
        total[path[ply]] += result if (plies - ply) % 2 == 1 else -result


@njit(cache=True)
def _bound(total, tries, c, log):  # type: ignore[no-untyped-def]
    """Return the upper confidence bound on a move's mean; a move without a game comes first."""
    return total / tries + c * math.sqrt(log / tries) if tries else math.inf
