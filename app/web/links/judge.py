"""Links to the evaluation of a visitor's table."""

from app.web.routes import Route
from app.web.site_data import MOVES_PREFIX

JUDGE = Route("/judge", "moves")
JUDGE_BLUNDERS = Route("/judge/blunders", "moves page")
JUDGE_TOOL = Route("/judge/<any(doctor, judge):tool>.py")
JUDGE_CERTIFICATE = Route("/judge/certificate-<any(x, o):seat>", "moves page")


def judge_url(policy_name: str = "") -> str:
    """Return the URL of the page that judges a policy named by its moves."""
    return JUDGE.url(moves=policy_name.removeprefix(MOVES_PREFIX))
