"""The notebook runs from its first cell to its last, and the site agrees with what it found."""

import ast
import csv
import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from app.web.service.deployment import ROOT
from tests.service.server import get

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
SITE = "http://127.0.0.1:8000"  # where the notebook looks for it
SECONDS = 600  # for a cell, on a busy machine


def outputs(notebook: Any, kind: str) -> list[str]:
    """What the cells of a notebook have shown of one kind, in their order."""
    shown = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [output["data"][kind] for output in shown if kind in output.get("data", {})]


@pytest.fixture(scope="module")
def run() -> Any:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": NOTEBOOK.parent}}
    return NotebookClient(notebook, timeout=SECONDS, resources=where).execute()


def test_it_is_kept_without_what_it_showed() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    assert Path(NOTEBOOK).stat().st_size < 10_000


def test_it_trains_draws_and_judges(run: Any) -> None:
    (picture,) = outputs(run, "image/png")
    assert len(picture) > 10_000
    judged = ast.literal_eval(
        next(text for text in outputs(run, "text/plain") if text.startswith("{"))
    )
    assert judged["blunders"] > 0
    assert judged["link"].startswith(f"{SITE}/judge?moves=")


def test_the_site_shows_the_same_agent(run: Any, server: str) -> None:
    shown = "".join(outputs(run, "text/html"))
    links = [unescape(link) for link in re.findall(r'(?:href|src)="([^"]+)"', shown)]
    assert len(links) == 3
    for link in links:
        assert get(link.replace(SITE, server))
    judged = ast.literal_eval(
        next(text for text in outputs(run, "text/plain") if text.startswith("{"))
    )
    curve = next(link for link in links if "/embed/curve/" in link)
    numbers = get(curve.replace(SITE, server).replace("?", ".csv?")).decode()
    *_, last = csv.reader(io.StringIO(numbers))
    assert int(last[1]) == judged["blunders"]
