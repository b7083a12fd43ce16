"""What somebody thinks of the moves in a position: an agent's values, or the truth."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.agents import Agent
from app.tictactoe.policy import greedy
from app.tictactoe.views import on_scale
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


def in_truth(players: Players, position: int) -> str:
    """Say what a decision is worth to the mover with best play: "win in 3", "draw"."""
    truth = opinion(players, position, TRUTH)
    return truth.truths[truth.best.index(True)]


def lens_of(match: Match, players: Players, to_move: int) -> str:
    """Return whose values to show: those asked for, else the mover's, else the other side's."""
    candidates = (match.lens, match.seat(to_move), match.seat(-to_move))
    return next((name for name in candidates if name in players.lenses), players.lenses[0])


def match_opinion(match: Match, players: Players, position: int) -> Opinion:
    """Say what the match's lens thinks of the moves in a decision."""
    lens = lens_of(match, players, int(players.game.to_move[position]))
    return opinion(players, position, lens, match.step)


@lru_cache(maxsize=1024)  # some 2 KB each; a game asks for the same ones at every move
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
    agent, mover = players.agents[lens], int(players.game.to_move[position])
    q, known = _row(agent, step, position)
    values = q.astype(np.float64)
    scaled = on_scale(values, agent.card.worth, mover)
    wrong = known & (np.rint(scaled) != players.true_values[position])
    return Opinion(
        lens=lens,
        values=values,
        texts=[signed(value) if tried else "" for value, tried in zip(values, known, strict=True)],
        heat=_heat(scaled),
        best=(greedy(values) > 0).tolist(),
        truths=_truths(players, position),
        wrong=wrong.tolist(),
        blank="never tried" if step is None else "as before training",
    )


def _row(
    agent: Agent, step: int | None, position: int
) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    """Return an agent's values of a decision, [cells], and which of them it knows.

    As shipped it knows what it ever updated.  What it had updated by a snapshot is not recorded:
    there it is what has changed since the untouched table.
    """
    if step is None:
        return agent.q[position], agent.visits[position] > 0
    q = agent.snapshot_q[step, position]
    return q, (q != agent.snapshot_q[0, position]) & ~np.isnan(q)


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
