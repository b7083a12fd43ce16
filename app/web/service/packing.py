"""Answers packed for clients that can unpack them, the same answer always into the same bytes."""

import gzip
from collections.abc import Callable
from functools import lru_cache, partial

import brotli
from flask import Flask, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

# By the name of the encoding, what packs tightest first.
PACK: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=3, lgwin=18),  # no page is larger than its window
    "gzip": partial(gzip.compress, compresslevel=5, mtime=0),  # 6 takes a fifth longer
}
PLAIN = "identity"
SMALLEST = 500  # bytes: less is not worth it
PACKED_TYPES = {"application/json", "image/svg+xml"}  # beside all text


def init_app(app: Flask) -> None:
    """Pack every answer of this app that is worth it."""
    app.after_request(pack)


@lru_cache(64)
def chosen(accepted: str) -> str:
    """Return the encoding to answer in, by the Accept-Encoding header of a request."""
    encodings = parse_accept_header(accepted, Accept)
    return encodings.best_match([*PACK, PLAIN]) or PLAIN


def pack(response: Response) -> Response:
    """Pack an answer, under an ETag of its own, unless the client has it already."""
    response.vary.add("Accept-Encoding")
    encoding = chosen(request.headers.get("Accept-Encoding", ""))
    if not _is_worth_it(response):
        encoding = PLAIN
    tag, weak = response.get_etag()
    if encoding != PLAIN:
        response.content_encoding = encoding
        if tag and not weak:
            response.set_etag(f"{tag}:{encoding}")
    if tag and {"HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH"} & request.environ.keys():
        response.make_conditional(request)
    if encoding != PLAIN and response.status_code == 200:
        response.set_data(PACK[encoding](response.get_data()))
    return response


def _is_worth_it(response: Response) -> bool:
    mimetype = response.mimetype or ""
    return (
        response.status_code == 200
        and not response.is_streamed
        and "Content-Encoding" not in response.headers
        and (mimetype.startswith("text/") or mimetype in PACKED_TYPES)
        and (response.content_length or 0) >= SMALLEST
    )
