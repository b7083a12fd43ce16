"""Every internal link of the site works, and every anchor has its element.

No page has two elements with one id, or inline styles, scripts or handlers.

"""

import random
import re
from collections import Counter, deque
from html.parser import HTMLParser
from urllib.parse import parse_qsl, unquote, urldefrag, urljoin, urlsplit

import pytest
from flask.testing import FlaskClient

from app.web.links.lab import LAB, lab_url
from app.web.pages.api.page import UNREACHABLE_EXAMPLE
from app.web.site_data import SiteData

READ = 2  # pages of each kind are searched for links
FOLLOWED = 2  # maximum number of links of one kind that are followed; the arena has 576
TRAINED = 2  # recipes; the experiments have hundreds, of which only the name is looked up
INLINE = re.compile(r"\sstyle=|\son\w+=|hx-on|<style|js:|<script(?! src=\"/static/)")
LINKS = {"href", "src", "action", "hx-get", "data-reply"}
KINDS = {
    *("", "play", "puzzle", "mind", "minds", "agents", "lab", "experiments", "glossary", "judge"),
    "faults",
    *("teach", "settings", "square"),
    *("arena", "how", "compare", "why", "api", "take", "embed", "players", "sources"),
}
# Pages that have what others of their kind have not, and frames, to which no page of ours links.
STARTS = [
    *("/", "/agents/dqn-vs-random", "/agents/q-learning-2", "/compare/31?lens=self-play_3"),
    *("/play/03142", "/play/40?lens=q-learning-1&step=5&train=1", "/puzzle/5?right=0&plays=4"),
    *("/puzzle/10/score?answers=0123012301", "/mind/q-table?colour=visits"),
    *("/embed/board/408?o=q-learning-1", "/embed/curve/q-learning-1", "/embed/mind/q-table"),
    *("/embed/experiment/bad-runs", "/embed/puzzle/5?right=0", "/embed/how/why", "/embed/teach"),
]


class Page(HTMLParser):
    """The links and the ids of a page, without repetition."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)
        markup = re.sub(r"(?s)<textarea.*?</textarea>", "", text)  # there are frames to be copied
        assert not (found := INLINE.search(markup)), markup[found.start() :][:100]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in LINKS and value and not urlsplit(value).scheme:
                self.links.add(value)
            elif name == "id" and value:
                assert value not in self.ids, value
                self.ids.add(value)


def kind(address: str) -> str:
    return urlsplit(address).path.split("/")[1]


def form(address: str) -> tuple[object, ...]:
    """Return the pattern of URLs that differ only in values or language."""
    url = urlsplit(address)
    named = {name for name, _ in parse_qsl(url.query)} - {"hl"}
    return kind(address), url.path.count("/"), *sorted(named)


def recipe(address: str) -> str:
    """Return the recipe that a URL of the lab has to train, "" for other URLs."""
    page, is_file, _ = address.partition(".svg") if ".svg" in address else address.partition(".csv")
    name = unquote(page.removeprefix(f"{LAB.url()}/"))
    whole = lab_url(name) == (page if is_file else address)
    return name if whole and ("," in name or is_file) else ""


@pytest.mark.long
def test_every_link_leads_somewhere(client: FlaskClient, site: SiteData) -> None:
    draw = random.Random(1)
    waiting, seen, read, trained = deque(STARTS), {*STARTS}, Counter[str](), 0
    forms, left_out = Counter[tuple[object, ...]](), set()
    pages: dict[str, Page] = {}
    anchors: list[tuple[str, str, str]] = []
    while waiting:
        address = waiting.popleft()
        forms[form(address)] += 1
        if forms[form(address)] > FOLLOWED:
            left_out.add(address)
            continue
        if name := recipe(address):
            trained += 1
            if trained > TRAINED:
                assert site.canonicalize(name) == name, address
                continue
        response = client.get(address)
        expected = (404,) if address == UNREACHABLE_EXAMPLE else (200, 302, 303)
        assert response.status_code in expected, f"{address}: {response.status}"
        if response.status_code in (302, 303):
            links = {response.headers["Location"]}
        elif response.mimetype == "text/html" and (address in STARTS or read[kind(address)] < READ):
            read[kind(address)] += address not in STARTS
            page = pages[address] = Page(response.text)
            links = page.links
        else:
            continue
        for link in draw.sample(sorted(links), len(links)):
            target, anchor = urldefrag(urljoin(address, link))
            if anchor:
                anchors.append((address, target, anchor))
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert set(read) == KINDS
    for source, target, anchor in (one for one in anchors if one[1] not in left_out):
        if target not in pages:
            pages[target] = Page(client.get(target).text)
        assert anchor in pages[target].ids, f"{source} links to {target}#{anchor}"
