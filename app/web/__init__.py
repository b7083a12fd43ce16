"""The site as a Flask app, which imports the game but never the training."""

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
from app.web.service.cache import cache_responses
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
    "lesson",  # before "how", because the URL rule of "how" also matches lesson steps
    "how",
    "lab.page",
    "experiments",
    "faults",
    "glossary",
    "judge",
    "api.operations",
)
# each has a blueprint
PAGES = [import_module(f"{__name__}.pages.{name}") for name in PAGE_MODULES]


def create_app(models_folder: Path | None = None, seed: int | None = None) -> Flask:
    """Return the site with the models of a folder, by default the folder in the environment.

    With a `seed` agents draw equal moves in each run. Raises ModelError, naming the file and the
    reason, for a broken model, and SettingError for a wrong variable of the environment.
    """
    app = Flask(__name__, static_folder=None, template_folder=ROOT / "templates")
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "extensions": ["jinja2.ext.i18n"],
    }
    app.jinja_env.globals["command"] = COMMAND
    settings = deployment.read_settings()
    app.extensions["version"] = read_version()
    app.extensions["random"] = (
        random.SystemRandom() if seed is None else random.Random(seed)
    )
    queries.init_app(app)
    packing.init_app(app, ROOT / "static")
    headers.init_app(app)
    # Loading takes a while, so all settings are checked first.
    app.extensions["site"] = site = load_site_data(
        models_folder or settings.models_folder, settings.is_lab_enabled
    )
    # Computed here, so that the first visitors of a worker need not wait 0.15 s.
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
    app.wsgi_app = cache_responses(app.wsgi_app, queries.build_query_reader(app))  # type: ignore[assignment, method-assign]
    deployment.init_app(app, settings)
    app.wsgi_app = identify_requests(app.wsgi_app)  # type: ignore[assignment, method-assign]
    return app
