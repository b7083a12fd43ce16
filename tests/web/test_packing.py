"""Answers are packed as whoever asks can unpack them."""

import gzip
import time
from collections.abc import Callable

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.web.service.packing import PACK, PLAIN, SMALLEST, chosen


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", PLAIN),
        ("identity", PLAIN),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("GZIP", "gzip"),
        ("*", "br"),
        ("br;q=0.1, gzip", "gzip"),
        ("br;q=0", PLAIN),
        ("br;q=0, *", "gzip"),
        ("br;q=0.0, gzip;q=0", PLAIN),
        ("gzip;q=0.5, identity", PLAIN),
        ("*;q=0", PLAIN),  # who wants nothing gets it as it is, as RFC 9110 allows
        ("identity;q=0", PLAIN),
        ("br;q=x,;;,=", PLAIN),
    ],
)
def test_a_wish_is_understood(accepted: str, encoding: str) -> None:
    assert chosen(accepted) == encoding


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
    for encoding in (*PACK, PLAIN):
        wish = {"Accept-Encoding": encoding}
        answer = client.get("/arena", headers=wish)
        assert {header.lower() for header in answer.vary} >= {"accept-encoding"}
        tags.add(answer.headers["ETag"])
        again = client.get("/arena", headers=wish | {"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        for tag, status in (('"another"', 412), (answer.headers["ETag"], 200), ("*", 200)):
            assert client.get("/arena", headers=wish | {"If-Match": tag}).status_code == status
    assert len(tags) == len(PACK) + 1
    assert not any(tag.startswith("W/") for tag in tags)


def test_what_is_short_is_not_packed(client: FlaskClient) -> None:
    answer = client.get("/api/v1/nothing", headers={"Accept-Encoding": "br"})
    assert len(answer.data) < SMALLEST
    assert "Content-Encoding" not in answer.headers
