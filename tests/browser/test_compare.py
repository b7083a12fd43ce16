"""The comparison page, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.steps import address, walk

USUAL = "?lens=q-learning-1&lens=q-iteration"


def test_all_boards_move_together(page: Page) -> None:
    page.goto(f"/compare/{USUAL}")
    page.click("#board-q-iteration-4")
    expect(page).to_have_url(address(f"/compare/4{USUAL}"))
    expect(page.locator(".mark")).to_have_count(3)
    expect(page.locator("#status")).to_have_text("X: row 2, column 2. O to move.")
    expect(page.locator("#board-q-iteration-4")).to_be_focused()
    page.click("#board-truth-0")
    expect(page.locator(".mark")).to_have_count(6)
    page.click("#take-back")
    expect(page.locator(".mark")).to_have_count(3)
    expect(page.locator("#take-back")).to_be_focused()
    walk(page, "back")
    expect(page.locator(".mark")).to_have_count(6)
    walk(page, "back")
    expect(page.locator(".mark")).to_have_count(3)
    page.click("#new-game")
    expect(page).to_have_url(address(f"/compare/{USUAL}"))
    expect(page.locator(".mark")).to_have_count(0)


def test_arrow_keys_stay_on_their_board(page: Page) -> None:
    page.goto(f"/compare/{USUAL}")
    page.focus("#board-q-iteration-0")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("#board-q-iteration-5")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(address(f"/compare/5{USUAL}"))
    expect(page.locator("#board-q-iteration-5")).to_be_focused()


def test_agents_are_added_exchanged_and_removed(page: Page) -> None:
    page.goto("/compare/40")
    boards = page.locator(".panels h2")
    page.focus("#add")
    page.select_option("#add", "self-play")
    expect(boards).to_have_text(["Q-learning 1", "Q-iteration", "Self-play", "Optimal play"])
    expect(page.locator("#add")).to_be_focused()
    page.select_option("#lens-1", "champion")
    expect(boards).to_have_text(["Champion", "Q-iteration", "Self-play", "Optimal play"])
    expect(page).to_have_url(address("/compare/40?lens=champion&lens=q-iteration&lens=self-play"))
    page.click("#remove-2")
    expect(boards).to_have_text(["Champion", "Self-play", "Optimal play"])
    page.select_option("#add", "observing")
    expect(boards).to_have_text(["Champion", "Self-play", "Observing", "Optimal play"])
    page.focus("#add")
    page.select_option("#add", "dqn-vs-random")
    expect(boards).to_have_count(5)
    expect(page.locator("#add")).to_be_focused()  # now what says that there is no room
    page.reload()
    expect(boards).to_have_count(5)


def test_the_focus_stays_where_an_agent_was_removed(page: Page) -> None:
    page.goto("/compare/4?lens=champion&lens=self-play&lens=q-table")
    boards = page.locator(".panels h2")
    page.press("#remove-3", "Enter")
    expect(boards).to_have_text(["Champion", "Self-play", "Optimal play"])
    expect(boards.last).to_be_focused()
    page.press("#remove-1", "Enter")
    expect(boards).to_have_text(["Self-play", "Optimal play"])
    expect(boards.first).to_be_focused()
    expect(page).to_have_title("Self-play compared with optimal play · Q-Tac-Toe")


def test_an_agent_beside_its_own_past(page: Page) -> None:
    page.goto("/compare/31?lens=self-play")
    page.click("#earlier-1")
    expect(page).to_have_url(re.compile(r"lens=self-play_\d+$"))
    expect(page.get_by_role("region", name=re.compile("after"))).to_be_visible()
    linked = page.url
    page.select_option("#add", "self-play")
    expect(page).to_have_url(f"{linked}&lens=self-play")  # the form says it as links do
    expect(page.locator(".panels h2")).to_have_text(["Self-play", "Self-play", "Optimal play"])
    page.click("#board-self-play-0")
    expect(page.locator(".mark")).to_have_count(9)


def test_it_works_without_javascript(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/compare/{USUAL}")
    page.click("#board-q-learning-1-8")
    expect(page).to_have_url(address(f"/compare/8{USUAL}"))
    page.select_option("#add", "champion")
    page.click("#adding button")
    expect(page).to_have_url(address("/compare/8?lens=q-learning-1&lens=q-iteration&lens=champion"))
    page.select_option("#lens-2", "self-play")
    page.click("#exchange-2 button")
    expect(page).to_have_url(address("/compare/8?lens=q-learning-1&lens=self-play&lens=champion"))
    expect(page.locator(".mark")).to_have_count(4)
    page.locator("#film-step").press("Home")
    page.click("#moment button")
    moment = "/compare/8?lens=q-learning-1_0&lens=self-play_0&lens=champion_0"
    expect(page).to_have_url(address(moment))
    expect(page.locator(".panels .cell.unknown")).to_have_count(24)


def test_the_boards_of_a_row_are_level(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/compare/31?lens=q-table-vs-minimax&lens=champion&lens=observing_3&lens=double-q")
    tops = {board.bounding_box()["y"] for board in page.locator(".board").all()}  # type: ignore[index]
    assert len(tops) == 1


@pytest.mark.console("400")
def test_a_wrong_address_is_said_in_place(page: Page) -> None:
    page.goto("/compare/4")
    page.locator("#add option[value=champion]").evaluate("option => { option.value = 'nobody' }")
    page.select_option("#add", "nobody")
    expect(page.locator("#notice")).to_contain_text("'nobody' has no values to show")


def test_it_opens_where_they_part_and_shows_how_they_learned(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/compare/")
    expect(page.locator(".plays strong").first).to_have_text("✗ a blunder")
    for board in page.locator(".board").all():
        expect(board).to_be_in_viewport(ratio=1)
    expect(page.locator(".plot .figure")).to_have_count(1)
    page.click("#figure-losses")
    expect(page).to_have_url(re.compile("figure=losses$"))
    expect(page.locator(".plot .label")).to_have_text("Losses to the best responder")
    page.evaluate("document.querySelector('.plot').dataset.kept = 'yes'")
    page.click("#parting")
    expect(page).to_have_url(re.compile("figure=losses$"))
    # A move draws no curve anew.
    expect(page.locator(".plot")).to_have_attribute("data-kept", "yes")


def test_one_slider_moves_boards_and_minds_and_so_it_does_after_an_exchange(page: Page) -> None:
    page.goto("/compare/40")
    page.locator("#film-step").focus()
    for agent in ("q-learning-1", "champion"):
        blank = page.locator(".over .tiles .blank:not([d=''])")
        unknown = page.locator(".panels .cell.unknown")
        page.keyboard.press("Home")
        expect(blank).to_have_count(2)  # before their first games both know nothing
        expect(unknown).to_have_count(14)
        expect(page).to_have_url(address(f"/compare/40?lens={agent}_0&lens=q-iteration_0"))
        expect(page.locator("#mind-of-1")).to_have_text(re.compile("after 0 updates$"))
        page.keyboard.press("End")
        expect(blank).to_have_count(0)
        expect(unknown).to_have_count(0)
        expect(page).to_have_url(address(f"/compare/40?lens={agent}&lens=q-iteration"))
        expect(page.locator("#film-step")).to_be_focused()
        if agent != "champion":
            page.select_option("#lens-1", "champion")
            expect(page.locator(".panels h2").first).to_have_text("Champion")
            page.locator("#film-step").focus()


# What people do in the arena, in a real browser.


RANDOM_TWICE = "a[href='/play/?x=random&o=random']"


def test_the_whole_table_fits_a_desktop_and_begins_with_colour(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto("/arena")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    table = page.locator(".crosstable")
    assert table.evaluate("e => e.getBoundingClientRect().right <= innerWidth")
    # Nothing scrolls but the page.
    assert not page.locator("#main *").evaluate_all(
        "all => all.some(e => /auto|scroll/.test(getComputedStyle(e).overflow))"
    )
    strong = table.locator("td").evaluate_all(
        """all => all.filter(e => Math.abs(e.dataset.heat) > 10
            && e.getBoundingClientRect().bottom < innerHeight).length"""
    )
    assert strong > 100


def test_the_heads_stay_in_view_while_the_page_scrolls(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    page.goto("/arena")
    page.locator(".crosstable tbody tr").last.scroll_into_view_if_needed()
    expect(page.locator(".crosstable thead th").last).to_be_in_viewport(ratio=0.9)


def test_on_a_phone_it_is_a_picture_and_one_player(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto("/arena")
    expect(page.locator(".sketch")).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".crosstable")).to_be_hidden()
    page.select_option("#player", "random")
    page.click(".choose button")
    expect(page).to_have_url(re.compile("player=random$"))
    square = page.locator(f".matches {RANDOM_TWICE}").first
    expect(square).to_have_text("+30")
    box = square.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    assert page.evaluate("document.documentElement.scrollWidth") == 360
