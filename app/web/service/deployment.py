"""Settings from environment variables, and pages for machines, such as robots.txt and the sitemap.

The defaults are right for a server without a proxy.
"""

import os
import re
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import werkzeug
from flask import Blueprint, Flask, Response, current_app, jsonify, redirect, request
from markupsafe import escape
from werkzeug.middleware.proxy_fix import ProxyFix

from app.project import ROOT
from app.tictactoe.agents import ModelError
from app.web.navigation import list_sitemap
from app.web.site_data import get_current_site
from app.web.trainer import Trainer

bp = Blueprint("health", __name__)

STARTED_BY_TERMINAL = os.isatty(0)
MAX_PROXIES = 9
HOST_NAME_PATTERN = re.compile(r"(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*(?<!-)")
# RFC 9116 allows these forms.
CONTACT_PATTERN = re.compile(r"mailto:[!-?A-~]+@[!-?A-~]+|https://[!-~]+")
CONTACT_LIFETIME = timedelta(days=180)


class SettingError(ValueError):
    """Raised for an invalid environment variable; the message names it."""


def read_number(variable_name: str, default: int, minimum: int, maximum: int) -> int:
    """Return the whole number in an environment variable, or the default if it is empty.

    Raises SettingError, naming the variable, if it is not a number from `minimum` to `maximum`.
    """
    text = os.environ.get(variable_name) or str(default)
    if not (re.fullmatch("[0-9]{1,9}", text) and minimum <= int(text) <= maximum):
        raise SettingError(
            f"{variable_name} is a number from {minimum} to {maximum}, not {text!r}."
        )
    return int(text)


# Errors of the operator end the start with a sentence instead of a traceback.
STOPPING_ERRORS = (SettingError, ModelError)


