"""Allowed imports: training -> app.recipes, app.tictactoe <- app.web."""

import subprocess
import sys

import pytest


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "never"),
    [
        ("app.tictactoe", {"flask", "numba", "jax", "optax", "training", "app.web"}),
        ("app.tables", {"flask", "numba", "jax", "optax", "training", "app.web"}),
        ("app.recipes", {"flask", "numba", "jax", "optax", "training", "app.web"}),
        ("training.learners", {"flask", "app.web", "jax", "optax"}),
        ("app.web", {"numba", "jax", "optax", "rich", "training"}),
        ("training.cli", {"flask", "app.web", "jax", "optax", "numba", "rich"}),
        ("training.experiments.engine", {"distributed"}),
    ],
)
def test_importing_it_never_imports(module: str, never: set[str]) -> None:
    walk = (
        f"import importlib, pkgutil, sys, {module} as package\n"
        "for found in pkgutil.walk_packages(getattr(package, '__path__', []), '%s.'):\n"
        "    importlib.import_module(found.name)\n"
        "print('\\n'.join(sys.modules))" % module
    )
    loaded = subprocess.run(
        [sys.executable, "-c", walk], capture_output=True, text=True, check=True
    ).stdout.split()
    assert module in loaded
    assert not never & set(loaded)
