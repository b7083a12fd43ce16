"""Links to the arena."""

from app.web.routes import Route

ARENA = Route("/arena", "show player add")
