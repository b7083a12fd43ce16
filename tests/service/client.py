"""Single requests, as a browser makes them, and what they weigh."""

import json
import urllib.request
from collections.abc import Mapping
from html.parser import HTMLParser

LOADED = {"script": "src", "img": "src", "link": "href"}


def get(url: str, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the body of an answer as it was sent, packed or not."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers or {}))) as answer:
        body: bytes = answer.read()
        return body


def agents(url: str) -> list[str]:
    """List the agents of a site."""
    return list(json.loads(get(f"{url}/healthz"))["models"])


def parts(page: bytes) -> set[str]:
    """Return the addresses of what a page loads."""
    finder = _Parts()
    finder.feed(page.decode())
    return finder.found


class _Parts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get(LOADED.get(tag, ""))
        if address:
            self.found.add(address)
