"""Redirects from other spellings of a recipe's name to its canonical name in URLs."""

import re
from urllib.parse import parse_qsl

from flask import Flask, redirect, request, url_for
from werkzeug.wrappers import Response

from app.web.routes import append_query
from app.web.site_data import get_current_site, is_policy_name

# These variable parts of URLs name an agent.
NAMES_IN_PATHS = ("name", "id", "x", "o")
# These parameters name an agent, perhaps followed by "_task" or by "_" and a snapshot.
NAMES_IN_QUERIES = ("x", "o", "lens", "agent", "player", "add", "ghost", "of")
NAME_AND_SUFFIX_PATTERN = re.compile(r"(.*?)(_task|_[0-9]{1,9})?", re.DOTALL)


def init_app(app: Flask) -> None:
    app.before_request(redirect_to_canonical)


def redirect_to_canonical() -> Response | None:
    """Redirect to the same URL with the canonical spelling of all recipes.

    Raises an HTTPException if a recipe in the URL is not available.
    """
    path = dict(request.view_args or {})
    # A list of pairs keeps the order of the parameters.
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)
    one_path = {
        part: _canonicalize_name(text) if part in NAMES_IN_PATHS else text
        for part, text in path.items()
    }
    one_query = [
        (key, _canonicalize_name(text) if key in NAMES_IN_QUERIES else text)
        for key, text in query
    ]
    if (one_path, one_query) == (path, query) or not request.endpoint:
        return None
    address = url_for(request.endpoint, _external=False, **one_path)
    return redirect(append_query(address, one_query), 301)


def _canonicalize_name(full_name: str) -> str:
    match = (
        None
        if is_policy_name(full_name)
        else NAME_AND_SUFFIX_PATTERN.fullmatch(full_name)
    )
    agent, rest = match.groups(default="") if match else (full_name, "")
    return (get_current_site().canonicalize(agent) or agent) + rest
