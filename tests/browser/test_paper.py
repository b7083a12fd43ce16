"""The sheets of MENACE on paper: printed, and cut out."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

PAGE = re.compile(rb"/Type\s*/Page\b")
BOX = re.compile(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)")
POINT = 25.4 / 72  # millimetres
MM = 96 / 25.4  # pixels of a style sheet
MATCHBOX = (53, 36)  # millimetres
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
    assert label["height"] / MM <= MATCHBOX[1] + 0.6  # with its cut line
    assert digit["height"] / MM > 2 * DIGIT
    for hidden in ("header.site", "#print", "#played", "footer.site"):
        assert not page.locator(hidden).is_visible(), hidden
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == (
        "rgb(255, 255, 255)"
    )


@pytest.mark.console("status of 400")  # of the game with a fault
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
