"""The boards of the page that explains, as people play on them."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import focused, walk


def test_a_board_moves_in_place_and_back(page: Page) -> None:
    page.goto("/how")
    page.click("#q-iteration")
    page.click("#board-0")
    expect(page).to_have_url(re.compile(r"/how/q-iteration\?record=40$"))
    expect(page.locator("#turn")).to_have_text("X to move")
    expect(page.locator("#shown .mark")).to_have_count(2)
    assert focused(page) == "board-0"
    page.click("#back")
    expect(page.locator("#shown .mark")).to_have_count(1)
    expect(page.locator("#back")).to_have_count(0)
    walk(page, "back")
    expect(page.locator("#shown .mark")).to_have_count(2)


def test_the_part_of_the_agent_on_the_board_is_one_tap_away(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/play/40?o=menace")
    page.click("#how")
    expect(page.locator("h1")).to_have_text("MENACE: beads in matchboxes")


def test_an_address_of_the_one_page_that_all_parts_were_leads_to_the_part(page: Page) -> None:
    page.goto("/how#double-q")
    expect(page.locator("h1")).to_have_text("Double Q-learning")
    expect(page).to_have_url(re.compile("/how/double-q$"))


def test_formulas_are_drawn_as_mathematics(page: Page) -> None:
    page.goto("/how/league")
    fraction = page.locator(".formula mfrac").first
    top, bottom = (fraction.locator(f"> :nth-child({n})").bounding_box() for n in (1, 2))
    assert top is not None
    assert bottom is not None
    assert top["y"] + top["height"] <= bottom["y"] + 1


def test_a_position_is_edited_and_the_example_stepped_through(page: Page) -> None:
    page.goto("/how/writing")
    page.click("#writing-8")
    expect(page).to_have_url(re.compile(r"/how/writing\?board=X\.\.\.O\.\.\.X$"))
    expect(page.locator("#turn")).to_have_text("O to move")
    expect(page.locator(".writings")).to_contain_text("[1 0 0 0 2 0 0 0 1 2]")
    expect(page.locator(".images li")).to_have_count(8)
    page.goto("/how/won-game")
    for value in ("0.90", "0.81", "0.73"):
        page.click("#on")
        expect(page.locator(".worked [data-heat]", has_text=value)).to_have_count(1)
    expect(page.locator("#on")).to_have_attribute("aria-disabled", "true")
