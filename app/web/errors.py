"""What people see when something is wrong: a sentence, and nothing of the inside."""

import secrets

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, RequestURITooLarge

from app.web.players import players
from app.web.respond import wants_fragment

API = "/api/"  # what begins so is answered in JSON
MAX_ADDRESS = 1000  # characters of path and query; the longest right one has some 200
TITLES = {
    400: "This address is not right",
    404: "Not here",
    405: "Only to be read",
    409: "This cannot be played",
    414: "Too long",
    500: "Our fault",
}
SENTENCES = {
    404: "There is no such page.",
    405: "Pages here can only be read: nothing is ever sent to them.",
    414: f"The address is too long: {MAX_ADDRESS} characters are enough for any view.",
}
IN_API = {404: "There is no such address: /api explains those there are."}


def init_app(app: Flask) -> None:
    """Answer every error of this app with a page, a notice where htmx asks, or JSON in the API."""
    app.before_request(refuse_long_addresses)
    app.register_error_handler(HTTPException, explain)
    app.register_error_handler(Exception, apologise)


def refuse_long_addresses() -> None:
    """Raise RequestURITooLarge for an address that no view of ours has."""
    if len(request.full_path) > MAX_ADDRESS:
        raise RequestURITooLarge


def explain(error: HTTPException) -> Response:
    """Say what is wrong with a request: in its own words, where we gave it any."""
    ours = error.description != type(error).description
    sentences = SENTENCES | IN_API if _in_api() else SENTENCES
    sentence = error.description if ours else sentences.get(error.code or 500, error.description)
    return _answer(error, sentence)


def apologise(fault: Exception) -> Response:
    """Log a fault under an id, and tell people no more than that."""
    fault_id = request.headers.get("X-Request-ID", secrets.token_hex(8))[:64]
    current_app.logger.error("fault %s on %s", fault_id, request.full_path, exc_info=fault)
    sentence = f"Something went wrong on our side. It is in the log as {fault_id}."
    return _answer(InternalServerError(), sentence)


def _answer(error: HTTPException, sentence: str | None) -> Response:
    if _in_api():
        response = jsonify(error={"code": error.code, "message": sentence})
    else:
        response = make_response(_page(error, sentence))
        response.vary.add("HX-Request")
    response.status_code = error.code or 500
    for name, value in error.get_headers():
        if name not in response.headers:
            response.headers[name] = value
    response.cache_control.no_store = True
    return response


def _in_api() -> bool:
    return request.path.startswith(API)


def _page(error: HTTPException, sentence: str | None) -> str:
    return render_template(
        "_error.html" if wants_fragment() else "error.html",
        code=error.code,
        title=TITLES.get(error.code or 500, error.name),
        sentence=sentence,
        agents={name: agent.card.title for name, agent in players().agents.items()},
    )
