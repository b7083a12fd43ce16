"""The front page, a puzzle, a mind and the lesson, in a browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.web.pictures.palette import compute_contrast
from app.web.wording import LESSON_STEPS
from tests.browser.steps import address, walk

SIZES = [(1280, 800), (360, 740), (740, 360)]
OPENED = "/puzzle/5?right=0&plays=4"


def inside(page: Page, selector: str) -> None:
    """Return whether an element is wholly in the window."""
    window = page.viewport_size
    assert window
    for element in page.locator(selector).all():
        box = element.bounding_box()
        assert box, selector
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= window["width"], selector
        assert box["y"] + box["height"] <= window["height"], selector


def test_what_counts_is_seen_without_scrolling(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    telling = (".shown > :is(.board, .mind)", ".telling > h1 + p")
    everywhere = {
        "/": ["h1"],
        "/puzzle/5": ["#board", ".question"],
        "/puzzle/5?right=0": ["#board", ".question"],
        OPENED: ["#board", ".question", "#step", "#next"],
        "/mind/q-table": [],
        "/lab": [],
        "/compare/": [],
        "/how/learning": telling,
        "/how/why": telling,
        "/puzzle": [],
    }
    where_high = {"/mind/q-table": ["#mind"]}
    where_wide = {
        "/lab": [".verdict"],
        "/compare/": ["#boards .board"],
        "/how/learning": ["#film-step"],
    }
    for url, selectors in everywhere.items():
        page.goto(url)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            high = where_high.get(url, []) if height >= 800 else []
            wide = where_wide.get(url, []) if width > height else []
            for selector in (*selectors, *high, *wide):
                inside(page, selector)
            assert page.evaluate("document.documentElement.scrollWidth") == width, url


def test_without_javascript_everything_can_be_done(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/puzzle/5")
    page.locator("#board a[href]").first.click()
    expect(page.locator(".question")).to_contain_text("Which square does")
    page.locator("#board a[href]").first.click()
    expect(page.locator(".verdicts li")).to_have_count(2)
    page.click("#next")
    expect(page.locator("h1")).to_have_text("Find the mistake")
    expect(page).to_have_url(re.compile(r"/puzzle/\d+\?answers=\d$"))
    page.goto("/mind/q-table")
    page.click("#tile-after")
    expect(page.locator("#tile-title")).to_contain_text("Move 2")
    page.goto("/how/q-learning")
    for step in ("bottom middle", "top middle"):
        page.click("#update-next")
        expect(page.locator(".update-steps span:visible")).to_contain_text([step])
    page.goto("/how/untrained")
    for stop in LESSON_STEPS[1:]:
        page.click("#stop-after")
        expect(page.locator("h1")).to_have_text(stop.title)


def test_by_keyboard_alone_through_front_puzzle_and_lesson(own_page: Page) -> None:
    """Tab and Enter; digits answer, the arrow plays on, n opens the next puzzle."""
    page = own_page

    def tab_to(selector: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement?.matches(s)", selector):
                return
        raise AssertionError(f"Tab never comes to {selector}")

    page.goto("/")
    tab_to("#board-4")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/play/02764"))
    page.goto("/puzzle/5")
    expect(page.locator(".question")).to_contain_text("2 squares are right")
    page.wait_for_load_state()
    tab_to("#board [href]")
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_contain_text("Which square does")
    assert page.evaluate("document.activeElement.classList.contains('cell')")  # it keeps the focus
    tab_to("#board [href]")
    page.keyboard.press("Enter")
    expect(page.locator(".verdicts li")).to_have_count(2)
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile(r"/puzzle/\d+\?answers=\d$"))
    page.goto("/how/untrained")
    for title in ("Games change values", "A wrong value"):
        tab_to("#stop-after")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text(title)


def test_the_streak_of_days_is_kept_here_and_can_be_forgotten(own_page: Page) -> None:
    page = own_page

    def played(day: int, said: str) -> None:
        page.clock.set_fixed_time(f"2026-11-{day}T12:00:00Z")
        page.goto(f"/puzzle/1/score?day=2026-11-{day}&answers=310")
        expect(page.locator("#streak")).to_have_text(f"Streak: {said}.")
        first = re.sub("#again$", "", str(page.locator("#again").get_attribute("href")))
        page.goto(first)  # the redirect of /puzzle/today
        expect(page.locator("#streak")).to_have_text(f"Streak: {said}.")
        page.click("#again")
        expect(page.locator("h1")).to_have_text("Find the mistake")

    for day, said in ((20, "1 day"), (22, "1 day"), (23, "2 days"), (23, "2 days")):
        played(day, said)
    page.click("#preferences-button")
    page.click("#forget")
    played(24, "1 day")
    page.goto("/puzzle/1/score?day=2026-11-22&answers=310")  # another day's: it counts for nothing
    expect(page.locator("#shared")).to_have_value(
        re.compile("3 of 6 .*●◐⊗.*day=2026-11-22&friend=310$")
    )
    expect(page.locator("#streak")).to_be_hidden()


def test_what_is_solved_here_is_marked_on_the_puzzle_and_in_the_list(own_page: Page) -> None:
    page = own_page
    page.goto("/puzzle/5")
    expect(page.locator(".question")).to_contain_text("1 of 2")
    page.click("#board-0")
    expect(page.locator(".question")).to_contain_text("2 of 2")
    page.click("#board-4")
    expect(page.locator(".level")).to_have_text("✓ solved")
    page.goto("/puzzle/6?right=1&plays=1")  # not solved
    expect(page.locator(".level")).not_to_contain_text("solved")
    page.goto("/puzzle")
    expect(page.locator("[data-puzzle].solved")).to_have_text("5")
    expect(page.get_by_role("link", name="Puzzle 5 (solved)")).to_be_visible()
    expect(page.locator(".rungs a").first).to_have_text("1 – 10 ✓ 1")
    page.click("#preferences-button")
    page.click("#forget")
    page.reload()
    expect(page.locator(".solved")).to_have_count(0)


def test_the_last_answer_of_the_day_is_kept_without_a_look_at_the_score(own_page: Page) -> None:
    page = own_page
    page.goto("/puzzle/today")
    for number in range(3):
        if number:
            page.click("#next")
        for question in (1, 2):
            expect(page.locator(".question")).to_contain_text(f"{question} of 2")
            page.locator("#board .cell[href]").first.click()
        expect(page.locator(".verdicts")).to_be_visible()
    page.goto("/puzzle")
    expect(page.locator("#today")).to_contain_text("Played today: ")
    expect(page.locator("#streak")).to_have_text("Streak: 1 day.")
    played = page.locator("#today").inner_text()
    page.goto("/puzzle/today")
    expect(page.locator(".score")).to_have_text(played.split(": ")[1])


def test_a_puzzle_keeps_its_squares_where_they_are(page: Page) -> None:
    def squares() -> list[object]:
        return [cell.bounding_box() for cell in page.locator("#board .cell").all()]

    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/puzzle/5")
    before = squares()
    page.evaluate("document.getElementById('board-0').marked = true")
    page.click("#board-0")
    expect(page.locator(".question")).to_contain_text("Which square does")
    page.click("#board-4")
    expect(page.locator(".verdicts li")).to_have_count(2)
    button = page.locator("#next").bounding_box()
    for ply in range(1, 5):
        page.click("#step")
        expect(page).to_have_url(address(f"&ply={ply}"))
    expect(page.locator(".question")).to_have_text("X plays bottom middle.")
    assert page.evaluate("document.getElementById('board-0').marked")
    assert squares() == before
    assert page.locator("#next").bounding_box() == button
    walk(page, "back")
    expect(page.locator(".question")).not_to_have_text("X plays bottom middle.")


def test_a_press_on_the_mind_shows_the_position(page: Page) -> None:
    page.goto("/mind/q-table")
    before = page.locator("#tile-title").inner_text()
    page.locator("#mind .tiles path").last.click(position={"x": 5, "y": 5}, force=True)
    page.locator("#mind-tile").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#tile-title")).not_to_have_text(before)
    assert "tile=" in page.url
    page.click("#colour-visits")
    expect(page.locator("#mind")).to_have_attribute("data-scale", "level")


@pytest.mark.parametrize(("width", "height"), [(360, 740)])
def test_on_a_phone_the_board_of_a_tapped_tile_is_in_view(
    new_context: Callable[..., BrowserContext], width: int, height: int
) -> None:
    """The tile is in view as well, so that the next tile can be tapped."""
    context = new_context(
        viewport={"width": width, "height": height}, has_touch=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto("/mind/q-table")
    page.locator("#mind").scroll_into_view_if_needed()
    page.locator("#mind .truth path").nth(6).tap(position={"x": 12, "y": -6}, force=True)
    expect(page.locator("#tile")).not_to_have_attribute("data-number", "0")
    expect(page.locator("#tile .board")).to_be_in_viewport(ratio=1)
    expect(page.locator("#mind .chosen")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_draw_and_what_is_unknown_are_told_apart(
    new_context: Callable[..., BrowserContext], scheme: str
) -> None:
    """Stripes have a contrast of 3:1 with the colour of a draw, as WCAG requires for graphics."""
    page = new_context(color_scheme=scheme, reduced_motion="reduce").new_page()
    page.goto("/mind/q-learning-1?step=9")
    expect(page.locator("#mind .tiles .blank")).to_have_count(1)

    def shade(part: str, paint: str) -> tuple[int, int, int]:
        style = page.locator(part).first.evaluate(f"e => getComputedStyle(e).{paint}")
        most = 255 if style.startswith("color(srgb ") else 1
        red, green, blue = re.findall(r"[\d.]+", style)  # a fourth would shine through
        return round(most * float(red)), round(most * float(green)), round(most * float(blue))

    striped, drawn = shade("#mind .hatch", "stroke"), shade("#mind .tiles [data-heat='0']", "fill")
    assert compute_contrast(striped, drawn) >= 3


def test_the_mind_is_scrubbed_without_a_request(page: Page) -> None:
    page.goto("/mind/q-table?step=0")
    assert page.locator("#mind .tiles [data-heat]").count() == 0
    page.locator("#film-step").focus()
    page.keyboard.press("End")
    expect(page.locator("#mind .tiles [data-heat]").nth(20)).to_be_attached()
    expect(page.locator("[data-film-blunders]")).not_to_have_text("0")


def test_forced_colours_leave_the_heat(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(forced_colors="active", reduced_motion="reduce").new_page()
    page.goto("/")
    background = "e => getComputedStyle(e).backgroundColor"
    cell = page.locator("#board-4").evaluate(background)
    other = page.locator("#board-5").evaluate(background)
    assert cell != other
