"""What somebody thinks of the moves in a position: an agent's values, or the truth."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.policy import greedy
from app.tictactoe.views import common_scale
from app.web.match import Match
from app.web.numbers import signed
from app.web.players import TRUTH, Players

HEAT_STEPS = 20  # from a draw to a win, and from a draw to a loss
OUTCOMES = {-1: "loss", 0: "draw", 1: "win"}


class Opinion(NamedTuple):
    """One lens on one decision, cell by cell, in the mover's view; a taken cell has no meaning."""

    lens: str
    values: NDArray[np.float64]
    texts: list[str]  # the value as it is shown; "" where it is unknown
    heat: list[int]  # -HEAT_STEPS a loss, 0 a draw, HEAT_STEPS a win
    best: list[bool]
    truths: list[str]  # how the game ends after this move with best play: "win in 3", "draw"
    wrong: list[bool]  # whether the value is nearer to another outcome than to the true one
    blank: str  # what a cell without a value means

    @property
    def exact(self) -> bool:
        """Whether this is the truth, and not somebody's guess."""
        return self.lens == TRUTH


def lens_of(match: Match, players: Players, to_move: int) -> str:
    """Return whose values to show: those asked for, else the mover's, else the other side's."""
    candidates = (match.lens, match.seat(to_move), match.seat(-to_move))
    return next((name for name in candidates if name in players.lenses), players.lenses[0])


def match_opinion(match: Match, players: Players, position: int) -> Opinion:
    """Say what the match's lens thinks of the moves in a decision."""
    lens = lens_of(match, players, int(players.game.to_move[position]))
    return opinion(players, position, lens, match.step)


def opinion(players: Players, position: int, lens: str, step: int | None = None) -> Opinion:
    """Say what a lens thinks of the moves in a decision, at a snapshot or as shipped."""
    if lens == TRUTH:
        return _truth(players, position)
    return _learned(players, lens, step, position)


def _truth(players: Players, position: int) -> Opinion:
    values = players.true_values[position]
    plies = _plies(players, position)
    # The sooner the better for a win, the later the better for a loss.
    best = greedy(values * (players.game.cells + 2 - plies))
    return Opinion(
        lens=TRUTH,
        values=values,
        texts=["" if np.isnan(value) else signed(value, 0) for value in values],
        heat=_heat(values),
        best=(best > 0).tolist(),
        truths=_truths(players, position),
        wrong=[False] * len(values),
        blank="",
    )


def _learned(players: Players, lens: str, step: int | None, position: int) -> Opinion:
    q, scaled, known = _table(players, lens, step)
    values, heat = q[position].astype(np.float64), scaled[position]
    return Opinion(
        lens=lens,
        values=values,
        texts=[
            signed(value) if tried else ""
            for value, tried in zip(values, known[position], strict=True)
        ],
        heat=_heat(heat),
        best=(greedy(values) > 0).tolist(),
        truths=_truths(players, position),
        wrong=(known[position] & (np.rint(heat) != players.true_values[position])).tolist(),
        blank="never tried" if step is None else "as before training",
    )


@lru_cache(maxsize=32)
def _table(
    players: Players, lens: str, step: int | None
) -> tuple[NDArray[np.floating], NDArray[np.float64], NDArray[np.bool_]]:
    """Return an agent's values, the same on the common scale, and which it knows.

    As shipped it knows what it ever updated.  What it had updated by a snapshot is not recorded:
    there it is what has changed since the untouched table.
    """
    agent = players.agents[lens]
    if step is None:
        q: NDArray[np.floating] = agent.q
        known = agent.visits > 0
    else:
        q = agent.snapshot_q[step]
        known = (q != agent.snapshot_q[0]) & players.game.legal
    return q, common_scale(players.game, q, agent.card.worth), known


def _plies(players: Players, position: int) -> NDArray[np.int16]:
    """Moves to the end of the game with best play, this one included, for each cell."""
    after = np.maximum(players.game.successor[position], 0)
    plies: NDArray[np.int16] = players.solution.plies[after].astype(np.int16) + np.int16(1)
    return plies


def _truths(players: Players, position: int) -> list[str]:
    return [
        "" if np.isnan(value) else "draw" if value == 0 else f"{OUTCOMES[int(value)]} in {plies}"
        for value, plies in zip(
            players.true_values[position], _plies(players, position), strict=True
        )
    ]


def _heat(scaled: NDArray[np.float64]) -> list[int]:
    heat: list[int] = np.rint(np.nan_to_num(scaled) * HEAT_STEPS).astype(int).tolist()
    return heat
