"""What `python -m training experiment` does, told a line at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from platformdirs import user_cache_path

from app.experiments import load, load_all, save
from app.recipes import Recipe, parse
from app.tictactoe.game import tic_tac_toe
from training.experiments import FILES, ORDER, find
from training.experiments.engine import carry_out, reworded
from training.experiments.store import opened
from training.learners import learn
from training.measures import END, NEVER
from training.processes import in_parallel

BENCHED = ("q-table", "self-play", "league", "q-learning", "q-iteration")
ROUNDS = 5
SWEPT = 400  # runs of the first of them, to see how many there are in a second


def carry_out_all(
    claims: Sequence[str],
    seeds: int | None,
    jobs: int,
    dask: str | None,
    store: Path | None,
    out: Path,
) -> Iterator[str]:
    """Check these claims, or all that are written down, and save their summaries.

    Raises ValueError if there is no such claim, and ConnectionError if a cluster fails.
    """
    _check(claims)
    with opened(store or user_cache_path("q-tac-toe") / "runs") as kept:
        for claim in claims or ORDER:
            begin = perf_counter()
            outcome = carry_out(find(claim), kept, seeds, jobs, dask)
            save(out, outcome.summary)
            yield (
                f"{claim}: {outcome.summary.verdict} "
                f"({outcome.trained:,} runs trained, {outcome.kept:,} kept, "
                f"{perf_counter() - begin:,.1f} s)"
            )


def write_words(claims: Sequence[str], out: Path) -> Iterator[str]:
    """Write the words of these claims, or of all, anew into their summaries, without training.

    Raises ValueError if there is no such claim, or no summary that can be read.
    """
    _check(claims)
    for claim in claims or ORDER:
        summary = reworded(find(claim), load(out / f"{claim}.json"))
        save(out, summary)
        yield f"{claim}: {summary.verdict}"


def _check(claims: Sequence[str]) -> None:
    for claim in claims:
        if claim not in FILES:
            raise ValueError(f"there is no claim {claim!r}, only {', '.join(ORDER)}")


def list_claims(out: Path) -> Iterator[str]:
    """Name every claim with its verdict, where it has one."""
    summaries = load_all(out)
    for claim in ORDER:
        summary = summaries.get(claim)
        yield f"{claim:<26} {summary.verdict if summary else 'not checked yet'}"


def measure_runs() -> Iterator[str]:
    """Measure what a run takes beside the bare training, and how many there are in a second."""
    yield "recipe          training   a run   overhead   (processor time, medians)"
    for text in BENCHED:
        recipe = parse(text)
        END.of([recipe])  # compiles, or loads what was compiled
        bare = median(_bare(recipe.with_seed(seed)) for seed in range(ROUNDS))
        run = median(_run(recipe.with_seed(seed)) for seed in range(ROUNDS))
        yield (
            f"{text:<14} {1000 * bare:>7.1f} ms {1000 * run:>5.1f} ms "
            f"{1000 * (run - bare):>6.1f} ms"
        )
    first = parse(BENCHED[0])
    for jobs in (1, 2):
        batches = [
            ([first.with_seed(seed + more) for more in range(END.at_once)],)
            for seed in range(0, SWEPT, END.at_once)
        ]
        begin = perf_counter()
        for _ in in_parallel(END.of, batches, jobs):
            pass
        rate = SWEPT / (perf_counter() - begin)
        yield f"{BENCHED[0]} on {jobs} process{'es' * (jobs > 1)}: {rate:,.0f} runs a second"


def _bare(recipe: Recipe) -> float:
    begin = process_time()
    for _ in learn(tic_tac_toe(), recipe, lambda updates: NEVER):
        pass
    return process_time() - begin


def _run(recipe: Recipe) -> float:
    begin = process_time()
    END.of([recipe])
    return process_time() - begin
