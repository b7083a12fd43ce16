"""Tests of failures on the deployed site: `python -m tests.service.faults`."""

import resource
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tests.service.faults import (  # noqa: F401 - each adds its scenarios
    answers,
    every_record,
    odd_requests,
    slow_clients,
    surroundings,
    training,
    workers,
)
from tests.service.faults.every_record import orders
from tests.service.faults.finding import SCENARIOS, Finding, Scenario
from tests.service.load import machine
from tests.service.tables import Table, put_into, show

HEADER = ["Fault", "What was done", "What must hold", "What was seen", ""]


@click.command()
@click.argument("names", nargs=-1, metavar="[FAULT]...", type=click.Choice(list(SCENARIOS)))
@click.option("--all", "everything", is_flag=True, help="All records, not a sample: half an hour.")
@click.option(
    "--markdown",
    type=click.Path(path_type=Path, exists=True),
    help="Put the tables here, too; all faults only.",
)
def main(names: tuple[str, ...], everything: bool, markdown: Path | None) -> None:
    """Run all scenarios, or the named ones, and print the results."""
    if not shutil.which("pgrep"):
        sys.exit("pgrep is needed to find the workers: apt-get install procps")
    if names and markdown:
        raise click.UsageError("--markdown wants all faults: it replaces the whole table.")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # some hold thousands of connections
    scenarios = SCENARIOS | {"records": partial(orders, everything)}
    found = list(tried({name: scenarios[name] for name in names or scenarios}))
    failed = [finding for _, finding in found if not finding.ok]
    title = f"{len(found) - len(failed)} of {len(found)} as they must be"
    for table in (machine(), Table("faults", title, HEADER, rows(found), align="left")):
        show(table)
        if markdown:
            put_into(markdown, table)
    sys.exit(bool(failed))


def tried(scenarios: dict[str, Scenario]) -> Iterator[tuple[str, Finding]]:
    """Run scenarios one after the other; an exception in a scenario is a finding, too."""
    columns = [SpinnerColumn(finished_text=" "), TextColumn("{task.description}")]
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        for name, scenario in scenarios.items():
            task = progress.add_task(name, total=1)
            for finding in safely(scenario):
                progress.update(task, description=f"{name}: {finding.done}")
                if not finding.ok:
                    progress.console.print(f"[red]not ok[/] {escape('; '.join(finding[:3]))}")
                yield name, finding
            progress.update(task, description=name, completed=1)


def safely(scenario: Scenario) -> Iterator[Finding]:
    try:
        yield from scenario()
    except Exception as error:
        yield Finding("everything up to here", "no other fault", f"{error!r}"[:500], False)


def rows(found: list[tuple[str, Finding]]) -> list[list[str]]:
    """Return findings as rows; cells equal to the row above are empty."""
    written, above = [], ("", "")
    for name, finding in found:
        same = name == above[0], (name, finding.must) == above
        written.append(
            [
                "" if same[0] else name,
                finding.done,
                "as above" if same[1] else finding.must,
                finding.seen,
                "ok" if finding.ok else "NOT OK",
            ]
        )
        above = name, finding.must
    return written


if __name__ == "__main__":
    main()
