"""Figures on pages of other sites, in a real browser: on another host, with strict headers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from app.web.service.headers import POLICY_HEADER, SECURITY_HEADERS
from tests.browser.steps import MARKS, Quiet, serving

TAKEN = [
    "/take/4081?o=q-learning-1",
    "/agents/q-learning-1#learning-curves",
    "/how/why",
]


class Foreign(Quiet):
    """A page of another site, with our headers except for frames and images."""

    def answer(self) -> None:
        body = self.told.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        for name, value in SECURITY_HEADERS.items():
            if name != POLICY_HEADER:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def foreign() -> Iterator[Callable[[str], str]]:
    """Return a function from the body of a page to its URL on another host and port."""
    with ExitStack() as servers:

        def serve(body: str) -> str:
            page = f'<!doctype html><html lang="en"><title>Foreign</title><h1>Mine</h1>{body}'
            return servers.enter_context(serving(Foreign, page)) + "/"

        yield serve


def framed(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def test_a_board_plays_inside_a_foreign_page(
    page: Page, base_url: str, foreign: Callable[[str], str]
) -> None:
    page.goto("/take/?o=fixed")
    text = page.locator("#embed-board").input_value()
    assert text.startswith(f'<iframe src="{base_url}/embed/board/?o=fixed"')
    address = foreign(text)
    page.goto(address)
    frame = framed(page)
    before = page.evaluate("history.length")
    for cell in "426":
        frame.locator(f"#board-{cell}").click()
        expect(frame.locator(f"#board-{cell} .mark:not(.ghost)")).to_have_count(1)
        if cell != "6":
            expect(frame.locator(".headline")).to_have_text("Your turn as X")
    expect(frame.locator(".headline")).to_have_text("You win")
    expect(frame.locator(".strike line")).to_have_count(1)
    frame.locator("#rematch").click()
    expect(frame.locator(MARKS)).to_have_count(0)
    assert page.evaluate("history.length") == before  # the back button is that of the page
    assert page.url == address


@pytest.mark.console("frame-ancestors|ERR_BLOCKED_BY_RESPONSE")
def test_no_other_page_is_shown_in_a_frame(
    page: Page, base_url: str, foreign: Callable[[str], str]
) -> None:
    page.goto(foreign(f'<iframe src="{base_url}/play/"></iframe>'))
    expect(framed(page).locator("#board")).to_have_count(0)
    assert base_url not in page.frames[1].url


def test_a_figure_is_a_picture_for_others_in_both_schemes(
    new_context: Callable[..., BrowserContext], base_url: str, foreign: Callable[[str], str]
) -> None:
    corner = """async () => {
        const picture = document.querySelector("img");
        await picture.decode();
        const shown = document.createElement("canvas").getContext("2d");
        shown.drawImage(picture, 0, 0);
        return [...shown.getImageData(2, 2, 1, 1).data].slice(0, 3);
    }"""
    for scheme, paper in (("light", [255, 255, 255]), ("dark", [24, 28, 34])):
        page, own = (new_context(color_scheme=scheme).new_page() for _ in range(2))
        own.goto("/take/")  # a canvas may read a picture of its own site only
        pictures = [
            f'<img src="{base_url}/embed/{frame}.svg" alt="">'
            for frame in ("board/408", "curve/q-learning-1", "mind/q-table", "value/4081")
        ]
        page.goto(foreign("".join(pictures)))
        page.wait_for_function("() => [...document.images].every((one) => one.naturalWidth > 100)")
        for picture in pictures:
            own.set_content(picture)
            assert own.evaluate(corner) == paper, (picture, scheme)


def test_a_frame_grows_with_what_is_unfolded_in_it(
    page: Page, base_url: str, foreign: Callable[[str], str]
) -> None:
    page.goto("/agents/q-learning-1#learning-curves")
    page.click("#embed-curves-open")
    text = page.locator("#embed-curves").input_value()
    page.goto(foreign(text))
    frame, outside = framed(page), page.locator("iframe")
    fits = "() => document.documentElement.scrollHeight === innerHeight"
    frame.locator("#learning-numbers").click()
    expect(frame.locator("#learning tbody tr").last).to_be_visible()
    inside = page.frames[1]
    inside.wait_for_function(fits)
    assert int(outside.get_attribute("height") or 0) > 800
    page.goto(foreign(text.partition("<script>")[0]))  # the other page allows no script
    assert framed(page).locator("#whole").is_visible()
    expect(outside).to_have_attribute("height", "800")


def test_the_lesson_and_its_puzzle_stay_in_a_frame_on_a_phone(
    new_context: Callable[..., BrowserContext], base_url: str, foreign: Callable[[str], str]
) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto("/how/learning")
    page.click("#embed-page-open")
    address = foreign(page.locator("#embed-page").input_value())
    page.goto(address)
    frame, fits = framed(page), "() => document.documentElement.scrollHeight === innerHeight"
    page.frames[1].wait_for_function(fits)
    assert int(page.locator("iframe").get_attribute("height") or 0) > 700
    frame.locator("#film-play").click()
    expect(frame.locator("[data-film-updates]")).not_to_have_text("0")
    with page.expect_popup() as opened:
        frame.locator("#more-1").click()
    assert opened.value.url == f"{base_url}/mind/q-learning-1"
    frame.locator("#stop-after").click()
    expect(frame.locator("h1")).to_have_text("A wrong value")
    frame.locator("#board-0").click()
    expect(frame.locator("#asked")).to_contain_text("Which square does")
    before = page.evaluate("history.length")
    frame.locator("#board-4").click()
    expect(frame.locator("#asked")).to_contain_text("The program’s value of this move is")
    assert page.evaluate("history.length") == before
    frame.locator("#asked-next").click()
    expect(frame.locator("h1")).to_have_text("Computing a value")
    assert frame.locator("#whole").get_attribute("href") == "/how/why"
    assert page.frames[1].evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.url == address
    frame_html = f'<iframe src="{base_url}/embed/puzzle/5" title="Puzzle" height="740"></iframe>'
    page.goto(foreign(frame_html))
    frame.locator("#board-0").click()
    expect(frame.locator(".question")).to_contain_text("Which square does")
    before = page.evaluate("history.length")
    frame.locator("#board-4").click()
    expect(frame.locator(".verdicts li")).to_have_count(2)
    frame.locator("#next").click()
    expect(frame.locator("#puzzle-index")).to_contain_text("Puzzle 6")
    assert page.evaluate("history.length") == before
    assert frame.locator("#whole").get_attribute("href") == "/puzzle/6?answers=3"


@pytest.mark.parametrize("script", [True, False])
def test_a_learner_is_taught_in_a_frame_on_a_phone(
    new_context: Callable[..., BrowserContext],
    base_url: str,
    foreign: Callable[[str], str],
    script: bool,
) -> None:
    page = new_context(
        viewport={"width": 360, "height": 740}, java_script_enabled=script
    ).new_page()
    frame = (
        f'<iframe src="{base_url}/embed/teach" title="Teach" width="100%" height="740"></iframe>'
    )
    page.goto(foreign(frame))
    before = page.evaluate("history.length")
    squares = framed(page).locator("#board a.cell[href]")
    squares.last.wait_for()  # perhaps the lab is being prepared
    while not framed(page).locator(".say.result").count():
        square = squares.last.get_attribute("id")
        squares.last.click()
        expect(framed(page).locator(f"#{square} .mark:not(.ghost)")).to_have_count(1)
        page.frames[1].wait_for_load_state()  # without JavaScript each move is a page
    expect(framed(page).locator("#learned")).to_contain_text("Game 1.")
    whole = framed(page).locator("#whole").get_attribute("href") or ""
    assert whole.startswith("/teach/menace,vs=you,games=1,taught=")
    if script:
        assert page.evaluate("history.length") == before
        assert page.frames[1].evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("url", TAKEN)
def test_what_can_be_taken_along_is_copied(
    new_context: Callable[..., BrowserContext], axe: Callable[..., list[str]], url: str
) -> None:
    context = new_context(
        permissions=["clipboard-read", "clipboard-write"], viewport={"width": 320, "height": 640}
    )
    page = context.new_page()
    page.goto(url)
    for kind in ("embed", "cite"):
        row = page.locator(".take").first
        row.locator(f"summary[id^={kind}-]").press("Enter")
        field = row.locator(f"textarea[id^={kind}-]")
        field.locator("xpath=../button").click()
        expect(field.locator("xpath=../span")).to_have_text("Copied.")
        assert page.evaluate("navigator.clipboard.readText()") == field.input_value()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    # Except for /take/, test_looks.py checks the rest of these pages.
    assert axe(page, None if url.startswith("/take/") else ".take") == []
