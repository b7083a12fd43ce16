"""What people see: the site as a Flask app.  It imports the game, and never the training."""

import random
from pathlib import Path

from flask import Flask

from app.web import respond
from app.web.pages import (
    agent,
    agents,
    api,
    arena,
    compare,
    embed,
    experiments,
    front,
    glossary,
    judge,
    mind,
    play,
    puzzle,
    sources,
    teach,
    why,
)
from app.web.pages.how import page as how
from app.web.pages.lab import page as lab
from app.web.service import compiled, deployment, errors, headers, languages, packing
from app.web.service.cache import cached
from app.web.service.deployment import ROOT
from app.web.world import load_world

PAGES = (
    front,
    play,
    embed,
    puzzle,
    mind,
    agent,
    agents,
    arena,
    compare,
    teach,
    why,
    how,
    lab,
    experiments,
    sources,
    glossary,
    judge,
    deployment,
)


def create_app(models: Path | None = None, seed: int | None = None) -> Flask:
    """Build the site on the models of a folder, by default the one that the environment names.

    With a `seed` the agents draw the same moves each time; without, as chance has it.
    Raises ModelError, naming the file and the reason, if a model is broken, and SettingError if a
    variable of the environment is.
    """
    app = Flask(__name__, static_folder=None, template_folder=ROOT / "templates")
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "extensions": ["jinja2.ext.i18n"],
    }
    settings = deployment.settings()
    app.extensions["version"] = deployment.version()
    app.extensions["random"] = random.SystemRandom() if seed is None else random.Random(seed)
    packing.init_app(app, ROOT / "static")
    headers.init_app(app)
    # Not before all settings are known to be right: it takes a while.
    app.extensions["world"] = world = load_world(models or settings.models, settings.lab)
    # What a worker would else find at its first visitors' cost: 0.15 s.
    world.round_robin("")
    _ = world.puzzles
    for name in world.policies:
        world.judgement(name)
    languages.init_app(app)
    errors.init_app(app)
    for page in PAGES:
        app.register_blueprint(page.bp)
    compiled.init_app(app)
    respond.init_app(app)
    api.init_app(app)
    app.wsgi_app = cached(app.wsgi_app)  # type: ignore[assignment, method-assign]
    deployment.init_app(app, settings)
    return app
