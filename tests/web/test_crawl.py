"""Every internal link of the site leads somewhere, and every anchor to something with its id."""

from collections import Counter, deque
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

from flask.testing import FlaskClient

from app.web.api.page import UNREACHED  # the example of an error

READ = 12  # pages of each kind are searched for links; the links of all these are followed
LINKS = {"href", "src", "action", "hx-get"}
KINDS = {
    *("", "play", "puzzle", "mind", "minds", "agents", "lab"),
    *("arena", "how", "compare", "why", "api"),
}


class Page(HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in LINKS and value and not urlsplit(value).scheme:
                self.links.add(value)
            elif name == "id" and value:
                self.ids.add(value)


def kind(address: str) -> str:
    return urlsplit(address).path.split("/")[1]


def test_every_link_leads_somewhere(client: FlaskClient) -> None:
    waiting, seen, read = deque(["/"]), {"/"}, Counter[str]()
    pages: dict[str, Page] = {}
    anchors: list[tuple[str, str, str]] = []
    while waiting:
        address = waiting.popleft()
        response = client.get(address)
        expected = (404,) if address == UNREACHED else (200, 303)
        assert response.status_code in expected, f"{address}: {response.status}"
        if response.status_code == 303:
            links = {response.headers["Location"]}
        elif response.mimetype == "text/html" and read[kind(address)] < READ:
            read[kind(address)] += 1
            page = pages[address] = Page(response.text)
            links = page.links
        else:
            continue
        for link in sorted(links):
            target, anchor = urldefrag(urljoin(address, link))
            if anchor:
                anchors.append((address, target, anchor))
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    assert set(read) == KINDS
    for source, target, anchor in anchors:
        page = pages.get(target) or Page(client.get(target).text)
        assert anchor in page.ids, f"{source} links to {target}#{anchor}"
