"""What people see: the site as a Flask app.  It imports the game, and never the training."""

import random
from pathlib import Path

from flask import Flask
from flask_compress import Compress

from app.web import assets, errors, headers, play
from app.web.health import bp as health
from app.web.players import load_players

ROOT = Path(__file__).parent.parent.parent


def create_app(models: Path = ROOT / "models", seed: int | None = None) -> Flask:
    """Build the site on the models of a folder.

    With a `seed` the agents draw the same moves each time; without, as chance has it.
    Raises ModelError, naming the file and the reason, if a model is broken.
    """
    app = Flask(__name__, static_folder=None, template_folder=ROOT / "templates")
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.extensions["players"] = load_players(models)
    app.extensions["random"] = random.SystemRandom() if seed is None else random.Random(seed)
    Compress(app)
    headers.init_app(app)
    errors.init_app(app)
    assets.init_app(app, ROOT / "static")
    for blueprint in (play.bp, health):
        app.register_blueprint(blueprint)
    return app
