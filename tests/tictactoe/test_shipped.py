"""What the cards in models/ say of their agents is what a slow, independent evaluation says."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.tictactoe.agents import load
from tests.tictactoe.both import Both
from tests.tictactoe.slow_report import flat, slow_figures

MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize("agent_id", sorted(path.stem for path in MODELS.glob("*.json")))
def test_a_card_says_what_is_true(tictactoe: Both, players, agent_id: str):
    agent = load(MODELS, tictactoe.game, agent_id)
    card = at_the_end(msgspec.to_builtins(agent.card.figures))
    expected = slow_figures(tictactoe, agent.q, agent.card.worth, players)
    expected["updates"] = [agent.card.updates]
    assert flat(card) == pytest.approx(flat(expected), rel=0, abs=1e-6)


def at_the_end(figures: dict[str, Any]) -> dict[str, Any]:
    """The last entry of every list."""
    return {
        name: at_the_end(entries) if isinstance(entries, dict) else entries[-1:]
        for name, entries in figures.items()
    }
