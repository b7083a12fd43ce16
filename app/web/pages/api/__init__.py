"""The API: the facts of the pages as JSON, each at an address of its own.

`schema` says what can be asked and what comes back, `operations` answers it, and `description`
explains all that to programs and to people.
"""

from flask import Flask

from app.web.pages.api import description, operations
from app.web.world import world


def init_app(app: Flask) -> None:
    """Serve the API, its description, and the page that explains it."""
    app.register_blueprint(operations.bp)
    app.register_blueprint(description.bp)
    with app.app_context():
        app.extensions["openapi"] = description.describe(world())
