"""Teaching a learner in the browser, by keyboard and by touch."""

import re
from collections.abc import Callable
from itertools import product

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import SHIFTS, shifts

FOUR = "/teach/menace,vs=you,games=4,taught=245.45810.5713.12368"
SQUARES = "#board a.cell[href]"
SIZES = [(1280, 800), (360, 740), (740, 360)]
NEEDED = ["header", ".strip", ".say", "#board", ".controls", ".panels"]
JUMP = 0.012  # accepted layout shift on arrival


def teach(page: Page, press: Callable[[Page], None], games: int) -> None:
    """Play games to their ends, against any moves of the learner."""
    for number in range(1, games + 1):
        while not page.locator(".say.result").count():
            free = page.locator(SQUARES).count()
            press(page)
            expect(page.locator(SQUARES)).not_to_have_count(free)
        expect(page.locator("#panel-learned h2")).to_have_text(
            f"What the learner learned from game {number}"
        )
        page.locator("#next").press("Enter")
        expect(page.locator("h1")).to_contain_text(f"Game {number + 1}.")


def teach_quietly(page: Page, press: Callable[[Page], None], games: int) -> None:
    """Play games without layout shifts, on arrival and during the games."""
    page.add_init_script(f"({SHIFTS})()")
    page.goto("/teach")
    arrived = shifts(page)
    assert sum(value for value, *_ in arrived) < JUMP, arrived
    teach(page, press, games)
    assert shifts(page) == arrived


def by_key(page: Page) -> None:
    key = page.locator(SQUARES).first.get_attribute("data-key")
    assert key
    page.keyboard.press(key)


def test_ten_games_by_keyboard_and_nothing_jumps(page: Page) -> None:
    teach_quietly(page, by_key, 10)
    expect(page.locator(".lessons i")).to_have_count(10)
    page.keyboard.press("u")  # takes back the last of them
    expect(page.locator(".lessons i")).to_have_count(9)


def test_games_by_touch_on_a_phone(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(viewport={"width": 360, "height": 740}, has_touch=True).new_page()
    teach_quietly(page, lambda page: page.locator(SQUARES).last.tap(), 3)
    page.locator("label[for=tab-games]").tap()
    expect(page.locator("#panel-games .figure").first).to_be_visible()


def test_all_that_is_needed_is_on_the_first_screen(page: Page) -> None:
    for url, (width, height) in product(("/teach", f"{FOUR}?now=.", FOUR), SIZES):
        if (width, height) == SIZES[0]:
            page.goto(url)
        page.set_viewport_size({"width": width, "height": height})
        for part in NEEDED:
            box = page.locator(part).first.bounding_box()
            assert box is not None
            assert box["x"] >= 0 <= box["y"], (url, part)
            assert box["x"] + box["width"] <= width, (url, part)
            assert box["y"] + box["height"] <= height, (url, part)
        tall, wide = page.evaluate(
            "() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
        )
        assert tall <= height, url
        assert wide == width, url
        if width > 899:
            for panel in ("learned", "games", "challenge"):
                shown = page.locator(f"#panel-{panel}")
                expect(shown).to_be_visible()
                assert not shown.evaluate("(panel) => panel.scrollHeight - panel.clientHeight"), url


def test_the_link_shows_the_same_to_others_and_the_best_is_kept_here(
    new_context: Callable[..., BrowserContext],
) -> None:
    start = "td-afterstates,symmetric=yes,alpha=1,epsilon=0,initial=0.25"
    page = new_context().new_page()
    page.goto(f"/teach/{start}")
    teach(page, by_key, 2)
    page.click("#take-back")
    expect(page.locator(".lessons i")).to_have_count(1)
    page.click("#share")
    link = page.locator("#share-link").input_value()
    learned = page.locator(".changes").inner_text()
    other = new_context().new_page()
    other.goto(link)
    assert other.locator(".changes").inner_text() == learned
    expect(page.locator("#best")).to_contain_text(
        "Your best learners in this browser: completes rows after game 1"
    )
    page.goto("/teach")
    page.get_by_role("link", name="Continue after game 1").click()
    expect(page.locator(".lessons i")).to_have_count(1)
    assert page.locator(".changes").inner_text() == learned
    page.click("#preferences-button")
    page.click("#forget")
    page.goto(f"/teach/{start}")
    expect(page.locator("#best")).to_be_hidden()
    expect(page.locator("#continue")).to_be_hidden()


def test_another_learner_is_chosen_and_practises(page: Page) -> None:
    page.goto("/teach")
    page.click("[popovertarget=learners]")
    page.get_by_role("link", name="Low starting values").click()
    expect(page.locator("[popovertarget=learners] b")).to_have_text("Low starting values")
    page.click("#practise")
    page.get_by_role("link", name="Against random moves").click()
    expect(page.locator("h1")).to_have_text("The learner practised 100 games.")
    expect(page).to_have_url(re.compile(r"/teach/td-afterstates,.*games=100"))
    page.click("#take-back")
    expect(page.locator("#board")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("Game 1.")
