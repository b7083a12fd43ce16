"""Links to the glossary."""

from app.web.routes import Route

GLOSSARY_ROUTE = Route("/glossary")


def glossary_url(anchor: str) -> str:
    return f"{GLOSSARY_ROUTE.url()}#{anchor}"
