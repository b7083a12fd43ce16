"""Run the experiments: train the missing runs, store every run, and summarise the results.

A run is the training of one recipe with one seed, with its measurements. Runs are stored in an
SQLite database outside the repository, by a key for the recipe, the seed and the measure. SQLite
writes a transaction completely or not at all, so a run is never half written, and several processes
may use the database.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
from platformdirs import user_cache_path

from app.experiments import (
    ClaimSummary,
    RunDigest,
    load_summaries,
    load_summary,
    save_summary,
)
from app.recipes import Recipe, name_recipe, parse_recipe
from training.experiments import list_claims
from training.experiments.claim import Claim, load_claims
from training.experiments.results import Results
from training.measures import Measure, make_run_key
from training.processes import run_in_parallel
from training.progress import show_bar
from training.run import TABLE_PACKAGES, list_packages, list_versions

RUNS_FILE_NAME = "runs.sqlite3"
# The longest wait while another process writes to the database.
WRITE_TIMEOUT_SECONDS = 60.0

# Runs of the same recipe with the same seed may differ in these fields only.
TIME_FIELDS = ("seconds", "judging")


class RunStore:
    """A database of runs, each as JSON text in bytes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def read(self, run_keys: Iterable[str]) -> dict[str, bytes]:
        query = (
            "SELECT key, result FROM runs WHERE key IN (SELECT value FROM json_each(?))"
        )
        return dict(self.connection.execute(query, [json.dumps([*run_keys])]))

    def write(self, values_by_key: Mapping[str, bytes]) -> None:
        """Store runs by their keys; they are on disk when this method returns."""
        with self.connection:
            self.connection.executemany(
                "INSERT OR REPLACE INTO runs VALUES (?, ?)", values_by_key.items()
            )

    def __len__(self) -> int:
        (count,) = self.connection.execute("SELECT count(*) FROM runs").fetchone()
        return int(count)


