"""The least that Flask can do: what the site's speed is compared with."""

from flask import Flask


def create_app() -> Flask:
    app = Flask(__name__)

    @app.get("/")
    @app.get("/healthz")
    def hello() -> str:
        return "Hello"

    return app
