"""The pages for beginners in other languages, with longer words, and the language menu."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import UNFOLD

# What is wider than the window, and what does not fit where it stands.
TOO_WIDE = """() => [
    ...[document.documentElement].filter((page) => page.scrollWidth > page.clientWidth),
    ...[...document.querySelectorAll(".button, .tabs label, .note, h1, h2, .headline, .way")]
        .filter((part) => part.checkVisibility() && !part.matches(".unseen"))
        .filter((part) => part.scrollWidth > part.clientWidth + 1),
].map((part) => part.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("code", ["de", "fr"])
def test_no_page_overflows(page: Page, translated: list[str], code: str) -> None:
    found = {}
    for address in translated:
        page.goto(address.replace("hl=de", f"hl={code}"))
        expect(page.locator("html")).to_have_attribute("lang", code)
        page.locator("main details").evaluate_all(UNFOLD)
        for width, height in ((1280, 800), (360, 740)):
            page.set_viewport_size({"width": width, "height": height})
            expect(page.locator("#language")).to_be_visible()
            found[address, width] = page.evaluate(TOO_WIDE)
    assert {where: parts for where, parts in found.items() if parts} == {}


def test_a_link_says_that_its_page_is_english_and_leads_there_and_back(page: Page) -> None:
    page.goto("/?hl=de")
    link = page.locator(".doors a[hreflang=en]")
    assert "EN" in link.evaluate("link => getComputedStyle(link, '::after').content")
    link.click()
    expect(page).to_have_url(re.compile("/lab"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("main [hreflang=en]")).to_have_count(0)
    page.locator("header").get_by_role("link", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.goto("/lab")
    expect(page.locator("#language")).to_have_count(0)  # nobody came from another language


def test_the_language_of_the_browser_is_offered_and_kept(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(locale="de-AT").new_page()
    page.goto("/play/40?o=q-learning-1")
    expect(page.locator(".headline")).to_have_text("Your turn as X")
    page.locator("header").get_by_role("link", name="Deutsch").click()
    expect(page.locator(".headline")).to_have_text("Dein Zug als X")
    page.locator("#board-8").click()
    expect(page.locator("#move-3")).to_be_attached()
    assert "hl=de" in page.url
    expect(page.locator("header [lang][hreflang]")).to_have_count(0)
    page.locator("#language").click()
    page.locator("#languages").get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#move-3")).to_be_attached()
    assert "hl" not in page.url.partition("?")[2]
