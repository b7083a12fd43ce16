"""Links to experiments and sources."""

from app.web.routes import Route

EXPERIMENTS_ROUTE = Route("/experiments", "source verdict")
EXPERIMENT_ROUTE = Route("/experiments/<claim>")
EXPERIMENT_FIGURE_ROUTE = Route("/experiments/<claim>/<int:number>.svg", "scheme")
SOURCE_LIST_ROUTE = Route("/sources")


def source_url(source_slug: str) -> str:
    return f"{SOURCE_LIST_ROUTE.url()}#{source_slug}"
