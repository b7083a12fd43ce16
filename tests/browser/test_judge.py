"""A table that somebody else trained, pasted or dropped: read here, judged by a link, not sent."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from app.tictactoe.game import connect
from app.tictactoe.moves_code import encode
from training.tables import TableError, read_table, summary

DATA = Path("tests/data/judge")
FOREIGN = ["tuples.txt", "nine-numbers.json", "own-side.csv"]
FILES = [*sorted(DATA.iterdir()), Path("models/q-table.npz")]
GAME = connect()
READ = """([bytes, options]) => readTable(new Uint8Array(bytes), options)
    .then(({ moves, summary, notes, unread }) => ({ moves, summary, notes, unread }))
    .catch((error) => ({ error: error.message }))"""
PASTE = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
DROP = """([name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""


@pytest.fixture
def asked(page: Page) -> list[Request]:
    """All requests that a page makes from here on."""
    requests: list[Request] = []

    def heard(request: Request) -> None:
        requests.append(request)

    page.on("request", heard)
    return requests


def sent(requests: list[Request]) -> list[str]:
    """The addresses that were asked for, but for files of the site, which are always the same."""
    return [request.url for request in requests if "/static/" not in request.url]


def in_python(content: bytes) -> dict[str, Any]:
    try:
        reading = read_table(GAME, content)
    except TableError as error:
        return {"error": str(error)}
    return {
        "moves": encode(GAME, reading.choice),
        "summary": summary(GAME, reading),
        "notes": reading.notes,
        "unread": reading.unread,
    }


def test_a_browser_reads_every_file_as_the_command_line_does(page: Page) -> None:
    page.goto("/judge")
    for file in FILES:
        content = file.read_bytes()
        assert page.evaluate(READ, [list(content), {}]) == in_python(content), file


def test_it_refuses_what_the_command_line_refuses(page: Page) -> None:
    page.goto("/judge")
    for text in ("", ",", "hello", "[1, 2", "{'a': 1,\n ?}", "[" * 100, '{"XXX......": 4}', "\x80"):
        content = text.encode("latin-1")
        found = page.evaluate(READ, [list(content), {}])
        assert found == in_python(content), text


@pytest.mark.parametrize("file", FOREIGN)
def test_a_pasted_table_is_judged_and_nothing_of_it_is_sent(
    page: Page, asked: list[Request], file: str
) -> None:
    page.goto("/judge")
    expect(page.locator("#bring")).to_be_visible()
    asked.clear()
    text = (DATA / file).read_text()
    wanted = in_python(text.encode())
    page.locator("#table").evaluate(PASTE, text)  # at once, not line by line
    expect(page.locator("#reading")).to_have_text(wanted["summary"])
    expect(page.locator("#notes li")).to_have_text(wanted["notes"])
    assert page.locator("#made-link").input_value().endswith(f"/judge?moves={wanted['moves']}")
    assert sent(asked) == []
    page.click("#to-verdict")
    expect(page.locator("#sentence")).to_be_visible()
    assert sent(asked)[0].endswith(f"/judge?moves={wanted['moves']}")
    assert {request.method for request in asked} == {"GET"}
    assert not [request for request in asked if request.post_data]


def test_the_values_of_a_table_are_seen_on_a_board_and_it_stays_here(
    page: Page, asked: list[Request]
) -> None:
    page.goto("/judge")
    asked.clear()
    page.locator("#table").fill(
        '{".........": [0, 0, 0, 0, 2, 0, 0, 0, -1], "....X....": {"0": 1}}'
    )
    expect(page.locator("#heat .star")).to_have_count(1)
    expect(page.locator("#heat-4")).to_have_attribute("data-heat", "20")
    expect(page.locator("#heat-8")).to_have_attribute("data-heat", "-10")
    page.click("#heat-4")
    expect(page.locator("#heat-turn")).to_have_text("O to move: what the table has.")
    expect(page.locator("#heat-0")).to_have_accessible_name(
        "Row 1, column 1, empty, value +1.00, best"
    )
    expect(page.locator("#heat .unknown")).to_have_count(7)
    page.click("#heat-back")
    expect(page.locator("#heat .mark")).to_have_count(0)
    page.locator("#table").fill('{".........": 4}')
    expect(page.locator("#heat")).to_be_hidden()
    assert sent(asked) == []


def test_a_dropped_file_is_read(page: Page, asked: list[Request]) -> None:
    page.goto("/judge")
    asked.clear()
    content = Path("models/q-table.npz").read_bytes()
    page.evaluate(DROP, ["mine.npz", list(content)])
    expect(page.locator("#reading")).to_have_text("Read: 4,520 of 4,520 positions.")
    expect(page.locator("#file-name")).to_have_text("mine.npz")
    assert sent(asked) == []


def test_a_chosen_file_is_read_and_how_it_is_read_can_be_changed(page: Page) -> None:
    page.goto("/judge")
    page.locator("#file").set_input_files(DATA / "x-view.json")
    expect(page.locator("#notes")).to_contain_text(
        "A high value is good for X: O plays the lowest."
    )
    before = page.locator("#made-link").input_value()
    page.locator("summary", has_text="How it is read").click()
    page.select_option("#read-view", "mover")
    expect(page.locator("#notes")).to_contain_text("A high value is good for whoever is to move.")
    assert page.locator("#made-link").input_value() != before
    page.click("#to-verdict")
    expect(page.locator("#causes")).to_contain_text("in the other side's view")


def test_what_cannot_be_read_is_named(page: Page) -> None:
    page.goto("/judge")
    page.locator("#table").fill((DATA / "faulty.csv").read_text())
    expect(page.locator("#unread")).to_be_visible()
    page.locator("#unread summary").click()
    expect(page.locator("#unread li")).to_have_text(
        [
            "line 3: nine is no move",
            "line 4: no game comes to this board",
            "line 5: this is no board",
            "line 6: high is no number",
        ]
    )
    expect(page.locator("#notes")).to_be_visible()
    page.locator("#table").fill("nonsense")
    expect(page.locator("#reading")).to_contain_text("This cannot be read: no board was found")
    for stale in ("#notes", "#outcome"):
        expect(page.locator(stale)).to_be_hidden()


def test_a_judged_agent_plays_and_its_lost_game_is_replayed(page: Page) -> None:
    page.goto("/judge")
    page.evaluate(DROP, ["mine.npz", list(Path("models/q-table.npz").read_bytes())])
    page.click("#to-verdict")
    expect(page.locator("#sentence")).to_have_text(
        "Unbeatable as X, proved. As O this game beats it."
    )
    page.click("#beat-o")
    for taken in (1, 2, 3):
        page.click("#step")
        expect(page.locator("#board .cell.taken")).to_have_count(taken)


def test_the_lines_are_copied(new_context: Callable[..., Browser]) -> None:
    context = new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/judge")
    page.click("#copy-snippet")
    expect(page.locator("#snippet-copied")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#snippet").text_content()
    assert "def link(play):" in copied


@pytest.mark.parametrize(("scheme", "width", "height"), [("dark", 1280, 800), ("light", 360, 740)])
def test_both_pages_are_easy_to_use(
    new_context: Callable[..., Browser],
    axe: Callable[[Page], list[str]],
    width: int,
    height: int,
    scheme: str,
) -> None:
    context = new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto("/judge")
    page.locator("#table").evaluate(PASTE, (DATA / "own-side.csv").read_text())
    expect(page.locator("#to-verdict")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.click("#to-verdict")
    expect(page.locator("#causes")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_javascript_the_moves_go_into_a_form(new_context: Callable[..., Browser]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/judge")
    expect(page.locator("#bring")).to_be_hidden()
    page.fill("#moves", in_python((DATA / "x-view.json").read_bytes())["moves"])
    page.get_by_role("button", name="Judge them").click()
    expect(page).to_have_url(re.compile("moves="))
    expect(page.locator("#sentence")).to_have_text(re.compile("^Unbeatable, proved"))
