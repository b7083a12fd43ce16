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
TAUGHT = [
    "menace,vs=you:4%2Brandom:100,taught=245.45810.5713.12368",
    "q-table,ties=random,alpha=0.9,epsilon=0,epsilon_drop=0,vs=you:1,taught=245",
]
PAGES = [
    *(f"/how/{stop.slug}" for stop in STOPS),
    *("/play/", "/play/40?lens=q-learning-1", "/play/4?hint=1", "/play/4013?x=minimax&pause=1"),
    *("/play/03142?o=menace", "/play/03142?x=q-iteration&o=human&tally=1-1-1", "/play/0?hide=1"),
    *("/play/40?lens=q-learning-1&step=5&train=1", "/play/40?lens=q-iteration_task&errors=task"),
    *("/play/402?lens=q-learning-1&o=human&errors=truth&ply=1", "/play/012435768?epsilon=1"),
    *("/settings/?at=/play/40", "/players/?at=/play/40", "/minds/40", "/minds/03?lens=menace"),
    *(
        "/",
        "/?step=3",
        "/teach",
        "/teach?now=4",
        "/teach?now=x!",
        "/teach/menace,vs=you:1,taught=245",
    ),
    *(f"/teach/{name}" for name in TAUGHT),
    *("/puzzle", "/puzzle/1", "/puzzle/1?right=0", "/puzzle/6?plays=4&right=0", "/puzzle/9999"),
    *("/puzzle/6?plays=4&right=0&ply=1", "/puzzle/6?plays=4&right=0&ply=2", "/puzzle/6?ply=1"),
    *("/puzzle/10/score?answers=0123012301", "/puzzle/1?answers=x", "/embed/puzzle/6"),
    *("/puzzle/31/score?answers=012&day=2026-11-23", "/puzzle/1?day=x", "/embed/how/why"),
    *(
        "/embed/teach",
        "/nowhere",
        "/play/00",
        "/play/4x",
        "/play/4?step=x",
        "/play/4?lens=x",
        "/play/?o=nobody",
    ),
    *("/play/4?ply=9", "/play/4?delay=9", "/minds/03142", "/play/4?step=99&lens=q-table"),
]


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
        foreign = given.get("lang", "eo") != "eo"
        if self.silent or foreign or tag in ("script", "style", "math", "kbd", "code"):
            self.silent.append(tag)
        else:
            self.read_attributes(given)

    def read_attributes(self, given: dict[str, str | None]) -> None:
        machine = given.get("name", "") in MACHINE or given.get("property", "") in MACHINE
        for name in SAID & given.keys():
            if not machine and not re.match(r"(\d+;url=)?(http|/)", given[name] or ""):
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
    languages["eo"] = Language("eo", "Esperanto", Brackets())
    yield site.test_client()
    del languages["eo"]


@pytest.mark.parametrize("page", PAGES)
def test_every_text_is_marked(bracketed: FlaskClient, world: World, page: str) -> None:
    answer = bracketed.get(f"{page}{'&' if '?' in page else '?'}hl=eo", follow_redirects=True)
    assert answer.status_code < 500
    assert 'lang="eo"' in answer.text
    cards = [agent.card for agent in world.agents.values()]
    names = [*NAMES, *(name for card in cards for name in (card.title, card.origin))]
    assert Unmarked(answer.text, names).found == []
