"""The project's folder, version and command, in a checkout and in an installed package.

A wheel holds the folders `app` and `training` as `q_tac_toe.app` and `q_tac_toe.training`
(`hatch_build.py` adds the prefix to every import), with the other folders beside them.
"""

import tomllib
from importlib import metadata
from pathlib import Path

# This folder has app, training, static, templates and models.
ROOT = Path(__file__).parents[1]
# The prefix of module names is "" in a checkout and "q_tac_toe." in an installed package.
PACKAGE_PREFIX = __name__.removesuffix("app.project")
TRAINING_COMMAND = "q-tac-toe" if PACKAGE_PREFIX else "python -m training"


def read_version() -> str:
    if PACKAGE_PREFIX:
        return metadata.version("q-tac-toe")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])
