"""The sheets of MENACE on paper: printed, and cut out.

tests/golden/sheet-a4.txt and sheet-letter.txt are pictures of a sheet of labels.  After an intended
change, update them with `UPDATE_GOLDEN=1 python -m pytest tests/browser/test_paper.py`.

"""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

PAGE = re.compile(rb"/Type\s*/Page\b")
BOX = re.compile(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)")
POINT = 25.4 / 72  # millimetres
MM = 96 / 25.4  # pixels of a style sheet
MATCHBOX = (53, 36)  # millimetres
GOLDEN = str(Path(__file__).parent.parent / "golden" / "sheet-{size}.txt")
SIZES = {"a4": (210, 297), "letter": (216, 279)}
DIGIT = 3.5  # millimetres: a digit that is read at arm's length
OUTSIDE = """() => [...document.querySelectorAll(".labels li")].flatMap((label) => {
  const frame = label.getBoundingClientRect();
  return [...label.querySelectorAll("use, text")].filter((part) => {
    const box = part.getBoundingClientRect();
    return box.left < frame.left || box.top < frame.top
      || box.right > frame.right || box.bottom > frame.bottom;
  }).map((part) => `${label.textContent}: ${part.outerHTML}`);
})"""
# The labels of a sheet: the place of each on the sheet, and the signs and texts on it, with their
# edges from the corner of the label; all lengths in millimetres.
LABELS = """(sheet) => {
  const MM = 96 / 25.4;
  const edges = (part, from) => {
    const box = part.getBoundingClientRect(), corner = from.getBoundingClientRect();
    return [box.left - corner.left, box.top - corner.top, box.right - corner.left,
            box.bottom - corner.top].map((length) => length / MM);
  };
  return [...sheet.querySelectorAll(".labels li")].map((label) => ({
    place: edges(label, label.parentElement),
    parts: [...label.querySelectorAll("use:not([href='#grid']), text")].map((part) =>
      [part.getAttribute("href") ?? part.textContent, part.classList.value, edges(part, label)]),
  }));
}"""
WIDTH, HEIGHT = 47, 36  # millimetres of a label
COLUMNS, LINES = 26, 7  # characters of its picture


def draw_sheet(sheet: Locator) -> str:
    """Return a printed sheet of labels as characters."""
    picture: dict[int, list[str]] = {}

    def write(text: str, line: int, column: int) -> None:
        row = picture.setdefault(line, [" "] * (4 * COLUMNS + 1))
        row[column : column + len(text)] = text

    for label in sheet.evaluate(LABELS):
        left, top, *_ = label["place"]
        first_column, first_line = round(left / WIDTH) * COLUMNS, round(top / HEIGHT) * LINES
        write("- " * (COLUMNS // 2) + "-", first_line, first_column)
        for line in range(1, LINES):
            write("¦", first_line + line, first_column)
            write("¦", first_line + line, first_column + COLUMNS)
        for name, kind, (start, above, end, below) in label["parts"]:
            line = first_line + int((above + below) / 2 / HEIGHT * LINES + 0.3)
            text, column = name, start
            if name.startswith("#"):
                text = name[1].upper() if name[1] in "xo" else str(int(name[2]) + 1)
                column = (start + end) / 2
            elif kind in ("number", "move"):  # they end at the same distance from the edge
                column = end - len(text) * WIDTH / COLUMNS
            write(text, line, first_column + round(column / WIDTH * COLUMNS))
    return "".join("".join(picture[line]).rstrip() + "\n" for line in sorted(picture))


@pytest.mark.parametrize(
    ("query", "size", "pages"),
    [("", "a4", 1 + 4), ("?set=all&size=letter&hl=de", "letter", 1 + 13)],
)
def test_each_sheet_is_a_page_and_each_board_fits_its_box(
    page: Page, tmp_path: Path, query: str, size: str, pages: int
) -> None:
    page.goto(f"/teach/paper{query}")
    page.emulate_media(media="print")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(PAGE.findall(printed)) == pages
    (tmp_path / "sheets.pdf").write_bytes(printed)
    sizes = {tuple(round(float(one) * POINT) for one in box) for box in BOX.findall(printed)}
    assert sizes == {SIZES[size]}
    assert page.evaluate(OUTSIDE) == []
    label = page.locator(".labels li").first.bounding_box()
    digit = page.locator(".label use[href='#b0']").first.bounding_box()
    assert label
    assert digit
    assert label["width"] / MM <= MATCHBOX[0]
    assert label["height"] / MM <= MATCHBOX[1] + 0.6  # the cut line included
    assert digit["height"] / MM > 2 * DIGIT
    picture = draw_sheet(page.locator(".sheet-of-paper").nth(1))
    golden = Path(GOLDEN.format(size=size))
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(picture, "utf-8")
    assert picture == golden.read_text("utf-8")
    for hidden in ("header.site", "#print", "#played", "footer.site"):
        assert not page.locator(hidden).is_visible(), hidden
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )


@pytest.mark.console("status of 400")  # the response to the game with a fault
def test_typed_games_lead_to_the_machine_and_back(page: Page) -> None:
    page.goto("/teach/paper")
    page.fill("#taught", "5 1 6 4 9 7\n5 1 4 2")
    page.click("#send")
    assert page.locator("#fault").inner_text() == "Line 2: the game is not over after 4 moves."
    page.fill("#taught", "5 1 6 4 9 7\n5 1 4 2 6")
    page.click("#send")
    page.wait_for_url("**/teach/menace,*taught=405386.40315")
    page.click("#to-paper")
    assert page.locator("#taught").input_value() == "5 1 6 4 9 7\n5 1 4 2 6"
    assert page.locator(".labels li").count() == 3
