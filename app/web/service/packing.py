"""Compression of responses, and static files.

The URL of a static file contains a hash of its content, so browsers may keep it for ever. Static
files are compressed once, as well as possible, when the server starts.
"""

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import brotli
from flask import Flask, Response, abort, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from app.web.pictures import palette, svg

# If a client accepts several encodings, the first one is used.
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    # The window is larger than any page.
    "br": partial(brotli.compress, quality=3, lgwin=18),
    # Level 6 would take a fifth longer.
    "gzip": partial(gzip.compress, compresslevel=5, mtime=0),
}
NO_ENCODING = "identity"
MIN_COMPRESSED_BYTES = 500
# Texts of all kinds are compressed, too.
COMPRESSED_TYPES = {"application/json", "image/svg+xml"}
COMMENT_PATTERNS = {
    ".css": rb"(?s)/\*.*?\*/",
    ".js": rb"(?m)(^|(?<=[;,{}()\]]))[ \t]*// .*$",
}
SPACE_PATTERN = rb"\s*([{};,])\s*|(?<=[\w-]:) "
YEAR_SECONDS = 31_536_000


def init_app(app: Flask, folder: Path) -> None:
    """Compress all responses of an app, and serve the static files in a folder."""
    app.after_request(compress_response)
    contents = {
        path.relative_to(folder).as_posix(): strip_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    # One file compresses better than two.
    contents["parts/app.css"] += palette.write_stylesheet().encode()
    figures = contents["parts/figures.css"]
    contents["parts/figures.css"] = svg.read_stylesheet().encode() + figures
    addresses = {name: _add_hash(name, content) for name, content in contents.items()}
    assets = {
        addresses[name]: _compress_file(name, content)
        for name, content in contents.items()
    }

    @app.get("/static/<path:address>")
    def serve_static_file(address: str) -> Response:
        kind, encoded_contents = assets.get(address) or abort(404)
        encoding = choose_encoding(request.headers.get("Accept-Encoding", ""))
        response = Response(encoded_contents[encoding], mimetype=kind)
        if encoding != NO_ENCODING:
            response.content_encoding = encoding
        response.cache_control.public = True
        response.cache_control.max_age = YEAR_SECONDS
        response.cache_control.immutable = True
        return response

    @app.template_global()
    def asset(name: str) -> str:
        return f"/static/{addresses[name]}"


@lru_cache(64)
def choose_encoding(accepted: str) -> str:
    """Return the encoding that Accept-Encoding prefers, or else the most compact one."""
    encodings = parse_accept_header(accepted, Accept)
    return encodings.best_match([*COMPRESSORS, NO_ENCODING]) or NO_ENCODING


def compress_response(response: Response) -> Response:
    response.vary.add("Accept-Encoding")
    encoding = choose_encoding(request.headers.get("Accept-Encoding", ""))
    if not _is_worth_compressing(response):
        encoding = NO_ENCODING
    tag, weak = response.get_etag()
    if encoding != NO_ENCODING:
        response.content_encoding = encoding
        if tag and not weak:
            response.set_etag(f"{tag}:{encoding}")
    if tag and {"HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH"} & request.environ.keys():
        response.make_conditional(request)
    if encoding != NO_ENCODING and response.status_code == 200:
        response.set_data(COMPRESSORS[encoding](response.get_data()))
    return response


def _is_worth_compressing(response: Response) -> bool:
    mimetype = response.mimetype or ""
    return (
        response.status_code == 200
        and not response.is_streamed
        and "Content-Encoding" not in response.headers
        and (mimetype.startswith("text/") or mimetype in COMPRESSED_TYPES)
        and (response.content_length or 0) >= MIN_COMPRESSED_BYTES
    )


def strip_file(path: Path) -> bytes:
    """Return a style sheet or a script without comments and needless spaces."""
    content = path.read_bytes()
    if path.parent.name == "vendor" or path.suffix not in COMMENT_PATTERNS:
        return content
    content = re.sub(
        rb"(?m)^\s+", b"", re.sub(COMMENT_PATTERNS[path.suffix], b"", content)
    )
    return re.sub(SPACE_PATTERN, rb"\1", content) if path.suffix == ".css" else content


@lru_cache(
    maxsize=128
    # Tests create many apps, which share this cache.
)
def _compress_file(
    file_name: str, content: bytes
) -> tuple[str | None, dict[str, bytes]]:
    encoded_contents = {
        # Quality 11 would take three times as long for 2% less.
        "br": brotli.compress(content, quality=10),
        "gzip": gzip.compress(content, mtime=0),
        NO_ENCODING: content,
    }
    return mimetypes.guess_type(file_name)[0], encoded_contents


def _add_hash(file_name: str, content: bytes) -> str:
    path = Path(file_name)
    digest = hashlib.sha256(content).hexdigest()[:12]
    return path.with_suffix(f".{digest}{path.suffix}").as_posix()
