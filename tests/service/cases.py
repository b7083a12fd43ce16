"""The kinds of requests for the rate measurements, with so many URLs that no answer is cached."""

import random
from collections.abc import Iterator, Mapping
from itertools import cycle, repeat
from typing import NamedTuple

from app.tictactoe.game import Game, build_game
from app.tictactoe.notation import DIGITS, format_position, replay_record
from tests.service.server import agents, get, parts

PLAIN: dict[str, str] = {}
GZIP, BR = {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "br"}
HTMX = {"HX-Request": "true"}
KEPT = "/play/408?lens=truth"
HALF, ALL = 0.5, 1.0  # goals
SEED = 1
EPSILONS = [f"{number / 10_000:g}" for number in range(1, 10_000)]


class Case(NamedTuple):
    """One kind of request: "move" is the fragment that htmx requests, "page" the whole page."""

    name: str
    paths: Iterator[str]  # one again and again, or each only once
    headers: Mapping[str, str]
    goal: float | None = None  # share of the rate of a bare Flask

    @property
    def is_move(self) -> bool:
        return self.name.startswith("move")


BARE = Case("bare Flask", repeat("/"), GZIP)


def cases(url: str) -> list[Case]:
    """Return all kinds of requests for the site at a URL."""
    everybody = agents(url)
    fresh = (f"/play/{move}" for move in moves(everybody))
    usual = (f"/play/{move}" for move in usual_moves(everybody))
    replies = (f"/reply/{move}" for move in moves(everybody, over=False))
    api = (f"/api/v1/positions/{position}" for position in positions(everybody))
    htmx = next(part for part in parts(get(f"{url}/play/")) if "htmx" in part)
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


def moves(agents: list[str], over: bool = True) -> Iterator[str]:
    """Yield the URLs of all plies of random games against changing agents; with `over` also ends.

    The chance of a random move differs from game to game, which makes every URL new.
    """
    draw, game = random.Random(SEED), build_game()
    for epsilon in cycle(EPSILONS):
        opponent, lens = draw.choice(agents), draw.choice([*agents, "truth"])
        records = _records(game, draw)
        for record in records if over else records[:-1]:
            yield f"{record}?o={opponent}&lens={lens}&epsilon={epsilon}"


def usual_moves(agents: list[str]) -> Iterator[str]:
    """Yield all plies of random games, half of them against the agent that the site offers."""
    draw, game = random.Random(SEED), build_game()
    while True:
        opponent = draw.choice(["", f"?o={draw.choice(agents)}"])
        yield from (f"{record}{opponent}" for record in _records(game, draw))


def positions(agents: list[str]) -> Iterator[str]:
    """Yield the API URLs of every position with every value source, in random order."""
    draw, game = random.Random(SEED), build_game()
    pack = [(position, lens) for position in range(game.positions) for lens in [*agents, "truth"]]
    draw.shuffle(pack)
    for position, lens in cycle(pack):
        yield f"{format_position(game, position)}?lens={lens}"


def _records(game: Game, draw: random.Random) -> list[str]:
    """Play a random game; return its records from the empty board to the end."""
    records = [""]
    while not game.is_over(position := replay_record(game, records[-1])[-1]):
        cells = game.legal[position].nonzero()[0].tolist()
        records.append(records[-1] + DIGITS[draw.choice(cells)])
    return records
