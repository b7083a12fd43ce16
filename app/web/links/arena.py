"""Links to the arena."""

from app.web.routes import Route

ARENA_ROUTE = Route("/arena", "show player add")
