"""Headers of every response: a browser trusts it with as little as possible.

And whether pages of other origins may read the API: none, but for those that are configured.
"""

import os
import re

from flask import Flask, Response, request
from werkzeug.datastructures import HeaderSet

from app.web import urls
from app.web.service.deployment import SettingError
from app.web.service.errors import API

POLICY = "Content-Security-Policy"
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
RESOURCES = "Cross-Origin-Resource-Policy"  # a picture of a board is for others, too
HEADERS = {
    POLICY: CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    RESOURCES: "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
# What is made for pages of others may be framed by them, and shown as a picture.
EMBEDDED = {
    POLICY: CONTENT_SECURITY_POLICY.replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    ),
    RESOURCES: "cross-origin",
}
UNSEARCHED = {"X-Robots-Tag": "noindex, nofollow"}  # links there lead on for ever
ON_HTTPS = {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"}
CORS_ORIGINS = "CORS_ORIGINS"
ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d+)?")
ANY = "*"


def init_app(app: Flask) -> None:
    """Add the headers to every response of this app, those of the API for the origins it allows.

    Raises SettingError, naming the variable, if one of CORS_ORIGINS is neither an origin nor `*`.
    """
    origins = frozenset(os.environ.get(CORS_ORIGINS, "").split())
    for origin in origins - {ANY}:
        if not ORIGIN.fullmatch(origin):
            raise SettingError(
                f"{CORS_ORIGINS}: {origin!r} is neither like https://example.org nor *"
            )

    def share(response: Response) -> Response:
        if request.path.startswith(API):
            _allow(response, origins)
        return response

    if origins:
        app.after_request(
            share
        )  # the first is called last: it allows what `secure` forbids
    app.after_request(secure)


def secure(response: Response) -> Response:
    """Set the headers on a response; where it leads is not kept unless it says so itself."""
    wanted = HEADERS | (ON_HTTPS if request.is_secure else {})
    if request.path.startswith(urls.EMBED):
        wanted |= EMBEDDED
    if request.path.startswith(f"{urls.LAB}/") or "," in request.path:
        wanted |= UNSEARCHED
    there = {name for name, _ in response.headers}
    response.headers.extend(
        {name: text for name, text in wanted.items() if name not in there}
    )
    if response.status_code == 308:  # by Werkzeug, which has a page of its own for it
        response.set_data(b"")
    if "Location" in there and "Cache-Control" not in there:
        response.cache_control.no_store = True
    return response


def _allow(response: Response, origins: frozenset[str]) -> None:
    origin = ANY if ANY in origins else request.headers.get("Origin")
    if origin != ANY:
        response.vary.add("Origin")
    if origin in origins:
        response.access_control_allow_origin = origin
        response.access_control_allow_headers = HeaderSet([ANY])
        response.access_control_expose_headers = HeaderSet(["ETag"])
        response.headers[RESOURCES] = "cross-origin"
