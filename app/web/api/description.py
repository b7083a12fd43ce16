"""The OpenAPI description: SpecTree reads it off the operations, and this adds what it cannot."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, TypeAlias

import msgspec
from flask import Request
from spectree import Response, SpecTree
from spectree.model_adapter import get_msgspec_model_adapter
from werkzeug.exceptions import BadRequest

from app.web.api.answers import Fault
from app.web.api.card_words import CARD_WORDS
from app.web.api.parameters import IN_PATH, LookQuery, MoveQuery
from app.web.players import Players

Document: TypeAlias = dict[str, Any]  # made of nothing but what JSON has

# The names of what has none of its own.
COMPONENTS = {
    "BySeat_tuple_float__float__float__": "ChancesBySeat",
    "BySeat_int_": "CountsBySeat",
    "BySeat_float_": "RatesBySeat",
}


def refuse(request: Request, _response: Any, error: Any, _instance: Any, adapter: Any) -> None:
    """Raise BadRequest, saying what is wrong, if a request is not as it is described."""
    if error:
        fault = adapter.validation_errors(error)[0]
        where, what = ".".join(fault["loc"]) or "The query", fault["msg"]
        raise BadRequest(f"{where} is wrong: {what[0].lower()}{what[1:]}.")
    for name, text in (request.view_args or {}).items():
        try:
            msgspec.convert(text, IN_PATH[name])
        except msgspec.ValidationError:
            words = msgspec.json.schema(IN_PATH[name])["description"]
            raise BadRequest(f"{text!r} in the address is wrong. {words}") from None


def check(_request: Any, _response: Any, error: Any, _instance: Any, _adapter: Any) -> None:
    """Raise an answer's fault, if it is not as it is described."""
    if error:
        raise error


tree = SpecTree(
    "flask",
    model_adapter=get_msgspec_model_adapter(),
    mode="strict",
    before=refuse,
    after=check,
    validation_error_status=400,
    validation_error_model=Fault,
    naming_strategy=lambda model: model.__name__,
    nested_naming_strategy=lambda _, child: COMPONENTS.get(child, child),
    title="Q-Tac-Toe",
    version="1",
    description="Tic-tac-toe agents that taught themselves: what they think, and how they move.",
)


def answer(model: type, *faults: int) -> Response:
    """Describe an operation's answer, and with which codes it fails besides 400 and 414."""
    return Response(HTTP_200=model, **{f"HTTP_{code}": Fault for code in sorted([*faults, 414])})


def describe(players: Players) -> Document:
    """Write the description, with the names of everybody who plays here."""
    document: Document = deepcopy(tree.spec)
    names = {"lens": players.lenses, "id": list(players.agents)}
    names |= {player: list(players.policies) for player in ("agent", "x", "o")}
    for _, operation in operations(document):
        for parameter in operation["parameters"]:
            _complete(parameter, names)
    components = document["components"]["schemas"]
    for query in (LookQuery, MoveQuery):  # told where they are used
        del components[query.__name__]
    for error in ("Fault", "Error"):  # told last
        components[error] = components.pop(error)
    for component, words in CARD_WORDS.items():
        for field, description in words.items():
            components[component]["properties"][field]["description"] = description
    return document


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    """Go through the paths of a description and what a GET of each answers."""
    for path, methods in document["paths"].items():
        yield path, methods["get"]


def _complete(parameter: Document, names: dict[str, list[str]]) -> None:
    """Add what is allowed in a part of a path, and who can be named."""
    name, schema = parameter["name"], parameter["schema"]
    if parameter["in"] == "path":
        schema |= msgspec.json.schema(IN_PATH[name])
    parameter["description"] = schema.pop("description")
    if name in names:
        schema["enum"] = names[name]
