"""The pages about agents work with any agents in the folder."""

import re
from collections.abc import Callable
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.web import create_app
from app.web.algorithms import SECTIONS
from app.web.site_data import TRUTH

PAGES = [
    "/agents",
    "/agents/champion",
    "/agents/champion/blunders",
    "/agents/champion/certificate-x",
    "/agents/champion/certificate-o",
    "/arena",
    "/compare/",
]


@pytest.fixture(scope="module")
def sites(folder_of: Callable[[str], Path]) -> Callable[[str], FlaskClient]:
    """Return a function from an agent to a site with this agent only."""
    return cache(lambda name: create_app(folder_of(name)).test_client())


@pytest.fixture
def alone(sites: Callable[[str], FlaskClient]) -> FlaskClient:
    return sites("champion")


def test_its_pages_and_all_their_links_answer(alone: FlaskClient) -> None:
    links = set()
    for url in PAGES:
        response = alone.get(url)
        assert response.status_code == 200
        found = {unescape(href) for href in re.findall(r'href="(/[^"#]*)"', response.text)}
        assert len(found) >= 10
        links |= found
    for href in links - {"/how"}:  # its examples are those of our own agents
        assert alone.get(href, follow_redirects=True).status_code == 200, href


def test_it_is_compared_with_best_play(alone: FlaskClient) -> None:
    page = alone.get("/compare/").text
    assert "Champion compared with optimal play" in page
    assert page.count('class="board"') == 2


def test_whoever_is_there_is_named(alone: FlaskClient) -> None:
    for url in ("/agents/nobody", "/agents/nobody/blunders"):
        assert "Possible names: champion." in alone.get(url).text


@pytest.mark.parametrize("lens", ["champion", "q-learning-4", "observing"])
def test_it_is_explained(sites: Callable[[str], FlaskClient], lens: str) -> None:
    client = sites(lens)
    for record in ("", "40", "408", "4081"):
        for who in (lens, TRUTH):
            assert client.get(f"/why/{record}?o=human&lens={who}").status_code == 200
        assert client.get(f"/why/{record}").status_code == 200


@pytest.mark.parametrize("name", ["champion", "q-table", "dqn-vs-heuristic"])
def test_the_algorithms_say_what_is_left(sites: Callable[[str], FlaskClient], name: str) -> None:
    client, agents = sites(name), set()
    for at, about in SECTIONS.items():
        page = client.get(f"/how/{at}").text
        agents |= set(re.findall(r'href="/agents/([^"]+)"', page))
        assert 'class="formula' in page
        shown = about.start_match.value_source in (name, TRUTH)
        assert ('class="try"' in page) == ('class="look"' in page) == shown
        assert client.get(f"/how/{at}?record=0").status_code == 400 or shown
    assert agents == {name}
