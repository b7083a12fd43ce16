"""The application: its pages, and all that they share."""

import random
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace

from flask import Flask

from app.project import ROOT, TRAINING_COMMAND, read_version
from app.tictactoe.game import GAME
from app.web import (
    formatting,
    links,
    navigation,
    rendering,
    routes,
)
from app.web.facts import judge_policy, list_puzzles, play_round_robin
from app.web.service import (
    canonical_names,
    compiled,
    deployment,
    errors,
    headers,
    languages,
    packing,
    queries,
)
from app.web.service.cache import ResponseCache
from app.web.service.request_id import identify_requests
from app.web.site_data import load_site_data

# Each module has a blueprint `bp`. The menus of the header list the pages in this order.
PAGE_MODULES = (
    "front",
    "play",
    "compare",
    "why",
    "embed",
    "puzzle",
    # The lesson comes before "how", whose URL rule also matches the steps of the lesson.
    "lesson",
    "how",
    "faults",
    "glossary",
    "teach.page",
    "teach.paper",
    "teach.classroom",
    "lab.page",
    "experiments",
    "agents",
    "mind",
    "arena",
    "judge",
    "api.operations",
)
PAGES = [import_module(f"{__package__}.pages.{name}") for name in PAGE_MODULES]
LINKS = [
    import_module(f"{links.__name__}.{each.name}")
    for each in iter_modules(links.__path__)
]


def create_app(models_folder: Path | None = None, seed: int | None = None) -> Flask:
    """Return the site with the models of a folder; an environment variable names the default.

    With a `seed`, agents make the same random moves each time the site runs. Raises ModelError for
    a broken model, naming the file and the reason, and SettingError for a wrong environment
    variable.
    """
    app = Flask(__name__, static_folder=None, template_folder=ROOT / "templates")
    app.jinja_options = {
        "trim_blocks": True,
        "lstrip_blocks": True,
        "extensions": ["jinja2.ext.i18n"],
    }
    app.jinja_env.globals |= {"command": TRAINING_COMMAND, "GAME": GAME}
    settings = deployment.read_settings()
    app.extensions["version"] = read_version()
    app.extensions["random"] = (
        random.SystemRandom() if seed is None else random.Random(seed)
    )
    queries.init_app(app)
    packing.init_app(app, ROOT / "static")
    headers.init_app(app)
    # Settings are checked before the models are loaded, which takes a while.
    app.extensions["site"] = site = load_site_data(
        models_folder or settings.models_folder, settings.is_lab_enabled
    )
    # Computed before the first request, which would otherwise wait 0.15 s for it.
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
    canonical_names.init_app(app)
    navigation.init_app(app)
    # A template calls the functions that build links as `urls.play_url`.
    app.jinja_env.globals["urls"] = SimpleNamespace(
        **{
            name: each
            for one in (*LINKS, routes)
            for name, each in vars(one).items()
            if not name.startswith("_")
        }
    )
    for function in (
        formatting.format_count,
        formatting.format_parameter,
        formatting.format_percent,
        formatting.format_signed,
    ):
        app.add_template_global(function)
    # Jinja's own filter makes all other letters small, also those of German nouns.
    app.add_template_filter(formatting.capitalize_first_letter, "capitalize")
    app.wsgi_app = ResponseCache(app.wsgi_app, queries.build_query_reader(app))  # type: ignore[method-assign]
    deployment.init_app(app, settings)
    app.wsgi_app = identify_requests(app.wsgi_app)  # type: ignore[assignment, method-assign]
    return app
