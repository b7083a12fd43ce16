"""Accessibility (axe), contrast, small screens and layout shifts of all pages."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from time import sleep
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.web.move_values import HEAT_STEPS
from app.web.pictures.palette import PALETTES, choose_text_colour, compute_colour, compute_contrast
from tests.browser.steps import MARKS, SHIFTS, UNFOLD, Quiet, serving, shifts

TAUGHT = "/teach/menace,vs=you,games=4,taught=245.45810.5713.12368"
# What the addresses of the routes do not show: games that are over or impossible, and errors.
OTHERS = [
    "/play/03142?x=minimax&o=fixed&pause=1&tally=2-1-0",
    "/play/0314?hint=1",
    "/how/unbeatable",
    "/embed/board/44",
    "/teach/menace,vs=you,games=1,taught=048",
    "/nowhere",
    "/play/44",
]
IN_PIECES = [
    "/",
    "/play/40?o=q-learning-1",
    "/compare/31?lens=q-learning-1&lens=self-play",
    "/minds/40",
    "/agents",
    "/agents/q-learning-1",
    "/puzzle/3",
    "/lab",
    "/teach",
    TAUGHT,
]
IN_THE_DARK = [
    *("/play/40?lens=q-learning-1", "/agents/dqn-vs-random", "/experiments/bad-runs"),
    *("/", "/mind/q-table?step=9&tile=40", "/puzzle/5?right=0&plays=4&ply=2", TAUGHT),
]
PARTS = 4  # of the addresses, for as many processes
PLAY = "/play/40?o=q-learning-1"
PIECE = 1000  # bytes of a page that arrive at once where the line is slow, and a line's end,
PIECES = 50  # number of pieces before the rest of the page
JUMP = 0.012  # accepted layout shift on arrival; 0.1 counts as good
NARROW = [(1280, 800), (360, 740), (740, 360)]
STATES = [
    "/play/?o=q-learning-1",
    "/play/4023?o=q-learning-1&tally=2-1-0",
    "/play/4?o=q-learning-1&pause=1",
    "/play/021486?o=q-learning-1&tally=2-1-0",
    "/play/40?o=q-learning-1&lens=q-learning-1&step=9",
    "/play/40?o=q-learning-1&hint=1",
    "/play/40?o=q-learning-1&hide=1",
    "/play/402?x=double-q&o=q-table&pause=1&tally=12-3-9",
]
NEEDED = ["header", ".strip", ".say", "#board", ".bar", ".controls", "#training", ".tabs"]
HEIGHT = 540
# What of bars that stay takes more than a third of the window, and what is cut off on paper.
BARS = """() => [...document.querySelectorAll("body *")]
    .filter((part) => ["sticky", "fixed"].includes(getComputedStyle(part).position))
    .filter((part) => part.checkVisibility() && part.offsetHeight > innerHeight / 3)
    .map((part) => part.outerHTML.slice(0, 80))"""
# Links and buttons that are too small to press, except marks of pictures that also have a list of
# links, and terms in sentences.
SMALL = """() => [...document.querySelectorAll("a[href], button, summary, select")]
    .filter((each) => each.checkVisibility() && !each.closest("svg, .skip, p"))
    .filter((each) => (each.closest("dd") ?? each).innerText === each.innerText)
    .filter((each) => {
        const { width, height } = each.getBoundingClientRect();
        const row = each.closest("li, dt, th") ?? each;
        const inside = getComputedStyle(each).display === "inline" && row !== each;
        return Math.min(width, height) < 24 && !(inside && row.clientHeight >= 24);
    })
    .map((each) => each.outerHTML.slice(0, 120))"""
CUT = """() => [document.documentElement, ...document.querySelectorAll("pre, .scroll")]
    .filter((part) => part.checkVisibility())
    .filter((part) => part.scrollWidth > Math.max(part.clientWidth, 1))
    .map((part) => part.textContent.slice(0, 80))"""
BOXES = """needed => needed.map((part) => {
    const box = document.querySelector(part).getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom].map(Math.round);
})"""
COLOURS = """palette => {
    document.getElementById(`palette-${palette}`).checked = true;
    const board = document.getElementById("board");
    const colours = {};
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const bytes = (colour) => {
        probe.fillStyle = colour;
        probe.fillRect(0, 0, 1, 1);
        return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    for (let heat = -STEPS; heat <= STEPS; heat++) {
        const cell = document.createElement("span");
        cell.dataset.heat = heat;
        board.append(cell);
        const style = getComputedStyle(cell);
        colours[heat] = [bytes(style.backgroundColor), bytes(style.color)];
        cell.remove();
    }
    return colours;
}""".replace("STEPS", str(HEAT_STEPS))


def in_any_window_and_on_paper(page: Page) -> list[str]:
    """Return the faults of an open page in all window sizes and in print."""
    page.set_viewport_size({"width": 320, "height": 256})  # the size at a zoom of 400 percent
    page.evaluate("scrollTo(0, 300)")
    found = [f"more than a third of the window: {bar}" for bar in page.evaluate(BARS)]
    page.set_viewport_size({"width": 1280, "height": 800})
    is_list = "page=" in page.url  # which may be long
    if not is_list and page.evaluate("document.documentElement.scrollHeight") > 4 * 800:
        found.append("taller than four windows before anything is unfolded")
    page.locator("main details").evaluate_all(UNFOLD)
    if page.evaluate("document.documentElement.scrollWidth") > 1280:
        found.append("wider than the window when all is unfolded")
    page.set_viewport_size({"width": 720, "height": 1000})  # a sheet of A4 within its margins
    page.emulate_media(media="print")
    found += [f"cut on paper: {part}" for part in page.evaluate(CUT)]
    page.emulate_media(media="screen")
    return found


def list_faults(page: Page, axe: Callable[[Page], list[str]], url: str) -> list[str]:
    """Return the faults of a page in windows of all sizes, on paper, and for screen readers."""
    while (answer := page.goto(url)) and "refresh" in answer.headers:
        continue  # it comes again by itself as long as its trainer is about to start
    size = page.viewport_size
    assert size
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"], url
    is_frame = url.startswith("/embed")
    if url.startswith("/embed/board"):
        assert page.evaluate("document.documentElement.scrollHeight") <= size["height"], url
    found = [] if is_frame else [f"too small to press: {link}" for link in page.evaluate(SMALL)]
    if size["width"] == 320 and not is_frame:
        found += in_any_window_and_on_paper(page)
    page.locator("main details").evaluate_all(UNFOLD)
    page.set_viewport_size(size)
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"], url
    return found + axe(page)


@pytest.mark.console("404|409")
@pytest.mark.parametrize("part", range(PARTS))
def test_everybody_can_read_a_page_in_any_window_and_on_paper(
    new_context: Callable[..., BrowserContext],
    axe: Callable[[Page], list[str]],
    addresses: list[str],
    part: int,
) -> None:
    page = new_context(
        viewport={"width": 320, "height": HEIGHT}, reduced_motion="reduce"
    ).new_page()  # a colour on its way to another has no contrast yet
    found = {url: list_faults(page, axe, url) for url in [*addresses, *OTHERS][part::PARTS]}
    assert {url: wrong for url, wrong in found.items() if wrong} == {}


def test_everybody_can_read_a_page_in_the_dark(
    new_context: Callable[..., BrowserContext], axe: Callable[[Page], list[str]]
) -> None:
    page = new_context(
        color_scheme="dark", viewport={"width": 1280, "height": HEIGHT}, reduced_motion="reduce"
    ).new_page()
    found = {url: list_faults(page, axe, url) for url in IN_THE_DARK}
    assert {url: wrong for url, wrong in found.items() if wrong} == {}


def test_three_keys_lead_past_what_every_page_has(page: Page, addresses: list[str]) -> None:
    for url in [url for url in addresses if not url.startswith("/embed")][::6]:
        page.goto(url)
        for key in ("Tab", "Enter", "Tab"):
            page.keyboard.press(key)
        expect(page.locator("main :focus"), url).to_have_count(1)


def test_a_fold_opens_by_its_address_by_a_search_and_on_paper(page: Page) -> None:
    page.goto("/agents/q-learning-2#:~:text=for%20a%20spreadsheet")  # a search, by an address
    expect(page.locator("#files")).to_be_visible()
    expect(page.locator("#blunders")).to_be_hidden()
    page.goto("/sources#boyan-1992")
    expect(page.locator("#boyan-1992")).to_be_visible()
    expect(page.locator("#flesch")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator("#flesch")).to_be_visible()


@pytest.mark.parametrize(
    ("scheme", "url", "openers", "tabs"),
    [
        (
            "light",
            PLAY,
            ["#seat-o", "#language", "#preferences-button", "#help", "#share"],
            ["moves", "why", "minds"],
        ),
        ("dark", PLAY, ["#seat-o"], ["why", "settings"]),
        ("dark", TAUGHT, ["#share", "#practise"], []),
    ],
)
def test_axe_finds_nothing_in_what_opens_over_a_board(
    new_context: Callable[..., BrowserContext],
    axe: Callable[..., list[str]],
    scheme: str,
    url: str,
    openers: list[str],
    tabs: list[str],
) -> None:
    page = new_context(color_scheme=scheme, viewport={"width": 360, "height": 740}).new_page()
    page.goto(url)
    for opener in openers:
        page.click(opener)
        assert axe(page, "[popover]:popover-open") == [], opener
        page.keyboard.press("Escape")
    for tab in tabs:
        page.click(f"label[for=tab-{tab}]")
        if tab != "moves":
            come = page.locator(f"#{tab} :is(.figures, h2, fieldset)")  # it is fetched
            expect(come.first).to_be_visible()
        assert axe(page, ".desk") == [], tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_browser_shows_the_colours_that_were_checked(
    new_context: Callable[..., BrowserContext], scheme: str
) -> None:
    page = new_context(color_scheme=scheme).new_page()
    page.goto("/play/")
    shown = {palette: page.evaluate(COLOURS, palette) for palette in PALETTES}
    for palette, heat in product(PALETTES, range(-HEAT_STEPS, HEAT_STEPS + 1)):
        background = compute_colour(palette, heat, scheme)
        seen, text = map(tuple, shown[palette][str(heat)])
        # The browser mixes in fractions, which is a byte off at most.
        assert max(abs(a - b) for a, b in zip(seen, background, strict=True)) <= 1
        assert text == choose_text_colour(background)
        assert compute_contrast(text, seen) >= 4.45


@pytest.mark.parametrize(("width", "height"), NARROW)
def test_all_that_a_game_needs_is_on_the_first_screen_and_never_moves(
    new_context: Callable[..., BrowserContext], width: int, height: int
) -> None:
    scheme = "light" if width % 100 else "dark"
    page = new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    ).new_page()
    seen = set()
    for url in STATES:
        page.goto(url)
        boxes = page.evaluate(BOXES, NEEDED)
        for part, (left, top, right, bottom) in zip(NEEDED, boxes, strict=True):
            assert left >= 0, (part, url)
            assert top >= 0, (part, url)
            assert right <= width, (part, url)
            assert bottom <= height, (part, url)
        assert page.evaluate("document.documentElement.scrollHeight") <= height
        seen.add(str(boxes))
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("url", "width", "height"),
    [
        ("/play/?o=fixed", 1280, 800),
        ("/play/?o=human", 740, 360),
        ("/play/0123?x=fixed&o=fixed&delay=0.25", 360, 740),
    ],
)
def test_nothing_jumps_in_two_whole_games(
    new_context: Callable[..., BrowserContext], url: str, width: int, height: int
) -> None:
    page = new_context(viewport={"width": width, "height": height}).new_page()
    page.add_init_script(f"({SHIFTS})()")
    page.goto(url)
    arrived = shifts(page)
    assert sum(value for value, *_ in arrived) < JUMP, arrived
    for _ in range(2):
        if "x=fixed" not in url:
            for cell in "482637" if "human" in url else "426":
                marks = page.locator(MARKS).count()
                page.click(f"#board-{cell}")
                two = "fixed" in url and cell != "6"
                expect(page.locator(MARKS)).to_have_count(marks + 1 + two)
                if page.locator(".result").count():
                    break
        expect(page.locator(".result")).to_be_visible()
        page.click("#rematch")
        expect(page.locator(".result")).to_have_count(0)
    assert shifts(page) == arrived


class Slow(Quiet):
    """A proxy of the site over a slow line: pages arrive in pieces."""

    def answer(self) -> None:
        with urlopen(self.told + self.path) as answer:
            kind, body = answer.headers["Content-Type"], answer.read()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")  # all comes late to every page
        self.end_headers()
        if "html" in kind:
            for _ in range(PIECES):
                end = body.find(b"\n", PIECE) + 1 or len(body)
                self.wfile.write(body[:end])
                body = body[end:]
                sleep(0.02)
        with suppress(ConnectionError):  # whoever has seen enough hangs up
            self.wfile.write(body)


@pytest.fixture
def slow(base_url: str) -> Iterator[str]:
    """The proxy; requested before the browser's context, so that it ends later."""
    with serving(Slow, base_url) as url:
        yield url


@pytest.mark.console("htmx:timeout")  # the line is slow, and perhaps the machine is, too
def test_a_page_that_arrives_in_pieces_does_not_jump(
    slow: str, new_context: Callable[..., BrowserContext]
) -> None:
    """On a desktop and on phones, which wait for the line at the same time."""
    sizes = [{"width": width, "height": height} for width, height in NARROW]
    desk, phone, aside = (new_context(viewport=size).new_page() for size in sizes)
    for page in (desk, phone, aside):
        page.add_init_script(f"({SHIFTS})()")
    for number, url in enumerate(IN_PIECES):
        pages = phone, aside if number % 2 else desk
        for page in pages:
            page.goto(slow + url, wait_until="commit")
        for page in pages:
            page.wait_for_load_state()
            moved = shifts(page)
            assert sum(value for value, *_ in moved) < JUMP, (url, page.viewport_size, moved)


def test_colours_move_unless_less_motion_is_asked_for(
    new_context: Callable[..., BrowserContext],
) -> None:
    lasting = "getComputedStyle(document.getElementById('board-0')).transitionDuration"
    page = new_context().new_page()
    page.goto("/play/?o=human")
    assert page.evaluate(lasting).startswith("0.25s")
    page.click("#preferences-button")
    page.check("#still")
    assert page.evaluate(lasting).startswith("0s")
    calm = new_context(reduced_motion="reduce").new_page()
    calm.goto("/play/?o=human")
    assert calm.evaluate(lasting).startswith("0s")


# The gap between the texts of neighbouring cells, in pixels, where two texts stand in one line.
GAPS = """() => [...document.querySelectorAll("tr")].flatMap((row) => {
    const texts = [...row.cells].map((cell) => {
        const boxes = [], walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const range = document.createRange();
            range.selectNode(walker.currentNode);
            boxes.push(...range.getClientRects());
        }
        // The arrow of a sorted column belongs to the link, not to its text.
        for (const link of cell.querySelectorAll("thead a")) boxes.push(...link.getClientRects());
        return boxes.filter((box) => box.width > 1 && box.height > 1);
    });
    return texts.slice(1).flatMap((boxes, column) => boxes.flatMap((right) =>
        texts[column]
            .filter((left) => left.top < right.bottom - 2 && right.top < left.bottom - 2)
            .map((left) => right.left - left.right)));
}).filter((gap) => gap < 2)"""


@pytest.mark.parametrize("path", ["/agents", "/arena"])
def test_texts_of_neighbouring_cells_do_not_touch(page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(path)
    assert page.evaluate(GAPS) == []


def test_a_phone_shows_the_first_fault_at_once(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto("/faults")
    expect(page.locator(".fault-cards > li").first).to_be_in_viewport(ratio=1)
