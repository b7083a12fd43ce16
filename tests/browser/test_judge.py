"""A table that somebody else trained, pasted or dropped: read here, judged by a link, not sent."""

import io
import json
import random
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Request, expect

from app.tictactoe.agents import load
from app.tictactoe.game import O, connect
from app.tictactoe.notation import parse_position, position_text
from app.tictactoe.policy import best_moves, optimal_q
from app.tictactoe.policy_codec import decode, encode, policy_of_choice
from app.tictactoe.report import blunders

DATA = Path("tests/data/judge")
MODELS = Path("models")
FOREIGN = ["tuples.txt", "nine-numbers.json", "own-side.csv"]
GAME = connect()
# Bytes go as base64 and values come as JSON, in which NaN is null: so they are there at once.
READ = """([bytes, options]) =>
    readTable(Uint8Array.from(atob(bytes), (sign) => sign.charCodeAt(0)), options)
        .then((read) => ({ ...read, values: JSON.stringify(read.values) }))
        .catch((error) => {
            if (!(error instanceof TableError)) throw error;
            return { refused: error.message };
        })"""
FITS = "document.documentElement.scrollWidth === innerWidth"
PASTE = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}"""
DROP = """([name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""


@dataclass(frozen=True, eq=False)
class Reading:
    """What the browser has read, its moves taken out of the code that goes into the link."""

    choice: np.ndarray  # [D, cells] what is played
    q: np.ndarray  # [D, cells] NaN where nothing is known, and everywhere of moves alone
    moves: str
    summary: str
    notes: list[str]
    unread: list[str]

    @property
    def known(self) -> dict[str, dict[int, float]]:
        """The values of every position that a table has, by cell."""
        return {
            position_text(GAME, int(row)): {
                int(cell): float(self.q[row, cell])
                for cell in np.flatnonzero(~np.isnan(self.q[row]))
            }
            for row in np.flatnonzero(~np.isnan(self.q).all(axis=1))
        }


def packed(content: bytes | str) -> str:
    return b64encode(content.encode() if isinstance(content, str) else content).decode()


def read(page: Page, content: bytes | str, **options: str) -> Reading:
    """Have a table read by the script of the page's worker."""
    result = page.evaluate(READ, [packed(content), options])
    values = json.loads(result.pop("values"))
    q = np.full(GAME.legal.shape, np.nan) if values is None else np.array(values, np.float64)
    return Reading(choice=decode(GAME, result["moves"]), q=q, **result)


def refusal(page: Page, content: bytes) -> str:
    """The sentence by which a table is refused."""
    return str(page.evaluate(READ, [packed(content), {}])["refused"])


@pytest.fixture(scope="module")
def reader(browser: Browser, base_url: str) -> Iterator[Page]:
    """The page whose script reads tables, opened once: what is read leaves nothing behind."""
    page = browser.new_page(base_url=base_url)
    page.goto("/judge")
    page.add_script_tag(url=page.locator("#table").get_attribute("data-reader"))
    yield page
    page.close()


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


@pytest.mark.parametrize(
    ("file", "agent"),
    [
        ("tuples.txt", "q-table"),
        ("nine-numbers.json", "double-q"),
        ("own-side.csv", "q-table-vs-minimax"),
        ("base-3.json", "symmetric"),
    ],
)
def test_a_file_holds_the_values_of_its_agent(reader: Page, file: str, agent: str) -> None:
    """Keys are tuples, strings of nine numbers, boards from one's own side, base-3 numbers."""
    reading = read(reader, (DATA / file).read_bytes())
    known = ~np.isnan(reading.q)
    found = known.any(axis=1)
    assert found.sum() > 300
    assert reading.unread == []
    assert reading.summary == f"Read: {found.sum():,} of 4,520 positions."
    assert (known[found] == GAME.legal[found]).all()
    np.testing.assert_allclose(reading.q[known], load(MODELS, GAME, agent).q[known], atol=6e-4)
    if file == "base-3.json":
        assert "Base-3 numbers: the top left square is the last digit." in reading.notes
        assert found.sum() == 627
        assert (
            "Copied from a symmetric position that the table has: 3,893 positions." in reading.notes
        )
    else:
        missing = f"Missing: {(~found).sum():,} positions. There it plays any empty square."
        assert missing in reading.notes
        assert (reading.choice[~found] == GAME.legal[~found]).all()


def test_values_in_the_view_of_x_are_turned_round_and_it_is_said(reader: Page) -> None:
    content = (DATA / "x-view.json").read_bytes()
    reading = read(reader, content)
    known = ~np.isnan(reading.q)
    assert (reading.q[known] == optimal_q(GAME)[known]).all()
    assert (reading.choice == best_moves(GAME)).all()
    assert any(note.startswith("A high value is good for X") for note in reading.notes)
    wrong = read(reader, content, view="mover")
    assert blunders(GAME, policy_of_choice(wrong.choice))[GAME.to_move == O].any()


def test_moves_alone_counted_from_1_in_nested_boards_are_read(reader: Page) -> None:
    reading = read(reader, (DATA / "moves-from-1.json").read_bytes())
    assert not reading.known
    assert "Moves are counted from 1." in reading.notes
    assert not blunders(GAME, policy_of_choice(reading.choice)).any()


def test_an_npz_of_ours_and_one_by_base_3_number_are_read(reader: Page) -> None:
    agent = load(MODELS, GAME, "q-table")
    ours = read(reader, (MODELS / "q-table.npz").read_bytes(), ties="first")
    np.testing.assert_allclose(ours.q[GAME.legal], agent.q[GAME.legal])
    assert blunders(GAME, policy_of_choice(ours.choice)).sum() == agent.card.figures.blunders[-1]
    file = io.BytesIO()
    table = np.zeros((3**9, 9))
    table[GAME.code[: GAME.decisions]] = np.nan_to_num(optimal_q(GAME), nan=-5)
    np.savez(file, table=table)
    assert (read(reader, file.getvalue()).choice == best_moves(GAME)).all()


BOARDS = [
    "X.O......",
    "x_o______",
    "X O      ",
    "X.O|...|...",
    "X.O\n...\n...",
    "1,0,2,0,0,0,0,0,0",
    "(1, 0, -1, 0, 0, 0, 0, 0, 0)",
    "[[1,0,-1],[0,0,0],[0,0,0]]",
    "[[ 1.  0. -1.]\n [ 0.  0.  0.]\n [ 0.  0.  0.]]",
    "102000000",
    "['X', ' ', 'O', ' ', ' ', ' ', ' ', ' ', ' ']",
    "('X', '', 'O', '', '', '', '', '', '')",
    "(np.int64(1), np.int64(0), np.int64(2), 0, 0, 0, 0, 0, 0)",
    str(3**8 + 2 * 3**6),
]


# Values of some cells, or a move alone, which is the middle.
VALUES: list[tuple[Any, dict[int, float]]] = [
    ([None, 0.1, None, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], {1: 0.1, 3: 0.2, 8: 0.7}),
    ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], {1: 0.1, 3: 0.2, 8: 0.7}),
    ({"4": 0.5, "8": -1}, {4: 0.5, 8: -1}),
    ({"(1, 1)": 0.5, "2,2": "-1"}, {4: 0.5, 8: -1}),
    (4, {}),
    ([1, 1], {}),
]


