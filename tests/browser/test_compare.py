"""The comparison page, in a real browser."""

import re
from collections.abc import Callable

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
