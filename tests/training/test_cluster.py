"""A sweep on a real cluster of a scheduler and two workers, of which one is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from training.experiments.engine import carry_out
from training.experiments.running_sum import EXPERIMENT
from training.experiments.store import Store, opened

ROOT = Path(__file__).parents[2]
SEEDS = 30
LOCAL = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
WORKER = ("--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")


class Cluster(NamedTuple):
    """A scheduler's address, and its two workers."""

    address: str
    workers: list[subprocess.Popen[str]]


class Deadly(Store):
    """Kills a worker as soon as a first batch of runs is kept."""

    victim: subprocess.Popen[str] | None = None

    def write(self, values: Mapping[str, bytes]) -> None:
        super().write(values)
        if self.victim:
            self.victim.kill()
            self.victim = None


def started(module: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )


def read_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stderr
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"it ended without having said {words!r}")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    scheduler = started("dask_scheduler", *LOCAL)
    address = read_until(scheduler, "Scheduler at:").split()[-1]
    workers = [started("dask_worker", address, *WORKER) for _ in range(2)]
    for worker in workers:
        read_until(worker, "Registered to:")
    yield Cluster(address, workers)
    for process in (*workers, scheduler):
        process.send_signal(signal.SIGTERM)
        process.communicate()


def test_a_cluster_of_which_a_worker_dies_finds_the_same(cluster: Cluster, tmp_path: Path) -> None:
    with opened(tmp_path / "cluster") as store:
        deadly = Deadly(store.environment)
        deadly.victim = cluster.workers[0]
        there = carry_out(EXPERIMENT, deadly, seeds=SEEDS, cluster=cluster.address)
    with opened(tmp_path / "here") as store:
        here = carry_out(EXPERIMENT, store, seeds=SEEDS)
    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert cluster.workers[1].poll() is None
    assert there.trained == here.trained == 2 * SEEDS
    assert there.summary.figures == here.summary.figures
    assert there.summary.checks == here.summary.checks
    assert there.summary.because == here.summary.because
