"""The sources of this project: publications, and programs that we reproduce.

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
    """A publication or program, the ideas taken from it, and the differences in this project.

    The slug is its name in URLs and files, and the name is shown on pages. `published` is the
    journal, book or site. The year is "" if it is unknown.
    """

    slug: str
    name: str
    kind: Literal["project", "classic", "page", "ours"]
    author: str
    title: str
    year: str = ""
    published: str = ""
    urls: tuple[str, ...] = ()
    adopted: str = ""
    differences: tuple[str, ...] = ()

    @property
    def url_hosts(self) -> tuple[str, ...]:
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
    """Return the source with a short name, as agents' cards give it, or None."""
    return _SOURCES_BY_NAME.get(short_name)


def find_source_heading(short_name: str) -> str:
    """Return the heading above the agents of a source; all classics share one."""
    source = find_source(short_name)
    return CLASSICS_HEADING if source and source.kind == "classic" else short_name
