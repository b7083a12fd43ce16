"""The pages that judge and compare agents do so whichever agents the folder holds."""

import re
import shutil
from html import unescape

import pytest
from flask.testing import FlaskClient

from app.web import create_app
from app.web.service.deployment import ROOT

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
def alone(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    folder = tmp_path_factory.mktemp("models")
    for path in (ROOT / "models").glob("champion.*"):
        shutil.copy(path, folder)
    return create_app(folder).test_client()


def test_its_pages_and_all_their_links_answer(alone: FlaskClient) -> None:
    links = set()
    for url in PAGES:
        response = alone.get(url)
        assert response.status_code == 200
        found = {unescape(href) for href in re.findall(r'href="(/[^"#]*)"', response.text)}
        assert len(found) >= 10
        links |= found
    for href in links - {"/how"}:  # its examples are those of our own agents
        assert alone.get(href).status_code == 200, href


def test_it_is_compared_with_best_play(alone: FlaskClient) -> None:
    page = alone.get("/compare/").text
    assert "Champion compared with optimal play" in page
    assert page.count('class="board"') == 2


def test_whoever_is_there_is_named(alone: FlaskClient) -> None:
    for url in ("/agents/nobody", "/agents/nobody/blunders"):
        assert "There are: champion." in alone.get(url).text
