"""Links to the API."""

from app.web.routes import Route

API = Route("/api")
API_DESCRIPTION = Route("/api/v1/openapi.json")
API_AGENTS = Route("/api/v1/agents")
API_AGENT = Route("/api/v1/agents/<id>")
API_JUDGE = Route("/api/v1/judge", None)
API_POSITION = Route("/api/v1/positions/<position>", None)
API_MOVE = Route("/api/v1/moves/<position>", None)
API_GAME = Route("/api/v1/games/<record>")
API_MATCH = Route("/api/v1/matches/<x>/<o>")
API_EXPERIMENTS = Route("/api/v1/experiments")
API_EXPERIMENT = Route("/api/v1/experiments/<claim>")
