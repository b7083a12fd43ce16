"""The sources by name: the projects that this one rebuilds, and the classics beside them.

`sources.toml` has them, each with what was taken from it and what differs here.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

import msgspec

CLASSICS = "Classics of the field"


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who wrote what, when, and where it can be read; what this project has of it."""

    slug: str  # in addresses and files
    name: str  # the short one, by which cards, claims and sections speak of it
    kind: Literal["project", "classic", "page", "ours"]
    author: str
    title: str
    year: str = ""  # "" where its pages do not say
    published: str = ""  # in what
    addresses: tuple[
        str, ...
    ] = ()  # of the pages themselves; none where none is known to us
    taken: str = ""
    differs: tuple[str, ...] = ()  # what is otherwise here, and why

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where its links lead, in their order."""
        return tuple(urlsplit(address).hostname or "" for address in self.addresses)


def _read_sources() -> Mapping[str, Source]:
    written = msgspec.toml.decode(
        Path(__file__).with_suffix(".toml").read_bytes(),
        type=dict[str, dict[str, object]],
    )
    return {
        slug: msgspec.convert({"slug": slug, **one}, Source)
        for slug, one in written.items()
    }


SOURCES: Mapping[str, Source] = MappingProxyType(_read_sources())
OWN_SOURCE = SOURCES["ours"]
_BY_NAME = MappingProxyType({source.name: source for source in SOURCES.values()})


def get_sources(*slugs: str) -> tuple[Source, ...]:
    """Return the sources with these slugs."""
    return tuple(SOURCES[slug] for slug in slugs)


def find_source(name: str) -> Source | None:
    """Return the source with a short name, as the cards have it; None if there is no such."""
    return _BY_NAME.get(name)


def find_heading(name: str) -> str:
    """Return what agents with an origin are listed under: the classics are one family."""
    source = find_source(name)
    return CLASSICS if source and source.kind == "classic" else name
