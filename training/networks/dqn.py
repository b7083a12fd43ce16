"""Deep Q-learning: a network in place of the table, trained on minibatches from a replay buffer.

Source: Mnih et al. (2015), "Human-level control through deep reinforcement learning", algorithm 1.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.recipes.algorithms import Dqn
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, Policy, epsilon_greedy
from training.learners.phases import Epoch, NextCheckpoint, Progress
from training.networks import net

OVER = -1  # instead of the next decision
FORFEITED = -2  # instead of the outcome, of the player who made an illegal move
NETWORKS = {"shared": ((X, O),), "separate": ((X,), (O,))}  # of each network

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


def learn(game: Game, recipe: Dqn, next_checkpoint: NextCheckpoint) -> Iterator[Progress]:
    """Play epochs of games in each seat against one opponent after the other.

    After its games an epoch takes `steps` steps of Adam, each on a `batch` of moves drawn from the
    last `memory` ones, towards r + gamma max Q(s', .) and the guard rails of `net.loss`.
    The table made of the network between two epochs is the behaviour in the games of the next one
    and the target network of its steps.  Epsilon falls in a straight line from the first epoch to
    the last.  Separate networks share the steps, and each has a buffer of its own seat's moves.

    With guard rails games hold legal moves only, and what others cost is taught by the guard rails.
    Without, the network is not told what is legal: it chooses among all cells, and so do its
    targets; an illegal move ends the game, and its reward is -5.

    An update is one step of Adam.  A network has no pair that was never touched: the visits of one
    are how often it was put into the buffer.  Every epoch is reported, so
    `next_checkpoint` is not called.
    """
    rng = np.random.default_rng(recipe.seed)
    worths = (net.ILLEGAL, *recipe.worth().x)
    schedule = [
        policy
        for opponent, epochs in recipe.phases
        for policy in [BASELINES[opponent].policy(game)] * epochs
    ]
    read = net.reading(game, recipe.encoding, recipe.convolution)
    guarded = ~game.legal & recipe.guard_rails
    seats = NETWORKS[recipe.networks]
    pupils = [
        net.untaught(
            net.new_network(rng, read, recipe.hidden, game.cells), seed=int(rng.integers(1 << 31))
        )
        for _ in seats
    ]
    known = [nothing() for _ in seats]
    steps = [recipe.steps] if len(seats) == 1 else [-(-recipe.steps // 2), recipe.steps // 2]
    said = _said(game, pupils, read)
    q, visits = np.where(game.legal, said, np.float32(np.nan)), np.zeros_like(said, np.uint32)
    yield Progress(0.0, 0, 0, q, visits.copy())
    epsilons = np.linspace(recipe.epsilon, recipe.epsilon_last, len(schedule)).tolist()
    for epoch, (opponent, epsilon) in enumerate(zip(schedule, epsilons, strict=True), start=1):
        mind = q if recipe.guard_rails else said
        own = epsilon_greedy(mind, epsilon)
        games = {
            X: play(game, rng, own, opponent, recipe.games),
            O: play(game, rng, opponent, own, recipe.games),
        }
        new = {seat: moves_of(game, games[seat], seat, worths, recipe.step) for seat in (X, O)}
        for moves in new.values():
            np.add.at(visits, (moves.decision, moves.cell), game.legal[moves.decision, moves.cell])
        for number, own_seats in enumerate(seats):
            known[number] = remember(
                known[number], [new[seat] for seat in own_seats], recipe.memory
            )
            again = sample(known[number], rng, (steps[number], recipe.batch))
            batch = net.Minibatches(again.decision, again.cell, targets(mind, again, recipe.gamma))
            pupils[number] = net.teach(
                pupils[number], read, guarded, batch, recipe.step_size, recipe.error == "squared"
            )
        met = np.concatenate([moves.decision for moves in new.values()])
        taken_met = taken(game, said, met)
        said = _said(game, pupils, read)
        q = np.where(game.legal, said, np.float32(np.nan))
        as_x, as_o = (shares(game, games[seat], seat) for seat in (X, O))
        yield Progress(
            done=epoch / len(schedule),
            games=epoch * 2 * recipe.games,
            updates=epoch * recipe.steps,
            q=q,
            visits=visits.copy(),
            epoch=Epoch(
                won=(as_x.won, as_o.won),
                lost=(as_x.lost, as_o.lost),
                forfeited=(as_x.forfeited, as_o.forfeited),
                taken=taken(game, said, slice(None)),
                taken_met=taken_met,
            ),
        )


def taken(game: Game, said: NDArray[np.float32], among: NDArray[np.int32] | slice) -> float:
    """Return in what share of some decisions the highest of all outputs, [D, cells], is illegal."""
    highest = said.argmax(axis=1)
    return float((~game.legal[np.arange(game.decisions), highest])[among].mean())


def _said(game: Game, pupils: Sequence[net.Pupil], read: net.Array) -> NDArray[np.float32]:
    """Ask for every decision the network that has to take it: the only one, or its mover's."""
    answers = [net.said(pupil.network, read) for pupil in pupils]
    return np.where(game.to_move[:, None] == X, answers[0], answers[-1])


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
