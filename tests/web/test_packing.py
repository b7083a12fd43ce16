"""Compression of answers by the encodings that the client accepts."""

import gzip
import re
import time
from collections.abc import Callable

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.project import ROOT
from app.web.service.packing import (
    COMPRESSORS,
    NO_ENCODING,
    choose_encoding,
    strip_file,
)


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", NO_ENCODING),
        ("identity", NO_ENCODING),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("*", "br"),
        ("br;q=0.1, gzip", "gzip"),
        ("br;q=0", NO_ENCODING),
        ("br;q=0, *", "gzip"),
        ("br;q=0.0, gzip;q=0", NO_ENCODING),
        ("gzip;q=0.5, identity", NO_ENCODING),
        ("*;q=0", NO_ENCODING),  # RFC 9110 allows an uncompressed answer if no encoding is accepted
        ("identity;q=0", NO_ENCODING),
        ("br;q=x,;;,=", NO_ENCODING),
    ],
)
def test_a_wish_is_understood(accepted: str, encoding: str) -> None:
    assert choose_encoding(accepted) == encoding


def test_the_same_page_is_packed_into_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch, start: Callable[..., Flask]
) -> None:
    packed = []
    for now in (1e9, 2e9):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        client = start().test_client()
        for encoding, unpack in (("br", brotli.decompress), ("gzip", gzip.decompress)):
            answer = client.get("/", headers={"Accept-Encoding": encoding})
            assert answer.headers["Content-Encoding"] == encoding
            assert b"<html" in unpack(answer.data)
            packed.append((answer.data, answer.headers["ETag"]))
    assert packed[:2] == packed[2:]


def test_each_encoding_has_an_etag_of_its_own_that_is_recognised(client: FlaskClient) -> None:
    tags = set()
    for encoding in (*COMPRESSORS, NO_ENCODING):
        wish = {"Accept-Encoding": encoding}
        answer = client.get("/arena", headers=wish)
        assert {header.lower() for header in answer.vary} >= {"accept-encoding"}
        tags.add(answer.headers["ETag"])
        again = client.get("/arena", headers=wish | {"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        for tag, status in (('"another"', 412), (answer.headers["ETag"], 200), ("*", 200)):
            assert client.get("/arena", headers=wish | {"If-Match": tag}).status_code == status
    assert len(tags) == len(COMPRESSORS) + 1
    assert not any(tag.startswith("W/") for tag in tags)


# Static files are packed beforehand.


@pytest.fixture(scope="module")
def address(app) -> str:
    page = app.test_client().get("/play/4").text
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


def test_no_style_sheet_loses_anything_by_losing_its_spaces() -> None:
    for path in (ROOT / "static").rglob("*.css"):
        plain = re.sub(r"(?s)/\*.*?\*/|\s", "", path.read_text())
        lean_one = strip_file(path).decode()
        assert re.sub(r"\s", "", lean_one) == plain
        assert len(lean_one) < len(path.read_text())
        strings = re.findall(r'"[^"]*"', re.sub(r"(?s)/\*.*?\*/", "", path.read_text()))
        assert re.findall(r'"[^"]*"', lean_one) == strings
