"""Static files under names that change with their content, so that browsers may keep them.

Each is packed once, as tightly as can be, before the first request.
"""

import gzip
import hashlib
import mimetypes
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import brotli
from flask import Flask, Response, abort, request

from app.web.pictures import palette, svg
from app.web.service.packing import PLAIN, chosen

COMMENTS = {".css": rb"(?s)/\*.*?\*/", ".js": rb"(?m)^\s*//.*$"}
SPACES = rb"\s*([{};,])\s*|(?<=[\w-]:) "  # in a style sheet, where they mean nothing
YEAR = 31_536_000  # seconds


class Asset(NamedTuple):
    """A file, whole and packed."""

    type: str | None
    packings: dict[str, bytes]  # by the name of its encoding


def init_app(app: Flask, folder: Path) -> None:
    """Serve a folder's files; one file packs tighter than two, so some are served as one.

    `app.css` ends with the colours and `figures.css` begins with how shapes look, as all pictures
    have them; `play.css` ends with `why.css`, and `play.js` begins with the script of a board.
    """
    contents = {
        path.relative_to(folder).as_posix(): lean(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    contents["parts/app.css"] += palette.stylesheet().encode()
    figures = contents["parts/figures.css"]
    contents["parts/figures.css"] = svg.stylesheet().encode() + figures
    contents["play/play.css"] += contents["why/why.css"]
    contents["play/play.js"] = contents["parts/board.js"] + contents["play/play.js"]
    addresses = {name: _hashed(name, content) for name, content in contents.items()}
    assets = {addresses[name]: _packed(name, content) for name, content in contents.items()}

    @app.get("/static/<path:address>")
    def static_file(address: str) -> Response:
        kind, packings = assets.get(address) or abort(404)
        encoding = chosen(request.headers.get("Accept-Encoding", ""))
        response = Response(packings[encoding], mimetype=kind)
        if encoding != PLAIN:
            response.content_encoding = encoding
        response.cache_control.public = True
        response.cache_control.max_age = YEAR
        response.cache_control.immutable = True
        return response

    @app.template_global()
    def asset(name: str) -> str:
        return f"/static/{addresses[name]}"


def lean(path: Path) -> bytes:
    """Read a file, and of our own styles and scripts leave out comments and needless spaces."""
    content = path.read_bytes()
    if path.parent.name == "vendor" or path.suffix not in COMMENTS:
        return content
    content = re.sub(rb"(?m)^\s+", b"", re.sub(COMMENTS[path.suffix], b"", content))
    return re.sub(SPACES, rb"\1", content) if path.suffix == ".css" else content


@lru_cache(maxsize=128)  # for the sites that one process makes
def _packed(name: str, content: bytes) -> Asset:
    packings = {
        "br": brotli.compress(content, quality=10),  # 11: thrice as long, 2% less
        "gzip": gzip.compress(content, mtime=0),
        PLAIN: content,
    }
    return Asset(mimetypes.guess_type(name)[0], packings)


def _hashed(name: str, content: bytes) -> str:
    path = Path(name)
    digest = hashlib.sha256(content).hexdigest()[:12]
    return path.with_suffix(f".{digest}{path.suffix}").as_posix()
