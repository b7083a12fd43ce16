"""Teaching a learner in the browser, by keyboard and by touch."""

import re
from collections.abc import Callable
from itertools import product

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import SHIFTS, shifts

FOUR = "/teach/menace,vs=you,games=4,taught=245.45810.5713.12368"
SQUARES = "#board a.cell[href]"
SIZES = [(1280, 800), (360, 740), (740, 360)]
NEEDED = ["header", ".strip", ".say", "#board", "#learned", ".taught-boards li"]
JUMP = 0.012  # accepted layout shift on arrival


def next_by_key(page: Page) -> None:
    page.keyboard.press("n")


def next_on_the_board(page: Page) -> None:
    page.mouse.click(*middle(page, "#board"))


def middle(page: Page, part: str) -> tuple[float, float]:
    box = page.locator(part).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def teach(
    page: Page,
    press: Callable[[Page], None],
    games: int,
    go_on: Callable[[Page], None] = next_by_key,
) -> None:
    """Play games to their ends, against any moves of the learner."""
    for number in range(1, games + 1):
        while not page.locator(".say.result").count():
            free = page.locator(SQUARES).count()
            press(page)
            expect(page.locator(SQUARES)).not_to_have_count(free)
        expect(page.locator("#learned")).to_contain_text(f"Game {number}.")
        go_on(page)
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


def test_what_ten_games_taught_is_in_sight_also_in_the_next_game(desk_and_phone: Page) -> None:
    page = desk_and_phone
    page.goto("/teach")
    teach(page, lambda page: page.locator(SQUARES).first.click(), 10, next_on_the_board)
    assert is_in_sight(page, "#learned")
    boards = page.locator(".taught-boards li").first.locator(".taught-board")
    expect(boards).to_have_count(2)  # before and now
    before, now = (boards.nth(place).inner_text() for place in (0, 1))
    assert before != now
    assert is_in_sight(page, ".taught-boards li")
    page.locator(SQUARES).last.click()
    expect(page.locator("#board .mark:not(.ghost)")).not_to_have_count(1)
    assert [boards.nth(place).inner_text() for place in (0, 1)] == [before, now]


def is_in_sight(page: Page, part: str) -> bool:
    """Return whether a part of the page is wholly in the window, and nothing of it is cut off."""
    shown: bool = page.locator(part).first.evaluate("""(part) => {
        const { top, right, bottom } = part.getBoundingClientRect();
        const panel = part.closest(".panel").getBoundingClientRect();
        return top >= 0 && part.scrollWidth <= part.clientWidth
            && bottom <= Math.min(panel.bottom, innerHeight)
            && right <= Math.min(panel.right, innerWidth);
    }""")
    return shown


def test_games_by_touch_on_a_phone(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(viewport={"width": 360, "height": 740}, has_touch=True).new_page()
    teach_quietly(page, lambda page: page.locator(SQUARES).last.tap(), 3)


def test_all_that_is_needed_is_on_the_first_screen(page: Page) -> None:
    for url, (width, height) in product(("/teach", f"{FOUR}?now=.", FOUR), SIZES):
        if (width, height) == SIZES[0]:
            page.goto(url)
        page.set_viewport_size({"width": width, "height": height})
        for part in NEEDED[: 4 if height < 400 else None]:
            box = page.locator(part).first.bounding_box()
            assert box is not None
            assert box["x"] >= 0 <= box["y"], (url, part)
            assert box["x"] + box["width"] <= width, (url, part)
            assert box["y"] + box["height"] <= height, (url, part)
        tall, wide = page.evaluate(
            "() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]"
        )
        assert wide == width, url
        if width > 899:
            assert tall <= height, url


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
    learned = page.locator("#panel-learned").inner_text()
    other = new_context().new_page()
    other.goto(link)
    assert other.locator("#panel-learned").inner_text() == learned
    expect(page.locator("#best")).to_contain_text(
        "Your best learners in this browser: completes rows after game 1"
    )
    page.goto("/teach")
    page.get_by_role("link", name="Continue after game 1").click()
    expect(page.locator(".lessons i")).to_have_count(1)
    assert page.locator("#panel-learned").inner_text() == learned
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
