"""What the cards in models/ say of their agents is true of the very tables that are stored."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.recipes import parse
from app.tictactoe.agents import Agent, load
from tests.tictactoe.both import Both
from tests.tictactoe.slow_report import flat, slow_figures

MODELS = Path(__file__).parents[2] / "models"


@pytest.fixture(scope="module", params=sorted(path.stem for path in MODELS.glob("*.json")))
def agent(request: pytest.FixtureRequest, tictactoe: Both) -> Agent:
    return load(MODELS, tictactoe.game, request.param)


def last(figures: Any) -> Any:
    """The figures of the last snapshot: that entry of every list."""
    if isinstance(figures, dict):
        return {name: last(below) for name, below in figures.items()}
    return figures if figures is None else figures[-1:]


def test_a_card_says_what_a_slow_evaluation_says(
    tictactoe: Both, float_players, slow_tasks, agent: Agent
):
    """Of the agent as shipped; other tests make the figures of every snapshot anew, as these."""
    card = agent.card
    task = parse(card.recipe).task()
    slow = None if task is None else slow_tasks(task)
    expected = slow_figures(tictactoe, agent.q, card.worth, float_players, card.plays, slow)
    expected["updates"] = [card.updates]
    told = last(msgspec.to_builtins(card.figures))
    assert flat(told) == pytest.approx(flat(expected), rel=0, abs=1e-8)


def test_a_card_says_how_its_recipe_plays_and_what_it_learned(tictactoe: Both, agent: Agent):
    recipe, card = parse(agent.card.recipe), agent.card
    assert (card.algorithm, card.plays, card.seed) == (recipe.slug, recipe.plays, recipe.seed)
    assert card.worth == recipe.worth()
    no_task = card.algorithm in ("league", "menace")
    assert (card.figures.task is None) == (recipe.task() is None) == no_task
