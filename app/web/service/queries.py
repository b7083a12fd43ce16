"""Canonical URLs: single slashes, and only the query parameters that the page reads.

Before the application gets a request, other parameters are removed. Of a parameter that may occur
only once, the first value is kept. The rest is sorted and quoted in one way, so that the response
cache has one entry for all queries with the same meaning.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import werkzeug
from flask import Flask, redirect, request
from werkzeug.exceptions import HTTPException

from app.web.navigation import list_page_blueprints
from app.web.routes import Route, append_query, quote_path
from app.web.service.languages import LANGUAGE_PARAMETER

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

ROUTE_WITHOUT_QUERY = Route("")


def init_app(app: Flask) -> None:
    """Register the redirect to single slashes, which must come before all other redirects."""
    # Another redirect to a path that begins with "//name" would lead to the host "name".
    app.before_request(merge_slashes)


def merge_slashes() -> werkzeug.Response | None:
    # Flask removes repeated slashes at the start of `request.path`.
    path = get_path(request.environ)
    if "//" not in path:
        return None
    path = quote_path(re.sub("/{2,}", "/", path))
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
    return redirect(append_query(path, query), 308)


def build_query_reader(app: Flask) -> "Callable[[WSGIEnvironment], str]":
    """Return a function that takes a request, and returns its query without needless parameters.

    All pages of the app must be registered before.
    """
    routes = {
        route.rule: route
        for blueprint in list_page_blueprints(app)
        for route in blueprint.routes
    }
    matcher = app.url_map.bind("")

    def read_query(environ: "WSGIEnvironment") -> str:
        query: str = environ["QUERY_STRING"]
        if not query:
            return query
        try:
            rule, _ = matcher.match(get_path(environ), method="GET", return_rule=True)
        # A redirect or an error will follow, which no cache keeps.
        except HTTPException:
            return query
        return reduce_query(query, routes.get(rule.rule, ROUTE_WITHOUT_QUERY))

    return read_query


def get_path(environ: "WSGIEnvironment") -> str:
    """Return the unquoted path of a request, which WSGI decodes as Latin-1."""
    path: str = environ["PATH_INFO"]
    return path.encode("latin-1").decode("utf-8", "replace")


def reduce_query(query_text: str, route: Route) -> str:
    if route.query_parameters is None:
        return query_text
    values_by_name: dict[str, list[str]] = {}
    for name, value in parse_qsl(query_text, keep_blank_values=True):
        values_by_name.setdefault(name, []).append(value)
    pairs = []
    for name in (*route.query_parameters, LANGUAGE_PARAMETER):
        values = values_by_name.get(name, [])
        if name not in route.repeated_parameters:
            values = values[:1]
        pairs += [(name, value) for value in values]
    return append_query("", pairs).removeprefix("?")
