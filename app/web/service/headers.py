"""Headers that every response carries, so that a browser trusts it with as little as possible."""

from flask import Flask, Response, request

from app.web import addresses

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
    POLICY: CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *"),
    RESOURCES: "cross-origin",
}
ON_HTTPS = {"Strict-Transport-Security": "max-age=31536000; includeSubDomains"}


def init_app(app: Flask) -> None:
    """Add the headers to every response of this app."""
    app.after_request(secure)


def secure(response: Response) -> Response:
    """Set the headers on a response; nobody keeps where it leads unless it says so itself."""
    wanted = HEADERS | (ON_HTTPS if request.is_secure else {})
    if request.path.startswith(addresses.EMBED):
        wanted |= EMBEDDED
    there = {name for name, _ in response.headers}
    response.headers.extend({name: text for name, text in wanted.items() if name not in there})
    if "Location" in there and "Cache-Control" not in there:
        response.cache_control.no_store = True
    return response
