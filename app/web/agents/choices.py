"""Against whom the outcomes on an agent's page can be."""

from typing import NamedTuple

from app.tictactoe.card import Card
from app.web import addresses
from app.web.learning import opponent_title, opponents
from app.web.world import World


class Choice(NamedTuple):
    """Somebody whom the outcomes can be shown against."""

    id: str
    title: str
    href: str
    chosen: bool


def choices(world: World, card: Card, chosen: str) -> list[Choice]:
    """List the opponents, each with the address of the page that shows the outcomes against it."""
    usual, *_ = there = opponents(card)
    return [
        Choice(
            id=opponent,
            title=opponent_title(world, opponent),
            href=addresses.agent(world.name_of(card), "" if opponent == usual else opponent),
            chosen=opponent == chosen,
        )
        for opponent in there
    ]
