"""Security headers for all responses, and CORS headers that let other sites read the API."""

import os
import re

from flask import Flask, Response, request
from werkzeug.datastructures import HeaderSet

from app.web.links.lab import LAB_ROUTE
from app.web.routes import EMBED_PREFIX
from app.web.service.deployment import SettingError
from app.web.service.errors import API_PREFIX

POLICY_HEADER = "Content-Security-Policy"
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
RESOURCE_POLICY_HEADER = "Cross-Origin-Resource-Policy"
SECURITY_HEADERS = {
    POLICY_HEADER: CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    RESOURCE_POLICY_HEADER: "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
}
# Pages of other sites may show responses with these headers.
IFRAME_HEADERS = {
    POLICY_HEADER: CONTENT_SECURITY_POLICY.replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    ),
    RESOURCE_POLICY_HEADER: "cross-origin",
}
# Search engines would find endlessly many links on these pages.
NO_INDEX_HEADERS = {"X-Robots-Tag": "noindex, nofollow"}
HTTPS_HEADERS = {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"}
CORS_ORIGINS = "CORS_ORIGINS"
ORIGIN_PATTERN = re.compile(r"https?://[a-z0-9.-]+(:\d+)?")
ANY_ORIGIN = "*"


def init_app(app: Flask) -> None:
    """Add security headers to all responses, and CORS headers to the responses of the API.

    Raises SettingError if an entry of CORS_ORIGINS is neither an origin nor "*".
    """
    origins = frozenset(os.environ.get(CORS_ORIGINS, "").split())
    for origin in origins - {ANY_ORIGIN}:
        if not ORIGIN_PATTERN.fullmatch(origin):
            raise SettingError(
                f"{CORS_ORIGINS}: {origin!r} is neither like https://example.org nor *"
            )

    def share_api_response(response: Response) -> Response:
        if request.path.startswith(API_PREFIX):
            _allow_origins(response, origins)
        return response

    if origins:
        # Flask calls these functions in reverse order, so this one comes last.
        app.after_request(share_api_response)
    app.after_request(set_security_headers)


def set_security_headers(response: Response) -> Response:
    wanted = SECURITY_HEADERS | (HTTPS_HEADERS if request.is_secure else {})
    if request.path.startswith(EMBED_PREFIX):
        wanted |= IFRAME_HEADERS
    if request.path.startswith(f"{LAB_ROUTE.url()}/") or "," in request.path:
        wanted |= NO_INDEX_HEADERS
    there = {name for name, _ in response.headers}
    response.headers.extend(
        {name: text for name, text in wanted.items() if name not in there}
    )
    # Werkzeug adds an HTML page to this redirect.
    if response.status_code == 308:
        response.set_data(b"")
    if "Location" in there and "Cache-Control" not in there:
        response.cache_control.no_store = True
    return response


def _allow_origins(response: Response, origins: frozenset[str]) -> None:
    origin = ANY_ORIGIN if ANY_ORIGIN in origins else request.headers.get("Origin")
    if origin != ANY_ORIGIN:
        response.vary.add("Origin")
    if origin in origins:
        response.access_control_allow_origin = origin
        response.access_control_allow_headers = HeaderSet([ANY_ORIGIN])
        response.access_control_expose_headers = HeaderSet(["ETag"])
        response.headers[RESOURCE_POLICY_HEADER] = "cross-origin"
