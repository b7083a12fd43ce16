"""Routes: each has a URL rule and the query parameters that its page reads, and builds URLs.

Names are quoted here, because the name of a recipe can contain a "+".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote

EMBED_PREFIX = "/embed/"  # prefix of frames, which other sites can show
# the most characters of a cached text; names of recipes and their URLs are shorter
MAX_CACHED_LENGTH = 250
# characters of recipe names that need no quoting, unlike "+"
UNQUOTED_CHARACTERS = ",:="


@dataclass(frozen=True)
class Route:
    """The URL rule of a page with the names of the query parameters that the page reads.

    Variable parts of the rule are in angle brackets. A parameter with a "*", as in "lens* figure",
    can occur more than once in a URL. Parameters that the page does not read are removed from a
    request: see `service/queries.py`. With None nothing is removed, for a page that responds to
    unknown parameters with an error.
    """

    rule: str
    query_text: str | None = ""

    @cached_property
    def query_parameters(self) -> tuple[str, ...] | None:
        """The names of the query parameters, in the order of the page's URLs."""
        if self.query_text is None:
            return None
        return tuple(name.rstrip("*") for name in self.query_text.split())

    @cached_property
    def repeated_parameters(self) -> frozenset[str]:
        """The names of the parameters that can occur more than once."""
        names = (self.query_text or "").split()
        return frozenset(name.rstrip("*") for name in names if name.endswith("*"))

    @cached_property
    def _pattern(self) -> str:
        return re.sub("<[^<>]*>", "%s", self.rule)

    def url(self, *parts: object, **query: object) -> str:
        """Return the URL with values for the variable parts and the query.

        Raises TypeError if the query has a parameter that the page does not read.
        """
        if query and self.query_parameters is not None:
            unread = query.keys() - {*self.query_parameters}
            if unread:
                raise TypeError(f"{self.rule} does not read {', '.join(unread)}")
        path = self._pattern % tuple(quote_text(str(part)) for part in parts)
        return path + _build_query(**query)

    def replace_rule(self, rule: str) -> "Route":
        """Return a route with another rule that reads the same query parameters."""
        return replace(self, rule=rule)

    def append_ending(self, ending: str) -> "Route":
        """Return a route with an ending added to its rule and the same parameters."""
        return self.replace_rule(self.rule + ending)

    @property
    def bare(self) -> "Route":
        """The route without its variable parts, such as /play/ for /play/<record>."""
        return self.replace_rule(re.sub("<[^<>]*>", "", self.rule))

    @property
    def framed(self) -> "Route":
        """The route that shows the same page in an iframe of another site."""
        return self.replace_rule(frame_url(self.rule))


class Destination(NamedTuple):
    """A link: its text, its URL and a description of the target."""

    title: str
    href: str  # "" for a disabled link
    description: str = ""  # a description of the page to which the link leads
    id: str = ""  # the id of the HTML element
    is_current: bool = False  # whether this is the current page


def frame_url(page_url: str) -> str:
    return EMBED_PREFIX.rstrip("/") + page_url


def page_url(frame_path: str) -> str:
    return quote_path(frame_path.removeprefix(EMBED_PREFIX.rstrip("/")))


def frame_file_url(frame_url: str, ending: str) -> str:
    """Return the URL of a frame's content as a file with an ending, such as "svg" or "csv"."""
    path, _, query = frame_url.partition("?")
    return f"{path}.{ending}" + (f"?{query}" if query else "")


def append_query(path: str, query: Sequence[tuple[str, str]]) -> str:
    """Return a path with a query; the path is quoted already, the names and values are not.

    A "+" in the path is quoted too, as in all URLs of the site.
    """
    pairs = "&".join(f"{quote_text(name)}={quote_text(value)}" for name, value in query)
    return path.replace("+", "%2B") + (f"?{pairs}" if pairs else "")


def quote_path(path: str) -> str:
    """Return a path of a request, quoted for a URL.

    A backslash is quoted as well: after the first slash, browsers read it as the start of a host.
    """
    return append_query(quote(path, safe=f"/{UNQUOTED_CHARACTERS}"), ())


def quote_text(text: str) -> str:
    """Return a text quoted for a URL; the result is cached, except for long texts."""
    if len(text) > MAX_CACHED_LENGTH:
        return quote(text, safe=UNQUOTED_CHARACTERS)
    return _quote_cached(text)


def omit_first_page(page: int) -> int | None:
    """Return the number of a page, None for the first page, which URLs leave out."""
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
