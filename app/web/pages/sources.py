"""The page of sources: who wrote what, what was taken from it, and what differs here and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from flask import Blueprint, Response

from app.sources import SOURCES, Source
from app.tictactoe.card import Card
from app.web import addresses
from app.web.pages.parts.claims import Claim, of_source
from app.web.respond import Page, respond
from app.web.world import World, world

bp = Blueprint("sources", __name__)


class SourceEntry(NamedTuple):
    """A source on the page, and what of this site speaks of it."""

    source: Source
    cards: list[Card]
    claims: list[Claim]


@dataclass(frozen=True)
class SourcesPage(Page):
    """All sources: the projects, then the classics by year."""

    template: ClassVar = "sources/sources.html"

    families: Mapping[str, list[SourceEntry]]


@bp.get(addresses.SOURCES)
def sources() -> Response:
    """Show all sources."""
    return respond(sources_page(world()))


def sources_page(world: World) -> SourcesPage:
    """Gather what the page writes down."""
    titles = {"project": "The five projects", "classic": "The classics"}
    return SourcesPage(
        families={
            title: [
                SourceEntry(
                    source=source,
                    cards=[
                        agent.card
                        for agent in world.always.values()
                        if agent.card.origin == source.name
                    ],
                    claims=of_source(world, source.slug),
                )
                for source in SOURCES.values()
                if source.kind == kind
            ]
            for kind, title in titles.items()
        }
    )
