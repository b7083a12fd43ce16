"""The pages about agents work with any agents in the folder."""

import re
from collections.abc import Callable
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.web import create_app

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
    links.discard("/how")  # its examples are those of our own agents
    routes = alone.application.url_map.bind("localhost")
    of_each_kind = {
        (routes.match(href.partition("?")[0])[0], "champion" in href): href
        for href in sorted(links)
    }
    for href in of_each_kind.values():
        assert alone.get(href, follow_redirects=True).status_code == 200, href
