"""Routes: each knows the URL rule of a page and its query parameters, and builds its URLs.

This module quotes names in URLs, because the name of a recipe can contain a "+".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote

# the parameters of a request, by their names
Query = Mapping[str, str]
# Other sites can show the pages below this path in an iframe.
EMBED_PREFIX = "/embed/"
# Names of recipes and URLs are usually shorter.
MAX_CACHED_TEXT_LENGTH = 250
# Recipe names contain these characters, which need no quoting in a URL, unlike "+".
UNQUOTED_CHARACTERS = ",:="


@dataclass(frozen=True)
class Route:
    """A URL rule, and the query parameters that its page reads.

    `query_text` names the parameters, as in "lens* figure"; one with "*" can occur more than once.
    All others are removed from a request (see `service/queries.py`). With None no parameter is
    removed.
    """

    rule: str
    query_text: str | None = ""

    @cached_property
    def query_parameters(self) -> tuple[str, ...] | None:
        if self.query_text is None:
            return None
        return tuple(name.rstrip("*") for name in self.query_text.split())

    @cached_property
    def repeated_parameters(self) -> frozenset[str]:
        names = (self.query_text or "").split()
        return frozenset(name.rstrip("*") for name in names if name.endswith("*"))

    @cached_property
    def _pattern(self) -> str:
        return re.sub("<[^<>]*>", "%s", self.rule)

    def url(self, *parts: object, **query: object) -> str:
        """Return the URL with these variable parts and this query.

        Raises TypeError for a parameter that the page does not read.
        """
        if query and self.query_parameters is not None:
            unread = query.keys() - {*self.query_parameters}
            if unread:
                raise TypeError(f"{self.rule} does not read {', '.join(unread)}")
        path = self._pattern % tuple(quote_text(str(part)) for part in parts)
        return path + _build_query(**query)

    def replace_rule(self, rule: str) -> "Route":
        return replace(self, rule=rule)

    def append_ending(self, ending: str) -> "Route":
        """Return the route of a file, such as ".csv", with the content of this page."""
        return self.replace_rule(self.rule + ending)

    @property
    def without_variables(self) -> "Route":
        """The route without its variable parts: /play/ for /play/<record>."""
        return self.replace_rule(re.sub("<[^<>]*>", "", self.rule))

    @property
    def for_iframe(self) -> "Route":
        """The route of the same page in an iframe of another site."""
        return self.replace_rule(iframe_url(self.rule))


class Destination(NamedTuple):
    title: str
    # "" disables the link
    href: str
    description: str = ""
    id: str = ""
    is_current: bool = False


def iframe_url(page_url: str) -> str:
    return EMBED_PREFIX.rstrip("/") + page_url


def page_url(iframe_path: str) -> str:
    return quote_path(iframe_path.removeprefix(EMBED_PREFIX.rstrip("/")))


def iframe_file_url(iframe_url: str, ending: str) -> str:
    """Return the URL of a file with the content of an iframe, such as "svg" or "csv"."""
    path, _, query = iframe_url.partition("?")
    return f"{path}.{ending}" + (f"?{query}" if query else "")


def append_query(path: str, query: Sequence[tuple[str, str]]) -> str:
    """Add a query to a path that is already quoted, except for a "+" in it."""
    pairs = "&".join(f"{quote_text(name)}={quote_text(value)}" for name, value in query)
    return path.replace("+", "%2B") + (f"?{pairs}" if pairs else "")


def quote_path(path: str) -> str:
    """Quote the path of a request for a URL.

    A backslash is quoted as well, because browsers read it as a slash, and "//" begins a host.
    """
    return append_query(quote(path, safe=f"/{UNQUOTED_CHARACTERS}"), ())


def quote_text(text: str) -> str:
    if len(text) > MAX_CACHED_TEXT_LENGTH:
        return quote(text, safe=UNQUOTED_CHARACTERS)
    return _quote_cached(text)


def omit_first_page(page: int) -> int | None:
    """Return the page number for a URL, None for the first page."""
    return page if page > 1 else None


def _build_query(**values: object) -> str:
    pairs = []
    for name, value in values.items():
        repeated = value if isinstance(value, list) else [value]
        given = [each for each in repeated if each not in (None, "")]
        pairs += [f"{name}={quote_text(str(each))}" for each in given]
    return "?" + "&".join(pairs) if pairs else ""


@lru_cache(maxsize=1024)
def _quote_cached(text: str) -> str:
    return quote(text, safe=UNQUOTED_CHARACTERS)
