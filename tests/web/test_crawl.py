"""Every internal link of the site leads somewhere, and every anchor to something with its id."""

from collections import Counter, deque
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from flask.testing import FlaskClient

from app.web import addresses
from app.web.pages.api.page import UNREACHED
from app.web.world import World

READ = 4  # pages of each kind are searched for links; the links of all these are followed
TRAINED = 8  # recipes; the experiments have hundreds, of which only the name is looked up
LINKS = {"href", "src", "action", "hx-get"}
KINDS = {
    *("", "play", "puzzle", "mind", "minds", "agents", "lab", "experiments", "judge"),
    *("arena", "how", "compare", "why", "api", "take", "embed", "players"),
}
# No page of ours links to a frame: they stand on those of others.
FRAMES = [
    *("/embed/board/408?o=q-learning-1", "/embed/curve/q-learning-1", "/embed/mind/q-table"),
    "/embed/experiment/bad-runs",
]


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


def recipe(address: str) -> str:
    """The recipe that the lab is asked for and has to train, "" where it is another address."""
    name = unquote(address.removeprefix(f"{addresses.LAB}/"))
    return name if "," in name and addresses.lab(name) == address else ""


def test_every_link_leads_somewhere(client: FlaskClient, world: World) -> None:
    start = ["/", *FRAMES]
    waiting, seen, read, trained = deque(start), {*start}, Counter[str](), 0
    pages: dict[str, Page] = {}
    anchors: list[tuple[str, str, str]] = []
    while waiting:
        address = waiting.popleft()
        if name := recipe(address):
            trained += 1
            if trained > TRAINED:
                assert world.canonical(name) == name, address
                continue
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
        if target not in pages:
            pages[target] = Page(client.get(target).text)
        assert anchor in pages[target].ids, f"{source} links to {target}#{anchor}"
