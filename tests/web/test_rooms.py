"""Who may import whom, as DESIGN says: read off the sources, and tried in a new process."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.web.deployment import ROOT

WEB = ROOT / "app" / "web"
PAGES = {
    "front",
    "play",
    "puzzle",
    "mind",
    "agents",
    "compare",
    "embed",
    "arena",
    "why",
    "how",
    "experiments",
    "judge",
    "api",
}
SOURCES = sorted((ROOT / "app").rglob("*.py"))


def imports(source: Path) -> Iterator[str]:
    """Name every module that a source imports, and what it takes of one, which may be a module."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{source} imports relatively"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def room(source: Path) -> str:
    """The part of app that a source belongs to: of the site its page, "web" for what is shared."""
    first, *_ = parts = source.relative_to(ROOT / "app").parts
    if first != "web":
        return first
    return parts[1].removesuffix(".py") if parts[1].removesuffix(".py") in PAGES else "web"


def page_of(module: str) -> str:
    """The page that a module belongs to, "" for any other."""
    first, second, third, *_ = [*module.split("."), "", "", ""]
    return third if (first, second) == ("app", "web") and third in PAGES else ""


def test_every_page_is_there() -> None:
    assert {room(source) for source in SOURCES} == {
        *PAGES,
        "web",
        "tictactoe",
        "recipes",
        "experiments.py",
        "__init__.py",
    }


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_a_source_imports_only_what_its_room_may(source: Path) -> None:
    here, taken = room(source), set(imports(source))
    assert not {module for module in taken if module.split(".")[0] in ("training", "numba", "jax")}
    ours = {module for module in taken if module.startswith("app.")}
    if here == "tictactoe":
        assert all(module.startswith("app.tictactoe") for module in ours)
    elif here in ("recipes", "experiments.py"):
        assert all(module.startswith(("app.tictactoe", "app.recipes")) for module in ours)
    elif source != WEB / "__init__.py":  # which puts the site together
        assert {page_of(module) for module in ours} <= {"", here if here in PAGES else ""}


def test_the_site_starts_without_what_trains() -> None:
    script = (
        "import sys, app.web\n"
        "heavy = {'training', 'numba', 'jax', 'llvmlite', 'optax', 'joblib'}\n"
        "print(*(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
