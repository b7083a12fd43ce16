import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    expect,
)

from app.web import create_app
from tests.browser.launch import MISSING, launch_options
from tests.web.addresses import crawl, things

PATIENCE = 20_000  # milliseconds: only a page that hangs needs longer
expect.set_options(timeout=PATIENCE)
# What htmx says of a request that it gave up itself; of one that failed it says more.
GIVEN_UP = "htmx:(afterRequest|sendAbort),"
# A name for screen readers contains what is to be seen: axe tries that only where it is asked to.
NAMED = "label-content-name-mismatch"
# Rows of a long table are alike, and a hundred cells take axe a second: of them the first four and
# the last stay.
FEWER_ROWS = """() => document.querySelectorAll("tbody").forEach((body) =>
    [...body.rows].slice(4, -1).forEach((row) => row.remove()))"""
# Only the faults leave the browser: the list of all that is right is long.
RUN_AXE = """async ([part, options]) => {
    const { violations } = await axe.run(part ?? document, options);
    return violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ target }) => `${id}: ${help}: ${target.join(" ")}`));
}"""
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


class Console:
    """The errors in the consoles of browser contexts."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def watch(self, context: BrowserContext) -> None:
        context.set_default_timeout(PATIENCE)
        context.on("console", self._record_message)
        context.on("weberror", lambda failure: self.errors.append(str(failure.error)))

    def _record_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location['url']})")

    def check(self, pages: list[Page], node: pytest.Item) -> None:
        """Fail the test for each error that it does not expect."""
        for page in pages:
            with suppress(Error):
                # A round trip, so that what is still under way arrives.
                page.evaluate("0")
        marks = [mark.args[0] for mark in node.iter_markers("console")]
        expected = [GIVEN_UP, *marks]
        surprises = [e for e in self.errors if not any(re.search(regex, e) for regex in expected)]
        assert not surprises, "errors in the console:\n" + "\n".join(surprises)


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest
) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function for contexts; an error in a console fails the test.

    Chromium reports blocked content of the Content Security Policy there.
    """
    console = Console()
    contexts: list[BrowserContext] = []

    def watched(**options: Any) -> BrowserContext:
        context = new_context(**options)
        console.watch(context)
        contexts.append(context)
        return context

    yield watched
    console.check([page for context in contexts for page in context.pages], request.node)


@pytest.fixture(scope="session")
def shared_console() -> Console:
    return Console()


@pytest.fixture(scope="session")
def shared_context(
    browser: Browser, base_url: str, shared_console: Console
) -> Iterator[BrowserContext]:
    """The context of all pages without options: files of the site are fetched and parsed once."""
    context = browser.new_context(base_url=base_url)
    shared_console.watch(context)
    yield context
    context.close()


@pytest.fixture
def page(
    shared_context: BrowserContext,
    shared_console: Console,
    base_url: str,
    request: pytest.FixtureRequest,
) -> Iterator[Page]:
    """A page in a browser that remembers nothing; an error in its console fails the test.

    A test that changes more of its context than pages, cookies and storage (its clock, say) needs
    a context of its own.
    """
    shared_console.errors.clear()
    page = shared_context.new_page()
    yield page
    pages = [*shared_context.pages]
    try:
        shared_console.check(pages, request.node)
    finally:
        shared_context.clear_cookies()
        storage = shared_context.new_cdp_session(page)
        data = {"origin": base_url, "storageTypes": "local_storage"}
        storage.send("Storage.clearDataForOrigin", data)
        for opened in pages:
            opened.close()


@pytest.fixture
def own_page(new_context: Callable[..., BrowserContext]) -> Page:
    """A page in a context of its own, which a test may change."""
    return new_context().new_page()


@pytest.fixture(params=[("dark", 1280, 800), ("light", 360, 740)], ids=["desk", "phone"])
def desk_and_phone(
    new_context: Callable[..., BrowserContext], request: pytest.FixtureRequest
) -> Page:
    """A page with dark colours on a desktop, then one with light colours on a phone; no autoplay."""
    scheme, width, height = request.param
    size = {"width": width, "height": height}
    return new_context(color_scheme=scheme, viewport=size, reduced_motion="reduce").new_page()


def list_richest(language: str = "") -> list[str]:
    """Return the address with the most parameters of each route that shows a page in a language."""
    app = create_app(seed=1)
    client = app.test_client()
    client.environ_base["HTTP_ACCEPT"] = "text/html"
    shown, richest = f'<html lang="{language or "en"}"', dict[str, str]()
    keeps = f"hl={language}" if language else ""
    for visit in crawl(client, language, follows=lambda target: keeps in target):
        text = visit.response.text if visit.page and visit.response.status_code == 200 else ""
        if shown in text and 'id="auto-' not in text:  # a page that goes on by itself is left soon
            rule = min(things(app, visit.address))[0]
            richest[rule] = max(visit.address, richest.get(rule, ""), key=count_parameters)
    return list(richest.values())


def count_parameters(address: str) -> int:
    return address.count("=")


@pytest.fixture(scope="session")
def addresses() -> list[str]:
    """Addresses of all pages."""
    return list_richest()


@pytest.fixture(scope="session")
def translated() -> list[str]:
    """Addresses of all pages that exist in German."""
    return list_richest("de")


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
        if not page.evaluate("'axe' in window"):
            page.evaluate(f"{AXE_SCRIPT}; 0")
        violations: list[str] = page.evaluate(RUN_AXE, [part, options])
        return violations

    return list_violations
