"""The table of agents and the page of an agent, in a real browser."""

import re

import msgspec
from playwright.sync_api import Locator, Page, expect

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
        *map(format_percent, figures.outcome_chances_by_baseline[opponent].x[-1]),
    ]


def first_agent(page: Page) -> Locator:
    return page.locator("#ranking tbody tr").first.locator(".who > a")


def values(chart: Locator) -> Locator:
    """Return the values of a chart at a place on its axis."""
    return chart.locator("[data-column]")


def test_the_heads_sort_the_table(page: Page) -> None:
    page.goto("/agents")
    expect(first_agent(page)).to_have_text("Champion")
    cards = [card(path.stem) for path in (ROOT / "models").glob("*.json")]
    cards.sort(
        key=lambda card: (card.figures.outcome_chances_by_baseline["random"].x[-1], card.title)
    )
    assert (
        cards[0].figures.outcome_chances_by_baseline["random"].x[-1]
        != cards[1].figures.outcome_chances_by_baseline["random"].x[-1]
    )
    best = max(
        cards[-1].figures.outcome_chances_by_baseline["random"].x[-1],
        cards[-2].figures.outcome_chances_by_baseline["random"].x[-1],
    )
    first = min(
        card.title
        for card in cards
        if card.figures.outcome_chances_by_baseline["random"].x[-1] == best
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
