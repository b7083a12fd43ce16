"""Links to the front page."""

from app.web.routes import Route

HOME_ROUTE = Route("/", "agent step at")
