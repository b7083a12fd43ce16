"""What people see: the site as a Flask app.  It imports the game, and never the training."""

import random
from pathlib import Path

from flask import Flask
from flask_compress import Compress

from app.web import api, assets, cors, deployment, errors, headers, macros
from app.web.agents.page import bp as agents
from app.web.arena import bp as arena
from app.web.compare.page import bp as compare
from app.web.deployment import ROOT
from app.web.health import bp as health
from app.web.how.page import bp as how
from app.web.judgement.page import bp as judgement
from app.web.kept import kept
from app.web.play.page import bp as play
from app.web.players import load_players
from app.web.why.page import bp as why


def create_app(models: Path | None = None, seed: int | None = None) -> Flask:
    """Build the site on the models of a folder, by default the one that the environment names.

    With a `seed` the agents draw the same moves each time; without, as chance has it.
    Raises ModelError, naming the file and the reason, if a model is broken, and SettingError if a
    variable of the environment is.
    """
    app = Flask(__name__, static_folder=None, template_folder=ROOT / "templates")
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.extensions["players"] = load_players(models or deployment.models())
    app.extensions["version"] = deployment.version()
    app.extensions["random"] = random.SystemRandom() if seed is None else random.Random(seed)
    Compress(app)
    cors.init_app(app)  # before the headers: after them it allows what they forbid
    headers.init_app(app)
    errors.init_app(app)
    macros.init_app(app)
    assets.init_app(app, ROOT / "static")
    for blueprint in (play, agents, judgement, arena, compare, why, how, health):
        app.register_blueprint(blueprint)
    api.init_app(app)
    app.wsgi_app = kept(app.wsgi_app)  # type: ignore[assignment, method-assign]
    deployment.init_app(app)
    return app
