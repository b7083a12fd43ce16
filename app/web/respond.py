"""The one place that decides between a whole page and the part of it that htmx replaces."""

from collections.abc import Mapping
from typing import Any

from flask import Response, render_template, request
from werkzeug.http import generate_etag


def respond(page: str, names: Mapping[str, Any], fragment: str = "") -> Response:
    """Answer with a template: its fragment, if it has one and htmx asks, else the whole page.

    What it says has to follow from the address and the models alone: then anybody may keep it who
    asks again before using it, the server too (see `kept`).
    """
    template = fragment if fragment and wants_fragment() else page
    body = render_template(template, **names).encode()
    response = Response(body)
    response.vary.add("HX-Request")
    return revalidated(response, generate_etag(body))


def revalidated(response: Response, etag: str) -> Response:
    """Let anybody keep an answer who asks again before using it; 304 to whoever has it."""
    response.cache_control.public = True
    response.cache_control.max_age = 0
    response.cache_control.must_revalidate = True
    response.set_etag(etag)
    response.make_conditional(request)
    return response


def wants_fragment() -> bool:
    """Whether htmx asks, for a part of a page that it has."""
    return request.headers.get("HX-Request") == "true"
