"""Whoever comes can read and use the pages: axe, contrast, small screens."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page

from app.web.lens import HEAT_STEPS
from app.web.palette import PALETTES, colour, contrast, text_colour

PAGES = [
    "/",
    "/play/40?lens=q-learning-1",
    "/play/4?lens=truth",
    "/play/03142?x=minimax&o=fixed&keep=1&pause=1&tally=2-1-0",
    "/play/?lens=q-learning-1&step=0",
    "/play/408?hide=1&ply=1",
    "/play/3140?lens=q-learning-1&step=8&pause=1",
    "/arena",
    "/arena?show=loss",
    "/compare/31?lens=q-learning-1&lens=observing_3&lens=dqn-vs-random",
    "/compare/03142",
    "/agents",
    "/agents/q-learning-4?against=t-hand",
    "/agents/dqn-vs-random",
    "/agents/q-learning-2/blunders",
    "/agents/q-learning-4/certificate-o",
    "/how",
    "/how?at=dqn&record=48563#dqn",
    "/api",
    "/why/4?lens=q-learning-1&cell=0",
    "/why/04?lens=observing&cell=3",
]
ERRORS = ["/nowhere", "/play/44"]
COLOURS = """palette => {
    document.getElementById("palette").checked = palette;
    const board = document.getElementById("board");
    const colours = {};
    for (let heat = -STEPS; heat <= STEPS; heat++) {
        const cell = document.createElement("span");
        cell.dataset.heat = heat;
        board.append(cell);
        const style = getComputedStyle(cell);
        colours[heat] = [style.backgroundColor, style.color];
        cell.remove();
    }
    return colours;
}""".replace("STEPS", str(HEAT_STEPS))


@pytest.mark.console("404|409")
@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    new_context: Callable[..., BrowserContext],
    axe: Callable[[Page], list[str]],
    scheme: str,
    width: int,
) -> None:
    page = new_context(color_scheme=scheme, viewport={"width": width, "height": 800}).new_page()
    for url in [*PAGES, *ERRORS]:
        page.goto(url)
        assert axe(page) == [], url


@pytest.mark.parametrize("number", range(len(PALETTES)))
def test_the_browser_shows_the_colours_that_were_checked(page: Page, number: int) -> None:
    page.goto("/")
    palette = list(PALETTES)[number]
    shown = page.evaluate(COLOURS, number == 1)
    for heat in range(-HEAT_STEPS, HEAT_STEPS + 1):
        background = colour(palette, heat)
        text = text_colour(background)
        assert shown[str(heat)] == [f"rgb{background}", f"rgb{text}"]
        assert contrast(text, background) >= 4.5


@pytest.mark.parametrize("url", PAGES)
def test_nothing_is_cut_off_on_a_small_screen_or_at_200_percent(
    new_context: Callable[..., BrowserContext], url: str
) -> None:
    page = new_context(viewport={"width": 320, "height": 640}).new_page()
    page.goto(url)
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_targets_are_large_enough(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/play/40")
    for cell in page.locator(".cell").all():
        box = cell.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 64
    targets = page.locator("#main a, #main select, #main label, summary, header a, header label")
    for target in targets.locator("visible=true").all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 24, target.inner_text()


def test_a_page_asks_nobody_else(page: Page, base_url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    assert asked
    assert all(url.startswith(base_url) for url in asked)
