"""Links to the evaluation of a visitor's table."""

from app.web.routes import Route
from app.web.site_data import MOVES_PREFIX

JUDGE_ROUTE = Route("/judge", "moves")
JUDGE_BLUNDERS_ROUTE = Route("/judge/blunders", "moves page")
JUDGE_TOOL_ROUTE = Route("/judge/<any(doctor, judge):tool>.py")
JUDGE_PROOF_ROUTE = Route("/judge/certificate-<any(x, o):seat>", "moves page")


def judge_url(policy_name: str = "") -> str:
    return JUDGE_ROUTE.url(moves=policy_name.removeprefix(MOVES_PREFIX))
