"""The API: the facts of the pages as JSON, each at an address of its own.

`schema` says what can be asked and what comes back, `answers` finds it, `operations` puts it behind
addresses; `description` and `page` explain all that to programs and to people.
"""

from flask import Flask

from app.web.pages.api import operations, page
from app.web.pages.api.description import describe
from app.web.world import world


def init_app(app: Flask) -> None:
    """Serve the API, its description, and the page that explains it."""
    app.register_blueprint(operations.bp)
    app.register_blueprint(page.bp)
    with app.app_context():
        app.extensions["openapi"] = describe(world())
