"""The glossary: every term has one entry, and its links work."""

import re

import pytest
from flask.testing import FlaskClient
from markupsafe import Markup

from app.web.algorithms.formula import convert_to_mathml
from app.web.pages.glossary import ANCHOR_BY_FORM, TERMS, link_terms
from app.web.service.deployment import ROOT
from tests.web.conftest import unled


def test_every_term_stands_once_with_its_meaning(client: FlaskClient) -> None:
    page = client.get("/glossary").text
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert TERMS.keys() <= set(places)
    assert len({term.name for term in TERMS.values()}) == len(TERMS)
    assert f"This page explains the {len(TERMS)} terms" in page
    assert page.count("<math") == sum(bool(term.formula) for term in TERMS.values())


def test_where_a_term_is_to_be_seen_there_is_something(client: FlaskClient) -> None:
    for name, term in TERMS.items():
        if term.example_link:
            address, _, place = term.example_link.href.partition("#")
            answer = client.get(address)
            assert answer.status_code == 200, name
            assert not place or f'id="{place}"' in answer.text, name


def test_no_formula_has_letters_that_were_not_understood() -> None:
    for name, term in TERMS.items():
        drawn = convert_to_mathml(term.formula) if term.formula else ""
        assert "\\" not in drawn, name
        assert "style=" not in drawn, name


@pytest.mark.parametrize(
    "address",
    ["/experiments/feedback", "/how/sarsa", "/how/best-response", "/agents/dqn-vs-random"],
)
def test_prose_leads_to_its_terms_once_each(client: FlaskClient, address: str) -> None:
    sheet, page = client.get(address).text.split('<main id="main"')
    assert '<a href="/glossary#q-value">Q-value</a>' in sheet  # the help says it on every page
    places = re.findall(r'<a href="/glossary#([^"]+)">', page)
    assert len(places) == len(set(places)) >= 3
    assert set(places) <= TERMS.keys()
    for within in re.findall(r"(?s)<a\b.*?</a>", page):
        assert within.count("<a ") == 1, within


def test_no_word_is_said_for_two_terms() -> None:
    assert TERMS.keys() - set(ANCHOR_BY_FORM.values()) == {"return"}
    for name, term in TERMS.items():
        for said in term.name.split(", ") if term.word_forms is None else term.word_forms:
            assert ANCHOR_BY_FORM[said.lower()] == name


def test_a_term_is_found_where_it_is_said_and_nothing_else_is_changed() -> None:
    text = Markup(
        '<h2>Policy</h2><p class="trail">policy</p>'
        '<p id="limits">A <a href="/x">policy</a>, q-learning-2 and p &lt; 1; policies are greedy, '
        "ε-greedy or <code>greedy</code>.</p><p>Greedy policy.</p>"
    )
    led = link_terms(text)
    assert unled(led) == text
    assert re.findall(r'<a href="/glossary#([^"]*)">(.*?)</a>', led) == [
        ("policy", "policies"),
        ("greedy", "greedy"),
        ("epsilon", "ε-greedy"),
    ]


def test_terms_say_what_the_textbook_says() -> None:
    assert "pair of a state and an action" in " ".join(TERMS["exploring-starts"].meaning.split())
    assert "expectation" in TERMS["return"].meaning
    assert TERMS["bellman"].formula.startswith(r"V^{\pi}(s)")  # eq. 3.14
    assert TERMS["bellman-optimality"].formula.startswith("Q^*(s, a)")  # eq. 3.20
    for name in ("V*", "behaviour policy", "target policy", "credit assignment"):
        assert name.lower() in ANCHOR_BY_FORM


PRIVATE = re.compile(  # what the field has words for: an illegal move, a blunder, symmetric, ...
    "taken cell|the result away|away the value|turned (?:and|or) (?:mirrored|reflected)"
    "|thought to be worth|[Rr]eally a (?:win|draw|loss)|in (?:truth|its own task)",
)


@pytest.mark.parametrize("folder", ["app", "templates", "static", "training", "models", "docs"])
def test_what_the_field_has_a_word_for_has_no_other(folder: str) -> None:
    texts = (
        path
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".html", ".toml", ".json", ".js", ".md")
        and "vendor" not in path.parts
    )
    said = {str(path): PRIVATE.findall(path.read_text()) for path in texts}
    assert not {path: words for path, words in said.items() if words}
