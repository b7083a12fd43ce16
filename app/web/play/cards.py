"""Everybody who can sit at the board, as cards to choose from."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

from flask import Response, request

from app.web import addresses
from app.web.character import character
from app.web.play.page import bp
from app.web.play.settled import place_at
from app.web.respond import Page, respond
from app.web.world import HUMAN, World, world


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


@dataclass(frozen=True)
class PlayersPage(Page):
    """Who can be seated; the play page fetches it when it is wanted."""

    template: ClassVar = "players.html"
    fragment: ClassVar = "_players.html"

    groups: tuple[Group, ...]
    here: str  # the game that somebody is chosen for


@bp.get(addresses.PLAYERS)
def players() -> Response:
    """Show everybody who can play."""
    here = addresses.play(place_at(request.args, world()).match)
    return respond(PlayersPage(groups(world()), here))


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