def test_any_usual_writing_of_a_board_and_of_values(reader: Page) -> None:
    here = parse_position(GAME, "X.O......")
    for key, (value, cells) in product(BOARDS, VALUES):
        text = json.dumps({key: value})
        reading = read(reader, text)
        assert reading.summary == "Read: 1 of 4,520 positions.", text
        assert reading.known.get("X.O......", {}).items() >= cells.items(), text
        if not cells:
            assert not reading.known, text
            assert np.flatnonzero(reading.choice[here]).tolist() == [4], text


STATES_WITH_ACTIONS = [
    "{((1, 0, -1, 0, 0, 0, 0, 0, 0), 4): 0.5, ((1, 0, -1, 0, 0, 0, 0, 0, 0), 8): -1}",
    "defaultdict(<class 'float'>, {((1,0,2,0,0,0,0,0,0),4): np.float64(0.5), "
    "((1,0,2,0,0,0,0,0,0),8): array(-1.)})",
    '{"X.O......|4": 0.5, "X.O......|8": -1}',
    '[["X.O......", 4, 0.5], ["X.O......", 8, -1]]',
    '[{"state": "X.O......", "action": 4, "value": 0.5}, '
    '{"board": "X.O......", "move": [2, 2], "q": -1}]',
    "X.O......,4,0.5\nX.O......,8,-1\n",
    "board;row;col;value\nX.O......;1;1;0.5\nX.O......;2;2;-1\n",
    "1,0,-1,0,0,0,0,0,0,4,0.5\n1,0,-1,0,0,0,0,0,0,8,-1\n",
    "position\t0\t1\t2\t3\t4\t5\t6\t7\t8\nX.O......\t\t\t\t\t0.5\t\t\t\t-1\n",
    '{"q_table": {"X.O......": {"4": 0.5, "8": -1}}}',
]


def test_states_with_actions_are_put_together(reader: Page) -> None:
    for text in STATES_WITH_ACTIONS:
        assert read(reader, text).known == {"X.O......": {4: 0.5, 8: -1.0}}, text


def test_what_stands_for_whom_can_be_chosen(reader: Page) -> None:
    text = '{"1,0,-1,0,0,0,0,0,0": {"4": 1}, "-1,1,-1,0,0,0,0,0,0": {"4": 1}}'
    own = read(reader, text, boards="mover")
    assert own.known.keys() == {"X.O......", "XOX......"}
    x = read(reader, text, boards="x")
    assert x.known.keys() == {"X.O......"}
    assert x.unread == ["entry 2 (-1,1,-1,0,0,0,0,0,0): no game comes to this board"]
    assert "1 is the player to move" in own.notes[0]


