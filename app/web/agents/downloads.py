"""An agent as files: its arrays, its card, and one table of all that it learned."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.agents import Agent, arrays_file
from app.tictactoe.card import card_text
from app.tictactoe.game import O, X
from app.tictactoe.notation import MARKS
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
    signs = np.array([MARKS[stone] for stone in (0, X, O)], "S")  # -1, which is O, is the last
    columns = [
        signs[game.board[game.pair_from]],
        signs[game.to_move[game.pair_from]],
        _texts(game.pair_cell),
        _texts(agent.q[game.legal]),
        _texts(agent.visits[game.legal]),
        _texts(world.truth[game.legal].astype(np.int32)),
    ]
    return ",".join(COLUMNS).encode() + b"\r\n" + _lines(columns)


def _texts(numbers: NDArray[np.number]) -> NDArray[np.bytes_]:
    """Write numbers, [P], as short as can be; those that are the same, bit for bit, only once."""
    bits, which = np.unique(numbers.view(f"u{numbers.itemsize}"), return_inverse=True)
    texts = bits.view(numbers.dtype).astype("S").tolist()
    return np.array(texts)[which]  # as wide as the longest


def _lines(columns: list[NDArray[np.bytes_]]) -> bytes:
    """Write columns of texts, [P] each or [P, signs], line by line."""
    ends = [b","] * (len(columns) - 1) + [b"\r\n"]
    parts = [
        part.view(np.uint8).reshape(len(column), -1)
        for column, end in zip(columns, ends, strict=True)
        for part in (column, np.full(len(column), end))
    ]
    filled = np.concatenate(parts, axis=1).tobytes()
    return filled.translate(None, b"\0")  # it fills up a text that is shorter than others


DOWNLOADS = {
    "npz": Download("application/octet-stream", arrays),
    "json": Download("application/json", card),
    "csv": Download("text/csv", pairs),
}
