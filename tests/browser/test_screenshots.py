"""Pictures of the pages: for the README with `make screenshot`, else only to see that they work."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

FOLDER = os.environ.get("SCREENSHOTS")


@pytest.mark.parametrize(
    ("name", "url", "height"),
    [
        ("heatmap", "/play/867?x=q-learning-4&o=human", 900),
        ("blunders", "/agents/q-learning-1/blunders", 900),
    ],
)
def test_the_pages_are_pictured(
    new_context: Callable[..., BrowserContext], tmp_path: Path, name: str, url: str, height: int
) -> None:
    page = new_context(viewport={"width": 1280, "height": height}).new_page()
    page.goto(url)
    picture = Path(FOLDER or tmp_path) / f"{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 10_000