def test_equal_values_and_missing_positions_take_the_rule_that_is_chosen(reader: Page) -> None:
    text = '{".........": [0.5, 0, 0.5, 0, 0, 0, 0, 0, 0]}'
    other = parse_position(GAME, "X........")
    both = read(reader, text)
    assert np.flatnonzero(both.choice[0]).tolist() == [0, 2]
    assert (both.choice[other] == GAME.legal[other]).all()
    first = read(reader, text, ties="first", missing="first")
    assert np.flatnonzero(first.choice[0]).tolist() == [0]
    assert np.flatnonzero(first.choice[other]).tolist() == [1]
    image = read(reader, '{"X........": 8}', missing="image")
    assert np.flatnonzero(image.choice[parse_position(GAME, "..X......")]).tolist() == [6]


NO_TABLES = [
    (b"", "there is nothing in it"),
    (b" ,\n,,", "there is nothing in it"),
    (b"hello", "no board was found in it: line 1: this is no board"),
    (b"[1, 2", "line 1: this is neither JSON nor"),
    (b"{\n'a': 1,\n ?}", "line 3: this is neither JSON nor"),
    (b"\x80\x04K\x01.", "no pickle ever"),
    (b"\x93NUMPY\x01\x00", "no pickle ever"),
    (b"PK\x03\x04 and no more", "this npz cannot be read"),
    (b"\xff\xfe\x00", "no text in UTF-8"),
    (b"[" * 100, "more than 60 brackets"),
    (b'{"A,B,C,A,B,C,A,B,C": 3}', "cannot be told: there are ., A, C"),
    (b'{"XXX......": 4}', "no position that is to be played in was found"),
]


def test_what_is_no_table_says_why(reader: Page) -> None:
    for content, reason in NO_TABLES:
        assert reason in refusal(reader, content), content


def test_whatever_is_pasted_is_read_or_refused(reader: Page) -> None:
    """Whatever else is thrown fails the evaluation."""
    rng = random.Random(0)
    parts = [*BOARDS, *'XO.0,;:|"[](){}\n', "board", "nan", "-1", "0.5", "9" * 400, "array("]
    texts = []
    for whole in [*STATES_WITH_ACTIONS, *(json.dumps({board: 4}) for board in BOARDS)] * 10:
        start = rng.randrange(len(whole))
        texts.append(whole[:start] + rng.choice(parts) + whole[start + rng.randrange(4) :])
    script = f"(all) => Promise.all(all.map({READ}))"
    results = reader.evaluate(script, [[packed(text), {}] for text in texts])
    codes = {result["moves"] for result in results if "moves" in result}
    assert len(codes) > 5
    assert any("refused" in result for result in results)
    assert all(decode(GAME, code).any() for code in codes)


@pytest.mark.parametrize("file", FOREIGN)
def test_a_pasted_table_is_judged_and_nothing_of_it_is_sent(
    reader: Page, page: Page, asked: list[Request], file: str
) -> None:
    page.goto("/judge")
    expect(page.locator("#bring")).to_be_visible()
    asked.clear()
    text = (DATA / file).read_text()
    wanted = read(reader, text)
    page.locator("#table").evaluate(PASTE, text)  # at once, not line by line
    expect(page.locator("#reading")).to_have_text(wanted.summary)
    expect(page.locator("#notes li")).to_have_text(wanted.notes)
    assert page.locator("#made-link").input_value().endswith(f"/judge?moves={wanted.moves}")
    assert sent(asked) == []
    page.click("#to-verdict")
    expect(page.locator("#sentence")).to_be_visible()
    assert sent(asked)[0].endswith(f"/judge?moves={wanted.moves}")
    assert {request.method for request in asked} == {"GET"}
    assert not [request for request in asked if request.post_data]


def test_the_page_goes_on_while_a_long_table_is_read_and_the_next_overtakes_it(page: Page) -> None:
    """Read in the page itself it draws no frame meanwhile, for a second and more."""
    page.goto("/judge")
    page.locator("#table").evaluate(PASTE, "..........,1\n" * 30_000)
    told = page.locator("#reading")
    expect(told).to_have_text("Reading…")
    page.evaluate("""async () => {
        for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
    }""")
    expect(told).to_have_text("Reading…", timeout=1)
    page.locator("#table").evaluate(PASTE, '{".........": 4}')
    expect(told).to_have_text("Read: 1 of 4,520 positions.")


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
    expect(page.locator("#notes")).to_contain_text("A high value is good for the player to move.")
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


def test_both_pages_are_easy_to_use(desk_and_phone: Page, axe: Callable[[Page], list[str]]) -> None:
    page = desk_and_phone
    page.goto("/judge")
    page.locator("#table").evaluate(PASTE, (DATA / "own-side.csv").read_text())
    expect(page.locator("#to-verdict")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate(FITS)
    page.click("#to-verdict")
    expect(page.locator("#causes")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate(FITS)


def test_without_javascript_the_moves_go_into_a_form(new_context: Callable[..., Browser]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/judge")
    expect(page.locator("#bring")).to_be_hidden()
    page.fill("#moves", encode(GAME, best_moves(GAME)))
    page.get_by_role("button", name="Judge them").click()
    expect(page).to_have_url(re.compile("moves="))
    expect(page.locator("#sentence")).to_have_text(re.compile("^Unbeatable, proved"))
