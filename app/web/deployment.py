"""How the site stands in the world: its models, the proxies before it, its name.

All of it is told by the environment, and each default suits a server of one's own.
"""

import os
import tomllib
from pathlib import Path

from flask import Flask, redirect, request
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.wrappers import Response

from app.web.health import HEALTH

ROOT = Path(__file__).parent.parent.parent
MAX_PROXIES = 9


class SettingError(ValueError):
    """A variable of the environment that cannot be right: the message names it."""


def models() -> Path:
    """Return the folder of the models: MODELS, or the one of this project."""
    return Path(os.environ.get("MODELS") or ROOT / "models")


def version() -> str:
    """Return the version of the project."""
    project: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["version"]


def init_app(app: Flask) -> None:
    """Believe the proxies, and lead to the one host, that the environment names.

    TRUSTED_PROXIES is how many proxies add to the X-Forwarded headers of a request, none by
    default: nobody else is believed who or where a request was for.  CANONICAL_HOST is the name
    that the site goes by; who asks for it by another is led there.
    Raises SettingError, naming the variable, if one of them is wrong.
    """
    proxies = os.environ.get("TRUSTED_PROXIES") or "0"
    if not (proxies.isdecimal() and int(proxies) <= MAX_PROXIES):
        raise SettingError(f"TRUSTED_PROXIES is 0 to {MAX_PROXIES}, not {proxies!r}")
    if count := int(proxies):
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=count, x_proto=count, x_host=count
        )
    if host := os.environ.get("CANONICAL_HOST"):
        app.before_request(lambda: lead_to(host))


def lead_to(host: str) -> Response | None:
    """Redirect a request for another host to this one; whether the server is well may all ask."""
    if request.host == host or request.path == HEALTH:
        return None
    return redirect(f"{request.scheme}://{host}{request.full_path.rstrip('?')}", 308)
