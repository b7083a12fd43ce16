"""The shipped models are what their recipes and seeds make of them."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.tictactoe.agents import Agent, load
from app.tictactoe.game import Game
from app.tictactoe.report import report
from training.check import differences
from training.recipes import RECIPES
from training.run import shown_tables, train

MODELS = Path("models")


@pytest.mark.parametrize("agent_id", RECIPES)
def test_a_shipped_model_is_rebuilt_bit_for_bit(game: Game, agent_id: str) -> None:
    saved = load(MODELS, game, agent_id)
    rebuilt = train(RECIPES[agent_id], game, saved.card.seed, lambda progress: None)
    assert differences(saved, rebuilt) == []


@pytest.mark.parametrize("agent_id", RECIPES)
def test_a_shipped_card_tells_the_truth_of_its_table(game: Game, agent_id: str) -> None:
    agent = load(MODELS, game, agent_id)
    shown = shown_tables(agent.snapshot_q, agent.q)
    figures = report(game, shown, agent.card.figures.updates, agent.card.worth)
    assert figures == agent.card.figures


def test_q_iteration_ships_without_a_blunder(game: Game) -> None:
    figures = load(MODELS, game, "q-iteration").card.figures
    assert figures.blunders[-1] == 0
    assert figures.nash_conv[-1] == 0
    assert figures.classes_right[-1] == 1


@pytest.fixture(scope="module")
def agent(game: Game) -> Agent:
    return load(MODELS, game, "q-iteration")


def test_what_was_measured_may_differ(agent: Agent) -> None:
    card = msgspec.structs.replace(agent.card, seconds=1e6, versions={}, arrays="")
    assert differences(agent, replace(agent, card=card)) == []


@pytest.mark.parametrize("name", ["q", "visits", "snapshot_updates", "snapshot_q"])
def test_one_other_bit_is_a_difference(agent: Agent, name: str) -> None:
    array = getattr(agent, name).copy()
    array.reshape(-1).view(np.uint8)[7] ^= 1
    assert differences(agent, replace(agent, **{name: array})) == [name]


def test_another_card_is_a_difference(agent: Agent) -> None:
    card = msgspec.structs.replace(agent.card, seed=1, title="Somebody else")
    found = differences(agent, replace(agent, card=card))
    assert found == ["title of the card", "seed of the card"]
