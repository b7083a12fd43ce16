"""What people do on the page of the API, in a real browser against the real server."""

import re

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.console("favicon")  # a browser asks for one beside plain JSON
def test_an_operation_is_found_and_its_example_opened(page: Page, base_url: str) -> None:
    page.goto("/api")
    page.get_by_role("link", name="/api/v1/positions/{position}").click()
    expect(page).to_have_url(re.compile("/api#position$"))
    operation = page.get_by_role("region", name="A position as an agent sees it", exact=False).first
    expect(operation).to_be_in_viewport()
    example = operation.get_by_role("link", name=base_url)
    shown = operation.get_by_role("region", name=re.compile("^Answer")).inner_text()
    example.click()
    expect(page.locator("body")).to_contain_text('"lens":"q-learning-1"')
    answered = page.locator("body").inner_text()
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", answered)


def test_the_type_of_a_field_is_one_click_away(page: Page) -> None:
    page.goto("/api")
    page.get_by_role("link", name="View", exact=True).click()
    expect(page.get_by_role("heading", name="View", exact=True)).to_be_in_viewport()
    page.locator("#View ~ dl").get_by_role("link", name="list of Square").click()
    expect(page.get_by_role("heading", name="Square", exact=True)).to_be_in_viewport()


def test_long_lines_scroll_in_their_own_box(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/api")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    box = page.get_by_role("region", name=re.compile("^Answer: A position")).first
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
