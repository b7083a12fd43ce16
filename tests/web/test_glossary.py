"""The glossary: every term has one entry, and its links work."""

import re

from flask.testing import FlaskClient
from markupsafe import Markup

from app.web.pages.glossary import TERMS, link_terms
from tests.web.conftest import unled


def test_every_term_stands_once_with_its_meaning(client: FlaskClient) -> None:
    page = client.get("/glossary").text
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert TERMS.keys() <= set(places)
    assert len({term.name for term in TERMS.values()}) == len(TERMS)
    assert f"The {len(TERMS)} terms" in page
    assert page.count("<math") == sum(bool(term.formula) for term in TERMS.values())


def test_where_a_term_is_to_be_seen_there_is_something(client: FlaskClient) -> None:
    for name, term in TERMS.items():
        if term.example_link:
            address, _, place = term.example_link.href.partition("#")
            answer = client.get(address)
            assert answer.status_code == 200, name
            assert not place or f'id="{place}"' in answer.text, name


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
