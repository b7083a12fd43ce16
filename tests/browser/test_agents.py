"""What people do with the table of the agents and on the page of one, in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.service.server import ROOT

ENDS = ["1,677,618", "98.70", "1.30", "0"]  # updates, won, drawn, lost


def first_agent(page: Page) -> Locator:
    return page.locator("#ranking tbody tr").first.locator("th")


def values(chart: Locator) -> Locator:
    """What a chart says of one place on its axis."""
    return chart.locator(".u-value")


def test_the_heads_sort_the_table(page: Page) -> None:
    page.goto("/agents")
    expect(first_agent(page)).to_have_text("Champion")
    page.evaluate("document.querySelector('.scroll').scrollLeft = 40")
    for way, agent in [("desc", "Double Q"), ("asc", "Q-table, against minimax")]:
        page.locator("#sort-random-x").press("Enter")
        expect(page).to_have_url(re.compile(rf"/agents\?sort=random-x&order={way}$"))
        expect(first_agent(page)).to_have_text(agent)
        expect(page.locator("[aria-sort]")).to_have_count(1)
        # It stays where it was, for the next click.
        assert page.evaluate("document.activeElement.id") == "sort-random-x"
    page.go_back()
    expect(first_agent(page)).to_have_text("Double Q")
    page.click("#ranking tbody a >> nth=0")
    expect(page).to_have_url(re.compile("/agents/double-q$"))


@pytest.mark.parametrize(("width", "seen"), [(1280, "Updates"), (1440, "Origin")])
def test_how_much_of_the_table_is_seen_at_once(page: Page, width: int, seen: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/agents")
    expect(page.get_by_role("columnheader", name=seen)).to_be_in_viewport(ratio=1)


def test_the_curves_tell_their_numbers(page: Page) -> None:
    page.goto("/agents/q-learning-4")
    charts = page.locator("#learning-curves .plot")
    expect(charts).to_have_count(4)
    expect(page.locator("canvas")).to_have_count(4)
    expect(values(charts.first)).to_have_text(ENDS)
    charts.first.locator(".u-over").hover(position={"x": 1, "y": 20})
    expect(values(charts.first)).to_have_text(["0", "58.49", "12.70", "28.81"])
    # The other charts say what was true at the same time.
    expect(values(charts.nth(2))).to_have_text(["0", "3,191"])


def test_the_curves_against_somebody_else(page: Page) -> None:
    page.goto("/agents/q-learning-4")
    page.click("#against-t-hand")
    expect(page).to_have_url(re.compile("/agents/q-learning-4.against=t-hand$"))
    charts = page.locator("#learning-curves .plot")
    expect(charts).to_have_count(4)
    expect(charts.first).to_have_attribute("aria-label", re.compile("As X against T-hand: won"))
    expect(values(charts.first)).to_have_text(["1,677,618", "92.71", "7.29", "0"])
    assert page.evaluate("document.activeElement.id") == "against-t-hand"
    page.go_back()
    expect(values(charts.first)).to_have_text(ENDS)


def test_the_charts_fit_the_screen_and_the_scheme(page: Page) -> None:
    page.goto("/agents/dqn-vs-random")
    canvases = page.locator("canvas")
    expect(canvases).to_have_count(5)
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 700})
        for chart in page.locator(".plot").all():
            expect(chart.locator(".uplot")).to_have_css(
                "width", f"{chart.evaluate('plot => plot.clientWidth')}px"
            )
        assert page.evaluate("document.documentElement.scrollWidth") == width
    light = canvases.first.screenshot()
    page.emulate_media(color_scheme="dark")
    assert canvases.first.screenshot() != light


def test_without_a_script_the_numbers_are_there(
    new_context: Callable[..., BrowserContext],
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/agents/q-learning-4?against=best-responder")
    page.click("#learning-numbers")
    last = page.locator("#learning tbody tr").last.locator("th, td")
    expect(last).to_have_text(["1,677,618", "0", "100", "0", "0", "100", "0", "1", "0"])
    page.locator("#learning tbody a").first.click()
    expect(page).to_have_url(re.compile("lens=q-learning-4&step=0$"))
    page.goto("/agents")
    page.click("#sort-title")
    expect(first_agent(page)).to_have_text("Champion")
    expect(page).to_have_url(re.compile("sort=title"))


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_a_file_arrives_as_it_is(page: Page, ending: str) -> None:
    page.goto("/agents/self-play")
    with page.expect_download() as started:
        page.click(f"text=self-play.{ending}")
    assert started.value.suggested_filename == f"self-play.{ending}"
    arrived = started.value.path().read_bytes()
    assert arrived == (ROOT / "models" / f"self-play.{ending}").read_bytes()
