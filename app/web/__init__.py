"""What people see: the site as a Flask app.  It imports the game, and never the training."""

import random
from pathlib import Path

from flask import Flask

from app.web import api, assets, cors, deployment, errors, headers, naming, packing, respond
from app.web.agents.page import bp as agents
from app.web.arena import bp as arena
from app.web.compare.page import bp as compare
from app.web.deployment import ROOT
from app.web.embed import bp as embed
from app.web.experiments.page import bp as experiments
from app.web.front.page import bp as front
from app.web.health import bp as health
from app.web.how.lesson import bp as lesson
from app.web.how.page import bp as how
from app.web.judge.page import bp as judge
from app.web.kept import Request, kept
from app.web.lab.page import bp as lab
from app.web.mind.page import bp as mind
from app.web.play import bp as play
from app.web.preview import bp as preview
from app.web.puzzle.page import bp as puzzle
from app.web.why.page import bp as why
from app.web.world import load_world


def create_app(models: Path | None = None, seed: int | None = None) -> Flask:
    """Build the site on the models of a folder, by default the one that the environment names.

    With a `seed` the agents draw the same moves each time; without, as chance has it.
    Raises ModelError, naming the file and the reason, if a model is broken, and SettingError if a
    variable of the environment is.
    """
    app = Flask(__name__, static_folder=None, template_folder=ROOT / "templates")
    app.request_class = Request  # notes what an answer depends on
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    settings = deployment.settings()
    app.extensions["version"] = deployment.version()
    app.extensions["random"] = random.SystemRandom() if seed is None else random.Random(seed)
    packing.init_app(app)
    cors.init_app(app)  # before the headers: after them it allows what they forbid
    # Not before all settings are known to be right: it takes a while.
    app.extensions["world"] = load_world(models or settings.models, settings.lab)
    headers.init_app(app)
    errors.init_app(app)
    naming.init_app(app)
    respond.init_app(app)
    assets.init_app(app, ROOT / "static")
    pages = (
        front,
        play,
        embed,
        preview,
        puzzle,
        mind,
        agents,
        arena,
        compare,
        why,
        how,
        lesson,
        lab,
        experiments,
        judge,
    )
    for blueprint in (*pages, health):
        app.register_blueprint(blueprint)
    api.init_app(app)
    app.wsgi_app = kept(app.wsgi_app)  # type: ignore[assignment, method-assign]
    deployment.init_app(app, settings)
    return app
