"""Links to the API."""

from app.web.routes import Route

API_ROUTE = Route("/api")
API_DESCRIPTION_ROUTE = Route("/api/v1/openapi.json")
API_AGENTS_ROUTE = Route("/api/v1/agents")
API_AGENT_ROUTE = Route("/api/v1/agents/<id>")
API_JUDGE_ROUTE = Route("/api/v1/judge", None)
API_POSITION_ROUTE = Route("/api/v1/positions/<position>", None)
API_MOVE_ROUTE = Route("/api/v1/moves/<position>", None)
API_GAME_ROUTE = Route("/api/v1/games/<record>")
API_MATCH_ROUTE = Route("/api/v1/matches/<x>/<o>")
API_EXPERIMENTS_ROUTE = Route("/api/v1/experiments")
API_EXPERIMENT_ROUTE = Route("/api/v1/experiments/<claim>")
