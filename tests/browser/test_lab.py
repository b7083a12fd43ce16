"""The lab: changed numbers and their results, by mouse, keyboard and typing."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.steps import SHIFTS, shifts, walk

SMALL = "q-table,games=200"


def test_a_change_has_an_address_and_back_undoes_it(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    page.locator("#comparison").wait_for()  # the page that waits in line has none
    page.click("#slot-change-button")
    page.click("#try-alpha-1")
    expect(page).to_have_url(re.compile(rf"/lab/q-table,alpha=0.8,games=200\?ghost={SMALL}$"))
    expect(page.locator("h1")).to_contain_text("Does a larger step size α (0.4 → 0.8)")
    expect(page.locator("#slot-change")).to_have_count(0)
    page.click("#slot-b-alpha-button")
    page.locator("#b-alpha-slider").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/lab/q-table,alpha=0.81,games=200\?ghost="))
    expect(page.locator("h1")).to_contain_text("0.4 → 0.81")
    expect(page.locator("#b-alpha-slider")).to_be_focused()  # the dialog of the slider is open
    page.keyboard.press("Escape")
    expect(page.locator("#slot-b-alpha-button")).to_be_focused()
    walk(page, "back")
    expect(page.locator("h1")).to_contain_text("0.4 → 0.8 ")


@pytest.mark.console("Failed to load|ERR_FAILED|htmx:sendError")
def test_a_request_that_fails_is_said_and_comes_back(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    expect(page.locator("#comparison")).to_contain_text("20 of 20")  # nothing else comes
    page.route("**/lab/*curve=losses", lambda route: route.abort())
    page.click("#slot-by-button")
    page.click("#by-losses")
    expect(page.locator("#notice")).to_contain_text("did not answer")
    page.unroute("**/lab/*curve=losses")
    page.click("#retry")
    expect(page).to_have_url(re.compile("curve=losses"))
    expect(page.locator("#notice")).to_be_empty()


@pytest.mark.console("400")
def test_a_wrong_value_is_refused_where_it_was_typed(page: Page) -> None:
    page.goto(f"/lab/{SMALL}")
    page.click("#more-fields")
    field = page.locator("#alpha")
    field.fill("7")  # the browser says what is wrong with a number out of its range
    field.press("Enter")
    assert field.evaluate("one => one.validity.rangeOverflow && one.matches(':invalid')")
    field.fill("0.5")
    field.press("Enter")
    expect(field).to_be_hidden()  # the sheet would cover the verdict
    changed = re.compile("/lab/q-table,alpha=0.5,games=200$")
    expect(page).to_have_url(changed)
    page.reload()  # so that no answer is on its way while the next value is typed
    verdict = page.locator(".verdict").inner_text()
    page.click("#more-fields")
    page.fill("#loss", "3")  # the server says what is wrong with numbers that do not go together
    page.press("#loss", "Enter")
    expect(page.locator("#notice")).to_contain_text("Rewards rise from loss to draw to win")
    page.click("#more-fields")
    expect(page.locator("#loss")).to_have_value("3")
    expect(page).to_have_url(changed)
    assert page.locator(".verdict").inner_text().split(":")[0] == verdict.split(":")[0]
    page.fill("#loss", "-2")
    page.press("#loss", "Enter")
    expect(page).to_have_url(re.compile("/lab/q-table,alpha=0.5,games=200,loss=-2$"))
    expect(page.locator("#notice")).to_be_empty()


def test_a_game_is_told_update_by_update(page: Page) -> None:
    page.goto("/lab/q-table,seat=x,alpha=0.9,seed=27")
    page.click("#more")
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
def test_whether_more_exploration_helps_against_another_opponent_is_answered_in_few_presses(
    new_context: Callable[..., Browser], width: int, height: int
) -> None:
    page = new_context(viewport={"width": width, "height": height}).new_page()
    page.goto("/lab/q-table,games=200")
    page.click("#slot-change-button")
    page.click("#try-epsilon-1")
    expect(page.locator("h1")).to_contain_text("Does more exploration (0.7 → 1)")
    page.click("#slot-vs-button")
    page.get_by_role("link", name="T-hand", exact=True).click()
    expect(page.locator("h1")).to_contain_text("when trained against the player T-hand")
    expect(page.locator(".verdict")).to_have_text(re.compile("^(Yes|No)"))
    expect(page.locator(".verdict")).to_be_in_viewport()
    expect(page.locator(".evidence .detail")).to_contain_text(re.compile(r"with \d+ seeds"))
    with page.expect_download() as download:
        page.click(".evidence a:has-text('PNG')")
    name = download.value.suggested_filename
    assert name == "lab-q-table-vs-t-hand-epsilon-1-games-200-vs-q-table-vs-t-hand-games-200.png"


def test_twenty_seeds_come_by_themselves_and_nothing_moves(page: Page) -> None:
    page.goto("/lab/q-table,games=100?ghost=q-table,games=50")
    page.evaluate(SHIFTS)
    expect(page.locator("#comparison")).to_contain_text("20 of 20")
    expect(page.locator(".strip a")).to_have_count(20)
    expect(page.locator(".verdict")).to_have_text(re.compile("^Yes"))
    assert sum(value for value, *_ in shifts(page)) < 0.02


def test_the_lab_is_easy_to_use(desk_and_phone: Page, axe: Callable[[Page], list[str]]) -> None:
    page = desk_and_phone
    page.goto(f"/lab/{SMALL}?ghost=q-table&curve=random&game=1&update=1")
    expect(page.locator("[data-film][data-ready]")).to_be_visible()
    assert axe(page) == []
    page.click(".slot.contrast")
    expect(page.locator(".slot-sheet:popover-open")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth === innerWidth")


def test_without_javascript_it_is_forms_and_links(new_context: Callable[..., Browser]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/lab/{SMALL}")
    page.click("#more-fields")
    page.fill("#gamma", "0.9")
    page.get_by_role("button", name="Train").locator("visible=true").click()
    expect(page).to_have_url(re.compile("/lab/q-table,gamma=0.9,games=200$"))
    page.click("#slot-change-button")
    page.click("#try-epsilon-2")
    expect(page).to_have_url(re.compile(r"epsilon=0.35,games=200\?ghost=q-table,gamma=0.9"))


def test_a_page_that_waits_says_so_and_is_no_error_in_the_console(page: Page) -> None:
    """The server says 202 while it trains; the page repeats its request, and `page` sees no error."""
    asked = []

    def wait_once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            told = '<p class="notice pending">Number 2 in the queue.</p>'
            route.fulfill(status=202, headers={"Retry-After": "1"}, body=told)
        else:
            route.fulfill(body='<section id="comparison"></section>')

    page.route("**/lab/**seeds=5", wait_once)
    page.goto("/lab/q-table-draw-1?ghost=q-table")  # shipped agents, so that nothing is trained
    expect(page.locator(".working")).to_have_text("Training now: 1 of 20 seeds done")
    expect(page.locator("#notice")).to_have_text("Number 2 in the queue.")
    page.wait_for_function("() => !document.querySelector('#notice').textContent")
    assert len(asked) == 2
