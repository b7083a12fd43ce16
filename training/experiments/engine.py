"""The engine of all experiments: it trains missing runs, stores every run, summarises the results.

Runs are stored by recipe and measure in an SQLite database outside the repository. SQLite
writes a transaction completely or not at all, even when interrupted, and several processes of
a machine may use a database. Stored bytes are checked by msgspec and never unpickled.
"""

import hashlib
import json
import re
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
    Table,
    load_summaries,
    load_summary,
    save_summary,
)
from app.recipes import Recipe, name_recipe, parse_recipe
from training.experiments import list_claims
from training.experiments.claim import Experiment, Sweep, load_claims
from training.experiments.results import Results
from training.measures import Measure, make_key
from training.processes import run_in_parallel
from training.progress import show_bar
from training.run import TABLE_PACKAGES, list_packages, list_versions

STORE_FILE = "runs.sqlite3"
BUSY_SECONDS = 60.0  # wait for another process that writes to the store

TIME_FIELDS = ("seconds", "judging")  # fields that differ between equal runs


class RunStore:
    """A persistent store of measured runs: bytes by key."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def read(self, run_keys: Iterable[str]) -> dict[str, bytes]:
        """Return the stored bytes of runs by key; missing keys are left out."""
        query = (
            "SELECT key, result FROM runs WHERE key IN (SELECT value FROM json_each(?))"
        )
        return dict(self.connection.execute(query, [json.dumps([*run_keys])]))

    def write(self, values_by_key: Mapping[str, bytes]) -> None:
        """Store the bytes of runs by key; they are on disk when this function returns."""
        with self.connection:
            self.connection.executemany(
                "INSERT OR REPLACE INTO runs VALUES (?, ?)", values_by_key.items()
            )

    def __len__(self) -> int:
        (count,) = self.connection.execute("SELECT count(*) FROM runs").fetchone()
        return int(count)


@contextmanager
def open_store(folder: Path) -> Iterator[RunStore]:
    """Open the store of a folder, which is created if necessary.

    Raises sqlite3.Error or OSError if that fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with closing(
        sqlite3.connect(folder / STORE_FILE, timeout=BUSY_SECONDS)
    ) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, result BLOB)"
        )
        yield RunStore(connection)


class ExperimentRun(NamedTuple):
    """The summary of an experiment, and how many of its runs were trained or found in the store."""

    summary: ClaimSummary
    trained_count: int  # number of runs trained now
    stored_count: int  # number of runs found in the store


def _name_recipes(experiment: Experiment) -> dict[str, str]:
    """Return the full name of the recipe of each label, "" if the recipe is not the whole setting."""
    return {
        label: name_recipe(parse_recipe(recipe)) if sweep.is_reproducible else ""
        for sweep in experiment.sweeps
        if sweep.is_shown
        for label, recipe in sweep.recipe_by_label.items()
    }


def run_experiment(
    experiment: Experiment,
    store: RunStore,
    max_seeds: int | None = None,
    jobs: int = 1,
    scheduler_address: str | None = None,
) -> ExperimentRun:
    """Train and measure the missing runs of an experiment, and return its summary.

    Each recipe has the seeds from 0 on, as many as its sweep states, or at most `max_seeds`.
    Every run is stored as soon as it is measured, so an interrupted sweep continues later.
    With the address of a dask scheduler the runs are trained on its cluster. Raises
    ConnectionError if the cluster fails.
    """
    results_by_label: dict[str, list[Any]] = {}
    # by key of measure and recipe; two labels may share runs
    runs: dict[str, Any] = {}
    trained = 0
    kept = 0
    checks = []
    for sweep in experiment.sweeps:
        recipes = _list_recipes_with_seeds(sweep, max_seeds)
        every = {
            make_key(sweep.measure, one): one
            for of_label in recipes.values()
            for one in of_label
        }
        there = store.read(every)
        missing = [recipe for place, recipe in every.items() if place not in there]
        _measure_missing_recipes(
            experiment.id, store, sweep.measure, missing, jobs, scheduler_address
        )
        decoder = msgspec.json.Decoder(sweep.measure.result_type)
        runs |= {
            place: decoder.decode(value) for place, value in store.read(every).items()
        }
        for label, of_label in recipes.items():
            results_by_label[label] = [
                runs[make_key(sweep.measure, one)] for one in of_label
            ]
        if sweep.is_repeated_in_test:
            first = next(iter(recipes))
            run = compute_digest(results_by_label[first][0])
            checks.append(
                RunDigest(name_recipe(recipes[first][0]), sweep.measure.name, run)
            )
        kept += len(there)
        trained += len(missing)
    results = Results(_name_recipes(experiment), results_by_label)
    summary = _build_summary(
        experiment, results, list(runs.values()), max_seeds, checks
    )
    return ExperimentRun(summary, trained, kept)


