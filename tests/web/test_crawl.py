"""Every link and every form leads somewhere, every anchor has its element, every route is reached.

No page has two elements with one id, or inline styles, scripts or handlers.

"""

from urllib.parse import unquote, urldefrag, urljoin

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web.links.lab import LAB
from app.web.pages.api.page import UNREACHABLE_EXAMPLE
from app.web.routes import EMBED_PREFIX
from app.web.site_data import SiteData
from tests.web.addresses import Visit, crawl, list_rules, things

# Routes to which no link leads before somebody has solved ten puzzles or sent a table.
UNLINKED = "score", "/judge/", f"{EMBED_PREFIX}value/."


@pytest.mark.long
def test_every_link_leads_somewhere(app: Flask, client: FlaskClient, site: SiteData) -> None:
    visits = [*crawl(client)]
    reached = {rule for visit in visits for rule, _ in things(app, visit.address)}
    unreached = list_rules(app) - reached
    assert not [rule for rule in unreached if not any(part in rule for part in UNLINKED)]
    for visit in visits:
        expected = (404,) if visit.address == UNREACHABLE_EXAMPLE else (200, 202, 302, 303)
        assert visit.response.status_code in expected, visit.address
    for name in {name for visit in visits for name in recipes(visit)}:
        assert site.canonicalize(name) == name
    assert_anchors_have_elements(visits)


def recipes(visit: Visit) -> set[str]:
    """Return the recipes of the lab to which a page links."""
    links = visit.page.links if visit.page else ()
    paths = (link.partition("?")[0] for link in links if link.startswith(f"{LAB.url()}/"))
    names = {unquote(path.removeprefix(f"{LAB.url()}/")) for path in paths}
    return {name for name in names if "," in name and not name.endswith((".svg", ".csv", ".py"))}


def assert_anchors_have_elements(visits: list[Visit]) -> None:
    pages = {visit.address: visit.page for visit in visits if visit.page}
    for source, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(urljoin(source, link))
            if anchor and target in pages:
                assert anchor in pages[target].ids, f"{source} links to {target}#{anchor}"
