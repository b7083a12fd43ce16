import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.project import ROOT
from app.web import create_app
from app.web.site_data import SiteData
from tests.web.running import get_site

HANG_SECONDS = 300.0  # only what hangs takes longer


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """Let every request wait for its training, also on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.web.trainer.JOB_TIMEOUT_SECONDS", HANG_SECONDS)
        for name in ("MAX_PAGE_WAIT_SECONDS", "MAX_FILE_WAIT_SECONDS"):
            patch.setattr(f"app.web.on_demand.{name}", HANG_SECONDS)
        yield


@pytest.fixture(scope="session")
def app() -> Flask:
    return get_site()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Return a client that requests pages like a browser."""
    client = app.test_client()
    client.environ_base["HTTP_ACCEPT"] = "text/html,*/*;q=0.8"
    return client


@pytest.fixture(scope="session")
def site(app: Flask) -> SiteData:
    loaded: SiteData = app.extensions["site"]
    return loaded


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from an agent to a folder with this agent only, for fast starts."""

    @cache
    def folder(name: str) -> Path:
        models = tmp_path_factory.mktemp("models")
        for ending in ("json", "npz"):
            shutil.copy(ROOT / "models" / f"{name}.{ending}", models)
        return models

    return folder


@pytest.fixture
def start(
    monkeypatch: pytest.MonkeyPatch, folder_of: Callable[[str], Path]
) -> Callable[..., Flask]:
    """Return a function that starts a site with one agent and these environment variables."""
    monkeypatch.setenv("MODELS", str(folder_of("champion")))

    def started(seed: int | None = None, **variables: str) -> Flask:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return create_app(seed=seed)

    return started


def unled(html: str) -> str:
    """Return the text of a page without the links of its terms to the glossary."""
    return re.sub(r'<a href="/glossary#[^"]*">(.*?)</a>', r"\1", html)
