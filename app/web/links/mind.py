"""Links to an agent's "mind", which is the picture of all its values."""

from app.web.links.embed import EMBED_MIND_ROUTE
from app.web.routes import Route, frame_file_url

MIND_ROUTE = Route("/mind/<name>", "step colour tile")
FILM_ROUTE = Route("/mind/<name>.gif")


def mind_url(
    agent_name: str,
    snapshot: int | None = None,
    colouring_key: str = "",
    tile_number: int | None = None,
) -> str:
    """Return the URL of an agent's mind at a snapshot, with a colouring and a selected tile."""
    return MIND_ROUTE.url(
        agent_name, step=snapshot, colour=colouring_key, tile=tile_number
    )


def mind_preview_url(
    agent_name: str, snapshot: int | None = None, colouring_key: str = ""
) -> str:
    return frame_file_url(
        EMBED_MIND_ROUTE.url(agent_name, step=snapshot, colour=colouring_key), "png"
    )
