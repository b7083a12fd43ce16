"""Exact values, by induction over the plies; everything here is X's view.

Policies come as tables, [..., D, cells], and are worked on as the legal pairs of their rows: a sum
or a maximum over the moves of a decision is one over neighbours.

Source: von Neumann (1928), "Zur Theorie der Gesellschaftsspiele", for the optimal values;
Bellman (1957), "Dynamic Programming", for those of given policies.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, X
from app.tictactoe.notation import DIGITS

Values = NDArray[np.float64]
Numbers = NDArray[np.intp]
TIE = 1e-12  # chances are sums of products of a few fractions: equals differ by less than this


class Solution(NamedTuple):
    """How every position ends when both sides play as well as possible."""

    value: NDArray[np.int8]  # [S] +1 X wins, 0 draw, -1 O wins
    plies: NDArray[np.int8]  # [S] moves to the end: the winner hurries, the loser delays


class Response(NamedTuple):
    """The best reply to a policy, and what comes of it."""

    policy: Values  # [..., D, cells] one cell where the responder is to move, 0 elsewhere
    chances: Values  # [..., S, 3] of X winning, a draw, O winning


class Ply(NamedTuple):
    """The decisions of one ply, and their n pairs."""

    decisions: slice
    pairs: slice
    starts: Numbers  # where the pairs of each decision begin, counted from those of the ply
    sizes: Numbers  # how many moves each decision has
    after: NDArray[np.int32]  # [n] the position that each pair leads to
    mover: int  # +1 X, -1 O


@lru_cache(maxsize=2)
def optimal(game: Game) -> Solution:
    """Solve the game, once a process: who wins from each position, and in how many plies."""
    # One number holds both: its sign is the winner, and it is larger the sooner the win comes.
    score = np.zeros(game.positions, np.int8)
    score[game.decisions :] = game.outcome * np.int8(game.cells + 1)
    empty = np.zeros(game.positions, np.int8)
    for ply in backward(game):
        best = np.maximum if ply.mover == X else np.minimum
        chosen = best.reduceat(score[ply.after], ply.starts)
        score[ply.decisions] = chosen - np.sign(chosen)
        empty[ply.decisions] = ply.sizes
    value = np.sign(score)
    plies = np.where(value == 0, empty, game.cells + 1 - np.abs(score))
    for array in (value, plies):
        array.flags.writeable = False
    return Solution(value, plies)


def outcome_chances(game: Game, x: Values, o: Values) -> Values:
    """Chances of X winning, a draw and O winning from every position, [..., S, 3].

    `x` and `o` are the policies [..., D, cells] of the two sides.
    Raises ValueError if one of them is no policy of this game.
    """
    as_x, as_o = _pairs(game, x), _pairs(game, o)
    chances = _finished_chances(game, np.broadcast_shapes(as_x.shape[:-1], as_o.shape[:-1]))
    for ply in backward(game):
        policy = as_x if ply.mover == X else as_o
        _average(chances, ply, policy[..., ply.pairs])
    return np.moveaxis(chances, 0, -1)


def best_response(game: Game, policy: Values, seat: int, loss: float = -1.0) -> Response:
    """Find the strongest opponent of each policy, for the seat (+1 X, -1 O) that it plays in.

    A win is worth 1 to it, a draw 0, and a loss `loss`: 0 makes it win as often as can be, and
    `-inf` never risk a loss that it can avoid.  Among moves of equal worth it takes those with
    the fewest losses, then the first.  `policy` is [..., D, cells].
    Raises ValueError if `policy` is no policy of this game.
    """
    response, chances = respond(game, _pairs(game, policy), seat, loss)
    return Response(game.spread(response, 0.0), np.moveaxis(chances, 0, -1))


def respond(game: Game, policy: Values, seat: int, loss: float = -1.0) -> tuple[Values, Values]:
    """Do what `best_response` does with policies of pairs, [..., P], which are not checked.

    Returns the response [..., P] and the chances [3, ..., S].
    """
    own, theirs = (0, 2) if seat == X else (2, 0)
    chances = _finished_chances(game, policy.shape[:-1])
    response = np.zeros_like(policy)
    for ply in backward(game):
        if ply.mover == seat:
            options = chances.take(ply.after, axis=-1)
            win, lose = options[own], options[theirs]
            keys = [-lose, win] if np.isinf(loss) else [win + loss * lose, -lose]
            best = _first_best(ply, keys)
            np.put_along_axis(response[..., ply.pairs], best, 1.0, axis=-1)
            chances[..., ply.decisions] = np.take_along_axis(options, best[None], axis=-1)
        else:
            _average(chances, ply, policy[..., ply.pairs])
    return response, chances


class LineUp(NamedTuple):
    """The N moves that L policies make with a chance above 0, policy by policy, in order."""

    chance: Values  # [N]
    after: NDArray[np.int32]  # [N] the position that each leads to
    starts: Numbers  # [L, D] where those of a decision begin
    sizes: Numbers  # [L, D] how many it has


def line_up(game: Game, policies: Values) -> LineUp:
    """Let L policies, their chances of the pairs [L, P], be ready for matches."""
    moves = policies > 0
    played = np.flatnonzero(moves)
    sizes = np.add.reduceat(moves, game.pair_start[:-1], axis=1, dtype=np.intp)
    starts = sizes.cumsum().reshape(sizes.shape) - sizes
    return LineUp(policies.ravel()[played], game.pair_after[played % game.pairs], starts, sizes)


def lined_up(first: LineUp, second: LineUp) -> LineUp:
    """Put the policies of the second behind those of the first."""
    return LineUp(
        np.concatenate([first.chance, second.chance]),
        np.concatenate([first.after, second.after]),
        np.concatenate([first.starts, second.starts + len(first.chance)]),
        np.concatenate([first.sizes, second.sizes]),
    )


def matches(game: Game, policies: LineUp, x: Numbers, o: Numbers) -> Iterator[tuple[slice, Values]]:
    """Follow M matches forward: how likely each comes to each position.

    Match m is played by the policies `x[m]` as X and `o[m]` as O.  Yields the decisions of each ply
    as a slice with their chances [M, n], and at last the finished positions with the chances of X
    winning, a draw and O winning, [M, 3].  Only what comes about is worked on.
    """
    chance, after, starts, sizes = policies
    ends = np.zeros((len(x), 3))
    here = np.ones((len(x), 1))
    bounds = game.ply_start.tolist()
    for start, stop, end in zip(bounds, bounds[1:], [*bounds[2:], bounds[-1]], strict=False):
        yield slice(start, stop), here
        match, decision = np.divmod(np.flatnonzero(here), stop - start)
        node = (x if game.to_move[start] == X else o)[match], start + decision
        size = sizes[node]
        move = np.arange(size.sum()) + (starts[node] - size.cumsum() + size).repeat(size)
        weight = here[match, decision].repeat(size) * chance[move]
        to, match = after[move], match.repeat(size)
        over = to >= game.decisions
        _add(ends, match[over], 1 - game.outcome[to[over] - game.decisions], weight[over])
        here = np.zeros((len(x), end - stop))
        _add(here, match[~over], to[~over] - stop, weight[~over])
    yield slice(game.decisions, game.positions), ends


def meet(game: Game, policies: LineUp, x: Numbers, o: Numbers) -> Values:
    """Chances of X winning, a draw and O winning in M matches, [M, 3]; they are as in `matches`."""
    *_, (_, ends) = matches(game, policies, x, o)
    return ends


def likeliest_game(game: Game, x: Values, o: Values, outcome: int) -> str | None:
    """Return the record of the most probable game with this outcome (X's view), if there is one.

    `x` and `o` are the policies [D, cells] of the two sides, or 1 wherever a side is free to move
    as it likes; among equals the first moves count.
    """
    as_x, as_o = x[game.legal], o[game.legal]
    chance = np.zeros(game.positions)
    chance[game.decisions :] = game.outcome == outcome
    for ply in backward(game):
        policy = (as_x if ply.mover == X else as_o)[ply.pairs]
        chance[ply.decisions] = np.maximum.reduceat(policy * chance[ply.after], ply.starts)
    if chance[0] == 0:
        return None
    position, record = 0, ""
    while position < game.decisions:
        policy = x if game.to_move[position] == X else o
        after = np.maximum(game.successor[position], 0)
        cell = int(np.argmax(policy[position] * chance[after]))
        position, record = int(after[cell]), record + DIGITS[cell]
    return record


def successor_values(game: Game, values: NDArray[np.generic]) -> Values:
    """Value of the position after each move, [D, cells], NaN where illegal; any view.

    `values` is [S].  These are the action values of whatever the values are of.
    """
    table: Values = game.spread(values[game.pair_after].astype(np.float64))
    return table


def backward(game: Game) -> Iterator[Ply]:
    """Yield the plies that have decisions, the last one first."""
    yield from plies(game)[::-1]


@lru_cache(maxsize=2)
def plies(game: Game) -> tuple[Ply, ...]:
    """Return the plies that have decisions, the first one first."""
    listed = []
    for start, stop in pairwise(game.ply_start.tolist()):
        first = game.pair_start[start : stop + 1]
        pairs = slice(int(first[0]), int(first[-1]))
        starts, sizes = first[:-1] - first[0], np.diff(first)
        for array in (starts, sizes):
            array.flags.writeable = False
        mover = int(game.to_move[start])
        ply = Ply(slice(start, stop), pairs, starts, sizes, game.pair_after[pairs], mover)
        listed.append(ply)
    return tuple(listed)


def _average(chances: Values, ply: Ply, policy: Values) -> None:
    """Give the decisions of a ply the chances, [3, ..., S], that a policy, [..., n], makes."""
    after = chances.take(ply.after, axis=-1)
    after *= policy
    chances[..., ply.decisions] = np.add.reduceat(after, ply.starts, axis=-1)


def _first_best(ply: Ply, keys: list[Values]) -> Numbers:
    """Choose the pair of each decision that is best by the first key, then by the next: [..., d].

    The keys are [..., n]; among equals it is the first pair.
    """
    best = np.ones(keys[0].shape, np.bool_)
    for key in keys:
        key[~best] = -np.inf
        highest = np.maximum.reduceat(key, ply.starts, axis=-1) - TIE
        best = key >= highest.repeat(ply.sizes, axis=-1)
    last = len(ply.after)
    return np.minimum.reduceat(np.where(best, np.arange(last), last), ply.starts, axis=-1)


def _add(table: Values, row: Numbers, column: Numbers, weight: Values) -> None:
    """Add weights to cells of a table, of which one may be named more than once."""
    table += np.bincount(row * table.shape[1] + column, weight, table.size).reshape(table.shape)


def _finished_chances(game: Game, shape: tuple[int, ...]) -> Values:
    """Return the chances of each outcome, [3, *shape, S], known of finished positions only."""
    chances = np.zeros((3, *shape, game.positions))
    for outcome, winner in enumerate((1, 0, -1)):
        chances[outcome, ..., game.decisions :] = game.outcome == winner
    return chances


def _pairs(game: Game, policy: Values) -> Values:
    """Return a policy's chances of the legal pairs, [..., P]; raises ValueError if it is none."""
    if policy.shape[-2:] != game.legal.shape:
        raise ValueError(f"a policy of this game is {game.legal.shape}, not {policy.shape}")
    if not (np.all(policy >= 0) and np.all(policy[..., ~game.legal] == 0)):
        raise ValueError("a policy gives no chance below 0 and none to an illegal move")
    if not np.allclose(policy.sum(axis=-1), 1):
        raise ValueError("the chances of a policy add up to 1 in each row")
    chances: Values = policy[..., game.legal]
    return chances
