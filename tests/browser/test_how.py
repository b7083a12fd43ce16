"""The boards on the pages of algorithms, in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.web.algorithms import SECTIONS
from tests.browser.steps import HELD, MARKS, Gate, address, walk


def test_a_board_moves_in_place_and_back(page: Page) -> None:
    page.goto("/how")
    page.click("#q-iteration")
    page.click("#board-0")
    expect(page).to_have_url(re.compile(r"/how/q-iteration\?record=40$"))
    expect(page.locator("#turn")).to_have_text("X to move")
    expect(page.locator("#shown .mark")).to_have_count(2)
    expect(page.locator("#board-0")).to_be_focused()
    page.click("#back")
    expect(page.locator("#shown .mark")).to_have_count(1)
    expect(page.locator("#back")).to_have_count(0)
    walk(page, "back")
    expect(page.locator("#shown .mark")).to_have_count(2)


def test_a_position_is_edited_and_the_example_stepped_through(page: Page) -> None:
    page.goto("/how/writing")
    page.click("#writing-8")
    expect(page).to_have_url(re.compile(r"/how/writing\?board=X\.\.\.O\.\.\.X$"))
    expect(page.locator("#turn")).to_have_text("O to move")
    expect(page.locator(".writings")).to_contain_text("[1 0 0 0 2 0 0 0 1 2]")
    expect(page.locator(".images li")).to_have_count(8)
    page.goto("/how/won-game")
    for value in ("0.90", "0.81", "0.73"):
        page.click("#on")
        expect(page.locator(".worked [data-heat]", has_text=value)).to_have_count(1)
    expect(page.locator("#on")).to_have_attribute("aria-disabled", "true")


def test_an_update_is_stepped_through(page: Page) -> None:
    """By clicks, by keys and by the steps themselves; the square changes at the last step."""
    page.goto("/how/q-learning")
    square = page.locator('.update .cell[data-symbol="old"]')
    here = page.locator('.update-steps [aria-current="step"]')
    page.click("#update-next")
    expect(here).to_contain_text("bottom middle")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".update-boards .board")).to_have_count(2)
    before = square.inner_text()
    page.click("#update-step-6")
    expect(page).to_have_url(re.compile("stage=6$"))
    expect(square).not_to_have_text(before)
    expect(page.locator("#update-next")).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 800)])
def test_what_alpha_does_is_seen_while_its_slider_is_dragged(
    page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/how/q-learning")
    square = page.locator('.update .cell[data-symbol="old"]')
    new = page.locator('.token [data-output="new"]')
    for name in ("alpha", "gamma"):
        expect(page.locator(f"#update-{name}")).to_be_in_viewport(ratio=1)
    expect(square).to_be_in_viewport(ratio=1)
    expect(square).to_have_text("0.15")
    page.locator("#update-alpha").fill("1")
    expect(square).to_have_text("0.82")
    expect(new).to_have_text("0.82")
    expect(page.locator('.update-steps [aria-current="step"]')).to_contain_text(
        "by 100% of the difference (step size α), to 0.82"
    )
    page.locator("#update-gamma").fill("0.5")
    expect(square).to_have_text("0.46")
    page.locator("#update-alpha").fill("0")
    expect(square).to_have_text("0.15")


def test_a_phone_shows_each_formula_whole(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for slug in SECTIONS:
        page.goto(f"/how/{slug}")
        cut = "boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth).length"
        assert page.locator(".formula").evaluate_all(cut) == 0, slug


# Asking why, in a real browser: on its own page, and as a part of the play page.


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 800)])
def test_each_square_says_why(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/why/40?lens=q-learning-1&cell=8")
    expect(page.locator("#why > p").first).to_be_in_viewport(ratio=1)
    expect(page.locator("#why h2")).to_have_text("The value of X at bottom right, by Q-learning 1")
    page.click("#why-board-1")
    expect(page).to_have_url(address("/why/40?lens=q-learning-1&cell=1"))
    expect(page.locator("#why h2")).to_have_text("The value of X at top middle, by Q-learning 1")
    page.click("#why-truth")
    expect(page.locator("#why h2")).to_have_text("The value of X at top middle, by Optimal play")
    page.click("#why-rule")
    page.click("#why-how")
    expect(page).to_have_url(address("/how/minimax"))


def test_the_play_page_says_why_where_the_board_is(page: Page) -> None:
    page.goto("/play/40?lens=q-learning-1")
    page.click("label[for=tab-why]")
    expect(page.locator("#why h2")).to_have_text("The value of X at top middle, by Q-learning 1")
    expect(page).to_have_url(address("/play/40?lens=q-learning-1"))
    page.focus("#board-8")
    page.keyboard.press("w")
    expect(page.locator("#line")).to_contain_text("Bottom right")
    page.click("#square-why")
    expect(page.locator("#why h2")).to_have_text("The value of X at bottom right, by Q-learning 1")
    expect(page.locator("#why-heading")).to_be_focused()
    page.click("#board-8")
    expect(page.locator(MARKS)).to_have_count(4)
    expect(page.locator("#why h2")).not_to_have_text(
        "The value of X at bottom right, by Q-learning 1"
    )
    expect(page.locator("#board-8")).to_be_focused()


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 800)])
def test_beside_a_game_all_steps_of_an_update_can_be_read(
    page: Page, width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/play/4026?o=q-learning-1")
    page.click("label[for=tab-why]")
    expect(page.locator("#why > p").first).to_be_in_viewport(ratio=1)
    page.click("#why-more")
    steps = page.locator(".panels .update-steps li > span")
    expect(steps).to_have_count(6)
    for step in steps.all():
        expect(step).to_be_visible()
    other = page.locator(".panels .update-answers a").last
    with page.expect_response("**/why/**answer=**"):
        other.click()
    expect(other).to_have_attribute("aria-current", "true")
    expect(other).to_be_in_viewport()


@pytest.mark.parametrize("record", ["0123", "01234"])  # then the values are X's, at its last move
def test_asking_why_halts_what_moves_and_going_back_lets_it_go_on(page: Page, record: str) -> None:
    move = Gate(page, "**/reply/**")
    with page.expect_request("**/reply/**"):
        page.goto(f"/play/{record}?x=fixed&o=fixed&delay=0.25")
    page.evaluate(HELD)
    page.click("label[for=tab-why]")
    expect(page.locator("#why-heading")).to_be_visible()
    move.open()  # the move that was requested; no other follows
    page.wait_for_function("() => held")
    expect(page.locator(MARKS)).to_have_count(len(record) + 1)
    page.click("label[for=tab-moves]")
    expect(page.locator(".headline")).to_have_text("First empty cell wins as X")
