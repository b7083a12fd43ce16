"""Links to algorithms and the lesson."""

from app.web.routes import Route

HOW = Route("/how", "at record board stage")
HOW_PART = Route("/how/<slug>", "step record board update stage right plays answer")


def how_url(part_slug: str = "", **query: str | int | None) -> str:
    """Return the URL of the contents of /how, or of a part.

    A part is a step of the lesson at a snapshot `step`, an algorithm with its board after a
    `record`, a `board` in all encodings, or a worked example at a `stage`. In the lesson `right`
    and `plays` are the cells that answer the questions about a blunder.
    """
    return HOW_PART.url(part_slug, **query) if part_slug else HOW.url(**query)
