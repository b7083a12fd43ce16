"""What people see: the site as a Flask app.  It imports the game, and never the training."""

import random
from importlib import import_module
from pathlib import Path

from flask import Flask

from app.project import COMMAND, ROOT, read_version
from app.web import rendering
from app.web.facts import judge_policy, list_puzzles, play_round_robin
from app.web.service import (
    compiled,
    deployment,
    errors,
    headers,
    languages,
    packing,
    queries,
)
from app.web.service.cache import cached
from app.web.service.request_id import identify_requests
from app.web.site_data import load_site_data

PAGE_MODULES = (
    "front",
    "play",
    "embed",
    "puzzle",
    "mind",
    "agents",
    "arena",
    "compare",
    "teach.page",
    "teach.paper",
    "teach.classroom",
    "why",
    "lesson",  # before the other parts of /how, whose addresses look like its own
    "how",
    "lab.page",
    "experiments",
    "faults",
    "glossary",
    "judge",
    "api.operations",
)
PAGES = [
    import_module(f"{__name__}.pages.{name}") for name in PAGE_MODULES
]  # each has a blueprint


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
    app.jinja_env.globals["command"] = COMMAND
    settings = deployment.settings()
    app.extensions["version"] = read_version()
    app.extensions["random"] = (
        random.SystemRandom() if seed is None else random.Random(seed)
    )
    queries.init_app(app)
    packing.init_app(app, ROOT / "static")
    headers.init_app(app)
    # Not before all settings are known to be right: it takes a while.
    app.extensions["site"] = site = load_site_data(
        models or settings.models, settings.lab
    )
    # What a worker would else find at its first visitors' cost: 0.15 s.
    play_round_robin(site, "")
    _ = list_puzzles(site)
    for name in site.policies:
        judge_policy(site, name)
    languages.init_app(app)
    errors.init_app(app)
    for module in (*PAGES, deployment):
        app.register_blueprint(module.bp)
    compiled.init_app(app)
    rendering.init_app(app)
    app.wsgi_app = cached(app.wsgi_app, queries.query_reader(app))  # type: ignore[assignment, method-assign]
    deployment.init_app(app, settings)
    if settings.metrics:
        import_module(f"{__name__}.service.metrics").init_app(app)
    app.wsgi_app = identify_requests(app.wsgi_app)  # type: ignore[assignment, method-assign]
    return app