def update_texts(experiment: Experiment, summary: ClaimSummary) -> ClaimSummary:
    """Return a summary with the current texts of its claim; numbers and verdict stay."""
    words = experiment.fill_in_texts(summary.parts_reproduced, summary.seeds)
    return msgspec.structs.replace(summary, **words)


def run_experiments(
    claims: Sequence[str],
    max_seeds: int | None,
    jobs: int,
    scheduler_address: str | None,
    store_folder: Path | None,
    output_folder: Path,
) -> Iterator[str]:
    """Check these claims, or all claims, and save their summaries, yielding a line for each.

    Raises ConnectionError if a cluster fails.
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
    """Save the summaries of these claims, or of all, with current texts, without training.

    Raises ValueError for an unreadable summary.
    """
    for claim in claims or list_claims():
        summary = update_texts(
            load_claims()[claim], load_summary(output_folder / f"{claim}.json")
        )
        save_summary(output_folder, summary)
        yield f"{claim}: {summary.verdict}"


def list_verdicts(output_folder: Path) -> Iterator[str]:
    """Yield a line for every claim, with its verdict if it has been checked."""
    summaries = load_summaries(output_folder)
    for claim in list_claims():
        summary = summaries.get(claim)
        yield f"{claim:<26} {summary.verdict if summary else 'not checked yet'}"


def compute_digest(result: msgspec.Struct) -> str:
    """Return the SHA-256 of a result without its times, for comparison with a repeated run."""
    content = {
        field: value
        for field, value in msgspec.to_builtins(result).items()
        if field not in TIME_FIELDS
    }
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def _list_recipes_with_seeds(
    sweep: Sweep, max_seeds: int | None
) -> dict[str, list[Recipe]]:
    """Return the recipes of a sweep with each of their seeds, by label."""
    count = min(sweep.default_seeds, max_seeds or sweep.default_seeds)
    return {
        label: [parse_recipe(recipe).with_seed(seed) for seed in range(count)]
        for label, recipe in sweep.recipe_by_label.items()
    }


def _measure_missing_recipes(
    label: str,
    store: RunStore,
    measure: Measure[Any],
    missing_recipes: Sequence[Recipe],
    jobs: int,
    scheduler_address: str | None,
) -> None:
    if not missing_recipes:
        return
    step = measure.batch_size
    starts = range(0, len(missing_recipes), step)
    batches = [missing_recipes[start : start + step] for start in starts]
    calls = [([name_recipe(recipe) for recipe in batch],) for batch in batches]
    if scheduler_address is None:
        found = run_in_parallel(measure.measure_as_json, calls, jobs)
    else:
        from training.cluster import run_in_cluster  # noqa: PLC0415 - imports dask, which only clusters need

        used = {
            package for recipe in missing_recipes for package in list_packages(recipe)
        }
        found = run_in_cluster(
            measure.measure_as_json,
            calls,
            scheduler_address,
            sorted({"msgspec", *TABLE_PACKAGES, *used}),
        )
    with show_bar(label, len(missing_recipes)) as count:
        for number, runs in found:
            batch = batches[number]
            keys = [make_key(measure, recipe) for recipe in batch]
            store.write(dict(zip(keys, runs, strict=True)))
            count(len(batch))


def _build_summary(
    experiment: Experiment,
    results: Results,
    runs: Sequence[Any],
    max_seeds: int | None,
    checks: list[RunDigest],
) -> ClaimSummary:
    conclusion = experiment.conclude(results)
    most = max((len(found) for found in results.runs_by_label.values()), default=0)
    limited = "" if max_seeds is None else f" --seeds {max_seeds}"
    return ClaimSummary(
        id=experiment.id,
        **experiment.fill_in_texts(conclusion.parts_reproduced, most),
        verdict=conclusion.verdict,
        parts_reproduced=[bool(so) for so in conclusion.parts_reproduced],
        numbers=_use_minus_signs(conclusion.number_table),
        figures=list(conclusion.figures),
        command=f"python -m training experiment {experiment.id}{limited}",
        versions=list_versions(
            *(
                parse_recipe(one)
                for sweep in experiment.sweeps
                for one in sweep.recipe_by_label.values()
            )
        ),
        first_seed=0,
        seeds=most,
        runs=len(runs),
        seconds=round(sum(run.seconds for run in runs), 1),
        date=datetime.now(UTC).date().isoformat(),
        checks=checks,
    )


def _use_minus_signs(table: Table) -> Table:
    """Return a table with typographic minus signs before negative numbers."""
    text = msgspec.json.encode(table).decode()
    return msgspec.json.decode(
        re.sub(r"(?<![\w-])-(?=\d)", "\N{MINUS SIGN}", text), type=Table
    )
