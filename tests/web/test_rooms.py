"""Allowed imports, checked in the sources and in a new process.

`app.web` has six parts.  The hall (the files of `app/web` itself), `pictures` and `service` import no
page, and a page imports no other page.

"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from app.project import ROOT

WEB = ROOT / "app" / "web"
ROOMS = {"algorithms", "links", "pages", "pictures", "service"}
SOURCES = sorted((ROOT / "app").rglob("*.py"))
TRAINING = {"training", "numba", "jax", "optax"}
SHARED = "parts"  # the folder with parts of several pages


@cache
def parse(source: Path) -> list[ast.AST]:
    """Return all nodes of the syntax tree of a source, the root first."""
    return [*ast.walk(ast.parse(source.read_text()))]


def imports(source: Path) -> Iterator[str]:
    """Yield every module that a source imports, and each imported name, which may be a module."""
    for node in parse(source):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{source} imports relatively"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def parts(source: Path) -> list[str]:
    return list(source.relative_to(ROOT).with_suffix("").parts)


def page_of(module: list[str]) -> str:
    """Return the page that a module belongs to, "" for other modules."""
    in_pages = module[:3] == ["app", "web", "pages"] and len(module) > 3
    return module[3] if in_pages and module[3] not in (SHARED, "__init__") else ""


def test_the_rooms_are_these() -> None:
    assert {path.name for path in WEB.iterdir() if path.is_dir()} - {"__pycache__"} == ROOMS


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_a_source_imports_only_what_its_room_may(source: Path) -> None:
    here, taken = parts(source), [module.split(".") for module in imports(source)]
    assert not TRAINING & {module[0] for module in taken}
    ours = [module for module in taken if module[0] == "app"]
    if here[1] == "tictactoe":
        assert all(module[:2] == ["app", "tictactoe"] for module in ours)
    elif here[1] == "tables":
        assert all(module[1] in ("tables", "tictactoe") for module in ours)
    elif here[1] == "textbook":
        assert all(module[:2] == ["app", "textbook"] for module in ours)
    elif here[1] == "translations":
        assert all(module[:2] == ["app", "translations"] for module in ours)
    elif here[1] != "web":
        assert all(
            module[1]
            in ("tictactoe", "tables", "recipes", "sources", "project", "doctor", "textbook")
            for module in ours
        )
    elif source != WEB / "application.py":  # the application factory may import pages
        if here[2] != "pages":
            assert not [module for module in ours if module[2:3] == ["pages"]]
        assert {page_of(module) for module in ours} <= {"", page_of(here)}


@pytest.mark.long
def test_the_site_starts_without_what_trains() -> None:
    script = (
        "import sys, app.web.application\n"
        f"print(*({TRAINING} | {{'llvmlite'}}) & {{name.split('.')[0] for name in sys.modules}})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.long
def test_a_name_of_a_class_stands_once() -> None:
    """A textbook learner has the name of its recipe, and the doctor is copied to other projects.

    The saved kernels of numba contain the names of classes in `training/learners`: with another name
    they could not be read.
    """
    names = Counter(
        node.name
        for source in (*SOURCES, *(ROOT / "training").rglob("*.py"))
        if not {"textbook", "learners"} & {*source.parts} and source.name != "doctor.py"
        for node in parse(source)
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.long
def test_no_import_gives_another_name() -> None:
    renamed = [
        f"{source.relative_to(ROOT)}: {name.asname}"
        for source in (*SOURCES, *(ROOT / "training").rglob("*.py"))
        for node in parse(source)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
        if name.asname not in (None, "np", "jnp", "npy")  # usual short names
    ]
    assert renamed == []


def list_outside_routes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a syntax tree without those inside a call of `Route`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.Call) and getattr(child.func, "id", "") == "Route"):
            yield from list_outside_routes(child)


@pytest.mark.long
def test_urls_are_written_in_routes() -> None:
    """Every link is built by the route, or by a function, of the page that it leads to."""
    literals = [
        f"{source.relative_to(WEB)}: {node.value}"
        for source in WEB.rglob("*.py")
        if source.parent.name not in ("links", "service")
        for node in list_outside_routes(parse(source)[0])
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.match("/(?!proc/|embed/$)[a-z]", node.value)  # /proc is the kernel's
    ]
    assert literals == []


def test_a_plain_page_needs_no_match_and_no_agent() -> None:
    script = (
        "import sys, app.web.pages.glossary\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] in ('app', 'training')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert "app.web.pages.glossary" in loaded
    assert len(loaded) <= 25, loaded
