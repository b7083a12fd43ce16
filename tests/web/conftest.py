import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web import create_app
from app.web.players import Players


@pytest.fixture(scope="session")
def site() -> Flask:
    return create_app(seed=1)


@pytest.fixture
def client(site: Flask) -> FlaskClient:
    return site.test_client()


@pytest.fixture(scope="session")
def players(site: Flask) -> Players:
    loaded: Players = site.extensions["players"]
    return loaded
