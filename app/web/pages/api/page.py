"""The page that explains the API to people, made of its description."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, request

from app.web import addresses
from app.web.pages.api.description import Document, operations
from app.web.respond import Page, respond

CLIENT = Path(__file__).parents[4] / "docs" / "play_over_http.py"
UNREACHED = addresses.API_POSITION.to("XXX......")  # no game leads there
WIDTH = 170  # characters of a line: a cell of a position fits
COMPONENT = "#/components/schemas/"
MANY = 5  # names that are not worth listing in a line

bp = Blueprint("api_page", __name__)


class DescribedField(NamedTuple):
    """A parameter of an operation, or a field of an answer."""

    name: str
    type: str
    meaning: str
    href: str = ""  # where the type is explained
    note: str = ""


class ExampleCall(NamedTuple):
    """A request, and what this server answers."""

    address: str
    answer: str


class Operation(NamedTuple):
    """One address of the API."""

    id: str
    path: str
    title: str
    text: str
    parameters: list[DescribedField]
    answer: str  # the kind of object
    faults: list[str]
    example: ExampleCall


class Model(NamedTuple):
    """One kind of object in the answers."""

    name: str
    text: str
    fields: list[DescribedField]


@dataclass(frozen=True)
class ApiPage(Page):
    """The API explained to people."""

    template: ClassVar = "api/api.html"

    site: str  # its address
    operations: list[Operation]
    models: list[Model]
    fault: ExampleCall
    client: str  # a program that plays a game


@bp.get(addresses.API)
def api() -> Response:
    """Explain the API."""
    return respond(api_page(request.host_url.rstrip("/")))


def api_page(site: str) -> ApiPage:
    """Gather what the template writes down, for a site at this address."""
    document = current_app.extensions["openapi"]
    schemas = document["components"]["schemas"]
    return ApiPage(
        site=site,
        operations=[_operation(path, found, site) for path, found in operations(document)],
        models=[_model(name, schema) for name, schema in schemas.items()],
        fault=_example(UNREACHED, site),
        client=CLIENT.read_text(),
    )


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


def _parameter(parameter: Document) -> DescribedField:
    schema = parameter["schema"]
    field = _field(parameter["name"], schema | {"description": parameter["description"]})
    if parameter["in"] == "path":
        return field
    optional = f"{schema['default']} if left out" if "default" in schema else "optional"
    return field._replace(note="required" if parameter["required"] else optional)


def _model(name: str, schema: Document) -> Model:
    fields = [_field(field, inner) for field, inner in schema["properties"].items()]
    return Model(name, schema["description"], fields)


def _field(name: str, schema: Document) -> DescribedField:
    return DescribedField(name, type_in_words(schema), schema["description"], explained_at(schema))


def _address(path: str, parameters: list[Document]) -> str:
    """Fill the first example of each parameter into a path and its query."""
    given: dict[str, dict[str, Any]] = {"path": {}, "query": {}}
    for parameter in parameters:
        for example in parameter["schema"].get("examples", [])[:1]:
            given[parameter["in"]][parameter["name"]] = example
    return path.format(**given["path"]) + ("?" + urlencode(given["query"])) * bool(given["query"])


def _example(address: str, site: str) -> ExampleCall:
    answer = current_app.test_client().get(address, base_url=site)
    return ExampleCall(address, written(answer.json))


def written(value: Any, indent: str = "") -> str:
    """Write a JSON value with as much on a line as fits."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent + flat) <= WIDTH or not isinstance(value, dict | list):
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {written(inner, deeper)}" for key, inner in value.items()]
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    lines = ",\n".join(deeper + written(inner, deeper) for inner in value)
    return f"[\n{lines}\n{indent}]"


def type_in_words(schema: dict[str, Any]) -> str:
    """Name the type that a JSON Schema describes."""
    match schema:
        case {"$ref": str(reference)}:
            text = reference.removeprefix(COMPONENT)
        case {"anyOf": list(choices)}:
            text = " or ".join(type_in_words(choice) for choice in choices)
        case {"type": "string", "title": str(name)}:
            text = name
        case {"enum": list(names)}:
            text = " or ".join(names) if len(names) <= MANY else "name"
        case {"type": "array", "prefixItems": list(items)}:
            text = f"list of {len(items)} {type_in_words(items[0])}s"
        case {"type": "array", "items": dict(item)}:
            text = f"list of {type_in_words(item)}"
        case {"type": "object", "additionalProperties": dict(field)}:
            text = f"object, each field {type_in_words(field)}"
        case {"type": str(name), "minimum": low, "maximum": high}:
            text = f"{name}, {low} to {high}"
        case {"type": str(name), "minimum": low, "exclusiveMaximum": above}:
            text = f"{name}, {low} to {above - 1}"
        case _:
            text = schema["type"]
    return text


def explained_at(schema: dict[str, Any]) -> str:
    """Return the address that explains the type, "" if nothing has to."""
    match schema:
        case {"$ref": str(reference)}:
            return "#" + reference.removeprefix(COMPONENT)
        case {"anyOf": [dict(inner), *_]} | {"items": dict(inner)}:
            return explained_at(inner)
        case {"additionalProperties": dict(inner)}:
            return explained_at(inner)
        case {"enum": list(names)} if len(names) > MANY:
            return addresses.API_AGENTS
    return ""