def print_error(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Print why the site does not start; only our own bugs have a traceback."""
    if isinstance(error, STOPPING_ERRORS):
        print(f"Not started. {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def allow_connections(maximum: int) -> int:
    """Let this process open many files, and return how many connections it can have.

    A connection needs a file. One third of the files is kept for other uses.
    """
    import resource  # noqa: PLC0415 - there is no such module on Windows

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Some systems refuse an unlimited number of open files.
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return maximum if most == resource.RLIM_INFINITY else min(maximum, 2 * most // 3)


def read_binding() -> tuple[int, str]:
    """Return the number of workers and the address, from WORKERS, HOST and PORT."""
    host = os.environ.get("HOST") or "0.0.0.0"
    # An IPv6 address before a port needs brackets.
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    try:
        workers = read_number("WORKERS", 2, 1, 64)
        return workers, f"{host}:{read_number('PORT', 8000, 1, 65535)}"
    except SettingError as error:
        # The Procfile renames WEB_CONCURRENCY to WORKERS, or gunicorn would show a traceback.
        sys.exit(f"Not started. {error}".replace("WORKERS", "WEB_CONCURRENCY"))


def has_lost_terminal() -> bool:
    return STARTED_BY_TERMINAL and not os.isatty(0)


def find_trainer(application: Flask) -> Trainer | None:
    """Return the trainer of an application, None if it has none."""
    site = application.extensions.get("site")
    return site.on_demand.trainer if site else None


class Settings(NamedTuple):
    models_folder: Path
    is_lab_enabled: bool
    # The number of trusted proxies, which add to the X-Forwarded headers.
    proxy_count: int
    # The trusted proxies also set X-Forwarded-Host.
    trusts_forwarded_host: bool
    canonical_host: str
    # in security.txt; "" without this file
    contact: str


def read_settings() -> Settings:
    """Return the settings in the environment; docs/serving.md explains the variables.

    By default no proxy is trusted. Raises SettingError, naming the variable, if one is invalid.
    """
    contact = os.environ.get("SECURITY_CONTACT", "")
    if contact and not CONTACT_PATTERN.fullmatch(contact):
        raise SettingError(
            f"SECURITY_CONTACT begins with mailto: or https://, not {contact!r}."
        )
    return Settings(
        models_folder=Path(os.environ.get("MODELS") or ROOT / "models"),
        is_lab_enabled=read_number("LAB", 1, 0, 1) == 1,
        proxy_count=read_number("TRUSTED_PROXIES", 0, 0, MAX_PROXIES),
        trusts_forwarded_host=read_number("FORWARDED_HOST", 0, 0, 1) == 1,
        canonical_host=read_canonical_host(),
        contact=contact,
    )


def init_app(app: Flask, settings: Settings) -> None:
    """Apply the settings for proxies, for the host name, and for security.txt."""
    count = settings.proxy_count
    if count:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app,
            x_for=count,
            x_proto=count,
            x_host=count * settings.trusts_forwarded_host,
        )
    if settings.canonical_host:
        app.before_request(lambda: redirect_to_host(settings.canonical_host))
    if settings.contact:
        app.add_url_rule(
            SECURITY_PATH,
            view_func=lambda: show_contact(settings.contact),
            endpoint=SECURITY_PATH,
        )


def read_canonical_host() -> str:
    """Return CANONICAL_HOST without the usual port, "" if it is not set.

    Raises SettingError if it is not a host name.
    """
    text = os.environ.get("CANONICAL_HOST", "")
    host = text.lower().removesuffix(":80").removesuffix(":443")
    # A wrong port or IPv6 address raises ValueError.
    with suppress(ValueError):
        address = urlsplit(f"//{host}")
        is_name = HOST_NAME_PATTERN.fullmatch(address.hostname or "")
        is_host = address.netloc == host and (is_name or host.startswith("["))
        if not text or (is_host and address.port != 0):
            return host
    raise SettingError(f"CANONICAL_HOST is a name like play.example.org, not {text!r}.")


def redirect_to_host(host: str) -> werkzeug.Response | None:
    if request.host.lower() == host or request.path == HEALTH_PATH:
        return None
    return redirect(urlsplit(request.url)._replace(netloc=host).geturl(), 308)


HEALTH_PATH, ROBOTS_PATH, SITEMAP_PATH = "/healthz", "/robots.txt", "/sitemap.xml"
SECURITY_PATH = "/.well-known/security.txt"


def show_contact(contact: str) -> Response:
    """Return security.txt: where to report a vulnerability, and how long this is valid."""
    expires = datetime.now(UTC) + CONTACT_LIFETIME
    text = f"Contact: {contact}\nExpires: {expires:%Y-%m-%dT00:00:00Z}\n"
    return Response(text, mimetype="text/plain")


# An asterisk stands for any characters.
DISALLOWED_PATHS = ("/lab/", "/teach", "/reply/", "/set/", "/*,", "/*%2C", "/*?")


def is_left_to_people(url: str) -> bool:
    prefixes = [re.escape(path).replace(r"\*", ".*") for path in DISALLOWED_PATHS]
    return any(re.match(prefix, url) for prefix in prefixes)


@bp.get(ROBOTS_PATH)
def show_robots() -> Response:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED_PATHS)]
    lines.append(f"Sitemap: {request.host_url.rstrip('/')}{SITEMAP_PATH}")
    return Response("\n".join([*lines, ""]), mimetype="text/plain")


@bp.get(SITEMAP_PATH)
def show_sitemap() -> Response:
    paths = [url for url in list_sitemap(current_app) if not is_left_to_people(url)]
    host = escape(request.host_url.rstrip("/"))
    entries = "".join(f"<url><loc>{host}{path}</loc></url>\n" for path in paths)
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return Response(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{schema}">\n{entries}</urlset>\n',
        mimetype="application/xml",
    )


@bp.get(HEALTH_PATH)
def show_health() -> Response:
    """Return the version and the digests of the models, which were checked at the start."""
    digests = {
        name: agent.card.arrays_digest
        for name, agent in get_current_site().agents.items()
    }
    response = jsonify(
        status="ok", version=current_app.extensions["version"], models=digests
    )
    response.cache_control.no_store = True
    return response
