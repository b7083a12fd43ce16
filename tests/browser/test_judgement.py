"""What people do with the judgement of an agent, in a real browser."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.steps import MARKS


def test_to_the_board_and_see_the_agent_blunder(page: Page) -> None:
    page.goto("/agents/q-learning-1")
    blunder = page.locator("#blunders .exhibits a").first
    expect(blunder).to_contain_text("The draw becomes a loss in 6")
    blunder.click()
    expect(page.locator(".headline")).to_have_text("Paused")
    page.click("text=Let Q-learning 1 reply")
    expect(page.locator("#moves .list li").last).to_contain_text(
        re.compile("draw.*became a loss in 6")
    )


def test_go_through_the_game_that_beats_it(page: Page) -> None:
    page.goto("/agents/q-learning-3")
    moves = page.locator("#verdict .exhibits").first.locator("li")
    plies = moves.count()
    page.click("#line-x")
    expect(page.locator(MARKS)).to_have_count(0)
    for ply in range(1, plies + 1):
        page.click("#step")
        expect(page.locator(MARKS)).to_have_count(ply)
    expect(page.locator(".headline")).to_have_text("You win")


def test_take_the_proof_home(page: Page) -> None:
    page.goto("/agents/q-learning-4")
    page.click("#certificate-x")
    expect(page.locator("h1")).to_have_text("Q-learning 4 cannot be beaten as X")
    pictures = page.get_by_role("img", name=re.compile("^row 1 "))
    shown = pictures.count()
    for number in range(2, page.locator(".pills a").count() + 1):
        page.click(f"#page-{number}")
        expect(page.locator(f"#page-{number}")).to_have_attribute("aria-current", "page")
        shown += pictures.count()
    with page.expect_download() as download:
        page.click("#csv")
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "position,moves,value"
    assert len(lines) - 1 == shown
