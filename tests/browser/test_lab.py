"""The lab: a number changed, and what comes of it; its controls by mouse, by keyboard, by hand."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.steps import SHIFTS, shifts, walk

SMALL = "q-table,games=200"


def test_a_change_has_an_address_and_back_undoes_it(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    page.locator("#duel").wait_for()  # what waits in line for its training is another page
    page.evaluate(SHIFTS)
    page.locator("#alpha-slider").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/lab/q-table,alpha=0.41,games=200\?ghost="))
    expect(page.locator("#alpha")).to_have_value("0.41")
    expect(page.locator("#duel .figure-keys")).to_contain_text("A: α 0.4")
    expect(page.locator("#alpha-slider")).to_be_focused()
    page.click("#more-fields")
    page.locator("label:has(#seat-2)").click()
    expect(page).to_have_url(re.compile("/lab/q-table,seat=x,alpha=0.41,games=200"))
    expect(page.locator("#result")).not_to_have_class(re.compile("htmx-request"))
    assert sum(value for value, *_ in shifts(page)) < 0.001  # a figure that grows by a digit
    walk(page, "back")
    expect(page).to_have_url(re.compile(r"/lab/q-table,alpha=0.41,games=200\?"))
    expect(page.locator("#seat-1")).to_be_checked()
    expect(page.locator("#alpha")).to_have_value("0.41")


def test_the_result_follows_a_slider_and_the_address_changes_once(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    visited = page.evaluate("history.length")
    box = page.locator("#alpha-slider").bounding_box()
    assert box
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.down()
    for share in (0.5, 0.6, 0.7, 0.8):
        page.mouse.move(box["x"] + share * box["width"], middle)
        alpha = page.locator("#alpha").input_value()
        expect(page.locator("#share-command")).to_have_value(re.compile(f"alpha={alpha},"))
        expect(page.locator("#duel .figure-keys")).to_contain_text("A: α 0.4")  # where it began
        expect(page).to_have_url(re.compile(f"/lab/{SMALL}$"))
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"alpha={alpha},games=200\?ghost=q-table,games=200$"))
    expect(page.locator("#duel .figure-keys")).to_contain_text("A: α 0.4")
    assert page.evaluate("history.length") == visited + 1
    walk(page, "back")
    expect(page).to_have_url(re.compile(f"/lab/{SMALL}$"))
    expect(page.locator("#alpha")).to_have_value("0.4")


@pytest.mark.console("Failed to load|ERR_FAILED|htmx:sendError")
def test_a_request_that_fails_is_said_and_comes_back(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    expect(page.locator("#duel")).to_contain_text("20 of 20")  # nothing else comes
    page.route("**/lab?*", lambda route: route.abort())
    page.select_option("#curve", "losses")
    expect(page.locator("#notice")).to_contain_text("did not answer")
    page.unroute("**/lab?*")
    page.click("#retry")
    expect(page).to_have_url(re.compile("curve=losses"))
    expect(page.locator("#notice")).to_be_empty()


@pytest.mark.console("Failed to load|ERR_FAILED|htmx:sendError")
def test_seeds_that_come_take_back_no_error_but_their_own(page: Page) -> None:
    page.route("**/*seeds=10", lambda route: route.abort())
    page.goto("/lab/q-table,games=90")
    expect(page.locator("#notice")).to_contain_text("did not answer")  # these seeds themselves
    page.route("**/lab?*", lambda route: route.abort())
    page.unroute("**/*seeds=10")
    page.click("#retry")
    expect(page.locator("#duel")).to_contain_text("20 of 20")
    expect(page.locator("#notice")).to_be_empty()
    page.goto("/lab/q-table,games=80")
    page.select_option("#curve", "losses")
    expect(page.locator("#notice")).to_contain_text("did not answer")
    expect(page.locator("#duel")).to_contain_text("20 of 20")
    expect(page.locator("#retry")).to_be_visible()


@pytest.mark.console("400")
def test_what_is_wrong_is_said_at_its_field_and_nothing_moves(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    verdict = page.locator(".verdict")
    expect(page.locator("#duel")).to_contain_text("20 of 20")
    page.evaluate(SHIFTS)
    for field, typed in (("alpha", "7"), ("games", "1e9")):
        page.fill(f"#{field}", typed)
        page.keyboard.press("Enter")
        said = page.locator(f"#{field}-meaning")
        expect(said).to_have_text(re.compile("^A (whole )?number from"))
        expect(page.locator(f"#{field}")).to_have_attribute("aria-invalid", "true")
        expect(page.locator(f"#{field}")).to_have_value(typed)
        expect(said).to_be_in_viewport()
    expect(page).to_have_url(re.compile(f"/lab/{SMALL}$"))
    expect(verdict).to_have_text(re.compile("^Positions in which it blunders"))
    assert sum(value for value, *_ in shifts(page)) == 0
    page.fill("#games", "200")
    page.fill("#alpha", "0.5")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/lab/q-table,alpha=0.5,games=200"))
    expect(page.locator("#alpha")).to_have_attribute("aria-invalid", "false")
    expect(page.locator("#alpha-meaning")).not_to_contain_text("number from")


def test_the_film_of_a_new_result_plays(page: Page) -> None:
    page.goto("/lab/q-table?ghost=double-q")
    page.select_option("#curve", "losses")
    expect(page).to_have_url(re.compile("/lab/q-table.ghost=double-q&curve=losses$"))
    page.locator("#film-step").focus()
    page.keyboard.press("Home")
    expect(page.locator("[data-film-updates]")).to_have_text("0")
    expect(page.locator("[data-film-board] .unknown")).to_have_count(12)  # of A and of B
    expect(page.locator(".minds .tiles [data-heat]:not([d=''])")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator("[data-film-board] .best")).to_have_count(2)
    expect(page.locator(".minds .tiles [data-heat]:not([d=''])").nth(60)).to_be_attached()


def test_a_game_is_told_update_by_update(page: Page) -> None:
    page.goto("/lab/q-table,seat=x,alpha=0.9,seed=27")
    page.click("#share")
    page.click("#share-command")
    expect(page.locator("#share-said")).to_have_text(re.compile("[Cc]op"))
    chosen = "it => it.value.slice(it.selectionStart, it.selectionEnd)"
    assert page.locator("#share-command").evaluate(chosen).startswith("python -m training train")
    page.keyboard.press("Escape")
    page.click("#to-story")
    expect(page.locator("#to-story")).to_have_text("Game 1 of its training")
    expect(page.locator("#to-story")).to_be_focused()
    expect(page.locator(".turns")).to_be_in_viewport()
    for told in ("0.9", "0.81", "0.729"):
        page.click("#update-next")
        expect(page.locator(".equation")).to_have_text(re.compile(f"= {told}$"))
    expect(page).to_have_url(re.compile("game=1&update=3$"))
    page.reload()
    expect(page.locator("#story [data-heat]")).to_have_count(3)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_whether_a_larger_learning_rate_helps_is_answered_in_three_presses(
    new_context: Callable[..., Browser], width: int, height: int
) -> None:
    page = new_context(viewport={"width": width, "height": height}).new_page()
    page.goto("/lab")
    if width < 500:
        page.click("#presets")
        page.click("#telling-1")
    else:
        page.click("#asked-1")
    expect(page.locator(".verdict")).to_have_text("Yes: fewer blunders with α 0.8.")
    expect(page.locator("#duel .told")).to_contain_text("In 19 of 20 seeds")
    expect(page.locator(".verdict")).to_be_in_viewport()
    expect(page.locator("#gist")).to_contain_text("299.5 → 191")
    if width < 500:
        page.click(".handle")
        expect(page.locator("#gist svg")).to_be_in_viewport()
    else:
        expect(page.locator("#film-step")).to_be_in_viewport(ratio=1)


def test_twenty_seeds_come_by_themselves_and_nothing_moves(page: Page) -> None:
    page.goto("/lab/q-table,games=100?ghost=q-table,games=50")
    page.evaluate(SHIFTS)
    expect(page.locator("#duel")).to_contain_text("20 of 20")
    expect(page.locator(".strip a")).to_have_count(20)
    assert sum(value for value, *_ in shifts(page)) < 0.02


def test_the_lab_is_easy_to_use(desk_and_phone: Page, axe: Callable[[Page], list[str]]) -> None:
    page = desk_and_phone
    page.goto(f"/lab/{SMALL}?ghost=q-table&curve=random&game=1&update=1")
    expect(page.locator("[data-film][data-ready]")).to_be_visible()
    if page.locator(".handle").is_visible():
        page.locator(".handle").click()
    expect(page.locator("#alpha")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth === innerWidth")


def test_without_javascript_it_is_a_form(new_context: Callable[..., Browser]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/lab/{SMALL}")
    page.fill("#gamma", "0.9")
    page.get_by_role("button", name="Train").click()
    expect(page).to_have_url(re.compile(r"/lab/q-table,gamma=0.9,games=200\?ghost="))
