"""What the service can carry: `python -m tests.service.load`.

Starts its own servers as the Procfile says.  Processor time, ratios and sizes hold on a machine
that others use too; rates and times wish for one that is quiet.
"""

import os
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import click

from tests.service import memory, on_demand, rates, sizes, wrk
from tests.service.tables import Table, put_into, show

GIB = 2**30
ONE_CORE = (0, 1)  # the server's and the load's


class Effort(NamedTuple):
    """How much time to take."""

    rounds: int
    seconds: int  # a round
    starts: int
    requests: int  # for the growth of memory
    lab: float  # seconds of people in the lab


FULL, QUICK = Effort(5, 1, 5, 100_000, 120.0), Effort(3, 1, 3, 8_000, 30.0)


@click.command()
@click.option("--quick", is_flag=True, help="Take less time, and accept more noise.")
@click.option(
    "--markdown", type=click.Path(path_type=Path, exists=True), help="Put the tables here, too."
)
def main(quick: bool, markdown: Path | None) -> None:
    """Print rates, start, memory and sizes, each beside what was hoped for."""
    if not wrk.available():
        sys.exit(wrk.MISSING)
    for table in _measure(QUICK if quick else FULL):
        show(table)
        if markdown:
            put_into(markdown, table)


def _measure(effort: Effort) -> Iterator[Table]:
    yield machine()
    yield sizes.table()
    yield memory.at_start(effort.starts)
    yield on_demand.table(effort.lab)
    title = (
        f"{wrk.CONNECTIONS} connections; medians of {effort.rounds} rounds of {effort.seconds} s"
    )
    found = rates.measure(effort.rounds, effort.seconds)
    yield rates.table("two-workers", f"Two workers; {title}", found)
    found = rates.measure(effort.rounds, effort.seconds, workers=1, cores=ONE_CORE)
    yield rates.table("one-core", f"One worker on one core, the load on another; {title}", found)
    yield rates.capacity(found)
    yield rates.growth(effort.rounds, effort.seconds)
    yield memory.over_time(effort.requests, steps=4)


def machine() -> Table:
    """Say where and when something was measured."""
    ram = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    rows = [
        ["day", f"{datetime.now(UTC):%Y-%m-%d}"],
        ["cores", f"{os.cpu_count()}, {_processor()}"],
        ["memory", f"{ram:.0f} GiB"],
        ["Python", platform.python_version()],
        ["others at work before (load of the last minute)", f"{os.getloadavg()[0]:.1f}"],
    ]
    return Table("machine", "The machine", ["", ""], rows)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


if __name__ == "__main__":
    main()
