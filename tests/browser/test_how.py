"""The boards of the page that explains, as people play on them."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import focused, walk


def test_a_board_moves_in_place_and_back(page: Page) -> None:
    page.goto("/how")
    page.hover("#q-iteration-board-0")  # which scrolls to it
    before = page.evaluate("scrollY")
    page.click("#q-iteration-board-0")
    expect(page).to_have_url(re.compile(r"/how\?at=q-iteration&record=40#q-iteration$"))
    expect(page.locator("#q-iteration-turn")).to_have_text("X to move")
    expect(page.locator("#q-iteration-shown .mark")).to_have_count(2)
    expect(page.locator("#self-play-shown .mark")).to_have_count(1)
    assert focused(page) == "q-iteration-board-0"
    assert page.evaluate("scrollY") == before
    page.click("#q-iteration-back")
    expect(page.locator("#q-iteration-shown .mark")).to_have_count(1)
    expect(page.locator("#q-iteration-back")).to_have_count(0)
    walk(page, "back")
    expect(page.locator("#q-iteration-shown .mark")).to_have_count(2)


def test_formulas_are_drawn_as_mathematics(page: Page) -> None:
    page.goto("/how")
    fraction = page.locator("#league mfrac").first
    top, bottom = (fraction.locator(f"> :nth-child({n})").bounding_box() for n in (1, 2))
    assert top is not None
    assert bottom is not None
    assert top["y"] + top["height"] <= bottom["y"] + 1


def test_a_position_is_edited_and_the_example_stepped_through(page: Page) -> None:
    page.goto("/how#writing")
    page.click("#writing-8")
    expect(page).to_have_url(re.compile(r"/how\?at=writing&board=X\.\.\.O\.\.\.X#writing$"))
    expect(page.locator("#writing-turn")).to_have_text("O to move")
    expect(page.locator(".writings")).to_contain_text("[1 0 0 0 2 0 0 0 1]")
    expect(page.locator(".images li")).to_have_count(8)
    for value in ("0.90", "0.81", "0.73"):
        page.click("#won-game-on")
        expect(page.locator(".worked [data-heat]", has_text=value)).to_have_count(1)
    expect(page.locator("#won-game-on")).to_have_attribute("aria-disabled", "true")
