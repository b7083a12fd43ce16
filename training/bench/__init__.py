"""Measurements of this machine, printed beside what was hoped for.

All of them are processor time, which others who use the machine do not spoil.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import process_time

from app.recipes import SHIPPED, Recipe, parse
from app.recipes.algorithms import QLearning
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import t_hand, uniform
from app.tictactoe.values import outcome_chances
from training.bench.boards import measure
from training.bench.c_loop import CLoop
from training.bench.networks import side_by_side
from training.learners import learn
from training.measures import NEVER

BOARDS = [(3, 3, 3), (3, 4, 3), (3, 4, 4), (4, 4, 3), (4, 4, 4)]
GOALS = {(3, 3, 3): " (goal 20 ms)", (4, 4, 4): " (goal 60 s, 1 GiB)"}
C_GOAL = 1.5
RUNS = 5


def benchmark() -> Iterator[str]:
    """Measure everything, a line at a time."""
    yield from _boards()
    yield _evaluation(connect())
    yield from _learners(connect())
    yield from side_by_side()


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
    yield "\nagent                   updates/s"
    for agent in SHIPPED.values():
        if agent.recipe.slug != "dqn":
            _rate(game, agent.recipe)  # compiles, or loads what was compiled
            rate = median(_rate(game, agent.recipe) for _ in range(RUNS))
            yield f"{agent.id:<20} {rate:>12,.0f}"
    yield _beside_c(game)


def _beside_c(game: Game) -> str:
    """Compare Q-learning with the same loop in C, in turns."""
    recipe = parse("q-learning,games=1000000")
    assert isinstance(recipe, QLearning)
    try:
        loop = CLoop()
    except FileNotFoundError as error:
        return f"\nQ-learning beside C: {error}"
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(_rate(game, recipe))
        start = process_time()
        updates, _ = loop.learn(game, recipe)
        theirs.append(updates / (process_time() - start))
    ratio = median(theirs) / median(ours)
    return (
        f"\nQ-learning beside C: {median(ours):,.0f} and {median(theirs):,.0f} updates/s, "
        f"C is {ratio:.2f} times as fast (goal {C_GOAL})"
    )


def _rate(game: Game, recipe: Recipe) -> float:
    """Return the updates a second of a whole training."""
    start = process_time()
    *_, end = learn(game, recipe, lambda updates: NEVER)
    return end.updates / (process_time() - start)


def _seconds(run: Callable[[], object]) -> float:
    start = process_time()
    run()
    return process_time() - start
