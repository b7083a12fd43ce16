"""What people do in the arena, in a real browser."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

RANDOM_TWICE = "a[href='/play/?x=random&o=random']"


def test_the_whole_table_fits_a_desktop_and_begins_with_colour(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/arena")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    table = page.locator(".crosstable")
    assert table.evaluate("e => e.getBoundingClientRect().right <= innerWidth")
    # Nothing scrolls but the page.
    assert not page.locator("#main *").evaluate_all(
        "all => all.some(e => /auto|scroll/.test(getComputedStyle(e).overflow))"
    )
    strong = table.locator("td").evaluate_all(
        """all => all.filter(e => Math.abs(e.dataset.heat) > 10
            && e.getBoundingClientRect().bottom < innerHeight).length"""
    )
    assert strong > 100


def test_the_heads_stay_in_view_while_the_page_scrolls(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto("/arena")
    page.locator(".crosstable tbody tr").last.scroll_into_view_if_needed()
    expect(page.locator(".crosstable thead th").last).to_be_in_viewport(ratio=0.9)


def test_on_a_phone_it_is_a_picture_and_one_player(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto("/arena")
    expect(page.locator(".sketch")).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".crosstable")).to_be_hidden()
    page.select_option("#player", "random")
    page.click(".choose button")
    expect(page).to_have_url(re.compile("player=random$"))
    square = page.locator(f".matches {RANDOM_TWICE}").first
    expect(square).to_have_text("+30")
    box = square.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    assert page.evaluate("document.documentElement.scrollWidth") == 360
