"""The header: five menus, and the entry of each page in them."""

import html
import re

from flask import Flask
from flask.testing import FlaskClient

from app.project import ROOT
from app.web.navigation import HeaderMenu
from app.web.routes import Destination

CURRENT = re.compile(r'<a [^>]*?href="([^"]*)" aria-current="true">([^<]*)</a>')


def header_of(client: FlaskClient, url: str) -> str:
    """Return the header of a page as HTML, without character references."""
    page = html.unescape(client.get(url, follow_redirects=True).text)
    return page[page.index('<header class="site">') : page.index("</header>")]


def check_header(header: str, menu: HeaderMenu, page: Destination) -> None:
    """Check that a header marks a menu, and the entry of its page if there are several."""
    marked = (menu, page) if len(menu.pages) > 1 else (menu,)
    assert CURRENT.findall(header) == [(each.href, each.title) for each in marked]
    assert all(f">{each.title}</a>" in header for each in menu.pages[1:])


def test_every_page_marks_itself_and_its_menu(app: Flask, client: FlaskClient) -> None:
    for menu in app.extensions["header_menus"]:
        for page in menu.pages:
            check_header(header_of(client, page.href), menu, page)


def test_every_page_with_a_header_states_an_entry_that_exists(app: Flask) -> None:
    pages = {page.id for menu in app.extensions["header_menus"] for page in menu.pages}
    stated = re.compile(r"{% set menu_page = (.*) %}")
    for file in sorted((ROOT / "templates").rglob("*.html")):
        text = file.read_text()
        if '"base.html"' not in text or file.name in ("front.html", "error.html"):
            continue
        found = stated.search(text)
        assert found, f"{file} states no menu_page"
        assert {*re.findall('"([a-z]+)"', found[1])} <= pages, file
