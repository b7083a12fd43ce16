"""What people do in the arena, in a real browser."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

RANDOM_TWICE = "a[href='/play/?x=random&o=random']"


def test_a_square_leads_to_its_match(page: Page) -> None:
    page.goto("/arena")
    page.get_by_role("link", name="Q-iteration as X against Random as O").click()
    expect(page).to_have_url(re.compile("/play/\\?x=q-iteration&o=random$"))
    expect(page.locator(".headline")).to_have_text("Q-iteration to move as X")


def test_another_figure_is_one_link_away(page: Page) -> None:
    page.goto("/arena")
    expect(page.locator(RANDOM_TWICE)).to_have_text("+0.30")
    page.get_by_role("link", name="Draw", exact=True).click()
    expect(page).to_have_url(re.compile("show=draw$"))
    expect(page.locator(RANDOM_TWICE)).to_have_text("12.70")


def test_the_whole_table_fits_a_desktop(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/arena")
    assert page.locator(".scroll:has(.crosstable)").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_the_heads_stay_in_view_on_a_phone(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(viewport={"width": 320, "height": 640}).new_page()
    page.goto("/arena")
    page.locator(".scroll:has(.crosstable)").evaluate(
        "region => { region.scrollIntoView(); region.scrollTo(9999, 9999) }"
    )
    expect(page.locator(RANDOM_TWICE)).to_be_in_viewport()
    for head in ("row", "col"):
        expect(
            page.locator(f".crosstable th[scope={head}]", has_text="Random").last
        ).to_be_in_viewport(ratio=0.9)
    box = page.locator(RANDOM_TWICE).bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
