"""What people see when something is wrong: a sentence, and nothing of the inside."""

import secrets

from flask import Flask, Response, current_app, make_response, render_template, request
from werkzeug.exceptions import HTTPException, InternalServerError, RequestURITooLarge

from app.web.players import players
from app.web.respond import wants_fragment

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


def init_app(app: Flask) -> None:
    """Answer every error of this app with a page, or a notice where htmx asks."""
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
    sentence = error.description if ours else SENTENCES.get(error.code or 500, error.description)
    return _answer(error, sentence)


def apologise(fault: Exception) -> Response:
    """Log a fault under an id, and tell people no more than that."""
    fault_id = secrets.token_hex(4)
    current_app.logger.error("fault %s on %s", fault_id, request.full_path, exc_info=fault)
    sentence = f"Something went wrong on our side. It is in the log as {fault_id}."
    return _answer(InternalServerError(), sentence)


def _answer(error: HTTPException, sentence: str | None) -> Response:
    template = "_error.html" if wants_fragment() else "error.html"
    agents = {name: agent.card.title for name, agent in players().agents.items()}
    page = render_template(
        template,
        code=error.code,
        title=TITLES.get(error.code or 500, error.name),
        sentence=sentence,
        agents=agents,
    )
    response = make_response(page, error.code)
    for name, value in error.get_headers():
        if name not in response.headers:
            response.headers[name] = value
    response.vary.add("HX-Request")
    response.cache_control.no_store = True
    return response
