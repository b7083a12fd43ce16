"""Pictures of the pages: for the README with `make screenshot`; otherwise one as a test."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext

FOLDER = os.environ.get("SCREENSHOTS")
PAGES = [
    ("front", "/"),
    ("play", "/play/867?x=q-learning-4&o=human"),
    ("puzzle", "/puzzle/5?right=0&plays=4&answers=3123"),
    ("mind", "/mind/q-table"),
]


@pytest.mark.parametrize(("name", "url"), PAGES if FOLDER else PAGES[:1])
def test_the_pages_are_pictured(
    new_context: Callable[..., BrowserContext], tmp_path: Path, name: str, url: str
) -> None:
    page = new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce").new_page()
    page.goto(url)
    picture = Path(FOLDER or tmp_path) / f"{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 10_000
