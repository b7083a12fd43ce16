"""Lighthouse scores of the main pages, on a phone and a desktop: `make lighthouse`.

The paths of lighthouse and of the browser are in LIGHTHOUSE and CHROME_PATH.

"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tests.service.server import serving
from tests.service.tables import Table, put_into, show

PAGES = (
    "/",
    "/play/",
    "/puzzle/5",
    "/mind/q-table",
    "/how/why",
    "/agents",
    "/agents/q-learning-1",
    "/agents/dqn-vs-random",
    "/arena",
    "/how/league",
    "/compare/",
    "/lab",
    "/experiments",
    "/experiments/alpha-gamma",
    "/judge",
    "/why/4081?cell=6&lens=q-learning-1",
)
DEVICES: dict[str, list[str]] = {"phone": [], "desk": ["--preset=desktop"]}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
FLAGS = ["--quiet", "--chrome-flags=--headless=new --no-sandbox", "--output=json"]
TRIES = 3  # on a busy machine the browser may be late
HEADER = [
    "page",
    *(name.replace("-", " ") for name in CATEGORIES),
    "largest paint",
    "layout shift",
    "KB",
]
Report = dict[str, Any]


@click.command()
@click.option(
    "--markdown", type=click.Path(path_type=Path, exists=True), help="Put the table here, too."
)
def main(markdown: Path | None) -> None:
    """Print a table of scores (goal: 100 each), and all audits that cost points."""
    with serving() as app:
        reports = {
            f"{path} ({device})": _report(app.url + path, flags)
            for path in PAGES
            for device, flags in DEVICES.items()
        }
    rows = [[name, *_figures(report)] for name, report in reports.items()]
    table = Table("lighthouse", "Lighthouse, goal 100 everywhere", HEADER, rows)
    show(table)
    for name, report in reports.items():
        for line in _lost(report):
            click.echo(f"{name}: {line}")
    if markdown:
        put_into(markdown, table)


def _report(url: str, flags: list[str], tries: int = TRIES) -> Report:
    command = [os.environ["LIGHTHOUSE"], url, *FLAGS, *flags]
    said = subprocess.run(command, check=tries == 1, stdout=subprocess.PIPE)
    if said.returncode:
        return _report(url, flags, tries - 1)
    report: Report = json.loads(said.stdout)
    return report


def _figures(report: Report) -> list[str]:
    audits = report["audits"]
    return [
        *(f"{100 * report['categories'][name]['score']:.0f}" for name in CATEGORIES),
        f"{audits['largest-contentful-paint']['numericValue'] / 1000:.2f} s",
        f"{audits['cumulative-layout-shift']['numericValue']:.3f}",
        f"{audits['total-byte-weight']['numericValue'] / 1000:.1f}",
    ]


def _lost(report: Report) -> Iterator[str]:
    """Yield the audits that count and are not perfect, with the elements that they name."""
    for category in report["categories"].values():
        for part in category["auditRefs"]:
            audit = report["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                items = audit.get("details", {}).get("items", [])
                named = [item["node"]["selector"] for item in items if "node" in item][:3]
                value = audit.get("displayValue", "")
                yield " ".join([category["id"], audit["id"], f"{audit['score']}", value, *named])


if __name__ == "__main__":
    main()
