import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Playwright, expect

from tests.browser.launch import MISSING, launch_options

PATIENCE = 300_000  # milliseconds: only a page that hangs needs longer
expect.set_options(timeout=PATIENCE)
# What htmx says of a request that it gave up itself; of one that failed it says more.
GIVEN_UP = "htmx:(afterRequest|sendAbort),"
COME_AGAIN = "Response Status Error Code 202"  # on a busy machine a training is not done at once
# A name for screen readers contains what is to be seen: axe tries that only where it is asked to.
NAMED = "label-content-name-mismatch"
# Rows of a long table are alike, and a hundred cells take axe a second: of them every fifth stays.
FEWER_ROWS = """() => document.querySelectorAll("tbody").forEach((body) =>
    [...body.rows].forEach((row, at) => at > 3 && at % 5 && row.remove()))"""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], playwright: Playwright
) -> dict[str, Any]:
    options = launch_options(playwright)
    if options is None:
        pytest.exit(MISSING, returncode=1)
    return browser_type_launch_args | options


@pytest.fixture(scope="session")
def base_url(server: str) -> str:
    return server


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest
) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function for contexts; an error in a console, `page` included, fails the test.

    Chromium reports blocked content of the Content Security Policy there.
    """
    errors: list[str] = []
    contexts: list[BrowserContext] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(f"{message.text} ({message.location['url']})")

    def watched(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.on("console", heard)
        context.on("weberror", lambda failure: errors.append(str(failure.error)))
        contexts.append(context)
        return context

    yield watched
    for page in (page for context in contexts for page in context.pages):
        with suppress(Error):
            # A round trip, so that what is still under way arrives.
            page.evaluate("0")
    expected = [
        GIVEN_UP,
        COME_AGAIN,
        *(mark.args[0] for mark in request.node.iter_markers("console")),
    ]
    surprises = [e for e in errors if not any(re.search(regex, e) for regex in expected)]
    assert not surprises, "errors in the console:\n" + "\n".join(surprises)


@pytest.fixture(params=[("dark", 1280, 800), ("light", 360, 740)], ids=["desk", "phone"])
def desk_and_phone(
    new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest
) -> Page:
    """A page with dark colours on a desktop, then one with light colours on a phone; no autoplay."""
    scheme, width, height = request.param
    size = {"width": width, "height": height}
    return new_context(color_scheme=scheme, viewport=size, reduced_motion="reduce").new_page()


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """Return a function that lists accessibility faults, one readable line for each element.

    With a selector only this part of the page is checked, which is faster; a selector without any
    element is an error.
    """

    def list_violations(page: Page, part: str | None = None) -> list[str]:
        options = {
            "runOnly": {"type": "tag", "values": WCAG},
            "rules": {NAMED: {"enabled": True}},
            "resultTypes": ["violations"],
            "preload": False,  # only needed for rules about sound, which the site does not have
        }
        page.evaluate(FEWER_ROWS)
        results = Axe().run(page, context=part, options=options)
        return [
            f"{rule['id']}: {rule['help']}: {' '.join(map(str, node['target']))}"
            for rule in results.response["violations"]
            for node in rule["nodes"]
        ]

    return list_violations
