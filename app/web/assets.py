"""Static files under names that change with their content, so that browsers may keep them.

Each is packed once, as tightly as can be, before the first request.
"""

import gzip
import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

import brotli
from flask import Flask, Response, abort, request

from app.web.palette import stylesheet

YEAR = 31_536_000  # seconds


class Asset(NamedTuple):
    """A file, whole and packed."""

    type: str | None
    packings: dict[str, bytes]  # by the name of its encoding, the smallest first


def init_app(app: Flask, folder: Path) -> None:
    """Serve a folder's files, and `heat.css`, which is made of the palettes."""
    contents = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    contents["heat.css"] = stylesheet().encode()
    addresses = {name: _hashed(name, content) for name, content in contents.items()}
    assets = {addresses[name]: _packed(name, content) for name, content in contents.items()}

    @app.get("/static/<path:address>")
    def static_file(address: str) -> Response:
        kind, packings = assets.get(address) or abort(404)
        encoding = request.accept_encodings.best_match(packings) or "identity"
        response = Response(packings[encoding], mimetype=kind)
        if encoding != "identity":
            response.content_encoding = encoding
        response.vary.add("Accept-Encoding")
        response.cache_control.public = True
        response.cache_control.max_age = YEAR
        response.cache_control.immutable = True
        return response

    @app.template_global()
    def asset(name: str) -> str:
        return f"/static/{addresses[name]}"


def _packed(name: str, content: bytes) -> Asset:
    packings = {
        "br": brotli.compress(content),
        "gzip": gzip.compress(content, mtime=0),
        "identity": content,
    }
    return Asset(mimetypes.guess_type(name)[0], packings)


def _hashed(name: str, content: bytes) -> str:
    path = Path(name)
    digest = hashlib.sha256(content).hexdigest()[:12]
    return path.with_suffix(f".{digest}{path.suffix}").as_posix()
