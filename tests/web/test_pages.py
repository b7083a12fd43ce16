"""Every URL gives the same answer to everybody, in few bytes."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from app.project import read_version
from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS
from app.web.site_data import SiteData

HTMX = {"HX-Request": "true"}
ADDRESSES = [
    "/play/?o=q-iteration",
    "/play/4",
    "/play/03142",
    "/play/408?ply=1",
    "/play/40?x=minimax&o=random&tally=1-0-2",
    "/play/4?lens=truth",
    "/play/4?hide=1",
    "/play/?lens=q-learning-1&step=0",
    "/play/40?lens=q-learning-1&step=5&train=1",
]


def records(site: SiteData) -> Iterator[str]:
    """A game that leads to each position."""
    to = {0: ""}
    for position in range(GAME.decisions):
        for cell, after in enumerate(GAME.successor[position].tolist()):
            if after >= 0:
                to.setdefault(after, to[position] + DIGITS[cell])
    return iter(to.values())


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_fragment_is_the_part_of_the_page_that_it_replaces(
    client: FlaskClient, url: str
) -> None:
    page, fragment = client.get(url).text, client.get(url, headers=HTMX).text
    status, parts = fragment.split("\n", 1)
    moves = parts.index('<section id="moves"')
    assert status in page
    assert parts[:moves].strip() in page
    assert parts[moves:].strip() in page
    for target in ("status", "notice", "game", "moves"):
        assert fragment.count(f'id="{target}"') == page.count(f'id="{target}"') == 1


@pytest.mark.long
def test_every_position_has_a_page(client: FlaskClient, site: SiteData) -> None:
    for record in list(records(site))[::13]:
        page = client.get(f"/play/{record}?o=q-iteration", headers=HTMX)
        assert page.status_code == 200
        board = page.text[page.text.index('id="board"') : page.text.index('class="controls"')]
        assert board.count('class="mark"') == len(record)


@pytest.mark.parametrize(
    ("at", "chosen", "address"),
    [
        ("/play/40?o=q-table", "seat=o&player=minimax", "/play/40?o=minimax"),
        (
            "/play/40?o=q-table",
            "seat=x&player=fixed",
            "/play/40?x=fixed&o=q-table&epsilon=0.1&pause=1",
        ),
        ("/play/40?x=fixed&o=fixed&epsilon=0.1", "seat=x&player=human", "/play/40?o=fixed"),
        ("/play/03142?o=q-table", "seat=o&player=minimax", "/play/?o=minimax"),  # it was over
    ],
)
def test_whoever_is_chosen_sits_down_at_the_board_as_it_is(
    client: FlaskClient, at: str, chosen: str, address: str
) -> None:
    response = client.get(f"/set/?at={quote(at)}&{chosen}")
    assert (response.status_code, response.headers["Location"]) == (303, address)


def test_static_files_are_kept_for_a_year(client: FlaskClient) -> None:
    pages = [client.get(url).text for url in ("/", "/play/4", "/mind/q-table")]
    for address in {file for page in pages for file in re.findall(r"/static/[^\"]+", page)}:
        response = client.get(address)
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert re.search(r"\.[0-9a-f]{12}\.\w+$", address)
    assert client.get("/static/app.css").status_code == 404


def test_the_first_load_and_a_move_are_small(client: FlaskClient) -> None:
    def packed(url: str, **headers: str) -> int:
        """Return the bytes that a browser gets over HTTPS, where it asks for brotli."""
        return len(client.get(url, headers={"Accept-Encoding": "br"} | headers).data)

    for url in ("/", "/play/4"):
        files = set(re.findall(r"/static/[^\"]+", client.get(url).text))
        assert sum(map(packed, files)) + packed(url) <= 40 * 1024, url
    for url in ADDRESSES:
        assert packed(url, **HTMX) <= 4 * 1024


def test_the_server_says_that_it_is_well(client: FlaskClient, site: SiteData) -> None:
    response = client.get("/healthz")
    assert response.status_code == 200
    assert "no-store" in response.headers["Cache-Control"]
    said = response.get_json()
    assert (said["status"], said["version"]) == ("ok", read_version())
    assert said["models"] == {name: agent.card.arrays_digest for name, agent in site.agents.items()}
