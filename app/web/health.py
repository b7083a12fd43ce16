"""Whether the server can do its work, and with what."""

from flask import Blueprint, Response, current_app, jsonify

from app.web.world import world

HEALTH = "/healthz"

bp = Blueprint("health", __name__)


@bp.get(HEALTH)
def healthz() -> Response:
    """Answer 200: the server does not start before every model is loaded and checked."""
    digests = {name: agent.card.arrays for name, agent in world().agents.items()}
    response = jsonify(status="ok", version=current_app.extensions["version"], models=digests)
    response.cache_control.no_store = True
    return response
