"""A table of another program, pasted, dropped or chosen: it is sent, and not stored."""

import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from app.tables.options import DEFAULT_OPTIONS
from app.tables.reader import TableReading, read_table
from app.tictactoe.game import build_game
from app.tictactoe.policy_codec import encode_moves

DATA = Path("tests/data/judge")
MODELS = Path("models")
GAME = build_game()
FITS = "document.documentElement.scrollWidth === innerWidth"
DROP = """([name, encoded]) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    data.items.add(new File([bytes], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""

PASTE = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""


def read(file: Path) -> TableReading:
    return read_table(file.read_bytes(), DEFAULT_OPTIONS)


def drop(page: Page, file: Path) -> None:
    page.evaluate(DROP, [file.name, b64encode(file.read_bytes()).decode()])


def paste(page: Page, file: Path) -> None:
    """Replace the text of the field by a whole table.

    Chromium needs seconds to insert thousands of lines as a person would; short tables in other
    tests are inserted so.
    """
    page.locator("#table").evaluate(PASTE, file.read_text())


@pytest.fixture
def requests(page: Page) -> list[Request]:
    """Collect all requests of a page except for static files."""
    made: list[Request] = []

    def record(request: Request) -> None:
        if "/static/" not in request.url:
            made.append(request)

    page.on("request", record)
    return made


def test_a_pasted_table_is_read_and_judged(page: Page, requests: list[Request]) -> None:
    page.goto("/judge")
    requests.clear()
    wanted = read(DATA / "own-side.csv")
    paste(page, DATA / "own-side.csv")
    expect(page.locator("#reading")).to_have_text(wanted.summary_sentence)
    expect(page.locator("#notes li")).to_have_text(wanted.notes)
    link = page.locator("#made-link").input_value()
    assert link.endswith(f"/judge?moves={encode_moves(GAME, wanted.chosen_moves)}")
    assert [(request.method, request.url[-6:]) for request in requests] == [("POST", "/judge")]
    page.click("#judge-it")
    expect(page.locator("#sentence")).to_be_visible()
    assert page.url == link


def test_the_values_of_a_table_are_seen_on_a_board(page: Page) -> None:
    page.goto("/judge")
    page.locator("#table").fill(
        '{".........": [0, 0, 0, 0, 2, 0, 0, 0, -1], "....X....": {"0": 1}}'
    )
    page.locator("#heat summary").click()
    expect(page.locator("#heat .star")).to_have_count(1)
    expect(page.locator("#heat-4")).to_have_attribute("data-heat", "20")
    expect(page.locator("#heat-8")).to_have_attribute("data-heat", "-10")
    page.click("#heat-4")
    expect(page.locator("#heat-turn")).to_have_text("O to move: the values in the table.")
    expect(page.locator("#heat-0")).to_have_accessible_name(
        "Row 1, column 1, empty, value +1.00, best"
    )
    expect(page.locator("#heat .unknown")).to_have_count(7)
    page.click("#heat-back")
    expect(page.locator("#heat .mark")).to_have_count(0)
    for cell in (0, 1, 3, 4, 6):
        page.click(f"#heat-{cell}")
    expect(page.locator("#heat-turn")).to_have_text("The game is over.")
    page.locator("#table").fill('{".........": 4}')
    expect(page.locator("#heat")).to_have_count(0)


def test_a_chosen_file_is_read_and_how_it_is_read_can_be_changed(page: Page) -> None:
    page.goto("/judge")
    page.locator("#file").set_input_files(DATA / "x-view.json")
    expect(page.locator("#notes")).to_contain_text(
        "A high value is good for X: O plays the lowest."
    )
    before = page.locator("#made-link").input_value()
    page.locator("summary", has_text="How to read the table").click()
    page.select_option("#read-view", "mover")
    expect(page.locator("#notes")).to_contain_text("A high value is good for the player to move.")
    assert page.locator("#made-link").input_value() != before
    page.click("#to-verdict")
    expect(page.locator("#causes")).to_contain_text(
        "The values as O are from the opponent’s point of view"
    )


def test_a_file_of_more_than_4_mb_is_not_sent(
    page: Page, requests: list[Request], tmp_path: Path
) -> None:
    large = tmp_path / "large.csv"
    large.write_text(".........,4\n" * 400_000)
    page.goto("/judge")
    requests.clear()
    page.locator("#file").set_input_files(large)
    expect(page.locator("#file:invalid")).to_have_count(1)
    page.click("#judge-it")
    page.locator("#table").fill('{".........": 4}')
    expect(page.locator("#reading")).to_have_text("Read: 1 of 4,520 positions.")
    assert len(requests) == 1


@pytest.mark.console("400")
def test_what_cannot_be_read_is_named(page: Page) -> None:
    page.goto("/judge")
    page.locator("#table").fill((DATA / "faulty.csv").read_text())
    expect(page.locator("#unread li")).to_have_text(
        [
            "line 3: nine is no move",
            "line 4: no game comes to this board",
            "line 5: this is no board: X.O.....",
            "line 6: high is no number",
        ]
    )
    expect(page.locator("#to-verdict")).to_have_text("Evaluate the other rows")
    page.locator("#table").fill("nonsense")
    expect(page.locator("#reading")).to_contain_text("The table cannot be read: no board was found")
    for stale in ("#notes", "#to-verdict"):
        expect(page.locator(stale)).to_have_count(0)
    page.locator("#table").fill("")
    expect(page.locator("#reading")).to_have_count(0)


def test_the_lines_are_copied(new_context: Callable[..., Browser]) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/judge")
    page.click("#copy-snippet")
    expect(page.locator("#snippet-copied")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#snippet").text_content()
    assert "def link(play):" in copied


def test_both_pages_are_easy_to_use(desk_and_phone: Page, axe: Callable[[Page], list[str]]) -> None:
    page = desk_and_phone
    page.goto("/judge")
    paste(page, DATA / "own-side.csv")
    expect(page.locator("#to-verdict")).to_be_visible()
    page.locator("#heat summary").click()
    expect(page.locator("#heat .cell.best").first).to_be_visible()
    assert axe(page) == []
    assert page.evaluate(FITS)
    page.click("#judge-it")
    expect(page.locator("#causes")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate(FITS)


def test_without_javascript_a_table_is_sent_by_the_form(
    new_context: Callable[..., Browser],
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/judge")
    paste(page, DATA / "moves-from-1.json")
    page.click("#judge-it")
    expect(page).to_have_url(re.compile("/judge\\?moves="))
    expect(page.locator("#sentence")).to_have_text(re.compile("^Proved unbeatable"))
    page.goto("/judge")
    page.locator("summary", has_text="How to read the table").click()
    page.select_option("#read-view", "mover")
    page.locator("#file").set_input_files(DATA / "x-view.json")
    page.click("#judge-it")
    expect(page.locator("#causes")).to_contain_text(
        "The values as O are from the opponent’s point of view"
    )
