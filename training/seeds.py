"""Train a recipe with many seeds, to see how much its results depend on chance."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from statistics import quantiles
from typing import Any, TypeVar

from app.recipes import Recipe, name_recipe
from app.tictactoe.game import SEATS
from app.tictactoe.policy import BASELINES
from training.measures import (
    END_MEASURE,
    EXACT_PROOF_MEASURE,
    Measure,
    MeasuredRun,
    ProvingRun,
)
from training.processes import run_in_parallel
from training.progress import show_bar

COMPARED_OPPONENTS = ("random", "fixed", "t-hand", "minimax", "minimax-random")
# the length of the longest bar, in characters
HISTOGRAM_WIDTH = 40
MAX_RANGES = 12

Measured = TypeVar("Measured")


def report_over_seeds(recipe: Recipe, seeds: Sequence[int], jobs: int) -> Iterator[str]:
    yield from format_distribution(
        measure_seeds(partial(measure_seed, END_MEASURE, recipe), seeds, jobs)
    )
    if recipe.slug == "champion":
        yield ""
        yield from format_games_distribution(
            measure_seeds(
                partial(measure_seed, EXACT_PROOF_MEASURE, recipe), seeds, jobs
            )
        )


def evaluate_seeds(
    recipe: Recipe, seeds: Sequence[int], jobs: int
) -> Iterator[dict[str, Any]]:
    """Train a recipe with each of these seeds; yield the results of each as values for JSON.

    Under "against", each opponent has the shares of games won, drawn and lost as X and as O.
    """
    results = measure_seeds(partial(measure_seed, END_MEASURE, recipe), seeds, jobs)
    for seed, result in zip(seeds, results, strict=True):
        figures = result.figures
        yield {
            "recipe": name_recipe(recipe.with_seed(seed)),
            "seed": seed,
            "updates": figures.snapshot_updates[-1],
            "blunders": figures.blunders[-1],
            "known": result.known_positions[-1],
            "unbeatable_as": [
                seat.upper()
                for seat in SEATS
                if getattr(result.is_unbeatable, seat)[-1]
            ],
            "against": {
                opponent: {seat: getattr(chances, seat)[-1] for seat in SEATS}
                for opponent, chances in figures.outcome_chances_by_baseline.items()
            },
        }


def measure_seeds(
    measure: Callable[[int], Measured], seeds: Sequence[int], jobs: int
) -> list[Measured]:
    """Call `measure` with each seed in several processes; results are in the order of the seeds."""
    results: dict[int, Measured] = {}
    with show_bar("seeds", len(seeds)) as count:
        for number, result in run_in_parallel(
            measure, [(seed,) for seed in seeds], jobs
        ):
            results[number] = result
            count(1)
    return [results[number] for number in range(len(seeds))]


def measure_seed(measure: Measure, recipe: Recipe, seed: int) -> Any:
    return measure.compute(recipe.with_seed(seed))


def format_distribution(results: Sequence[MeasuredRun]) -> Iterator[str]:
    """Yield a line for each result with its minimum, quartiles and maximum."""
    yield f"{f'over {len(results):,} seeds':<40}     min  quartile   median  quartile      max"
    for opponent, seat in product(COMPARED_OPPONENTS, SEATS):
        by_seat = [one.figures.outcome_chances_by_baseline[opponent] for one in results]
        ends = [getattr(chances, seat)[-1] for chances in by_seat]
        for column, verb in ((0, "wins against"), (2, "loses to")):
            shares = [100 * chances[column] for chances in ends]
            title = BASELINES[opponent].title
            yield _format_five_numbers(f"as {seat.upper()}, {verb} {title}, %", shares)
    yield _format_five_numbers(
        "blunders", [result.figures.blunders[-1] for result in results]
    )
    yield _format_five_numbers(
        "positions known, up to symmetry",
        [result.known_positions[-1] for result in results],
    )
    for seat in SEATS:
        count = sum(getattr(result.is_unbeatable, seat)[-1] for result in results)
        yield f"unbeatable as {seat.upper()}: {count:,} of {len(results):,}"
    both = sum(
        result.is_unbeatable.x[-1] and result.is_unbeatable.o[-1] for result in results
    )
    yield f"unbeatable in both seats: {both:,} of {len(results):,}"


def format_games_distribution(results: Sequence[ProvingRun]) -> Iterator[str]:
    """Yield lines on the numbers of games until the runs are unbeatable, and of all games.

    Raises ValueError if a run never plays without a blunder.
    """
    proved = [
        result.games_to_proof for result in results if result.games_to_proof is not None
    ]
    if any(result.games_to_faultless is None for result in results):
        raise ValueError("it is never without a blunder")
    yield f"games over {len(results):,} seeds      min  quartile  median  quartile   max"
    for label, games in (
        ("unbeatable", proved),
        ("faultless", [one.played_games for one in results]),
    ):
        low, first, median, third, high = compute_five_numbers(games)
        yield f"{label:<24}{low:>8.0f}{first:>10.0f}{median:>8.0f}{third:>10.0f}{high:>6.0f}"
    yield "unbeatable: the first game after which no opponent can beat it in either seat, exactly"
    yield "faultless: the game that ends the training, nothing being unseen and no blunder left"
    yield "\ngames until it is unbeatable"
    yield from format_histogram(proved)


def compute_five_numbers(values: Iterable[float]) -> list[float]:
    ordered = sorted(values)
    middle = (
        quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    )
    return [ordered[0], *middle, ordered[-1]]


def format_histogram(whole_numbers: Sequence[int]) -> list[str]:
    """Return the lines of a histogram with at most MAX_RANGES ranges of equal width."""
    low = min(whole_numbers)
    high = max(whole_numbers)
    width = (high - low) // MAX_RANGES + 1
    counts = [0] * ((high - low) // width + 1)
    for value in whole_numbers:
        counts[(value - low) // width] += 1
    lines = []
    for i, count in enumerate(counts):
        first = low + width * i
        last = first + width - 1
        # Rounded up, because a range with a single number must have a visible bar.
        bar = "#" * -(-HISTOGRAM_WIDTH * count // max(counts))
        lines.append(f"{first:>5} to {last:<5} {count:>6}  {bar}".rstrip())
    return lines


def _format_five_numbers(label: str, values: Sequence[float]) -> str:
    low, first, middle, third, high = compute_five_numbers(values)
    return (
        f"{label:<40}{low:>8.2f}{first:>10.2f}{middle:>9.2f}{third:>10.2f}{high:>9.2f}"
    )
