"""Measurements of this machine, printed beside what was hoped for.

All of them are processor time, which others who use the machine do not spoil.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from statistics import median
from time import process_time

import numpy as np

from app.tictactoe.game import Game, connect
from app.tictactoe.policy import t_hand, uniform
from app.tictactoe.values import outcome_chances
from training.board_costs import measure
from training.recipe import Recipe
from training.recipes import RECIPES
from training.reference import both_seats, league, plain, self_play

REFERENCES = (plain, both_seats, league, self_play)
BOARDS = [(3, 3, 3), (3, 4, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)]
GOALS = {(3, 3, 3): " (goal 20 ms)", (4, 4, 4): " (goal 60 s, 1 GiB)"}
RATIO_GOAL = 200
RUNS = 3
UPDATES = 100_000  # a second or two of plain Python


def benchmark() -> Iterator[str]:
    """Measure everything, a line at a time."""
    yield from _boards()
    yield _evaluation(connect())
    yield from _learners(connect())


def _boards() -> Iterator[str]:
    yield "board       positions   enumerate + solve  per position  peak memory  per position"
    for board in BOARDS:
        cost = measure(*board)
        rows, columns, in_a_row = board
        yield (
            f"{rows}x{columns}, {in_a_row}  {cost.positions:>12,}  {1000 * cost.seconds:>14,.1f} ms"
            f"  {1e6 * cost.seconds / cost.positions:>9.2f} us  {cost.peak / 2**20:>8,.0f} MiB"
            f"  {cost.peak / cost.positions:>8,.0f} bytes{GOALS.get(board, '')}"
        )


def _evaluation(game: Game) -> str:
    x, o = uniform(game), t_hand(game)
    outcome_chances(game, x, o)
    milliseconds = 1000 * median(_seconds(lambda: outcome_chances(game, x, o)) for _ in range(20))
    return f"\none exact evaluation of a pair: {milliseconds:.1f} ms (goal 5 ms)"


def _learners(game: Game) -> Iterator[str]:
    yield "\nagent                   updates/s  plain Python  ratio"
    reached = []
    for recipe in RECIPES.values():
        _compiled(recipe, game)  # compiles, or loads what was compiled
        runs = [(_compiled(recipe, game), _plain(recipe)) for _ in range(RUNS)]
        compiled, plain = (median(rates) for rates in zip(*runs, strict=True))
        reached.append(compiled / plain)
        yield f"{recipe.id:<20} {compiled:>12,.0f}  {plain:>12,.0f}  {reached[-1]:>5.0f}"
    met = sum(ratio >= RATIO_GOAL for ratio in reached)
    yield f"{met} of {len(reached)} reach {RATIO_GOAL} times plain Python"


def _compiled(recipe: Recipe, game: Game) -> float:
    """Return the updates a second of the compiled learner over its first updates."""
    learner = recipe.algorithm(
        game,
        np.random.default_rng(recipe.seed),
        lambda updates: UPDATES,
        opponents=recipe.opponents,
        **recipe.parameters,
    )
    progress, start = next(learner), process_time()
    while progress.updates < UPDATES and progress.done < 1:
        progress = next(learner)
    return progress.updates / (process_time() - start)


def _plain(recipe: Recipe) -> float:
    """Return the updates a second of the same learner in plain Python, over the same updates."""
    name = recipe.algorithm.__name__
    algorithm = next(getattr(module, name) for module in REFERENCES if hasattr(module, name))
    learner = algorithm(
        np.random.default_rng(recipe.seed), opponents=recipe.opponents, **recipe.parameters
    )
    start = process_time()
    updates = sum(1 for _ in islice(learner, UPDATES))
    return updates / (process_time() - start)


def _seconds(run: Callable[[], object]) -> float:
    start = process_time()
    run()
    return process_time() - start
