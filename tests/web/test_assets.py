"""Static files: packed beforehand, for whoever can unpack them."""

import gzip
import re

import brotli
import pytest
from flask.testing import FlaskClient

from app.web.service.deployment import ROOT
from app.web.service.packing import lean


@pytest.fixture(scope="module")
def address(site) -> str:
    page = site.test_client().get("/play/4").text
    found = re.search(r"/static/vendor/htmx[^\"]+", page)
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0.1, gzip", "gzip"),
    ],
)
def test_everybody_gets_the_same_file(
    client: FlaskClient, address: str, accepted: str, encoding: str | None
) -> None:
    plain = client.get(address, headers={"Accept-Encoding": "identity"}).data
    answer = client.get(address, headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == encoding
    assert "Accept-Encoding" in answer.headers["Vary"]
    unpack = {"gzip": gzip.decompress, "br": brotli.decompress, None: bytes}[encoding]
    assert unpack(answer.data) == plain


def test_a_packed_file_is_much_smaller(client: FlaskClient, address: str) -> None:
    sizes = [
        len(client.get(address, headers={"Accept-Encoding": accepted}).data)
        for accepted in ("br", "gzip", "identity")
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] / 3


def test_the_play_page_has_the_script_of_a_framed_board_and_more(client: FlaskClient) -> None:
    scripts = []
    for page, name in (("/embed/board/", "parts/board"), ("/play/4", "play/play")):
        (found,) = re.findall(rf"/static/{name}\.[0-9a-f]+\.js", client.get(page).text)
        scripts.append(client.get(found).text)
    board, play = scripts
    assert "function ghost" in board
    assert play.startswith(board)
    assert len(play) > len(board)


def test_no_style_sheet_loses_anything_by_losing_its_spaces() -> None:
    for path in (ROOT / "static").rglob("*.css"):
        plain = re.sub(r"(?s)/\*.*?\*/|\s", "", path.read_text())
        lean_one = lean(path).decode()
        assert re.sub(r"\s", "", lean_one) == plain
        assert len(lean_one) < len(path.read_text())
        strings = re.findall(r'"[^"]*"', re.sub(r"(?s)/\*.*?\*/", "", path.read_text()))
        assert re.findall(r'"[^"]*"', lean_one) == strings
