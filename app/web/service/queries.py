"""One address for one answer: single slashes, and of the query what the route reads.

Parameters that a route does not read, and all but the first value of those that are given once, are
left out before the application sees them; the others come in one order and one spelling.  So the
response cache has one entry for all queries that mean the same.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from flask import Flask, redirect, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from app.web import urls
from app.web.service.languages import HL
from app.web.urls import Route, with_query

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

READS_NOTHING = Route("")


def init_app(app: Flask) -> None:
    """Redirect before other code does, as "//name" in a redirect would be a host."""
    app.before_request(merge_slashes)


def merge_slashes() -> AnyResponse | None:
    """Redirect a path with several slashes in a row to the same path with single ones."""
    path = get_path(request.environ)  # `request.path` leaves out those at its start
    if "//" not in path:
        return None
    path = urls.quote_path(re.sub("/{2,}", "/", path))
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
    return redirect(with_query(path, query), 308)


def build_query_reader(app: Flask) -> "Callable[[WSGIEnvironment], str]":
    """Return a function that reduces the query of a request to what its route reads.

    The blueprints of the app are registered already.
    """
    routes = {
        rule.endpoint: rule.rule
        for rule in app.url_map.iter_rules()
        if isinstance(rule.rule, Route)
    }
    matcher = app.url_map.bind("")

    def read(environ: "WSGIEnvironment") -> str:
        query: str = environ["QUERY_STRING"]
        if not query:
            return query
        try:
            endpoint, _ = matcher.match(get_path(environ), method="GET")
        except HTTPException:  # a redirect or an error, which are not kept
            return query
        return reduce_query(query, routes.get(endpoint, READS_NOTHING))

    return read


def get_path(environ: "WSGIEnvironment") -> str:
    """Return the path of a request, not quoted; WSGI has its bytes as Latin-1."""
    path: str = environ["PATH_INFO"]
    return path.encode("latin-1").decode("utf-8", "replace")


def reduce_query(query: str, route: Route) -> str:
    """Return a query with what a route reads of it, and the language."""
    if route.reads is None:
        return query
    given: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        given.setdefault(name, []).append(value)
    pairs = []
    for name in (*route.reads, HL):
        values = given.get(name, [])
        if name not in route.repeated:
            values = values[:1]
        pairs += [(name, value) for value in values]
    return with_query("", pairs).removeprefix("?")
