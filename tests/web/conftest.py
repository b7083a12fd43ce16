import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web import create_app
from app.web.world import World


@pytest.fixture(scope="session")
def site() -> Flask:
    return create_app(seed=1)


@pytest.fixture
def client(site: Flask) -> FlaskClient:
    return site.test_client()


@pytest.fixture(scope="session")
def world(site: Flask) -> World:
    loaded: World = site.extensions["world"]
    return loaded


def unled(html: str) -> str:
    """What a page says, where its terms do not lead to the glossary."""
    return re.sub(r'<a href="/glossary#[^"]*">(.*?)</a>', r"\1", html)
