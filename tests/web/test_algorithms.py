"""Every algorithm that made an agent is known to the pages that explain them."""

from app.web.algorithms import ALGORITHMS
from app.web.players import Players


def test_the_algorithms_are_those_of_the_cards(players: Players) -> None:
    assert set(ALGORITHMS) == {agent.card.algorithm for agent in players.agents.values()}
