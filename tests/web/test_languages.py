"""Pages in other languages: all texts are marked for translation, and links keep the language.

In a made-up language every marked text is in brackets, so that unmarked texts can be found.

"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from flask import Flask
from flask.testing import FlaskClient

from app.project import ROOT
from app.translations.coverage import is_translated
from app.translations.gather import TRANSLATIONS_FOLDER, gather_texts, update_catalogue
from app.web.service.languages import FILE_PATTERN
from app.web.site_data import SiteData
from app.web.translation import (
    Language,
    load_languages,
)
from tests.web.addresses import crawl
from tests.web.test_errors import WRONG

SAID = {"aria-label", "title", "alt", "placeholder", "aria-valuetext", "content", "label"}
NAMES = {"Q-Tac-Toe", "API", "SVG", "CSV", "Esperanto", "EO"}
WORD = re.compile(r"[^\W\d_]{2,}")
TRANSLATED_ERRORS = ("/nowhere", "/play/", "/puzzle/", "/how/untrained", "/embed/board", "/teach")
VOID = {"meta", "link", "input", "img", "br", "path", "circle", "rect", "line", "use", "polygon"}


class Brackets(NullTranslations):
    """A translation that puts every marked text in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


class Unmarked(HTMLParser):
    """The words of a page outside of brackets, except names and other languages."""

    def __init__(self, text: str, names: list[str]) -> None:
        super().__init__()
        self.names = sorted(names, key=len, reverse=True)
        self.found: list[str] = []
        self.depth = 0  # number of open brackets in the text
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
            self.depth = self.read(re.sub(r"https?://\S+", "", data), self.depth)

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
def bracketed(app: Flask) -> Iterator[FlaskClient]:
    languages = app.extensions["languages"]
    languages["eo"] = Language("eo", "Esperanto", Brackets())
    yield app.test_client()
    del languages["eo"]


@pytest.mark.long
def test_every_text_is_marked_and_every_link_keeps_its_language(
    bracketed: FlaskClient, site: SiteData
) -> None:
    """On all pages of the language; links to English pages say so."""
    cards = [agent.card for agent in site.agents.values()]
    names = [*NAMES, *(name for card in cards for name in (card.title, card.origin))]
    wrong = tuple(url for url, *_ in WRONG if url.startswith(TRANSLATED_ERRORS))
    visited = 0
    for visit in crawl(bracketed, "eo", wrong, lambda target: "hl=eo" in target):
        text = visit.response.text if visit.page else ""
        if not text or '<html lang="en"' in text:
            continue
        assert '<html lang="eo"' in text
        visited += 1
        assert visit.response.status_code < 500
        assert Unmarked(text, names).found == [], visit.address
        text = re.sub(r'href="[^"]*" hreflang="\w+"', "", text)
        for address in ADDRESS.findall(text):
            other = address.startswith(("/static/", "/api/")) or FILE_PATTERN.search(address)
            assert bool(other) != ("hl=eo" in address), f"{visit.address}: {address}"
    assert visited > len(WRONG) // 2


COMPLETE = ["de", "fr"]
CATALOGUES = sorted(TRANSLATIONS_FOLDER.glob("*.po"))
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|\{\}|#|<[^>]*>")
ADDRESS = re.compile(r'\s(?:href|action|hx-get|data-reply|data-why|data-minds)="([/?][^"#]*)')


@cache
def texts() -> Catalog:
    """All texts of the pages, collected once because it is slow."""
    return gather_texts()


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.stem)
def test_a_catalogue_has_every_text_and_no_other_in_the_order_of_the_pages(file: Path) -> None:
    """`make translations` makes it so."""
    with file.open("rb") as lines:
        kept = [message.id for message in read_po(lines, locale=file.stem)]
    assert kept == [message.id for message in update_catalogue(file, texts())]


def test_no_text_stands_inside_an_f_string() -> None:
    """Before Python 3.12 the search for texts does not find it there."""
    hidden = [
        f"{source.relative_to(ROOT)}: {text.value!r}"
        for source in (ROOT / "app" / "web").rglob("*.py")
        if re.search(r"\{.*gettext\(", source.read_text("utf-8"))
        for string in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("gettext", "ngettext")
        for text in call.args[:1]
        if isinstance(text, ast.Constant)
    ]
    assert hidden == []


@pytest.mark.parametrize("code", COMPLETE)
def test_the_languages_of_this_project_are_complete(code: str) -> None:
    """Languages of other contributors may be incomplete."""
    catalogue = update_catalogue(TRANSLATIONS_FOLDER / f"{code}.po", texts())
    assert [text.id for text in catalogue if text.id and not is_translated(text)] == []


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.stem)
def test_a_translation_has_the_placeholders_and_the_markup_of_its_text(file: Path) -> None:
    with file.open("rb") as lines:
        catalogue = read_po(lines, locale=file.stem)
    for message in catalogue:
        if not message.id or not is_translated(message):
            continue
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        texts = message.id if isinstance(message.id, tuple) else (message.id,)
        for form in forms:
            found = {tuple(sorted(PLACEHOLDER.findall(str(text)))) for text in texts}
            assert tuple(sorted(PLACEHOLDER.findall(str(form)))) in found, form


def test_what_is_sent_on_keeps_its_language(client: FlaskClient) -> None:
    sent = client.get("/set/?at=/play/40&lens=truth&hl=de")
    assert sent.status_code == 303
    assert sent.headers["Location"] == "/play/40?lens=truth&hl=de"
    moved = client.get("/reply/4?hl=de", headers={"HX-Request": "true"})
    assert moved.headers["HX-Push-Url"].endswith("?hl=de")
    assert "Dein Zug als X" in moved.text


def test_a_language_is_one_file(tmp_path: Path) -> None:
    """As in docs/translating.md: Spanish, with a few texts."""
    texts = {"": "Content-Type: text/plain; charset=utf-8\\n", "Play": "Jugar"}
    texts |= {"English": "Español", ",.": ".,"}
    lines = [f'msgid "{text}"\nmsgstr "{said}"\n' for text, said in texts.items()]
    (tmp_path / "es.po").write_text("\n".join(lines), "utf-8")
    spanish = load_languages(tmp_path)["es"]
    assert (spanish.name, spanish.number_separators) == ("Español", ".,")
    assert spanish.catalogue.gettext("Play") == "Jugar"
    assert spanish.catalogue.gettext("Teach") == "Teach"
