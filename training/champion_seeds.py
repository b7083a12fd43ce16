"""How many games of self-play the champion needs, over many training seeds."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from app.tictactoe.game import Game, O, X, connect
from app.tictactoe.policy import greedy
from app.tictactoe.report import blunders, losing_game
from training.champion import champion
from training.over_seeds import five_numbers, histogram
from training.pairs import Pairs, legal_pairs
from training.proof import unbeatable

MOST = {"self": 10_000}  # far more games than it ever takes


class Games(NamedTuple):
    """After how many games of one training something was true for the first time."""

    unbeatable: int  # nobody can beat its greedy play in either seat; asked after every game
    faultless: int  # nothing is unseen, where training ends, and no decision is a blunder


def games_needed(seed: int) -> Games:
    """Train with a seed and ask after every game.

    Raises RuntimeError if the analysis of `app.tictactoe` disagrees with the quick one, or if the
    training ends with a blunder.
    """
    game, pairs = _game()
    proved = _first_unbeatable(game, pairs, seed)
    *_, end = champion(game, np.random.default_rng(seed), lambda updates: 10**9, opponents=MOST)
    if blunders(game, greedy(end.q)).any():
        raise RuntimeError(f"seed {seed} ends with a blunder")
    return Games(proved, end.games)


def distribution(results: Sequence[Games]) -> Iterator[str]:
    """Tell how the results are distributed, a line at a time."""
    yield f"games over {len(results):,} seeds      min  quartile  median  quartile   max"
    for name in Games._fields:
        low, first, median, third, high = five_numbers(getattr(result, name) for result in results)
        yield f"{name:<24}{low:>8.0f}{first:>10.0f}{median:>8.0f}{third:>10.0f}{high:>6.0f}"
    yield "unbeatable: the first game after which nobody can beat it in either seat, exactly"
    yield "faultless: the game that ends the training, nothing being unseen and no blunder left"
    yield "\ngames until it is unbeatable"
    yield from histogram([result.unbeatable for result in results])


def _first_unbeatable(game: Game, pairs: Pairs, seed: int) -> int:
    rng = np.random.default_rng(seed)
    for progress in champion(game, rng, lambda updates: updates + 1, opponents=MOST):
        if unbeatable(pairs, game.to_move, progress.q):
            policy = greedy(progress.q)
            if any(losing_game(game, policy, seat) for seat in (X, O)):
                raise RuntimeError(f"seed {seed}: it can be beaten after {progress.games} games")
            return progress.games
    raise RuntimeError(f"seed {seed} never becomes unbeatable")


@cache
def _game() -> tuple[Game, Pairs]:
    game = connect()
    return game, legal_pairs(game)
