"""A real dask cluster, started as in dask's manual and known only by its address."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pydoc import locate

import pytest
from click.testing import CliRunner, Result

from app.project import ROOT
from training import cli, cluster
from training.cluster import run_in_cluster
from training.experiments.claim import load_claims
from training.experiments.engine import RunStore, open_store, run_experiment

pytestmark = pytest.mark.long

DASK = (str(Path(sys.executable).with_name("dask")),)
LOCAL = ("--host", "127.0.0.1", "--no-dashboard")
SCHEDULER = (*DASK, "scheduler", "--port", "0")
SINGLE = ("--nthreads", "1")
SEEDS = 30
BAD_RUNS = load_claims()["bad-runs"]  # an experiment with its own measure


@contextmanager
def started(folder: Path, *command: str, count: int = 1, path: Path | None = None) -> Iterator[str]:
    """Start a scheduler, or workers for it; yield the scheduler's address."""
    surroundings = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [*command, *LOCAL],
        cwd=folder,
        env=surroundings | ({"PYTHONPATH": str(path)} if path else {}),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr
        said = iter(process.stderr)
        words = "Scheduler at:" if "scheduler" in command else "Registered to:"
        for _ in range(count):
            address = next(line for line in said if words in line).split()[-1]
        try:
            yield address
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers."""
    folder = tmp_path_factory.mktemp("elsewhere")
    with (
        started(folder, *SCHEDULER) as address,
        started(folder, *DASK, "worker", address, *SINGLE, "--nworkers", "2", count=2),
    ):
        yield address


class Deadly(RunStore):
    """A store that kills a worker when the first batch of runs is stored."""

    victim: int | None = None

    def write(self, values: Mapping[str, bytes]) -> None:
        super().write(values)
        if self.victim:
            os.kill(self.victim, signal.SIGKILL)
            self.victim = None


def workers(address: str) -> set[int]:
    """Return the processes that compute."""
    calls: list[tuple[()]] = [()] * 20
    return {process for _, process in run_in_cluster(os.getpid, calls, address, [])}


def test_a_cluster_of_which_a_worker_dies_finds_the_same(address: str, tmp_path: Path) -> None:
    with open_store(tmp_path / "here") as store:
        here = run_experiment(BAD_RUNS, store, max_seeds=SEEDS)
    with open_store(tmp_path / "cluster") as store:
        deadly = Deadly(store.connection)
        before = workers(address)
        deadly.victim = min(before)
        there = run_experiment(BAD_RUNS, deadly, max_seeds=SEEDS, scheduler_address=address)
    assert deadly.victim is None
    assert len(before) == 2
    assert min(before) not in workers(address)
    assert there.trained_count == here.trained_count == SEEDS
    assert there.summary.figures == here.summary.figures
    assert there.summary.checks == here.summary.checks
    assert there.summary.numbers == here.summary.numbers


def test_a_worker_has_the_code_of_now(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_divisor() -> set[object]:
        calls = [("training.measures.GROWTH_DIVISOR",)] * 20
        return {value for _, value in run_in_cluster(locate, calls, address, [])}

    assert read_divisor() == {50}
    for package in cluster.UPLOADED_PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package)
    edited = tmp_path / "training/measures.py"
    edited.write_text(edited.read_text().replace("GROWTH_DIVISOR = 50", "GROWTH_DIVISOR = 60"))
    with monkeypatch.context() as patch:
        patch.setattr(cluster, "ROOT", tmp_path)
        assert read_divisor() == {60}
    assert read_divisor() == {50}


def test_where_no_scheduler_answers_the_command_ends_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        results = [experiment(address, tmp_path) for address in ("nonsense", mute)]
    results.append(experiment(mute, tmp_path))  # an address without a scheduler
    for place, result in zip(("nonsense", mute, mute), results, strict=True):
        assert result.exit_code == 1
        assert f"\nError: no dask scheduler answers at {place!r}" in result.stderr
        assert result.stderr.endswith("; what was trained before is kept\n")
        assert "Traceback" not in result.stderr


def experiment(address: str, folder: Path) -> Result:
    command = ["experiment", "running-sum", "--dask", address]
    return CliRunner().invoke(
        cli.main, [*command, "--store", str(folder / "runs"), "--out", str(folder)]
    )
