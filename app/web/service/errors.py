"""Error responses: a page, a fragment or JSON, with a sentence on what is wrong."""

import re
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from flask import (
    Flask,
    Response,
    abort,
    current_app,
    jsonify,
    make_response,
    render_template,
    request,
)
from jinja2_fragments.flask import render_block
from werkzeug.exceptions import HTTPException, InternalServerError

from app.recipes import MAX_TAUGHT_NAME_LENGTH
from app.web.links.api import API_ROUTE
from app.web.rendering import wants_fragment
from app.web.site_data import get_current_site
from app.web.translation import gettext, gettext_noop

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

# Errors below this path are JSON.
API_PREFIX = f"{API_ROUTE.url()}/"
# Other valid URLs have up to about 200 characters.
MAX_URL_LENGTH = 1000
# An agent that is named by its moves adds up to 2,695 characters.
MAX_MOVES_NAME_LENGTH = 3000
# In a query, the name of an agent that consists of its moves begins like this.
MOVES_PATTERN = re.compile("moves[.=]")
# A match has at most one in each seat.
MAX_POLICIES_IN_URL = 2
# The name of an agent that a person taught contains this.
TAUGHT_MARKER = "taught"
# A comparison shows four agents.
MAX_LEARNERS_IN_URL = 4
PROBLEM_MIMETYPE = "application/problem+json"
# for a response that waits for a training
PENDING_STATUS = 202
HOST_PATTERN = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,39}\])(:\d{1,5})?")
TITLE_BY_STATUS = {
    PENDING_STATUS: gettext_noop("Please wait"),
    400: gettext_noop("This URL is wrong"),
    404: gettext_noop("Page not found"),
    405: gettext_noop("This page accepts no data"),
    409: gettext_noop("This is not possible"),
    413: gettext_noop("The table is too large"),
    414: gettext_noop("The URL is too long"),
    500: gettext_noop("Server error"),
    501: gettext_noop("The server does not support this request"),
    503: gettext_noop("The server is busy"),
}
SENTENCE_BY_STATUS = {
    400: gettext_noop("The server cannot understand this request."),
    404: gettext_noop("This page does not exist."),
    405: gettext_noop("This page can only be read: you cannot send data to it."),
    413: gettext_noop("The table is larger than 4 MB, the limit."),
    414: gettext_noop("A URL of this site has at most %(most)s characters."),
}
API_SENTENCE_BY_STATUS = {
    404: "There is no such address: /api explains those there are."
}


def init_app(app: Flask) -> None:
    """Register the error responses: pages, notices for htmx, and JSON in the API."""
    app.before_request(refuse_request)
    app.register_error_handler(HTTPException, show_error)
    app.register_error_handler(Exception, show_server_error)


def refuse_request() -> None:
    if is_too_long(request.environ):
        abort(414)
    if not is_host_valid(request.environ):
        # The error page would fail on the invalid host, too.
        request.host = ""
        abort(400, "The Host of the request is not the name of any.")


def is_too_long(environ: "WSGIEnvironment") -> bool:
    length = len(environ["PATH_INFO"]) + len(environ.get("QUERY_STRING", ""))
    return length > MAX_URL_LENGTH and length > get_max_url_length(environ)


def get_max_url_length(environ: "WSGIEnvironment") -> int:
    """Return how many characters the path and the query of a request may have."""
    path = environ["PATH_INFO"]
    query = environ.get("QUERY_STRING", "")
    judged = min(MAX_POLICIES_IN_URL, len(MOVES_PATTERN.findall(query)))
    taught = min(MAX_LEARNERS_IN_URL, f"{path}?{query}".count(TAUGHT_MARKER))
    return (
        MAX_URL_LENGTH
        + judged * MAX_MOVES_NAME_LENGTH
        + taught * MAX_TAUGHT_NAME_LENGTH
    )


def is_host_valid(environ: "WSGIEnvironment") -> bool:
    host: str = environ.get("HTTP_HOST", "localhost")
    if not HOST_PATTERN.fullmatch(host):
        return False
    with suppress(UnicodeError):
        return "xn--" not in host.lower() or bool(host.encode("ascii").decode("idna"))
    return False


def show_error(error: HTTPException) -> Response:
    sentences = SENTENCE_BY_STATUS | (API_SENTENCE_BY_STATUS if _is_in_api() else {})
    if error.description == type(error).description and error.code in sentences:
        most = get_max_url_length(request.environ)
        return _build_response(error, gettext(sentences[error.code], most=most))
    return _build_response(error, error.description)


def show_server_error(error: Exception) -> Response:
    fault_id = request.headers.get("X-Request-ID", secrets.token_hex(8))[:64]
    address = f"{request.path}?{request.environ['QUERY_STRING']}"
    current_app.logger.error("fault %s on %a", fault_id, address, exc_info=error)
    words = gettext_noop(
        "An error occurred on the server. Its number in the server’s log is %(id)s."
    )
    sentence = gettext(words, id=fault_id)
    return _build_response(InternalServerError(), sentence)


def _build_response(error: HTTPException, sentence: str | None) -> Response:
    if _is_in_api():
        response = _describe_problem(error, sentence)
    else:
        response = make_response(_render_error(error, sentence))
        response.vary.add("HX-Request")
        again = getattr(error, "retry_after", None)
        # Browsers reload the page after this time.
        if again:
            response.headers["Refresh"] = f"{again}"
    response.status_code = error.code or 500
    for name, value in error.get_headers():
        if name not in response.headers:
            response.headers[name] = value
    response.cache_control.no_store = True
    return response


def _describe_problem(error: HTTPException, sentence: str | None) -> Response:
    """Return an error of the API as JSON (problem details, RFC 9457)."""
    told = {"code": error.code, "message": sentence}
    # A training that is not finished is no error.
    if error.code == PENDING_STATUS:
        return jsonify(pending=told)
    response = jsonify(
        type="about:blank",
        title=error.name,
        status=error.code,
        detail=sentence,
        # Clients of earlier versions read this.
        error=told,
    )
    response.mimetype = PROBLEM_MIMETYPE
    return response


def _is_in_api() -> bool:
    return request.path.startswith(API_PREFIX)


def _render_error(error: HTTPException, sentence: str | None) -> str:
    if wants_fragment():
        return render_block("error.html", "notice", code=error.code, sentence=sentence)
    return render_template(
        "error.html",
        code=error.code,
        title=gettext(TITLE_BY_STATUS.get(error.code or 500, error.name)),
        heading=getattr(error, "heading", ""),
        sentence=sentence,
        agents={
            name: agent.card.title for name, agent in get_current_site().agents.items()
        },
    )
