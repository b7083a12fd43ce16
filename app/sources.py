"""Sources by slug and by name: projects that are reproduced here, and classics of the field.

`sources.toml` holds the entries: the ideas taken from each source, and the differences here.
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
    """A publication with its author, and its relation to this project."""

    slug: str  # name of the source in URLs and files
    name: str  # the short name used on cards and pages
    kind: Literal["project", "classic", "page", "ours"]
    author: str
    title: str
    year: str = ""  # year of publication, "" if unknown
    published: str = ""  # the journal, book or site
    # URLs of the source, () if unknown.
    urls: tuple[str, ...] = ()
    adopted: str = ""  # the ideas taken from the source
    differences: tuple[str, ...] = ()  # the differences in this project, with reasons

    @property
    def url_hosts(self) -> tuple[str, ...]:
        """The host names of its URLs, in order."""
        return tuple(urlsplit(address).hostname or "" for address in self.urls)


def _read_sources() -> Mapping[str, Source]:
    """Return the sources of `sources.toml` by slug."""
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
    """Return the sources with these slugs."""
    return tuple(SOURCES[slug] for slug in slugs)


def find_source(short_name: str) -> Source | None:
    """Return the source with this short name, which cards use; None if the name is unknown."""
    return _SOURCES_BY_NAME.get(short_name)


def find_source_heading(short_name: str) -> str:
    """Return the heading for agents of a source, given its short name; classics share a heading."""
    source = find_source(short_name)
    return CLASSICS_HEADING if source and source.kind == "classic" else short_name
