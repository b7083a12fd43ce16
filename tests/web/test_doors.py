"""The header: five doors with their rooms, and the room of each page."""

import html
import re

from flask import Flask
from flask.testing import FlaskClient

from app.project import ROOT
from app.web.navigation import HeaderMenu
from app.web.routes import Destination

CURRENT = re.compile(r'<a href="([^"]*)" aria-current="true">([^<]*)</a>')


def header_of(client: FlaskClient, url: str) -> str:
    """Return the header of a page as HTML, without character references."""
    page = html.unescape(client.get(url, follow_redirects=True).text)
    return page[page.index('<header class="site">') : page.index("</header>")]


def check_header(header: str, door: HeaderMenu, room: Destination) -> None:
    """Check that a header marks a door, and the room behind it if there are several."""
    marked = (door, room) if len(door.pages) > 1 else (door,)
    assert CURRENT.findall(header) == [(each.href, each.title) for each in marked]
    assert all(f">{each.title}</a>" in header for each in door.pages[1:])


def test_every_room_marks_itself_and_its_door(app: Flask, client: FlaskClient) -> None:
    for door in app.extensions["doors"]:
        for room in door.pages:
            check_header(header_of(client, room.href), door, room)


def test_every_page_with_a_header_states_a_room_that_exists(app: Flask) -> None:
    rooms = {room.id for door in app.extensions["doors"] for room in door.pages}
    stated = re.compile(r"{% set room = (.*) %}")
    for file in sorted((ROOT / "templates").rglob("*.html")):
        text = file.read_text()
        if '"base.html"' not in text or file.name in ("front.html", "error.html"):
            continue
        found = stated.search(text)
        assert found, f"{file} states no room"
        assert {*re.findall('"([a-z]+)"', found[1])} <= rooms, file
