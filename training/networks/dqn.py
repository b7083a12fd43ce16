"""Deep Q-learning: a network in place of the table, taught from the memory of past moves.

Source: Mnih et al. (2015), "Human-level control through deep reinforcement learning", algorithm 1.
"""

from collections.abc import Iterator

import numpy as np

from app.recipes.algorithms import Dqn
from app.tictactoe.encodings import one_hot
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, epsilon_greedy
from training.learners.phases import NextStop, Progress
from training.networks import net
from training.networks.games import moves_of, nothing, play, remember, sample, targets, win_rate


def learn(game: Game, recipe: Dqn, next_stop: NextStop) -> Iterator[Progress]:
    """Play epochs of games in each seat against one opponent after the other.

    After its games an epoch takes `steps` steps of Adam, each on a `batch` of moves drawn from the
    last `memory` ones, towards r + gamma max Q(s', .) and the guard rails of `net.loss`.
    The table made of the network between two epochs is the behaviour in the games of the next one
    and the target network of its steps.  Epsilon falls in a straight line from the first epoch to
    the last.  Games hold legal moves only: what others cost is taught by the guard rails.

    An update is one step of Adam.  A network has no pair that was never touched: the visits of one
    are how often it was put into the memory.  An epoch is shown whole, so `next_stop` is not asked.
    """
    rng = np.random.default_rng(recipe.seed)
    rewards = recipe.worth().x
    schedule = [
        policy
        for opponent, epochs in recipe.phases
        for policy in [BASELINES[opponent].policy(game)] * epochs
    ]
    network = net.new_network(rng, game)
    pupil = net.untaught(network, recipe.step_size, seed=int(rng.integers(1 << 31)))
    q, visits = net.table(game, network), np.zeros(game.legal.shape, np.uint32)
    yield Progress(0.0, 0, 0, q, visits.copy())
    known, read = nothing(), one_hot(game)
    epsilons = np.linspace(recipe.epsilon, recipe.epsilon_last, len(schedule)).tolist()
    for epoch, (opponent, epsilon) in enumerate(zip(schedule, epsilons, strict=True), start=1):
        own = epsilon_greedy(q, epsilon)
        as_x = play(game, rng, own, opponent, recipe.games)
        as_o = play(game, rng, opponent, own, recipe.games)
        new = [
            moves_of(game, games, seat, rewards, recipe.step)
            for games, seat in ((as_x, X), (as_o, O))
        ]
        known = remember(known, new, recipe.memory)
        for moves in new:
            np.add.at(visits, (moves.decision, moves.cell), 1)
        again = sample(known, rng, (recipe.steps, recipe.batch))
        lessons = net.Lessons(again.decision, again.cell, targets(q, again, recipe.gamma))
        pupil = net.teach(pupil, read, game.legal, lessons, recipe.step_size)
        q = net.table(game, pupil.network)
        yield Progress(
            done=epoch / len(schedule),
            games=epoch * 2 * recipe.games,
            updates=epoch * recipe.steps,
            q=q,
            visits=visits.copy(),
            won=(win_rate(game, as_x, X), win_rate(game, as_o, O)),
        )
