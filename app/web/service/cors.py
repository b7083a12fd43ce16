"""Whether pages of other sites may read the API: nobody's, but for those that are configured."""

import os
import re

from flask import Flask, Response, request
from werkzeug.datastructures import HeaderSet

from app.web.service.deployment import SettingError
from app.web.service.errors import API

VARIABLE = "CORS_ORIGINS"
ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d+)?")
ANYBODY = "*"


def init_app(app: Flask) -> None:
    """Open the API of this app to the origins in the environment, separated by spaces.

    Raises SettingError, naming the variable, if one of them is neither an origin nor `*`.
    """
    origins = frozenset(os.environ.get(VARIABLE, "").split())
    for origin in origins - {ANYBODY}:
        if not ORIGIN.fullmatch(origin):
            raise SettingError(f"{VARIABLE}: {origin!r} is neither like https://example.org nor *")

    def share(response: Response) -> Response:
        if request.path.startswith(API):
            _allow(response, origins)
        return response

    if origins:
        app.after_request(share)


def _allow(response: Response, origins: frozenset[str]) -> None:
    origin = ANYBODY if ANYBODY in origins else request.headers.get("Origin")
    if origin != ANYBODY:
        response.vary.add("Origin")
    if origin in origins:
        response.access_control_allow_origin = origin
        response.access_control_allow_headers = HeaderSet([ANYBODY])
        response.access_control_expose_headers = HeaderSet(["ETag"])
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
