"""Everybody who can sit at the board, as cards to choose from."""

from functools import lru_cache
from typing import NamedTuple

from app.web.character import character
from app.web.world import HUMAN, World


class Card(NamedTuple):
    """Somebody who can be seated."""

    id: str
    title: str
    strength: str  # "" of a person
    line: str
    opening: tuple[int | None, ...]  # heats of the empty board; none of one who never learned


class Group(NamedTuple):
    """Those who came to play in the same way."""

    title: str
    cards: tuple[Card, ...]


@lru_cache(maxsize=4)
def groups(world: World) -> tuple[Group, ...]:
    """List everybody: a person, those who learned by whose idea it was, those who follow a rule."""
    by_origin: dict[str, list[Card]] = {}
    for name, agent in world.agents.items():
        by_origin.setdefault(agent.card.origin, []).append(_card(world, name))
    rules = [_card(world, name) for name in world.policies if name not in world.agents]
    return (
        Group("A person", (_card(world, HUMAN),)),
        *(Group(origin, tuple(cards)) for origin, cards in by_origin.items()),
        Group("Follow a rule", tuple(rules)),
    )


def _card(world: World, name: str) -> Card:
    who = character(world, name)
    title = "You" if name == HUMAN else world.titles[name]
    return Card(name, title, who.strength, who.line, who.opening or ())
