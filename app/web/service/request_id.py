"""The id of a request, which is in its header X-Request-ID, in the logs and in the response."""

import re
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

REQUEST_ID_HEADER, REQUEST_ID_VARIABLE = "X-Request-ID", "HTTP_X_REQUEST_ID"
ID_PATTERN = re.compile(r"[\w.-]{1,64}", re.ASCII)


def identify_requests(application: "WSGIApplication") -> "WSGIApplication":
    """Wrap a WSGI application, so that every request and its response have an id.

    A valid id from a proxy or client is kept. Otherwise the request gets a new one.
    """

    def answer_with_id(
        environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        request_id = environ.get(REQUEST_ID_VARIABLE, "")
        if not ID_PATTERN.fullmatch(request_id):
            request_id = environ[REQUEST_ID_VARIABLE] = secrets.token_hex(8)

        def start_with_id(
            status: str, headers: list[tuple[str, str]], *error: Any
        ) -> Any:
            return start_response(
                status, [*headers, (REQUEST_ID_HEADER, request_id)], *error
            )

        return application(environ, start_with_id)

    return answer_with_id
