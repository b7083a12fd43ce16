"""Games side by side between two policies, and the replay buffer of a learner in a seat."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import Game, X
from app.tictactoe.policy import Policy

OVER = -1  # instead of the next decision
FORFEITED = -2  # instead of the outcome, of the player who made an illegal move

Numbers = NDArray[np.int32]


class Games(NamedTuple):
    """N games; one that is over keeps its last position.

    After an illegal move that is no position, but S, the number of all positions.
    """

    position: Numbers  # [cells + 2, N] before each ply, and twice at the end
    cell: Numbers  # [cells, N] no more than a 0 where the game is over


class Shares(NamedTuple):
    """How games ended for the player in one of the seats, as shares of them."""

    won: float
    lost: float  # those by an illegal move, too
    forfeited: float  # by an illegal move


class Moves(NamedTuple):
    """The learner's moves, each with what came of it after the answer; arrays of one shape."""

    decision: Numbers
    cell: Numbers
    reward: NDArray[np.float32]
    after: Numbers  # the learner's next decision, or OVER


def play(game: Game, rng: np.random.Generator, x: Policy, o: Policy, games: int) -> Games:
    """Play so many games between two policies, [D, cells]; an illegal move ends one."""
    position = np.zeros((game.cells + 2, games), np.int32)
    cell = np.zeros((game.cells, games), np.int32)
    for ply in range(game.cells):
        here, after = position[ply], position[ply + 1]
        after[:] = here
        going_on = np.flatnonzero(here < game.decisions)
        decision = here[going_on]
        drawn = draw(rng, (x, o)[ply % 2][decision])
        cell[ply, going_on] = drawn
        legal = game.legal[decision, drawn]
        after[going_on] = np.where(legal, game.successor[decision, drawn], game.positions)
    position[-1] = position[-2]
    return Games(position, cell)


def draw(rng: np.random.Generator, chances: Policy) -> Numbers:
    """Draw a cell by each row of chances, [N, cells]."""
    sums = chances.cumsum(axis=1)
    passed = sums > rng.random((len(sums), 1)) * sums[:, -1:]
    cell: Numbers = passed.argmax(axis=1).astype(np.int32)
    return cell


def moves_of(game: Game, games: Games, seat: int, rewards: tuple[float, ...], step: float) -> Moves:
    """List the moves of the player in this seat (+1 X, -1 O), [M] of each, with its rewards.

    A move is rewarded for where the opponent's answer leads: by `rewards` of an illegal move, a
    loss, a draw and a win where that ends the game, else by `step`.  Only this player makes illegal
    moves.
    """
    first = 0 if seat == X else 1
    decision, after = games.position[first:-2:2], games.position[first + 2 :: 2]
    made = decision < game.decisions
    after = after[made]
    over = after >= game.decisions
    result = _result(game, after, seat)
    return Moves(
        decision[made],
        games.cell[first::2][made],
        np.where(over, np.array(rewards, np.float32)[result - FORFEITED], np.float32(step)),
        np.where(over, np.int32(OVER), after),
    )


def shares(game: Game, games: Games, seat: int) -> Shares:
    """Count how the games ended for the player in this seat, the only one who forfeits any."""
    result = _result(game, games.position[-1], seat)
    return Shares(
        float((result == 1).mean()), float((result < 0).mean()), float((result == FORFEITED).mean())
    )


def _result(game: Game, position: Numbers, seat: int) -> Numbers:
    """Return 1 won, 0 drawn, -1 lost or FORFEITED of finished games; of others no matter what."""
    finished = np.clip(position - game.decisions, 0, len(game.outcome) - 1)
    result = game.outcome[finished] * np.int32(seat)
    return np.where(position == game.positions, np.int32(FORFEITED), result)


def nothing() -> Moves:
    """Return an empty replay buffer."""
    none = np.empty(0, np.int32)
    return Moves(none, none, np.empty(0, np.float32), none)


def remember(buffer: Moves, new: Iterable[Moves], most: int) -> Moves:
    """Append new moves to the buffer and forget the oldest where they are more than `most`."""
    columns: list[Any] = [
        np.concatenate(column)[-most:] for column in zip(buffer, *new, strict=True)
    ]
    return Moves(*columns)


def sample(buffer: Moves, rng: np.random.Generator, shape: tuple[int, ...]) -> Moves:
    """Sample moves of the replay buffer uniformly, with replacement."""
    drawn = rng.integers(len(buffer.cell), size=shape)
    columns: list[Any] = [column[drawn] for column in buffer]
    return Moves(*columns)


def targets(q: NDArray[np.float32], moves: Moves, gamma: float) -> NDArray[np.float32]:
    """Return what each move should be worth by a table, [D, cells]: r + gamma max Q(s', .)."""
    highest = np.nanmax(q, axis=1)
    later = np.where(moves.after == OVER, 0, highest[moves.after])
    return (moves.reward + gamma * later).astype(np.float32)
