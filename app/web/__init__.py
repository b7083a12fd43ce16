"""The Flask app of the site, which imports the game but never the training."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask


def create_app(models_folder: Path | None = None, seed: int | None = None) -> "Flask":
    """Return the site; `application.create_app` explains the arguments and the errors."""
    # Imported here, so that one page can be imported without all the others.
    from app.web import application  # noqa: PLC0415

    return application.create_app(models_folder, seed)
