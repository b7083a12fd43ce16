"""Links to algorithms and the lesson."""

from app.web.routes import Route

HOW_ROUTE = Route("/how", "at record board stage")
HOW_PART_ROUTE = Route(
    "/how/<slug>", "step record board update stage right plays answer"
)


def how_url(part_slug: str = "", **query: str | int | None) -> str:
    """Return the URL of the page /how, or of one of its parts.

    A part is a step of the lesson or a section. The query says what it shows: `step` is a snapshot,
    `record` leads to a position, `board` is a position to encode, and `stage` is a step of a worked
    example. `right` and `plays` are a visitor's answers, as cells, to the questions about a
    blunder.
    """
    return (
        HOW_PART_ROUTE.url(part_slug, **query) if part_slug else HOW_ROUTE.url(**query)
    )