@contextmanager
def open_store(folder: Path) -> Iterator[RunStore]:
    """Open the database of runs in a folder; create the folder and the database if necessary.

    Raises sqlite3.Error or OSError if that fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with closing(
        sqlite3.connect(folder / RUNS_FILE_NAME, timeout=WRITE_TIMEOUT_SECONDS)
    ) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, result BLOB)"
        )
        yield RunStore(connection)


class ExperimentRun(NamedTuple):
    """The summary of an experiment, and its numbers of new runs and of runs stored before."""

    summary: ClaimSummary
    trained_count: int
    stored_count: int


def run_experiment(
    experiment: Claim,
    store: RunStore,
    max_seeds: int | None = None,
    jobs: int = 1,
    scheduler_address: str | None = None,
) -> ExperimentRun:
    """Train and measure the missing runs of an experiment, and return its summary.

    Each recipe is trained with the seeds 0, 1, 2 and so on, as many as its sweep asks for, but at
    most `max_seeds`. Every run is stored as soon as it is measured, so an interrupted experiment
    can continue later. `scheduler_address` is the address of a dask scheduler; without it, `jobs`
    processes of this machine train. Raises ConnectionError if the cluster fails.
    """
    recipe_by_label: dict[str, str] = {}
    runs_by_label: dict[str, list[Any]] = {}
    # Two labels may stand for the same recipe and measure; then they share its runs.
    runs: dict[str, Any] = {}
    trained, kept = 0, 0
    checks = []
    for sweep in experiment.sweeps:
        measure = sweep.measure
        seeds = range(min(sweep.default_seeds, max_seeds or sweep.default_seeds))
        by_label = {
            label: {
                make_run_key(measure, one): one
                for one in _list_seeded_recipes(recipe, seeds)
            }
            for label, recipe in sweep.recipe_by_label.items()
        }
        recipes = {
            key: one for by_key in by_label.values() for key, one in by_key.items()
        }
        stored = store.read(recipes)
        missing = {key: one for key, one in recipes.items() if key not in stored}
        for found in _measure_recipes(
            experiment.id, measure, missing, jobs, scheduler_address
        ):
            store.write(found)
        contents = store.read(recipes)
        runs |= {key: measure.decode(content) for key, content in contents.items()}
        for label, by_key in by_label.items():
            runs_by_label[label] = [runs[key] for key in by_key]
            if sweep.is_shown:
                shown = name_recipe(parse_recipe(sweep.recipe_by_label[label]))
                recipe_by_label[label] = shown if sweep.is_reproducible else ""
        if sweep.is_repeated_in_test:
            key, recipe = next(iter(recipes.items()))
            digest = compute_digest(contents[key])
            checks.append(RunDigest(name_recipe(recipe), measure.name, digest))
        kept += len(stored)
        trained += len(missing)
    results = Results(recipe_by_label, runs_by_label)
    summary = _build_summary(experiment, results, [*runs.values()], max_seeds, checks)
    return ExperimentRun(summary, trained, kept)


def _build_summary(
    experiment: Claim,
    results: Results,
    runs: Sequence[Any],
    max_seeds: int | None,
    checks: list[RunDigest],
) -> ClaimSummary:
    conclusion = experiment.conclude(results)
    most = max(map(len, results.runs_by_label.values()), default=0)
    limited = "" if max_seeds is None else f" --seeds {max_seeds}"
    recipes = [
        one for sweep in experiment.sweeps for one in sweep.recipe_by_label.values()
    ]
    return ClaimSummary(
        id=experiment.id,
        **experiment.fill_in_texts(
            conclusion["parts_reproduced"], most, conclusion["numbers"]
        ),
        **conclusion,
        command=f"python -m training experiment {experiment.id}{limited}",
        versions=list_versions(*map(parse_recipe, recipes)),
        first_seed=0,
        seeds=most,
        runs=len(runs),
        seconds=round(sum(run.seconds for run in runs), 1),
        date=datetime.now(UTC).date().isoformat(),
        checks=checks,
    )


def _list_seeded_recipes(recipe_name: str, seeds: Iterable[int]) -> list[Recipe]:
    recipe = parse_recipe(recipe_name)
    return [recipe.with_seed(seed) for seed in seeds]


def _measure_recipes(
    claim: str,
    measure: Measure,
    recipes: Mapping[str, Recipe],
    jobs: int,
    scheduler_address: str | None,
) -> Iterator[dict[str, bytes]]:
    if not recipes:
        return
    keys, size = [*recipes], measure.batch_size
    batches = [keys[start : start + size] for start in range(0, len(keys), size)]
    calls = [([name_recipe(recipes[key]) for key in batch],) for batch in batches]
    if scheduler_address is None:
        found = run_in_parallel(measure.measure_as_json, calls, jobs)
    else:
        from training.cluster import run_in_cluster  # noqa: PLC0415 - imports dask, which only clusters need

        used = {one for recipe in recipes.values() for one in list_packages(recipe)}
        packages = sorted({"msgspec", *TABLE_PACKAGES, *used})
        found = run_in_cluster(
            measure.measure_as_json, calls, scheduler_address, packages
        )
    with show_bar(claim, len(recipes)) as count:
        for number, runs in found:
            yield dict(zip(batches[number], runs, strict=True))
            count(len(runs))


def update_texts(experiment: Claim, summary: ClaimSummary) -> ClaimSummary:
    words = experiment.fill_in_texts(
        summary.parts_reproduced, summary.seeds, summary.numbers
    )
    return msgspec.structs.replace(summary, **words)


def run_experiments(
    claims: Sequence[str],
    max_seeds: int | None,
    jobs: int,
    scheduler_address: str | None,
    store_folder: Path | None,
    output_folder: Path,
) -> Iterator[str]:
    """Check claims and save their summaries; yield a line of text for each claim.

    Without `claims` all are checked. Raises ConnectionError if a cluster fails.
    """
    with open_store(store_folder or user_cache_path("q-tac-toe") / "runs") as kept:
        for claim in claims or list_claims():
            begin = perf_counter()
            outcome = run_experiment(
                load_claims()[claim], kept, max_seeds, jobs, scheduler_address
            )
            save_summary(output_folder, outcome.summary)
            yield (
                f"{claim}: {outcome.summary.verdict} "
                f"({outcome.trained_count:,} runs trained, {outcome.stored_count:,} kept, "
                f"{perf_counter() - begin:,.1f} s)"
            )


def update_all_texts(claims: Sequence[str], output_folder: Path) -> Iterator[str]:
    """Take the texts of saved summaries from the claims' files again; yield a line for each claim.

    Nothing is trained. Without `claims` all are updated. Raises ValueError for an unreadable
    summary.
    """
    for claim in claims or list_claims():
        summary = update_texts(
            load_claims()[claim], load_summary(output_folder / f"{claim}.json")
        )
        save_summary(output_folder, summary)
        yield f"{claim}: {summary.verdict}"


def list_verdicts(output_folder: Path) -> Iterator[str]:
    summaries = load_summaries(output_folder)
    for claim in list_claims():
        summary = summaries.get(claim)
        yield f"{claim:<26} {summary.verdict if summary else 'not checked yet'}"


def compute_digest(run: bytes) -> str:
    """Return the SHA-256 of a run, without its times, because a test repeats the run."""
    content = {
        field: value
        for field, value in msgspec.json.decode(run).items()
        if field not in TIME_FIELDS
    }
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
