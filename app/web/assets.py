"""Static files under names that change with their content, so that browsers may keep them."""

import hashlib
import mimetypes
from pathlib import Path

from flask import Flask, Response, abort

from app.web.palette import stylesheet

YEAR = 31_536_000  # seconds


def init_app(app: Flask, folder: Path) -> None:
    """Serve a folder's files, and `heat.css`, which is made of the palettes."""
    contents = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    contents["heat.css"] = stylesheet().encode()
    addresses = {name: _hashed(name, content) for name, content in contents.items()}
    names = {address: name for name, address in addresses.items()}

    @app.get("/static/<path:address>")
    def static_file(address: str) -> Response:
        name = names.get(address) or abort(404)
        response = Response(contents[name], mimetype=mimetypes.guess_type(name)[0])
        response.cache_control.public = True
        response.cache_control.max_age = YEAR
        response.cache_control.immutable = True
        return response

    @app.template_global()
    def asset(name: str) -> str:
        return f"/static/{addresses[name]}"


def _hashed(name: str, content: bytes) -> str:
    path = Path(name)
    digest = hashlib.sha256(content).hexdigest()[:12]
    return path.with_suffix(f".{digest}{path.suffix}").as_posix()
