"""Links to agents, their files, blunders and proofs."""

from app.web.links.judge import JUDGE_BLUNDERS_ROUTE, JUDGE_PROOF_ROUTE, judge_url
from app.web.routes import Route, omit_first_page
from app.web.site_data import MOVES_PREFIX, is_policy_name

AGENTS_ROUTE = Route("/agents", "sort order")
AGENTS_FILE_ROUTE = Route("/agents.csv")
AGENT_ROUTE = Route("/agents/<name>", "against")
AGENT_FILE_ROUTE = Route("/agents/<name>.<any(npz, json, csv):ending>")
BLUNDERS_ROUTE = Route("/agents/<name>/blunders", "page")
PROOF_ROUTE = Route("/agents/<name>/certificate-<any(x, o):seat>", "page")


def agent_url(agent_name: str, opponent: str = "") -> str:
    """Return the URL of an agent's page, with its learning curves against an opponent.

    For a policy that is named by its moves, it is the URL of the page that judges it.
    """
    if is_policy_name(agent_name):
        return judge_url(agent_name)
    return AGENT_ROUTE.url(agent_name, against=opponent)


def blunders_url(policy_name: str, page: int = 1) -> str:
    if is_policy_name(policy_name):
        return JUDGE_BLUNDERS_ROUTE.url(
            moves=policy_name.removeprefix(MOVES_PREFIX), page=omit_first_page(page)
        )
    return BLUNDERS_ROUTE.url(policy_name, page=omit_first_page(page))


def proof_url(policy_name: str, seat: str, page: int = 1) -> str:
    if is_policy_name(policy_name):
        return JUDGE_PROOF_ROUTE.url(
            seat,
            moves=policy_name.removeprefix(MOVES_PREFIX),
            page=omit_first_page(page),
        )
    return PROOF_ROUTE.url(policy_name, seat, page=omit_first_page(page))
