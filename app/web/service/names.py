"""Every address that names a recipe leads to the one with the recipe's one name."""

import re
from urllib.parse import parse_qsl

from flask import Flask, redirect, request, url_for
from werkzeug.wrappers import Response

from app.web import addresses
from app.web.world import World, is_moves, world

IN_PATHS = ("name", "id", "x", "o")  # parts of addresses that name an agent
IN_QUERIES = ("x", "o", "lens", "agent", "player", "add", "ghost")
VIEW = re.compile(r"(.*?)(_task|_[0-9]{1,9})?", re.DOTALL)  # an agent, its task, or at a step


def init_app(app: Flask) -> None:
    """Lead every address that names a recipe in another way to the one with its one name."""
    app.before_request(lead_to_one_name)


def lead_to_one_name() -> Response | None:
    """Redirect to the address with the one name of each recipe in it, if that is another.

    Raises an HTTPException with a sentence if one of them cannot be had.
    """
    path = dict(request.view_args or {})
    query = parse_qsl(request.environ["QUERY_STRING"], keep_blank_values=True)  # in its order
    one_path = {
        part: _one_view(world(), text) if part in IN_PATHS else text for part, text in path.items()
    }
    one_query = [
        (key, _one_view(world(), text) if key in IN_QUERIES else text) for key, text in query
    ]
    if (one_path, one_query) == (path, query) or not request.endpoint:
        return None
    address = url_for(request.endpoint, _external=False, **one_path)
    return redirect(addresses.again(address, one_query), 301)


def _one_view(world: World, text: str) -> str:
    """Return a lens, or an agent's name, by the one name of the recipe in it, if there is one."""
    found = None if is_moves(text) else VIEW.fullmatch(text)
    agent, rest = found.groups(default="") if found else (text, "")
    return (world.canonical(agent) or agent) + rest
