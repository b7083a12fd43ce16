"""Experiments that check claims: a file for each group of claims, and the engine that runs them."""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from training.experiments.claim import Experiment


@cache
def load_experiments() -> dict[str, "Experiment"]:
    """Return all experiments that the files of this folder define, by the id of their claim."""
    from training.experiments.claim import Experiment  # noqa: PLC0415 - only when it is needed

    files = Path(__file__).parent.glob("[!_]*.py")
    modules = [import_module(f"{__name__}.{file.stem}") for file in files]
    every = [one for module in modules for one in vars(module).values()]
    return {one.id: one for one in every if isinstance(one, Experiment)}
