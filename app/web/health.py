"""Whether the server can do its work."""

from flask import Blueprint, Response

from app.web.players import players

bp = Blueprint("health", __name__)


@bp.get("/healthz")
def healthz() -> Response:
    """Answer 200: the server does not start before every model is loaded and checked."""
    response = Response(f"ok: {len(players().agents)} models\n", mimetype="text/plain")
    response.cache_control.no_store = True
    return response
