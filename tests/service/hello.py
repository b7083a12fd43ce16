"""A minimal Flask application, for comparison with the site's speed."""

from flask import Flask


def create_app() -> Flask:
    app = Flask(__name__)

    @app.get("/")
    @app.get("/healthz")
    def hello() -> str:
        return "Hello"

    return app
