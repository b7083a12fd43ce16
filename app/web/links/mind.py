"""Links to value maps: pictures of all values of an agent, which pages call its mind."""

from app.web.links.embed import EMBED_VALUE_MAP_ROUTE
from app.web.routes import Route, iframe_file_url

VALUE_MAP_ROUTE = Route("/mind/<name>", "step colour tile")
VALUE_MAP_FILM_ROUTE = Route("/mind/<name>.gif")


def value_map_url(
    agent_name: str,
    snapshot: int | None = None,
    colouring_key: str = "",
    tile_number: int | None = None,
) -> str:
    return VALUE_MAP_ROUTE.url(
        agent_name, step=snapshot, colour=colouring_key, tile=tile_number
    )


def value_map_preview_url(
    agent_name: str, snapshot: int | None = None, colouring_key: str = ""
) -> str:
    return iframe_file_url(
        EMBED_VALUE_MAP_ROUTE.url(agent_name, step=snapshot, colour=colouring_key),
        "png",
    )
