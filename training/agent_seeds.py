"""How good an agent's recipe makes it, over many training seeds: was one run luck?"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from app.tictactoe.game import SEATS, Game, connect
from app.tictactoe.policy import BASELINES, Policy, greedy
from app.tictactoe.report import Chances, blunders, chances_against, losing_game
from training.over_seeds import five_numbers
from training.recipes import RECIPES

OPPONENTS = ("random", "t-hand", "minimax-random")


class Standing(NamedTuple):
    """What one training came to, by its greedy play."""

    chances: dict[tuple[str, str], Chances]  # by opponent and seat
    blunders: int
    unbeatable: set[str]  # the seats in which nobody can beat it


def standing(agent_id: str, seed: int) -> Standing:
    """Train an agent with a seed and judge it exactly."""
    game, opponents = _game()
    recipe = RECIPES[agent_id]
    learner = recipe.algorithm(
        game,
        np.random.default_rng(seed),
        lambda updates: 10**12,
        opponents=recipe.opponents,
        **recipe.parameters,
    )
    *_, end = learner
    policy = greedy(end.q)
    return Standing(
        chances={
            (name, seat): chances_against(game, opponent, policy, player)
            for name, opponent in opponents.items()
            for seat, player in SEATS.items()
        },
        blunders=int(blunders(game, policy).sum()),
        unbeatable={s for s, player in SEATS.items() if losing_game(game, policy, player) is None},
    )


def distribution(results: Sequence[Standing]) -> Iterator[str]:
    """Tell how the results are distributed, a line at a time."""
    yield f"{f'over {len(results):,} seeds':<40}     min  quartile   median  quartile      max"
    for opponent, seat in results[0].chances:
        for column, verb in ((0, "wins against"), (2, "loses to")):
            shares = [100 * result.chances[opponent, seat][column] for result in results]
            title = BASELINES[opponent].title
            yield _line(f"as {seat.upper()}, {verb} {title}, %", shares)
    yield _line("blunders", [result.blunders for result in results])
    for seat in SEATS:
        count = sum(seat in result.unbeatable for result in results)
        yield f"unbeatable as {seat.upper()}: {count:,} of {len(results):,}"
    both = sum(len(result.unbeatable) == len(SEATS) for result in results)
    yield f"unbeatable in both seats: {both:,} of {len(results):,}"


def _line(label: str, values: Sequence[float]) -> str:
    low, first, middle, third, high = five_numbers(values)
    return f"{label:<40}{low:>8.2f}{first:>10.2f}{middle:>9.2f}{third:>10.2f}{high:>9.2f}"


@cache
def _game() -> tuple[Game, dict[str, Policy]]:
    game = connect()
    return game, {name: BASELINES[name].policy(game) for name in OPPONENTS}
