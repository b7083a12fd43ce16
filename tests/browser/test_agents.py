"""The table of agents and the page of an agent, in a real browser."""

import re
from collections.abc import Callable

import msgspec
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from app.tictactoe.card import Card
from app.web.formatting import format_count, format_percent
from tests.browser.steps import walk
from tests.service.server import ROOT


def card(name: str) -> Card:
    return msgspec.json.decode((ROOT / "models" / f"{name}.json").read_bytes(), type=Card)


def ends(opponent: str) -> list[str]:
    """Return the final values in the first chart of Q-learning 4: updates, won, drawn, lost."""
    figures = card("q-learning-4").figures
    return [
        format_count(figures.snapshot_updates[-1]),
        *map(format_percent, figures.baseline_chances[opponent].x[-1]),
    ]


def first_agent(page: Page) -> Locator:
    return page.locator("#ranking tbody tr").first.locator("th a")


def values(chart: Locator) -> Locator:
    """Return the values of a chart at a place on its axis."""
    return chart.locator("[data-column]")


def test_the_heads_sort_the_table(page: Page) -> None:
    page.goto("/agents")
    expect(first_agent(page)).to_have_text("Champion")
    cards = [card(path.stem) for path in (ROOT / "models").glob("*.json")]
    cards.sort(key=lambda card: (card.figures.baseline_chances["random"].x[-1], card.title))
    assert (
        cards[0].figures.baseline_chances["random"].x[-1]
        != cards[1].figures.baseline_chances["random"].x[-1]
    )
    best = max(
        cards[-1].figures.baseline_chances["random"].x[-1],
        cards[-2].figures.baseline_chances["random"].x[-1],
    )
    first = min(
        card.title for card in cards if card.figures.baseline_chances["random"].x[-1] == best
    )
    for way, agent in [("desc", first), ("asc", cards[0].title)]:
        page.locator("#sort-random-x").press("Enter")
        expect(page).to_have_url(re.compile(rf"/agents\?sort=random-x&order={way}$"))
        expect(first_agent(page)).to_have_text(agent)
        expect(page.locator("[aria-sort]")).to_have_count(1)
        # It stays where it was, for the next click.
        expect(page.locator("#sort-random-x")).to_be_focused()
    walk(page, "back")
    expect(first_agent(page)).to_have_text(first)
    page.click("#ranking tbody a >> nth=0")
    expect(page.locator("h1")).to_have_text(first)


