"""Compile the training loops of the learners (kernels) in advance: `python -m training.kernels`.

numba saves them in files. That takes a new machine 20 seconds, in which plain Python learns.
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

# The most common algorithms are compiled first.
COMPILED_FIRST = ("q-table", "q-learning")
# numba reads this environment variable.
FOLDER_VARIABLE = "NUMBA_CACHE_DIR"


@cache
def choose_folder() -> Path:
    """Return the folder of the kernels, beside the code if it is writable, else in a user's folder.

    Raises OSError if there is none.
    """
    beside = ROOT / "training/learners/__pycache__"
    if FOLDER_VARIABLE in os.environ:
        folder = Path(os.environ[FOLDER_VARIABLE])
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    # numba saves what it compiles in this folder by itself.
    if _is_writable(beside):
        return beside
    folder = user_cache_path("q-tac-toe") / "kernels"
    if not _is_writable(folder):
        folder = get_runtime_folder()
    os.environ[FOLDER_VARIABLE] = str(folder)
    return folder


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def is_compiled(algorithm: type[Recipe]) -> bool:
    """Return whether the kernels of an algorithm are compiled, and the code has not changed since."""
    try:
        return _get_marker(algorithm).stat().st_mtime > _find_last_change()
    except FileNotFoundError:
        return False


def compile_all() -> None:
    """Compile the kernels that are missing, unless another process is doing it."""
    from training.jobs import answer_request  # noqa: PLC0415

    with (
        suppress(Timeout),
        FileLock(choose_folder() / "compiling.lock", blocking=False),
    ):
        for algorithm in list_compiled_algorithms():
            if not is_compiled(algorithm):
                answer_request(f"seeds/0/{name_short_recipe(algorithm)}")
                _get_marker(algorithm).touch()


def list_compiled_algorithms() -> list[type[Recipe]]:
    """Return the algorithms with kernels, the most common ones first."""
    kinds = [kind for kind in ALGORITHMS.values() if not kind.is_network]
    return sorted(kinds, key=lambda kind: kind.slug not in COMPILED_FIRST)


def name_short_recipe(algorithm: type[Recipe]) -> str:
    """Return the name of a recipe with two turns, whose training compiles all kernels of an algorithm.

    A recipe with several opponents has turns against each, so `vs` becomes a single opponent.
    """
    has_phases = ":" in getattr(algorithm(), "vs", "")
    return f"{algorithm.slug},{'vs=self,' * has_phases}{algorithm.length_parameter}=2"


@cache
def _find_last_change() -> float:
    sources = (ROOT / "training").rglob("*.py")
    return max(source.stat().st_mtime for source in sources)


def _get_marker(algorithm: type[Recipe]) -> Path:
    return choose_folder() / f"{algorithm.slug}.compiled"


if __name__ == "__main__":
    compile_all()
