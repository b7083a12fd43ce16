"""Deep Q-learning: a network in place of the table, trained on minibatches from a replay buffer.

Source: Mnih et al. (2015), "Human-level control through deep reinforcement learning", algorithm 1.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from app.recipes.algorithms import Dqn
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, epsilon_greedy
from training.learners.phases import Epoch, NextStop, Progress
from training.networks import net
from training.networks.games import moves_of, nothing, play, remember, sample, shares, targets

NETWORKS = {"shared": ((X, O),), "separate": ((X,), (O,))}  # of each network


def learn(game: Game, recipe: Dqn, next_stop: NextStop) -> Iterator[Progress]:
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
    are how often it was put into the buffer.  An epoch is shown whole, so `next_stop` is not asked.
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
