"""Links to a comparison."""

from app.web.comparison import Comparison
from app.web.routes import Route

COMPARE_ROUTE = Route("/compare/<record>", "lens* figure frame")


def compare_url(comparison: Comparison) -> str:
    return COMPARE_ROUTE.url(
        comparison.record, lens=[*comparison.views], figure=comparison.curve_key
    )
