"""Actions that several tests use; each waits until the page is ready."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from playwright.sync_api import Page, Route

MARKS = "#board .mark:not(.ghost)"  # a ghost answers a press before the server does
UNFOLD = "all => all.forEach(each => each.open = true)"
# Counts what wants to move by itself and has to wait.
HELD = """() => {
    window.held = 0;
    document.addEventListener("htmx:confirm", (event) => { held += event.defaultPrevented; });
}"""

# Keeps what moves from then on though nobody moved it: of each move how much, what, from where, to.
SHIFTS = """() => {
    const moved = [];
    const keep = (entries) => {
        for (const { value, sources } of entries) {
            moved.push([value, ...sources.map(({ node, previousRect, currentRect }) =>
                [node?.id || node?.className || node?.textContent, previousRect, currentRect])]);
        }
    };
    const observer = new PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type: "layout-shift" });
    window.shifts = () => {
        keep(observer.takeRecords());
        return JSON.parse(JSON.stringify(moved));
    };
}"""


def address(path: str) -> re.Pattern[str]:
    return re.compile(re.escape(path) + "$")


def shifts(page: Page) -> list[Any]:
    """Return the layout shifts since SHIFTS ran."""
    moved: list[Any] = page.evaluate("shifts()")
    return moved


def walk(page: Page, way: str) -> None:
    """Go "back" or "forward", and wait until the page is loaded."""
    page.evaluate("window.left = true")
    page.go_back() if way == "back" else page.go_forward()
    page.wait_for_function("() => !window.left && document.readyState === 'complete'")


class Gate:
    """A gate for requests that match a pattern: they wait until it opens."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.asked: list[Route] = []
        self.closed = True
        page.route(pattern, self._came)

    def open(self) -> None:
        self.closed = False
        for route in [*self.asked]:  # while it goes through them, more may come
            route.continue_()

    def _came(self, route: Route) -> None:
        self.asked.append(route)
        if not self.closed:
            route.continue_()


class Quiet(BaseHTTPRequestHandler):
    """A request handler with a parameter that logs nothing."""

    def __init__(self, told: str, *args: object) -> None:
        self.told = told
        super().__init__(*args)  # type: ignore[arg-type]

    def answer(self) -> None:
        raise NotImplementedError

    def do_GET(self) -> None:
        self.answer()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serving(handler: type[Quiet], told: str) -> Iterator[str]:
    """Serve on another port with a handler class that gets a parameter."""
    server = ThreadingHTTPServer(("localhost", 0), partial(handler, told))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()
