"""Links to experiments and sources."""

from app.web.routes import Route

EXPERIMENTS = Route("/experiments", "source verdict")
EXPERIMENT = Route("/experiments/<claim>")
EXPERIMENT_FIGURE = Route("/experiments/<claim>/<int:number>.svg", "scheme")
SOURCE_LIST = Route("/sources")


def source_url(source_slug: str) -> str:
    return f"{SOURCE_LIST.url()}#{source_slug}"