@pytest.mark.parametrize("width", [1280, 1440])
def test_all_of_the_table_is_seen_at_once(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/agents")
    for name in ("Blunders", "Unbeatable", "Best responder", "Origin", "Updates"):
        expect(page.get_by_role("columnheader", name=name)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_every_figure_is_one_tap_away(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/agents")
    row = page.locator("#ranking tbody tr").first
    expect(row.locator("td")).to_have_count(7)
    expect(row.locator("td:visible")).to_have_text(["0", re.compile("X\\s*yes\\s*O\\s*yes")])
    for name, said in [("Best responder", "0 / 100 / 0"), ("Training", "1,931")]:
        page.get_by_role("radio", name=name).check()
        expect(row.locator("td:visible")).to_have_count(2)
        expect(row.locator("td:visible").last).to_contain_text(said)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.click("#sort-updates")  # the choice stays when the table is swapped
    expect(page.locator("[aria-sort]")).to_have_text(re.compile("Updates"))
    expect(row.locator("td:visible")).to_have_count(2)


def test_a_page_leads_with_a_sentence_and_a_picture(page: Page) -> None:
    for width, height in [(1280, 800), (360, 740)]:
        page.set_viewport_size({"width": width, "height": height})
        page.goto("/agents/q-learning-1")
        for seen in ("h1", ".hero .strength", ".hero .lead", ".hero .button.primary"):
            expect(page.locator(seen)).to_be_in_viewport(ratio=1)
        expect(page.locator(".mind")).to_be_in_viewport(ratio=0.5)
    page.click(".portrait")
    expect(page).to_have_url(re.compile("/mind/q-learning-1$"))


def test_the_curves_tell_their_numbers(page: Page) -> None:
    page.goto("/agents/q-learning-4#learning-curves")
    charts = page.locator("#learning-curves .plot")
    expect(values(charts.first)).to_have_text(ends("random"))
    charts.first.locator(".figure").hover(position={"x": 1, "y": 20})
    expect(values(charts.first)).to_have_text(["0", "58.49", "12.70", "28.81"])
    # The other charts say what was true at the same time.
    blunders = format_count(card("q-learning-4").figures.blunders[0])
    expect(values(charts.nth(2))).to_have_text(["0", blunders])
    expect(page.locator("#learning-curves .cursor")).to_have_count(5)
    page.mouse.move(0, 0)
    expect(values(charts.first)).to_have_text(ends("random"))
    expect(page.locator("#learning-curves .cursor")).to_have_count(0)


def test_the_arrow_keys_go_through_the_curves(page: Page) -> None:
    page.goto("/agents/q-learning-4#learning-curves")
    charts, figures = page.locator("#learning-curves .charts"), card("q-learning-4").figures
    charts.focus()
    for key, at in [("Home", 0), ("ArrowRight", 1), ("End", -1), ("ArrowLeft", -2)]:
        page.keyboard.press(key)
        told = [format_count(figures.snapshot_updates[at]), format_count(figures.blunders[at])]
        expect(values(charts.locator(".plot").nth(2))).to_have_text(told)


def test_a_finger_reads_the_curves(new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(has_touch=True, viewport={"width": 360, "height": 740}).new_page()
    page.goto("/agents/q-learning-4#learning-curves")
    chart = page.locator("#learning-curves .plot").first
    chart.locator(".figure").tap(position={"x": 1, "y": 20})
    expect(values(chart)).to_have_text(["0", "58.49", "12.70", "28.81"])


def test_a_chart_keeps_its_room_whatever_it_tells(page: Page) -> None:
    """Its key may need several lines on a narrow phone."""
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("/agents/q-table#learning-curves")
    heights = "[...document.querySelectorAll('.plot')].map((e) => e.getBoundingClientRect().height)"
    kept = page.evaluate(heights)
    page.locator("#learning-curves .charts").focus()
    page.keyboard.press("Home")
    expect(page.locator(".cursor")).to_have_count(5)
    assert page.evaluate(heights) == kept


def test_the_curves_against_somebody_else(page: Page) -> None:
    page.goto("/agents/q-learning-4#learning-curves")
    page.click("#against-t-hand")
    expect(page).to_have_url(re.compile("/agents/q-learning-4.against=t-hand$"))
    charts = page.locator("#learning-curves .plot")
    expect(charts).to_have_count(5)
    expect(charts.first).to_have_attribute(
        "aria-label", re.compile("Results as X against T-hand: won")
    )
    expect(values(charts.first)).to_have_text(ends("t-hand"))
    expect(page.locator("#against-t-hand")).to_be_focused()
    walk(page, "back")
    expect(values(charts.first)).to_have_text(ends("random"))


def test_the_charts_fit_the_screen_and_the_scheme(page: Page) -> None:
    page.goto("/agents/dqn-vs-random#learning-curves")
    page.click("#won-in-training-open")
    figures = page.locator(".plot .figure")
    expect(figures).to_have_count(6)
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 700})
        for chart in page.locator(".plot").all():
            whole, figure = chart.bounding_box(), chart.locator(".figure").bounding_box()
            assert whole
            assert figure
            assert figure["x"] + figure["width"] == pytest.approx(whole["x"] + whole["width"])
            assert whole["x"] + 16 <= figure["x"] <= whole["x"] + 80  # the numbers of its axis
        assert page.evaluate("document.documentElement.scrollWidth") == width
    light = figures.first.screenshot()
    page.emulate_media(color_scheme="dark")
    assert figures.first.screenshot() != light
