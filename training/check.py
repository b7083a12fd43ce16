"""Whether an agent on disk is what its recipe makes of it."""

import msgspec
import numpy as np

from app.tictactoe.agents import Agent

# Measured, not made: how long it took, on what, and how the file was packed.
CIRCUMSTANCES = {"seconds", "versions", "arrays"}


def verdict(saved: Agent, rebuilt: Agent) -> str:
    """Say whether an agent is the same, or what differs and what either was made with."""
    found = differences(saved, rebuilt)
    if not found:
        return "the same, bit for bit"
    made_with, here = (
        ", ".join(f"{name} {version}" for name, version in agent.card.versions.items())
        for agent in (saved, rebuilt)
    )
    return f"{', '.join(found)} differ (made with {made_with}; here {here})"


def differences(saved: Agent, rebuilt: Agent) -> list[str]:
    """Name the arrays that are not the same bit for bit, and the entries of the card."""
    there = rebuilt.arrays()
    arrays = [name for name, array in saved.arrays().items() if not _same(array, there[name])]
    before, now = (msgspec.to_builtins(agent.card) for agent in (saved, rebuilt))
    entries = [name for name in before if name not in CIRCUMSTANCES and before[name] != now[name]]
    return arrays + [f"{name} of the card" for name in entries]


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
