"""The pages of the agents: where they are, and whose there are."""

from werkzeug.exceptions import NotFound

from app.tictactoe.agents import Agent
from app.web.players import Players

AGENTS = "/agents"


def address(name: str) -> str:
    """Return where the page of an agent is; what belongs to it lies below."""
    return f"{AGENTS}/{name}"


def known(players: Players, name: str) -> Agent:
    """Return an agent; raises NotFound, naming those there are, if it is not one of them."""
    if name not in players.agents:
        there = ", ".join(players.agents)
        raise NotFound(f"There is no agent {name!r} that learned. There are: {there}.")
    return players.agents[name]
