"""Redirects from URLs that spell the name of a recipe in another way than the canonical one."""

import re
from urllib.parse import parse_qsl

from flask import Flask, redirect, request, url_for
from werkzeug.wrappers import Response

from app.web.routes import append_query
from app.web.site_data import get_current_site, is_policy_name

NAMES_IN_PATHS = ("name", "id", "x", "o")  # variable parts of URLs that name an agent
# query parameters that name an agent, the exact values of its task, or a snapshot
NAMES_IN_QUERIES = ("x", "o", "lens", "agent", "player", "add", "ghost", "of")
VIEW_PATTERN = re.compile(r"(.*?)(_task|_[0-9]{1,9})?", re.DOTALL)


def init_app(app: Flask) -> None:
    """Redirect requests in which a recipe has another name than its canonical one."""
    app.before_request(redirect_to_canonical)


def redirect_to_canonical() -> Response | None:
    """Return a redirect to the URL with the canonical names of its recipes, None if it has them.

    Raises an HTTPException with a sentence for a recipe that is not available.
    """
    path = dict(request.view_args or {})
    # This list of pairs keeps the order of the parameters.
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
    one_path = {
        part: _canonicalize_view(text) if part in NAMES_IN_PATHS else text
        for part, text in path.items()
    }
    one_query = [
        (key, _canonicalize_view(text) if key in NAMES_IN_QUERIES else text)
        for key, text in query
    ]
    if (one_path, one_query) == (path, query) or not request.endpoint:
        return None
    address = url_for(request.endpoint, _external=False, **one_path)
    return redirect(append_query(address, one_query), 301)


def _canonicalize_view(view_name: str) -> str:
    """Return a view, or the name of an agent, with the canonical name of its recipe."""
    match = None if is_policy_name(view_name) else VIEW_PATTERN.fullmatch(view_name)
    agent, rest = match.groups(default="") if match else (view_name, "")
    return (get_current_site().canonicalize(agent) or agent) + rest
