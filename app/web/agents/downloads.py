"""An agent as files: its arrays, its card, and one table of all that it learned."""

import csv
import io
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.tictactoe.agents import Agent
from app.tictactoe.card import card_text
from app.tictactoe.notation import MARKS, position_text
from app.web.world import World

COLUMNS = ("position", "to_move", "cell", "q", "visits", "true_value")


class Download(NamedTuple):
    """One kind of file."""

    mimetype: str
    content: Callable[[World, Agent], bytes]


def arrays(world: World, agent: Agent) -> bytes:
    """Return the npz as it was loaded."""
    return agent.npz


def card(world: World, agent: Agent) -> bytes:
    """Return the card as readable JSON."""
    return card_text(agent.card).encode()


@lru_cache(maxsize=4)  # half a megabyte each
def pairs(world: World, agent: Agent) -> bytes:
    """Write one row a legal move: the mover's value, learned and true, and how often updated."""
    game = world.game
    positions, cells = np.nonzero(game.legal)
    texts = [position_text(game, position) for position in range(game.decisions)]
    marks = [MARKS[player] for player in game.to_move.tolist()]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows(
        zip(
            (texts[position] for position in positions),
            (marks[position] for position in positions),
            cells.tolist(),
            agent.q[game.legal].astype(str).tolist(),  # the shortest text of the same float32
            agent.visits[game.legal].tolist(),
            world.truth[game.legal].astype(int).tolist(),
            strict=True,
        )
    )
    return file.getvalue().encode()


DOWNLOADS = {
    "npz": Download("application/octet-stream", arrays),
    "json": Download("application/json", card),
    "csv": Download("text/csv", pairs),
}
