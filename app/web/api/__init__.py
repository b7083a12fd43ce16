"""The API: the facts of the pages as JSON, each at an address of its own.

`parameters` says what can be asked, `answers` what comes back, `facts` how it is found, and
`operations` puts them behind addresses; `description` and `page` explain all that to programs and
to people.
"""

from flask import Flask

from app.web.api import operations, page
from app.web.api.description import describe
from app.web.players import players


def init_app(app: Flask) -> None:
    """Serve the API, its description, and the page that explains it."""
    app.register_blueprint(operations.bp)
    app.register_blueprint(page.bp)
    with app.app_context():
        app.extensions["openapi"] = describe(players())
