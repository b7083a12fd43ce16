"""Every algorithm has its file, its texts and an agent."""

import pytest

from app.recipes import ALGORITHMS as RECIPES
from app.recipes import parse_recipe
from app.web.algorithms import ALGORITHMS, describe_phases
from app.web.service.deployment import ROOT
from app.web.site_data import SiteData


def test_the_algorithms_are_those_of_the_recipes_and_best_play() -> None:
    assert set(ALGORITHMS) == {*RECIPES, "minimax"}


def test_the_algorithms_are_those_of_the_cards(site: SiteData) -> None:
    assert {agent.card.algorithm for agent in site.agents.values()} == {*ALGORITHMS} - {"minimax"}


@pytest.mark.parametrize("slug", ALGORITHMS)
def test_an_algorithm_has_its_prose(slug: str) -> None:
    assert (ROOT / "templates/how/sections" / f"{slug}.html").is_file()


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        (
            "q-iteration",
            [
                "50 sweeps over every move of every position against Random",
                "200 sweeps over every move of every position against itself",
            ],
        ),
        ("q-learning,games=7000", ["7,000 games from random positions against Random"]),
        (
            "q-learning,vs=t-hand,start=every",
            ["100,000 games from every position in turn against T-hand"],
        ),
        ("self-play", ["200,000 games against itself"]),
        ("sarsa", ["300,000 games from random positions against Random"]),
        ("expected-sarsa,start=empty,games=70", ["70 games against Random"]),
        (
            "sarsa-lambda,start=every,games=70",
            ["70 games from every position in turn against Random"],
        ),
        ("monte-carlo,vs=self", ["300,000 games from random positions against itself"]),
        ("td-afterstates,vs=t-hand", ["100,000 games against T-hand"]),
        ("td-afterstates,vs=both", ["100,000 games against itself, both sides learning"]),
        ("dqn", ["400 epochs against Random"]),
        ("league", ["10,000 rounds against the league"]),
        ("mcts", ["200 simulated games from every position against itself"]),
    ],
)
def test_a_training_is_told_opponent_by_opponent(
    site: SiteData, recipe: str, told: list[str]
) -> None:
    assert describe_phases(site, parse_recipe(recipe)) == told
