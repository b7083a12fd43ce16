"""Pictures of the pages: for the README with `make screenshot`, else only to see that they work."""

import os
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext

HEATMAP = "/play/867?x=q-learning-4&o=human"


def test_the_heatmap_is_pictured(
    new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    page = new_context(viewport={"width": 1280, "height": 860}).new_page()
    page.goto(HEATMAP)
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    page.screenshot(path=folder / "heatmap.png")
    assert (folder / "heatmap.png").stat().st_size > 10_000
