"""The training of an agent on the play page, and the updates of a game."""

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import Gate, address

LENS = "q-learning-1"
COUNT = """() => {
    window.counted = { now: 0, most: 0 };
    document.addEventListener("htmx:beforeSend", () => {
        counted.most = Math.max(counted.most, ++counted.now);
    });
    document.addEventListener("htmx:afterRequest", () => counted.now--);
}"""


def test_the_slider_goes_back_in_training_by_keyboard(page: Page) -> None:
    page.goto(f"/play/408?lens={LENS}&pause=1")
    expect(page.locator("#trained")).to_have_text("after 1.52 million updates")
    before = page.locator("#board-2").get_attribute("aria-label")
    page.focus("#snapshot-step")
    page.keyboard.press("Home")
    expect(page).to_have_url(address(f"/play/408?lens={LENS}&step=0&pause=1"))
    expect(page.locator("#trained")).to_have_text("after 0 updates")
    expect(page.locator("#board-2")).to_have_attribute("aria-label", re.compile("not tried yet"))
    expect(page.locator("#snapshot-step")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".caption")).to_have_text(re.compile(r"for O, after [1-9]\d* updates?"))
    page.keyboard.press("End")
    expect(page).to_have_url(address(f"/play/408?lens={LENS}&pause=1"))
    expect(page.locator("#board-2")).to_have_attribute("aria-label", before or "")


def test_dragging_asks_for_one_position_at_a_time(page: Page) -> None:
    page.goto(f"/play/40?lens={LENS}&pause=1")
    page.evaluate(COUNT)
    page.locator("#snapshot-step").scroll_into_view_if_needed()
    box = page.locator("#snapshot-step").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 8, y)
    page.mouse.down()
    for share in range(95, 9, -1):
        page.mouse.move(box["x"] + box["width"] * share / 100, y)
    page.mouse.up()
    step = page.locator("#snapshot-step").input_value()
    assert 0 < int(step) < 5
    expect(page).to_have_url(address(f"/play/40?lens={LENS}&step={step}&pause=1"))
    assert page.evaluate("counted.most") == 1


def test_a_run_through_the_training_ends_with_the_agent_as_it_plays(page: Page) -> None:
    page.goto("/play/4?o=human&lens=champion&step=7")
    second = Gate(page, "**/play/*step=8*")
    page.click("#train")
    expect(page.locator("#train")).to_have_attribute(
        "aria-label", "Stop the replay of the training"
    )
    second.open()
    expect(page.locator("#trained")).to_have_text("after 1,931 updates")
    expect(page).to_have_url(address("/play/4?o=human&lens=champion"))
    expect(page.locator("#train")).to_have_attribute("aria-label", "Replay the training")


def test_a_run_is_stopped_and_stays_there(page: Page) -> None:
    Gate(page, "**/play/?*step=4*")  # a gate that never opens
    page.goto(f"/play/?o=human&lens={LENS}&step=2&train=1")
    expect(page).to_have_url(re.compile("step=3"))
    page.click("#train")
    expect(page).not_to_have_url(re.compile("train=1"))
    expect(page.locator("[hx-trigger^=load]")).to_have_count(0)
    expect(page.locator("#trained")).to_have_text("after 10 updates")


def test_whoever_wants_less_motion_starts_with_a_still_page(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto(f"/play/?o=human&lens={LENS}&step=2&train=1")
    expect(page).to_have_url(address(f"/play/?o=human&lens={LENS}&step=2"))


def test_the_training_without_javascript(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/play/4?o=human&lens=champion")
    page.focus("#snapshot-step")
    page.keyboard.press("Home")
    page.click("#to-snapshot [type=submit]")
    expect(page).to_have_url(address("/play/4?o=human&lens=champion&step=0"))
    page.click("#train")
    expect(page.locator("#trained")).to_have_text(re.compile("^after [1-9]"))


def test_what_a_position_looks_like_to_a_program_follows_the_game(page: Page) -> None:
    page.goto("/play/?o=human")
    page.click("label[for=tab-minds]")
    page.click("#encodings summary")
    expect(page.locator("#encodings")).to_contain_text(".........")
    page.click("#board-4")
    expect(page.locator("#encodings")).to_contain_text("....X....")
