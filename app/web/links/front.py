"""Links to the front page."""

from app.web.routes import Route

HOME = Route("/", "agent step")
