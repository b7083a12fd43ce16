"""Links to pages that other sites can show in an iframe."""

from collections.abc import Sequence
from functools import partial

from app.web.links.play import MATCH_PARAMETERS, MatchUrlBuilders, match_url
from app.web.routes import Route, omit_first_page

EMBED_BOARD_ROUTE = Route("/embed/board/<record>", MATCH_PARAMETERS)
EMBED_REPLY_ROUTE = Route("/embed/reply/<record>", MATCH_PARAMETERS)
EMBED_VALUE_ROUTE = Route("/embed/value/<record>", MATCH_PARAMETERS)
EMBED_CURVE_ROUTE = Route("/embed/curve/<name>", "lens* figure against width")
EMBED_VALUE_MAP_ROUTE = Route("/embed/mind/<name>", "step colour")
EMBED_EXPERIMENT_ROUTE = Route("/embed/experiment/<claim>", "figure")
IFRAME_URL_BUILDERS = MatchUrlBuilders(
    partial(match_url, EMBED_BOARD_ROUTE), partial(match_url, EMBED_REPLY_ROUTE)
)


def embed_curve_url(
    agent_name: str,
    others: Sequence[str] = (),
    curve_key: str = "",
    opponent: str = "",
    width: int = 0,
) -> str:
    """Return the URL for an iframe with the learning curves of agents, `width` pixels wide.

    `curve_key` selects the kind of curves. Without it, one agent's curves show its results against
    `opponent`.
    """
    query = {"figure": curve_key, "against": opponent, "width": width or None}
    return EMBED_CURVE_ROUTE.url(agent_name, lens=[*others], **query)


def embed_experiment_url(claim: str, figure_number: int = 1) -> str:
    return EMBED_EXPERIMENT_ROUTE.url(claim, figure=omit_first_page(figure_number))
