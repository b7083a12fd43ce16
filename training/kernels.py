"""Compile the training loops of the learners (kernels) in advance: `python -m training.kernels`.

numba saves them in files. A new machine needs 20 seconds for that; until then, learners in plain
Python take their place.
"""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from app.project import ROOT
from app.recipes import ALGORITHMS, Recipe
from app.tictactoe.files import get_runtime_folder

FIRST_COMPILED_SLUGS = ("q-table", "q-learning")
KERNEL_FOLDER_VARIABLE = "NUMBA_CACHE_DIR"


@cache
def choose_kernel_folder() -> Path:
    """Return the folder of the compiled kernels: beside the code, or a cache if that is read-only.

    The environment variable NUMBA_CACHE_DIR may name another one. Raises OSError if no folder can
    be written.
    """
    beside = ROOT / "training/learners/__pycache__"
    if KERNEL_FOLDER_VARIABLE in os.environ:
        folder = Path(os.environ[KERNEL_FOLDER_VARIABLE])
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    # This is numba's default, so the environment variable need not be set.
    if _is_writable(beside):
        return beside
    folder = user_cache_path("q-tac-toe") / "kernels"
    if not _is_writable(folder):
        folder = get_runtime_folder()
    os.environ[KERNEL_FOLDER_VARIABLE] = str(folder)
    return folder


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def is_compiled(algorithm: type[Recipe]) -> bool:
    """Return whether the kernels of an algorithm were compiled after the last change of the code."""
    try:
        return _get_marker_file(algorithm).stat().st_mtime > _find_last_code_change()
    except FileNotFoundError:
        return False


def compile_all_kernels() -> None:
    from training.jobs import answer_request  # noqa: PLC0415

    with (
        suppress(Timeout),
        FileLock(choose_kernel_folder() / "compiling.lock", blocking=False),
    ):
        remove_outdated_kernels()
        for algorithm in list_compiled_algorithms():
            if not is_compiled(algorithm):
                answer_request(f"seeds/0/{name_short_recipe(algorithm)}")
                _get_marker_file(algorithm).touch()


def remove_outdated_kernels() -> None:
    """Remove all saved kernels if the code has changed since any of them was compiled."""
    folder = choose_kernel_folder()
    markers = [*folder.glob("*.compiled")]
    # numba checks only the file of a kernel, not the files of the functions that it calls.
    if any(file.stat().st_mtime <= _find_last_code_change() for file in markers):
        for file in (*folder.rglob("*.nb[ic]"), *markers):
            file.unlink()


def list_compiled_algorithms() -> list[type[Recipe]]:
    kinds = [kind for kind in ALGORITHMS.values() if not kind.is_network]
    return sorted(kinds, key=lambda kind: kind.slug not in FIRST_COMPILED_SLUGS)


def name_short_recipe(algorithm: type[Recipe]) -> str:
    """Return a recipe of two games or sweeps, whose training compiles all kernels of an algorithm."""
    # An algorithm with several opponents, such as "random:50+self:200", gets a single one here.
    has_phases = ":" in getattr(algorithm(), "vs", "")
    return f"{algorithm.slug},{'vs=self,' * has_phases}{algorithm.length_parameter}=2"


@cache
def _find_last_code_change() -> float:
    sources = (ROOT / "training").rglob("*.py")
    return max(source.stat().st_mtime for source in sources)


def _get_marker_file(algorithm: type[Recipe]) -> Path:
    return choose_kernel_folder() / f"{algorithm.slug}.compiled"


if __name__ == "__main__":
    compile_all_kernels()
