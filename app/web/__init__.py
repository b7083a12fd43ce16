"""The site as a Flask app, which imports the game but never the training."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask


def create_app(models_folder: Path | None = None, seed: int | None = None) -> "Flask":
    """Return the site: see `application.create_app`, which imports all pages."""
    # Imported here, so that one page can be imported without all others.
    from app.web import application  # noqa: PLC0415

    return application.create_app(models_folder, seed)
