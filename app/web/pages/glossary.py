"""The glossary: the meaning of each term, its formula, and where to see it.

The textbook is Sutton & Barto, *Reinforcement Learning: An Introduction*, second
edition, 2018.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
from flask import Response
from markupsafe import Markup

from app.web.links.glossary import GLOSSARY_ROUTE, glossary_url
from app.web.navigation import PageBlueprint
from app.web.rendering import get_link_attributes, render_page
from app.web.routes import Destination
from app.web.translation import gettext_noop

bp = PageBlueprint("glossary", __name__)
bp.add_menu_page("Learn", "glossary", gettext_noop("Glossary"), GLOSSARY_ROUTE.url)


class Term(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
):
    name: str
    meaning: str
    # LaTeX
    formula: str = ""
    # sections of Sutton & Barto, such as "2.4, 2.5" or "2.5, eq. 2.6", or another source
    source_section: str = ""
    example_link: Destination | None = None
    # The words in a text that link to this term; None stands for the term's name.
    word_forms: tuple[str, ...] | None = None

    @property
    def source_text(self) -> str:
        """The source in words, such as "section 2.5, eq. 2.6" or "Lanctot et al. (2017)"."""
        if not self.source_section[:1].isdigit():
            return self.source_section
        has_several = re.match(r"[\d.]+, \d", self.source_section)
        return f"section{'s' if has_several else ''} {self.source_section}"


CHAPTERS = msgspec.toml.decode(
    Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, dict[str, Term]]
)
TERMS = {
    place: term for chapter in CHAPTERS.values() for place, term in chapter.items()
}


def _list_forms(term: Term) -> Iterator[str]:
    names = term.name.split(", ") if term.word_forms is None else term.word_forms
    for form in names:
        yield form.lower()
        yield f"{form}s".lower()


ANCHOR_BY_FORM = {
    form: place for place, term in TERMS.items() for form in _list_forms(term)
}
# The longest words come first, because the pattern matches the first word that fits.
_LONGEST_FORMS = sorted(ANCHOR_BY_FORM, key=len, reverse=True)
TERM_PATTERN = re.compile(
    rf"(?<![\w-])(?:{'|'.join(map(re.escape, _LONGEST_FORMS))})(?![\w-])",
    re.IGNORECASE,
)
PARAGRAPH_PATTERN = re.compile(
    r'(?s)<p(?: id="[a-z0-9_-]+")?(?: class="(?:lead|claim-said|hint|read|meaning)")?'
    r'(?: data-meaning="[^"]*")?>.*?</p>'
)
# A tag stays unchanged, and so does a whole element whose text gets no links, such as code.
UNLINKED_PATTERN = re.compile(
    r"(?s)(<(a|code|math|cite|span|button)\b.*?</\2>|<[^>]+>)"
)


@bp.app_template_filter("terms")
def link_terms(html: Markup) -> Markup:
    """Link each term to the glossary, the first time that a paragraph uses it."""
    linked_anchors: set[str] = set()

    def link_term(match: re.Match[str]) -> str:
        place = ANCHOR_BY_FORM[match[0].lower()]
        if place in linked_anchors:
            return match[0]
        linked_anchors.add(place)
        return f'<a href="{glossary_url(place)}"{get_link_attributes()}>{match[0]}</a>'

    def link_paragraph(match: re.Match[str]) -> str:
        # The list repeats three items: a text, an element or tag that stays unchanged, and the
        # tag's name.
        parts = UNLINKED_PATTERN.split(match[0])
        parts[2::3] = [""] * len(parts[2::3])
        parts[::3] = [TERM_PATTERN.sub(link_term, text) for text in parts[::3]]
        return "".join(parts)

    return Markup(PARAGRAPH_PATTERN.sub(link_paragraph, html))


@bp.get(GLOSSARY_ROUTE)
def show_glossary() -> Response:
    return render_page(
        "glossary/glossary.html", chapters=CHAPTERS, term_count=len(TERMS)
    )
