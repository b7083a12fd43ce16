"""The page that explains the API to people, made of its description."""

from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, request

from app.web.api.description import Document, operations
from app.web.api.written import explained_at, type_in_words, written
from app.web.respond import respond

CLIENT = Path(__file__).parents[3] / "docs" / "play_over_http.py"
UNREACHED = "/api/v1/positions/XXX......"  # no game leads there

bp = Blueprint("api_page", __name__)


class Field(NamedTuple):
    """A parameter of an operation, or a field of an answer."""

    name: str
    type: str
    meaning: str
    href: str = ""  # where the type is explained
    note: str = ""


class Example(NamedTuple):
    """A request, and what this server answers."""

    address: str
    answer: str


class Operation(NamedTuple):
    """One address of the API."""

    id: str
    path: str
    title: str
    text: str
    parameters: list[Field]
    answer: str  # the kind of object
    faults: list[str]
    example: Example


class Model(NamedTuple):
    """One kind of object in the answers."""

    name: str
    text: str
    fields: list[Field]


@bp.get("/api")
def api() -> Response:
    """Explain the API."""
    return respond("api.html", view(request.host_url.rstrip("/")))


def view(site: str) -> dict[str, object]:
    """Gather what the template writes down, for a site at this address."""
    document = current_app.extensions["openapi"]
    return {
        "site": site,
        "operations": [_operation(path, found, site) for path, found in operations(document)],
        "models": [
            _model(name, schema) for name, schema in document["components"]["schemas"].items()
        ],
        "fault": _example(UNREACHED, site),
        "client": CLIENT.read_text(),
    }


def _operation(path: str, found: Document, site: str) -> Operation:
    answers = found["responses"]
    return Operation(
        id=found["operationId"],
        path=path,
        title=found["summary"].rstrip("."),
        text=found["description"],
        parameters=[_parameter(parameter) for parameter in found["parameters"]],
        answer=type_in_words(answers["200"]["content"]["application/json"]["schema"]),
        faults=[f"{code} {HTTPStatus(int(code)).phrase}" for code in sorted(answers)[1:]],
        example=_example(_address(path, found["parameters"]), site),
    )


def _parameter(parameter: Document) -> Field:
    schema = parameter["schema"]
    field = _field(parameter["name"], schema | {"description": parameter["description"]})
    if parameter["in"] == "path":
        return field
    optional = f"{schema['default']} if left out" if "default" in schema else "optional"
    return field._replace(note="required" if parameter["required"] else optional)


def _model(name: str, schema: Document) -> Model:
    fields = [_field(field, inner) for field, inner in schema["properties"].items()]
    return Model(name, schema["description"], fields)


def _field(name: str, schema: Document) -> Field:
    return Field(name, type_in_words(schema), schema["description"], explained_at(schema))


def _address(path: str, parameters: list[Document]) -> str:
    """Fill the first example of each parameter into a path and its query."""
    given: dict[str, dict[str, Any]] = {"path": {}, "query": {}}
    for parameter in parameters:
        for example in parameter["schema"].get("examples", [])[:1]:
            given[parameter["in"]][parameter["name"]] = example
    return path.format(**given["path"]) + ("?" + urlencode(given["query"])) * bool(given["query"])


def _example(address: str, site: str) -> Example:
    answer = current_app.test_client().get(address, base_url=site)
    return Example(address, written(answer.json))
