"""The OpenAPI document of the API, and the requests that it allows.

`openapi.json` has the operations and the types of their answers.  This module adds what follows
from the code: the names of the players and claims, and the types of a card and of an experiment.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from flask import current_app, request
from msgspec import Meta, ValidationError
from werkzeug.exceptions import BadRequest

from app.experiments import ClaimSummary
from app.project import PACKAGE_PREFIX
from app.recipes import ALGORITHMS, MAX_NAME_LENGTH
from app.tictactoe.card import Card
from app.web.formatting import lower_first_letter
from app.web.site_data import SiteData

# a JSON object, such as the whole description
OpenApiDocument: TypeAlias = dict[str, Any]

DOCUMENT_FILE = Path(__file__).with_name("openapi.json")
SCHEMA_PREFIX = "#/components/schemas/"
# the beginning of the names of our own modules
MODULE_PREFIX = f"{PACKAGE_PREFIX}app."
# the heading of the part of a docstring that describes the fields
ATTRIBUTES_HEADING = "\n\nAttributes:\n"
# the field that tells the kind of a figure, such as histogram or curves
FIGURE_KIND_FIELD = "type"
RECIPE_PATTERN = f"^({'|'.join(ALGORITHMS)})(,[a-z_]+=[a-z0-9.:+-]+)*"
# the names of recipes, and of the exact values of their tasks
RECIPE_SCHEMA = {
    "type": "string",
    "title": "a recipe",
    "pattern": f"{RECIPE_PATTERN}(_task)?$",
    "maxLength": MAX_NAME_LENGTH,
}
TAUGHT_RECIPE_SCHEMA = {
    "type": "string",
    "title": "a recipe with a person's games",
    "pattern": f"{RECIPE_PATTERN},taught=[0-9.]+(,[a-z_]+=[0-9.-]+)*$",
}
PYTHON_TYPES = {"integer": int, "number": float, "boolean": bool, "string": str}
# the names of limits in JSON Schema, and their names in msgspec
MSGSPEC_LIMIT_NAMES = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMaximum": "lt",
}


class Experiment(ClaimSummary, frozen=True, kw_only=True):
    """A claim with the experiment that checks it, all its numbers, and the path of its page."""

    page: Annotated[
        str,
        Meta(description="The path of the page about the agent or claim."),
    ]


def build_description(site: SiteData) -> OpenApiDocument:
    document: OpenApiDocument = msgspec.json.decode(DOCUMENT_FILE.read_bytes())
    known_names = {
        "lens": site.value_sources,
        "agent": site.agents,
        "player": site.policies,
    }
    recipes = [RECIPE_SCHEMA, TAUGHT_RECIPE_SCHEMA]
    limits: dict[str, OpenApiDocument] = {
        format: {"anyOf": [{"enum": list(names)}, *recipes]}
        for format, names in known_names.items()
    }
    limits["claim"] = {"enum": list(site.experiments)} if site.experiments else {}
    for operation in list_operations(document):
        for parameter in operation.get("parameters", ()):
            schema = parameter["schema"]
            schema |= limits.get(schema.pop("format", ""), {})
    _, schemas = msgspec.json.schema_components(
        [Card, Experiment], ref_template=SCHEMA_PREFIX + "{name}"
    )
    for struct in list_subclasses(msgspec.Struct):
        if struct.__module__.startswith(MODULE_PREFIX) and struct.__name__ in schemas:
            describe_fields(struct, schemas[struct.__name__])
    for schema in schemas.values():
        if kind := schema["properties"].get(FIGURE_KIND_FIELD):
            kind["description"] = (
                "The kind of chart: histogram, curves, grid, bars or boards."
            )
    document["components"]["schemas"] |= schemas
    return document


def list_subclasses(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for struct in base.__subclasses__():
        yield struct
        yield from list_subclasses(struct)


def describe_fields(struct: type[msgspec.Struct], schema: OpenApiDocument) -> None:
    """Move the descriptions of fields from the docstring of a class to its JSON schema."""
    encoded_names = dict(
        zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True)
    )
    # The base classes describe inherited fields.
    for base in (*struct.__bases__, struct):
        text = inspect.getdoc(base) or ""
        schema["description"], _, attributes = text.partition(ATTRIBUTES_HEADING)
        for attribute in re.split(r"\n +(?=\w+: )", attributes):
            field, _, meaning = attribute.strip().partition(": ")
            if field:
                described = schema["properties"][encoded_names[field]]
                described["description"] = " ".join(meaning.split())


def list_operations(document: OpenApiDocument) -> Iterator[OpenApiDocument]:
    """Yield the operations of an OpenAPI document, each with its path and its HTTP method."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield {**operation, "path": path, "method": method.upper()}


def find_parameters() -> list[OpenApiDocument]:
    """Return the parameters of the requested operation, [] for a page outside the API."""
    rule = re.sub(
        "<([^<>]*)>", r"{\1}", request.url_rule.rule if request.url_rule else ""
    )
    operations = current_app.extensions["openapi"]["paths"].get(rule, {})
    method = {"HEAD": "get"}.get(request.method, request.method.lower())
    parameters: list[OpenApiDocument] = operations.get(method, {}).get("parameters", [])
    return parameters


def read_parameters(path_values: OpenApiDocument | None) -> OpenApiDocument:
    """Return the parameters of the request by name, with their defaults.

    Raises BadRequest for the first value that the OpenAPI document does not allow.
    """
    values = dict(path_values or {})
    parameters = find_parameters()
    in_query = {one["name"]: one for one in parameters if one["in"] == "query"}
    unknown = [name for name in request.args if name not in in_query]
    if in_query and unknown:
        known = ", ".join(in_query)
        raise BadRequest(f"There is no parameter {unknown[0]}. Parameters: {known}.")
    for parameter in parameters:
        name, schema = parameter["name"], parameter["schema"]
        if parameter["in"] == "path":
            if not re.fullmatch(schema.get("pattern", ".*"), values[name]):
                wrong = f"{values[name]!r} in the URL is wrong."
                raise BadRequest(f"{wrong} {parameter['description']}")
        elif name in request.args:
            values[name] = _read_value(name, schema)
        elif "default" in schema:
            values[name] = schema["default"]
        elif parameter.get("required"):
            raise BadRequest(f"The parameter {name} is missing.")
    return values


def _read_value(name: str, schema: OpenApiDocument) -> Any:
    texts = request.args.getlist(name)
    if len(texts) > 1:
        raise BadRequest(f"{name} is wrong: expected one value, got {len(texts)}.")
    try:
        return msgspec.convert(texts[0], build_python_type(schema), strict=False)
    except ValidationError as error:
        what = lower_first_letter(str(error))
        raise BadRequest(f"{name} is wrong: {what}.") from None


def build_python_type(schema: OpenApiDocument) -> Any:
    """Return the Python type with which msgspec checks a parameter."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    limits = {
        MSGSPEC_LIMIT_NAMES[key]: limit
        for key, limit in schema.items()
        if key in MSGSPEC_LIMIT_NAMES
    }
    return Annotated[PYTHON_TYPES[schema["type"]], Meta(**limits)]
