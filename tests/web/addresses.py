"""Addresses of all routes, found as people find them: by links and forms, from the site's map on."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import parse_qsl, urldefrag, urlencode, urljoin, urlsplit

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from app.web.navigation import list_page_blueprints, list_sitemap
from app.web.service.languages import LANGUAGE_PARAMETER

HOST = "http://localhost"
INLINE = re.compile(r"\sstyle=|\son\w+=|hx-on|<style|js:|<script(?! src=\"/static/)")
LINKS = {"href", "src", "action", "hx-get", "data-reply"}
FRAME = re.compile(r'src="http://localhost(/[^"]*)"')
# Addresses with what others of their routes have not, and those to which only a game leads.
STARTS = (
    "/play/03142?o=menace",
    "/play/40?lens=q-learning-1&step=5&train=1",
    "/play/402?lens=q-iteration_task&o=human&errors=task",
    "/puzzle/5?right=0&plays=4",
    "/puzzle/10/score?answers=0123012301&friend=3210321032",
    "/teach/menace,vs=you,games=4,taught=245.45810.5713.12368",
    "/teach/menace,seat=x,opening=centre,paper=yes?now=40",
    "/agents/dqn-vs-random",
    "/compare/31?lens=self-play_3",
)

Thing = tuple[
    str, str
]  # the rule of a route, and a parameter that it reads; "" for the route itself


class Page(HTMLParser):
    """The links and ids of a page, its frames to be copied, and what its forms can send."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: dict[str, None] = {}  # in the order of the page
        self.written: set[str] = set()  # links as written, without what forms send
        self.ids: set[str] = set()
        self.action = ""  # of the form that is open
        self.hidden: dict[str, str] = {}
        self.select = ""
        self.feed(text)
        markup = re.sub(r"(?s)<textarea.*?</textarea>", "", text)  # there are frames to be copied
        assert not (found := INLINE.search(markup)), markup[found.start() :][:100]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        for link in (given[name] for name in LINKS & given.keys()):
            if link and not urlsplit(link).scheme:
                self.links[link] = None
                self.written.add(link.partition("#")[0])
        if given.get("content", "").startswith(f"{HOST}/"):
            self.links[given["content"].removeprefix(HOST)] = None
        if name := given.get("id"):
            assert name not in self.ids, name
            self.ids.add(name)
        value = given.get("value", "on")
        match tag, given.get("type"):
            case "form", _:
                self.action, self.hidden = given.get("action", ""), {}
                if given.get("method", "get") != "get":
                    self.action = ""
            case "select", _:
                self.select = given.get("name", "")
            case "option", _:
                self._send(self.select, value)
            case "input", "hidden":
                self.hidden[given["name"]] = value
            case "input", "radio" | "checkbox":
                self._send(given.get("name", ""), value)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.action = ""

    def handle_data(self, data: str) -> None:
        self.links |= dict.fromkeys(FRAME.findall(data))

    def _send(self, name: str, value: str) -> None:
        if self.action and name:
            self.links[f"{self.action}?{urlencode(self.hidden | {name: value})}"] = None


class Visit(NamedTuple):
    """An address with its response, and with the page if the response is one."""

    address: str
    response: TestResponse
    page: Page | None


def things(app: Flask, address: str) -> set[Thing]:
    """Return the route of an address with each of its parameters; set() if there is no route."""
    url = urlsplit(address)
    try:
        rule, _ = app.url_map.bind("").match(url.path, return_rule=True)
    except HTTPException:
        return set()
    named = {name for name, _ in parse_qsl(url.query)} - {LANGUAGE_PARAMETER}
    return {(rule.rule, name) for name in {"", *named}}


def trains(address: str) -> bool:
    """Return whether an address names a new recipe, which takes seconds, for a page of the lab."""
    return address.startswith(("/lab/", "/preview/lab")) and "," in address


def list_rules(app: Flask) -> set[str]:
    """Return the rules of all routes of pages that can be requested."""
    names = {blueprint.name for blueprint in list_page_blueprints(app)}
    return {
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in names and "GET" in (rule.methods or ())
    }


def crawl(
    client: FlaskClient,
    language: str = "",
    more: tuple[str, ...] = (),
    follows: Callable[[str], bool] = lambda _: True,
) -> Iterator[Visit]:
    """Visit every route and every parameter that a link or a form leads to, in a language.

    An address is visited if its route, or one of its parameters, was not visited before.
    """
    app = client.application
    with app.app_context():
        starts = [*STARTS, *more, *list_sitemap(app)]
    hl = f"{LANGUAGE_PARAMETER}={language}"
    if language:
        starts = [f"{start}{'&' if '?' in start else '?'}{hl}" for start in starts]
    waiting, seen = deque(starts), set[Thing]()
    kept = len(STARTS) + len(more)
    while waiting:
        address = waiting.popleft()
        new = things(app, address)
        kept -= 1
        if (new <= seen and kept < 0) or trains(address):
            continue
        seen |= new
        response = client.get(address)
        for _ in range(10):
            if "Refresh" not in response.headers:
                break
            response = client.get(address)
        target = response.headers.get("Location", "")
        is_page = response.mimetype == "text/html" and not target
        page = Page(response.text) if is_page else None
        yield Visit(address, response, page)
        links = [*page.links] if page else [target or address]
        for link in links:
            target = urldefrag(urljoin(address, link))[0]
            if follows(target):
                waiting.append(target)
