"""Pages in other languages: all that they say is marked, and their links keep the language.

In a language made up here every text that is marked stands in brackets: what is not, shows.
"""

import re
from collections.abc import Iterator
from gettext import NullTranslations
from html.parser import HTMLParser

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web.language import Language
from app.web.text import STOPS
from app.web.world import World

SAID = {"aria-label", "title", "alt", "placeholder", "aria-valuetext", "content", "label"}
NAMES = {"Q-Tac-Toe", "API", "SVG", "CSV"}
WORD = re.compile(r"[^\W\d_]{2,}")
VOID = {"meta", "link", "input", "img", "br", "path", "circle", "rect", "line", "use", "polygon"}
PAGES = [f"/how/{stop.slug}" for stop in STOPS]


class Brackets(NullTranslations):
    """Puts every text that is marked in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


class Unmarked(HTMLParser):
    """The words of a page that stand outside of all brackets, but for names and other languages."""

    def __init__(self, text: str, names: list[str]) -> None:
        super().__init__()
        self.names = sorted(names, key=len, reverse=True)
        self.found: list[str] = []
        self.depth = 0  # of the brackets that are open in the text
        self.silent: list[str] = []  # the elements that are open in which nothing counts
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in VOID:
            if not self.silent:
                self.read_attributes(given)
            return
        foreign = given.get("lang", "xx") != "xx"
        if self.silent or foreign or tag in ("script", "style", "math", "kbd", "code"):
            self.silent.append(tag)
        else:
            self.read_attributes(given)

    def read_attributes(self, given: dict[str, str | None]) -> None:
        machine = given.get("name", "") in MACHINE or given.get("property", "") in MACHINE
        for name in SAID & given.keys():
            if not machine and not (given[name] or "").startswith("http"):
                self.read(given[name] or "", 0)

    def handle_endtag(self, tag: str) -> None:
        if self.silent and tag not in VOID:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.depth = self.read(data, self.depth)

    def read(self, text: str, depth: int) -> int:
        outside = ""
        for sign in text:
            depth += (sign == "⟦") - (sign == "⟧")
            outside += sign if not depth else " "
        for name in self.names:
            outside = outside.replace(name, " ")
        if WORD.search(outside):
            self.found.append(" ".join(text.split()))
        return depth


MACHINE = {"viewport", "htmx-config", "twitter:card", "color-scheme", "theme-color", "robots"}
MACHINE |= {"og:type", "og:site_name"}


@pytest.fixture
def bracketed(site: Flask) -> Iterator[FlaskClient]:
    languages = site.extensions["languages"]
    languages["xx"] = Language("xx", "Xx", Brackets())
    yield site.test_client()
    del languages["xx"]


@pytest.mark.parametrize("page", PAGES)
def test_every_text_is_marked(bracketed: FlaskClient, world: World, page: str) -> None:
    answer = bracketed.get(f"{page}{'&' if '?' in page else '?'}hl=xx")
    assert 'lang="xx"' in answer.text
    names = [*NAMES, *(agent.card.title for agent in world.agents.values())]
    assert Unmarked(answer.text, names).found == []
