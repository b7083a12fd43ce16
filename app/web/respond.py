"""The one place that decides between a whole page and the part of it that htmx replaces."""

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any

from flask import Response, render_template, request
from werkzeug.http import generate_etag

KEPT = 2048  # rendered answers, some 10 KB each


def respond(
    page: str, view: Callable[..., Mapping[str, Any]], *facts: Hashable, fragment: str = ""
) -> Response:
    """Answer with a template: its fragment, if it has one and htmx asks, else the whole page.

    What comes back is a function of `facts` alone, from which `view` makes the template's names:
    so it is kept here, and anybody may keep it who asks again before using it.
    """
    body, etag = _rendered(fragment if fragment and wants_fragment() else page, view, *facts)
    response = Response(body)
    response.vary.add("HX-Request")
    response.cache_control.public = True
    response.cache_control.max_age = 0
    response.cache_control.must_revalidate = True
    response.set_etag(etag)
    response.make_conditional(request)
    return response


def wants_fragment() -> bool:
    """Whether htmx asks, for a part of a page that it has."""
    return request.headers.get("HX-Request") == "true"


@lru_cache(maxsize=KEPT)
def _rendered(
    template: str, view: Callable[..., Mapping[str, Any]], *facts: Hashable
) -> tuple[bytes, str]:
    body = render_template(template, **view(*facts)).encode()
    return body, generate_etag(body)
