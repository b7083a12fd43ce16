"""The glossary: every term has one place, and what it points at is there."""

import re

from flask.testing import FlaskClient

from app.web.pages.glossary import CHAPTERS

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
