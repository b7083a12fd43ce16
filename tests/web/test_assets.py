"""Static files: packed beforehand, for whoever can unpack them."""

import gzip
import re

import brotli
import pytest
from flask.testing import FlaskClient


@pytest.fixture(scope="module")
def address(site) -> str:
    page = site.test_client().get("/play/").text
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
