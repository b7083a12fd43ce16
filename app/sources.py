"""The sources of this project, by slug or by name: projects that we reproduce, and publications.

`sources.toml` says which ideas come from each source, and what is different in this project.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import urlsplit

import msgspec

CLASSICS_HEADING = "Classics of the field"


class Source(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"urls": "addresses", "adopted": "taken", "differences": "differs"},
):
    """A publication or program: what this project took from it, and what differs here."""

    slug: str  # its name in URLs and files
    name: str  # its short name on cards and pages
    kind: Literal["project", "classic", "page", "ours"]
    author: str
    title: str
    year: str = ""  # the year of publication; "" if unknown
    published: str = ""  # the journal, book or site that published it
    urls: tuple[str, ...] = ()
    adopted: str = ""  # the ideas taken from the source
    differences: tuple[str, ...] = ()  # the differences in this project, with reasons

    @property
    def url_hosts(self) -> tuple[str, ...]:
        """The host names in its URLs, in order."""
        return tuple(urlsplit(address).hostname or "" for address in self.urls)


def _read_sources() -> Mapping[str, Source]:
    entries = msgspec.toml.decode(
        Path(__file__).with_suffix(".toml").read_bytes(),
        type=dict[str, dict[str, object]],
    )
    return {
        slug: msgspec.convert({"slug": slug, **fields}, Source)
        for slug, fields in entries.items()
    }


SOURCES: Mapping[str, Source] = MappingProxyType(_read_sources())
_SOURCES_BY_NAME = MappingProxyType(
    {source.name: source for source in SOURCES.values()}
)


def get_sources(*slugs: str) -> tuple[Source, ...]:
    return tuple(SOURCES[slug] for slug in slugs)


def find_source(short_name: str) -> Source | None:
    """Return the source with this short name, as agents name it; None if it is unknown."""
    return _SOURCES_BY_NAME.get(short_name)


def find_source_heading(short_name: str) -> str:
    """Return the heading above the agents of a source; all classics share one heading."""
    source = find_source(short_name)
    return CLASSICS_HEADING if source and source.kind == "classic" else short_name
