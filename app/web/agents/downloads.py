"""An agent as files: its arrays, its card, and one table of all that it learned."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.tictactoe.agents import Agent, arrays_file
from app.tictactoe.card import card_text
from app.tictactoe.notation import MARKS, position_texts
from app.web.world import World

COLUMNS = ("position", "to_move", "cell", "q", "visits", "true_value")


class Download(NamedTuple):
    """One kind of file."""

    mimetype: str
    content: Callable[[World, Agent], bytes]


def arrays(world: World, agent: Agent) -> bytes:
    """Return the npz as it was loaded."""
    return arrays_file(world.game, agent)


def card(world: World, agent: Agent) -> bytes:
    """Return the card as readable JSON."""
    return card_text(agent.card).encode()


def pairs(world: World, agent: Agent) -> bytes:
    """Write one row a legal move: the mover's value, learned and true, and how often updated."""
    game = world.game
    marks = [MARKS[player] for player in game.to_move.tolist()]
    begins = [f"{text},{mark}" for text, mark in zip(position_texts(game), marks, strict=False)]
    bits, which = np.unique(agent.q[game.legal].view(np.uint32), return_inverse=True)
    texts = bits.view(np.float32).astype(str).tolist()  # the shortest of each float32 that there is
    rows = zip(
        game.pair_from.tolist(),
        game.pair_cell.tolist(),
        which.tolist(),
        agent.visits[game.legal].tolist(),
        world.truth[game.legal].astype(int).tolist(),
        strict=True,
    )
    lines = [
        f"{begins[position]},{cell},{texts[value]},{visits},{truth}"
        for position, cell, value, visits, truth in rows
    ]
    return "\r\n".join([",".join(COLUMNS), *lines, ""]).encode()


DOWNLOADS = {
    "npz": Download("application/octet-stream", arrays),
    "json": Download("application/json", card),
    "csv": Download("text/csv", pairs),
}
