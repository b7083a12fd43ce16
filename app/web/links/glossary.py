"""Links to the glossary."""

from app.web.routes import Route

GLOSSARY = Route("/glossary")


def glossary_url(anchor: str) -> str:
    return f"{GLOSSARY.url()}#{anchor}"
