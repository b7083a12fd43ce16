"""The glossary: every term has one place, and what it points at is there."""

import re

import pytest
from flask.testing import FlaskClient
from markupsafe import Markup

from app.web.pages.glossary import CHAPTERS, PLACES, SAID, lead_to_terms
from tests.web.conftest import unled

TERMS = [term for chapter in CHAPTERS for term in chapter.terms]


def test_every_term_stands_once_with_its_meaning(client: FlaskClient) -> None:
    page = client.get("/glossary").text
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert {term.id for term in TERMS} <= set(places)
    assert len({term.name for term in TERMS}) == len(TERMS)
    assert f"The {len(TERMS)} terms" in page
    assert page.count("<math") == sum(bool(term.formula) for term in TERMS)


def test_where_a_term_is_to_be_seen_there_is_something(client: FlaskClient) -> None:
    for term in TERMS:
        if term.seen:
            address, _, place = term.seen.href.partition("#")
            answer = client.get(address)
            assert answer.status_code == 200, term.id
            assert not place or f'id="{place}"' in answer.text, term.id


def test_no_formula_has_letters_that_were_not_understood() -> None:
    for term in TERMS:
        assert "\\" not in term.drawn, term.id
        assert "style=" not in term.drawn, term.id


@pytest.mark.parametrize(
    "address",
    ["/experiments/feedback", "/how/sarsa", "/how/best-response", "/agents/dqn-vs-random"],
)
def test_prose_leads_to_its_terms_once_each(client: FlaskClient, address: str) -> None:
    sheet, page = client.get(address).text.split('<main id="main"')
    assert '<a href="/glossary#q-value">Q-value</a>' in sheet  # the help says it on every page
    places = re.findall(r'<a href="/glossary#([^"]+)">', page)
    assert len(places) == len(set(places)) >= 3
    assert set(places) <= {term.id for term in TERMS}
    for within in re.findall(r"(?s)<a\b.*?</a>", page):
        assert within.count("<a ") == 1, within


def test_no_word_is_said_for_two_terms() -> None:
    assert SAID.keys() <= {term.id for term in TERMS}
    assert {term.id for term in TERMS} - set(PLACES.values()) == {"return"}
    for term in TERMS:
        for said in SAID.get(term.id, term.name.split(", ")):
            assert PLACES[said.lower()] == term.id


def test_a_term_is_found_where_it_is_said_and_nothing_else_is_changed() -> None:
    text = Markup(
        '<h2>Policy</h2><p class="trail">policy</p>'
        '<p id="limits">A <a href="/x">policy</a>, q-learning-2 and p &lt; 1; policies are greedy, '
        "ε-greedy or <code>greedy</code>.</p><p>Greedy policy.</p>"
    )
    led = lead_to_terms(text)
    assert unled(led) == text
    assert re.findall(r'<a href="/glossary#([^"]*)">(.*?)</a>', led) == [
        ("policy", "policies"),
        ("greedy", "greedy"),
        ("epsilon", "ε-greedy"),
    ]
