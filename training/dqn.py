"""Deep Q-learning: a network in place of the table, taught from the memory of past moves.

Source: Mnih et al. (2015), "Human-level control through deep reinforcement learning", algorithm 1.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from app.tictactoe.encodings import one_hot
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import BASELINES, Policy, epsilon_greedy
from training.dqn_games import moves_of, nothing, play, remember, sample, targets, win_rate
from training.environment import NextStop, Progress


def dqn(
    game: Game,
    rng: np.random.Generator,
    next_stop: NextStop,
    *,
    opponents: Mapping[str, int],
    games_per_seat: int,
    epsilon_first: float,
    epsilon_last: float,
    gamma: float,
    step_size: float,
    memory: int,
    steps: int,
    batch: int,
) -> Iterator[Progress]:
    """Play epochs of games in each seat, `opponents` saying how many epochs against whom.

    After its games an epoch takes `steps` steps of Adam, each on a `batch` of moves drawn from the
    last `memory` ones, towards r + gamma max Q(s', .) and the guard rails of `dqn_net.loss`.
    The table made of the network between two epochs is the behaviour in the games of the next one
    and the target network of its steps.  Epsilon falls in a straight line from the first epoch to
    the last.  Games hold legal moves only: what others cost is taught by the guard rails.

    An update is one step of Adam.  A network has no pair that was never touched: the visits of one
    are how often it was put into the memory.  An epoch is shown whole, so `next_stop` is not asked.
    Raises ValueError if an opponent is unknown or an epsilon is not within 0 and 1.
    """
    # Imported only where it is needed: JAX takes a second, and whoever lists the agents none.
    from training import dqn_net  # noqa: PLC0415

    schedule = _schedule(game, opponents)
    network = dqn_net.new_network(rng, game)
    pupil = dqn_net.untaught(network, step_size, seed=int(rng.integers(1 << 31)))
    q, visits = dqn_net.table(game, network), np.zeros(game.legal.shape, np.uint32)
    yield Progress(0.0, 0, 0, q, visits.copy())
    known, read = nothing(), one_hot(game)
    epsilons = np.linspace(epsilon_first, epsilon_last, len(schedule)).tolist()
    for epoch, (opponent, epsilon) in enumerate(zip(schedule, epsilons, strict=True), start=1):
        own = epsilon_greedy(q, epsilon)
        as_x = play(game, rng, own, opponent, games_per_seat)
        as_o = play(game, rng, opponent, own, games_per_seat)
        new = [moves_of(game, as_x, X), moves_of(game, as_o, O)]
        known = remember(known, new, memory)
        for moves in new:
            np.add.at(visits, (moves.decision, moves.cell), 1)
        again = sample(known, rng, (steps, batch))
        lessons = dqn_net.Lessons(again.decision, again.cell, targets(q, again, gamma))
        pupil = dqn_net.teach(pupil, read, game.legal, lessons, step_size)
        q = dqn_net.table(game, pupil.network)
        yield Progress(
            done=epoch / len(schedule),
            games=epoch * 2 * games_per_seat,
            updates=epoch * steps,
            q=q,
            visits=visits.copy(),
            won=(win_rate(game, as_x, X), win_rate(game, as_o, O)),
        )


def _schedule(game: Game, opponents: Mapping[str, int]) -> list[Policy]:
    """List the opponent of each epoch, or raise ValueError."""
    unknown = sorted(opponents.keys() - BASELINES.keys())
    if unknown:
        raise ValueError(f"no opponent {unknown[0]!r} here, only {', '.join(BASELINES)}")
    return [
        policy
        for name, epochs in opponents.items()
        for policy in [BASELINES[name].policy(game)] * epochs
    ]
