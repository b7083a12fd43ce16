"""The kinds of requests whose rate is measured."""

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import NamedTuple

from tests.service.addresses import moves, positions, usual_moves
from tests.service.client import agents, get, parts

PLAIN: dict[str, str] = {}
GZIP, BR = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "br"}
HTMX = {"HX-Request": "true"}
KEPT = "/play/408?lens=truth"
HALF, ALL = 0.5, 1.0  # goals


class Case(NamedTuple):
    """One kind of request: a move is what htmx asks for, a page is the whole of it."""

    name: str
    paths: Iterator[str]  # one again and again, or each only once
    headers: Mapping[str, str]
    goal: float | None = None  # of the rate of a bare Flask

    @property
    def is_move(self) -> bool:
        return self.name.startswith("move")


BARE = Case("bare Flask", repeat("/"), GZIP)


def cases(url: str) -> list[Case]:
    """List all kinds for the site at an address."""
    everybody = agents(url)
    fresh = (f"/play/{move}" for move in moves(everybody))
    usual = (f"/play/{move}" for move in usual_moves(everybody))
    replies = (f"/reply/{move}" for move in moves(everybody, over=False))
    api = (f"/api/v1/positions/{position}" for position in positions(everybody))
    htmx = next(part for part in parts(get(url)) if "htmx" in part)
    return [
        Case("move, new, gzip", fresh, GZIP | HTMX, HALF),
        Case("move, new, br", fresh, BR | HTMX, HALF),
        Case("move, as people play, gzip", usual, GZIP | HTMX, HALF),
        Case("move, kept, plain", repeat(KEPT), HTMX, ALL),
        Case("move, kept, gzip", repeat(KEPT), GZIP | HTMX, ALL),
        Case("move, kept, br", repeat(KEPT), BR | HTMX, ALL),
        Case("page, new, gzip", fresh, GZIP),
        Case("page, kept, plain", repeat(KEPT), PLAIN, ALL),
        Case("page, kept, gzip", repeat(KEPT), GZIP, ALL),
        Case("page, kept, br", repeat(KEPT), BR, ALL),
        Case("reply", replies, GZIP | HTMX),
        Case("API position, new, gzip", api, GZIP),
        Case("API position, kept, gzip", repeat(next(api)), GZIP, ALL),
        Case("htmx itself, gzip", repeat(htmx), GZIP, ALL),
    ]
