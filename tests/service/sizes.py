"""What a first visit and a move send over the network, packed."""

from itertools import islice
from statistics import median

from tests.service.cases import BR, GZIP, HTMX, moves
from tests.service.server import agents, get, parts, serving
from tests.service.tables import Table

PAGES = {
    "front": "/",
    "play": "/play/",
    "a puzzle": "/puzzle/6?plays=4&right=0",
    "a mind": "/mind/q-table",
    "the lesson": "/how/learning",
    "agents": "/agents",
    "an agent": "/agents/q-learning-1",
    "its blunders": "/agents/q-learning-1/blunders",
    "a proof": "/agents/q-learning-4/certificate-x",
    "arena": "/arena",
    "compare": "/compare/",
    "how": "/how",
    "the claims": "/experiments",
    "an experiment": "/experiments/draw-reward",
    "why": "/why/?cell=4",
    "api": "/api",
    "a framed board": "/embed/board/",
    "a framed curve": "/embed/curve/q-learning-1",
}
KB = 1000
GOAL_PAGE, GOAL_MOVE = "<= 40 KB", "<= 4 KB"
MOVES = 200


def table() -> Table:
    """Weigh the first load of every page, with all that it loads, and a sample of moves."""
    with serving() as site:
        rows = [_page(site.url, *page) for page in PAGES.items()]
        paths = [f"/play/{move}" for move in islice(moves(agents(site.url)), MOVES)]
        usual, largest = zip(
            *(_moves(site.url, paths, packing) for packing in (GZIP, BR)), strict=True
        )
    return Table(
        "sizes",
        "First load of each page with all it needs, and a move, in bytes of packed content",
        ["", "gzip", "br", "goal"],
        [
            *rows,
            [f"a move, median of {MOVES}", *usual, GOAL_MOVE],
            [f"a move, largest of {MOVES}", *largest, GOAL_MOVE],
        ],
    )


def _page(url: str, name: str, path: str) -> list[str]:
    needed = [path, *parts(get(url + path))]
    weights = [sum(len(get(url + part, packing)) for part in needed) for packing in (GZIP, BR)]
    return [f"{name} ({path})", *map(_kb, weights), GOAL_PAGE if path in ("/", "/play/") else ""]


def _moves(url: str, paths: list[str], packing: dict[str, str]) -> tuple[str, str]:
    weights = [len(get(url + path, packing | HTMX)) for path in paths]
    return _kb(median(weights)), _kb(max(weights))


def _kb(size: float) -> str:
    return f"{size / KB:.1f} KB"
