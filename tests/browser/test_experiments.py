"""The experiments in a browser: a click opens a run, also on a phone, and texts are readable."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.experiments import load_summaries
from app.project import ROOT

SHIPPED = load_summaries(ROOT / "models" / "experiments")
SIZES = [(320, 640), (1280, 800), (768, 1024), (1920, 1080)]
FIRST = [("bad-runs", 1), ("double-q", 1), ("feedback", 1)]  # dots, curves, a grid
SMALLEST = 11  # pixels of letters
# The words of figures that are too small, or not wholly in the window.
UNREADABLE = """(smallest) => [...document.querySelectorAll(".figure text")]
    .filter((text) => text.checkVisibility())
    .filter((text) => {
        const { height, left, right } = text.getBoundingClientRect();
        return height < smallest || left < 0 || right > innerWidth;
    })
    .map((text) => text.textContent)"""

IS_CUT = "(each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight"


def test_no_page_is_too_wide_or_too_tall_and_all_words_can_be_read(page: Page) -> None:
    """Each in the narrowest window and on a desktop, every eighth also in other windows."""
    for number, url in enumerate(("/experiments", *(f"/experiments/{one}" for one in SHIPPED))):
        page.goto(url)
        for width, height in SIZES[: 4 if number % 8 == 0 else 2]:
            page.set_viewport_size({"width": width, "height": height})
            wide, tall = page.evaluate(
                "(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])"
                "(document.documentElement)"
            )
            assert wide == width, url
            assert width != 1280 or tall <= 4 * height, url
            assert page.evaluate(UNREADABLE, SMALLEST) == [], url


@pytest.mark.parametrize(
    ("claim", "at", "width"),
    [(*one, width) for one, width in zip(FIRST, (360, 1280, 360), strict=True)],
)
def test_a_mark_that_is_pressed_opens_its_run_in_the_lab(
    new_context: Callable[..., BrowserContext], claim: str, at: int, width: int
) -> None:
    page = new_context(viewport={"width": width, "height": 740}).new_page()
    page.goto(f"/experiments/{claim}")
    figure = page.locator(f"#figure-{at} svg.figure" if at > 1 else ".answer svg.figure")
    mark = figure.locator("a").last
    href = mark.get_attribute("href")
    assert href
    shape = mark.locator(":scope > circle, :scope > rect").last
    shape.scroll_into_view_if_needed()
    box = shape.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(lambda url: url.endswith(href))
    expect(page.locator("#result")).to_be_visible()


def test_a_phone_shows_every_result_in_three_windows(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto("/experiments")
    for claim, summary in SHIPPED.items():
        result = page.locator("li", has=page.locator(f"#claim-{claim}")).locator(".so")
        expect(result).to_contain_text(summary.effect)
        assert not result.evaluate(IS_CUT), claim
    last = page.locator(".claims").last.bounding_box()
    assert last
    assert last["y"] + last["height"] <= 3 * 740
