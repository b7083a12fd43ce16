"""Links to the glossary."""

from app.web.routes import Route

GLOSSARY = Route("/glossary")


def glossary_url(anchor: str) -> str:
    """Return the URL of a term in the glossary."""
    return f"{GLOSSARY.url()}#{anchor}"
