"""Links to frames, which other sites can show."""

from collections.abc import Sequence
from functools import partial

from app.web.links.play import MATCH_PARAMETERS, MatchUrlBuilders, match_url
from app.web.routes import Route, omit_first_page

EMBED_BOARD = Route("/embed/board/<record>", MATCH_PARAMETERS)
EMBED_REPLY = Route("/embed/reply/<record>", MATCH_PARAMETERS)
EMBED_VALUE = Route("/embed/value/<record>", MATCH_PARAMETERS)
EMBED_CURVE = Route("/embed/curve/<name>", "lens* figure against width")
EMBED_MIND = Route("/embed/mind/<name>", "step colour")
EMBED_EXPERIMENT = Route("/embed/experiment/<claim>", "figure")
FRAME_URL_BUILDERS = MatchUrlBuilders(
    partial(match_url, EMBED_BOARD), partial(match_url, EMBED_REPLY)
)


def embed_curve_url(
    agent_name: str,
    others: Sequence[str] = (),
    curve_key: str = "",
    opponent: str = "",
    width: int = 0,
) -> str:
    """Return the URL of a frame with the learning curves of agents.

    `curve_key` selects the kind of curves. Without it and `others`, they show the results against
    `opponent`. `width` is in pixels.
    """
    query = {"figure": curve_key, "against": opponent, "width": width or None}
    return EMBED_CURVE.url(agent_name, lens=[*others], **query)


def embed_experiment_url(claim: str, figure_number: int = 1) -> str:
    """Return the URL of a frame with a figure of an experiment."""
    return EMBED_EXPERIMENT.url(claim, figure=omit_first_page(figure_number))
