"""The glossary: the meaning of each term, its formula, and where to see it.

The textbook is Sutton & Barto, *Reinforcement Learning: An Introduction*, second
edition, 2018.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import msgspec
from flask import Blueprint, Response
from markupsafe import Markup

from app.web import urls
from app.web.rendering import Page, get_link_attributes, render_page
from app.web.urls import Destination

bp = Blueprint("glossary", __name__)


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A term of the field."""

    name: str
    meaning: str
    formula: str = ""  # LaTeX
    book: str = ""  # a section of the textbook, or another source
    seen: Destination | None = None
    said: tuple[str, ...] | None = None  # forms of the term on pages; None for its name


CHAPTERS = msgspec.toml.decode(
    Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, dict[str, Term]]
)
TERMS = {
    place: term for chapter in CHAPTERS.values() for place, term in chapter.items()
}


class GlossaryPage(Page, frozen=True):
    """All terms."""

    template: ClassVar = "glossary/glossary.html"

    # title of a chapter -> anchor on the page -> term
    chapters: Mapping[str, Mapping[str, Term]]
    number: int  # number of terms


ANCHORS = {
    form.lower(): place
    for place, term in TERMS.items()
    for said in (term.name.split(", ") if term.said is None else term.said)
    for form in (said, f"{said}s")
}
TERM_PATTERN = re.compile(
    rf"(?<![\w-])(?:{'|'.join(re.escape(form) for form in sorted(ANCHORS, key=len, reverse=True))})"
    r"(?![\w-])",
    re.IGNORECASE,
)
PARAGRAPH = re.compile(
    r'(?s)<p(?: id="[a-z0-9_-]+")?(?: class="(?:lead|claim-said|hint|read|meaning)")?'
    r'(?: data-meaning="[^"]*")?>.*?</p>'
)
# an element whose text gets no links, or a single tag
UNLINKED = re.compile(r"(?s)(<(a|code|math|cite|span|button)\b.*?</\2>|<[^>]+>)")


@bp.app_template_filter("terms")
def link_terms(html: Markup) -> Markup:
    """Return HTML in which the first use of each term in a paragraph links to the glossary."""
    linked: set[str] = set()

    def lead(saying: re.Match[str]) -> str:
        place = ANCHORS[saying[0].lower()]
        if place in linked:
            return saying[0]
        linked.add(place)
        return (
            f'<a href="{urls.glossary(place)}"{get_link_attributes()}>{saying[0]}</a>'
        )

    def paragraph(found: re.Match[str]) -> str:
        # text, what is left as it is, its tag; text, ...
        parts = UNLINKED.split(found[0])
        parts[2::3] = [""] * len(parts[2::3])
        parts[::3] = [TERM_PATTERN.sub(lead, text) for text in parts[::3]]
        return "".join(parts)

    return Markup(PARAGRAPH.sub(paragraph, html))


@bp.get(urls.GLOSSARY)
def show_glossary() -> Response:
    """Show all terms."""
    return render_page(GlossaryPage(CHAPTERS, len(TERMS)))
