"""Build hook for the wheel: put the project's folders below one package, `q_tac_toe`.

The repository has the packages `app` and `training`, whose names are too common to be installed
as they are.  In the wheel they are `q_tac_toe.app` and `q_tac_toe.training`, so this hook adds the
prefix to their import statements.  pip does the same with its vendored libraries.
"""

import re
import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "q_tac_toe"
FOLDERS = ("app", "training", "static", "templates", "models")
FILES = ("CITATION.cff", "gunicorn.conf.py", "docs/judge.py", "docs/play_over_http.py")
OURS = re.compile(r"^(\s*(?:from|import) )(?=(?:app|training)[. ])", re.MULTILINE)
WHOLE = re.compile(r"^\s*import (app|training)\b(?!.* as )", re.MULTILINE)


class PackageHook(BuildHookInterface[BuilderConfig]):
    """Builds the package in a temporary folder, from which the wheel is made."""

    folder: Path

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the package, except for an editable install, which imports the repository."""
        self.folder = Path(mkdtemp())
        if version == "editable":
            return
        root, package = Path(self.root), self.folder / PACKAGE
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / PACKAGE, package, ignore=ignored)
        for name in FOLDERS:
            shutil.copytree(root / name, package / name, ignore=ignored)
        for name in FILES:
            (package / name).parent.mkdir(exist_ok=True)
            shutil.copy(root / name, package / name)
        for source in package.rglob("*.py"):
            source.write_text(add_prefix(source.read_text("utf-8")), "utf-8")
        build_data["force_include"][str(package)] = PACKAGE

    def finalize(
        self, version: str, build_data: dict[str, Any], artifact_path: str
    ) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self.folder)


def add_prefix(source: str) -> str:
    """Return a module's source with `q_tac_toe.` before `app` and `training` in its imports.

    Raises ValueError for `import app...`, because with the prefix it would define another name.
    """
    if found := WHOLE.search(source):
        raise ValueError(f"write 'from ... import' or '... as', not {found[0]!r}")
    return OURS.sub(rf"\1{PACKAGE}.", source)
