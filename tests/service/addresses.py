"""Addresses of the site at random, so many of them that no cache has met the next one."""

import random
from collections.abc import Iterator
from itertools import cycle

from app.tictactoe.game import Game, connect
from app.tictactoe.notation import DIGITS, position_text, replay

SEED = 1
EPSILONS = [f"{number / 10_000:g}" for number in range(1, 10_000)]


def moves(agents: list[str], over: bool = True) -> Iterator[str]:
    """Yield all plies of games at random, each against another agent; their ends too, if `over`.

    The chance of a random move, another in each game, makes every address a new one.
    """
    draw, game = random.Random(SEED), connect()
    for epsilon in cycle(EPSILONS):
        opponent, lens = draw.choice(agents), draw.choice([*agents, "truth"])
        records = _records(game, draw)
        for record in records if over else records[:-1]:
            yield f"{record}?o={opponent}&lens={lens}&epsilon={epsilon}"


def usual_moves(agents: list[str]) -> Iterator[str]:
    """Yield all plies of games at random, half of them against the agent that the site offers."""
    draw, game = random.Random(SEED), connect()
    while True:
        opponent = draw.choice(["", f"?o={draw.choice(agents)}"])
        yield from (f"{record}{opponent}" for record in _records(game, draw))


def positions(agents: list[str]) -> Iterator[str]:
    """Yield every position in the API, as each lens sees it, in a random order."""
    draw, game = random.Random(SEED), connect()
    pack = [(position, lens) for position in range(game.positions) for lens in [*agents, "truth"]]
    draw.shuffle(pack)
    for position, lens in cycle(pack):
        yield f"{position_text(game, position)}?lens={lens}"


def _records(game: Game, draw: random.Random) -> list[str]:
    """Play a game at random; return its records from the empty one to the whole game."""
    records = [""]
    while not game.is_over(position := replay(game, records[-1])[-1]):
        cells = game.legal[position].nonzero()[0].tolist()
        records.append(records[-1] + DIGITS[draw.choice(cells)])
    return records
