import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import settings

from app.tictactoe.game import Game, build_game
from tests.service.server import Server, serving

# How long an example takes says more about the machine than about the code.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def no_loop_of_a_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the event loop that Playwright keeps running in this thread from other tests."""
    if "playwright" in request.fixturenames:
        yield
        return
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture(scope="session")
def game() -> Game:
    return build_game()


@pytest.fixture(scope="session")
def app_server() -> Iterator[Server]:
    """Start the site as it is deployed, with gunicorn and the Procfile."""
    with serving() as started:
        yield started


@pytest.fixture(scope="session")
def server(app_server: Server) -> str:
    """Return the URL of the site as it is deployed."""
    return app_server.url
