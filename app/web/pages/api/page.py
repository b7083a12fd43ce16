"""The page that explains the API: its types, and its operations with an example of each."""

import json
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlencode

from flask import Response, current_app, request

from app.project import ROOT
from app.web.links.api import API_AGENTS_ROUTE, API_POSITION_ROUTE, API_ROUTE
from app.web.navigation import PageBlueprint
from app.web.pages.api.description import (
    SCHEMA_PREFIX,
    OpenApiDocument,
    list_operations,
)
from app.web.rendering import render_page
from app.web.translation import gettext_noop

# a JSON object, list, text, number, boolean or null
JsonValue: TypeAlias = Any

EXAMPLE_CLIENT_FILE = ROOT / "docs" / "play_over_http.py"
EXAMPLE_TABLE = '{"....X....": 0, "X...O....": 8}'
# No game leads to this position, so the API answers with an error.
UNREACHABLE_EXAMPLE = API_POSITION_ROUTE.url("XXX......")
# The JSON of one cell of a position fits in a line of this length.
MAX_LINE_LENGTH = 170
# Most URLs in examples are shorter than this.
MAX_EXAMPLE_TEXT_LENGTH = 160
# A longer enumeration is called "a name".
MAX_LISTED_ITEMS = 6

bp = PageBlueprint("api", __name__)
bp.add_menu_page("Research", "api", gettext_noop("API"), API_ROUTE.url)


@bp.get(API_ROUTE)
def show_api() -> Response:
    document = current_app.extensions["openapi"]
    operations = list_operations(document)
    return render_page(
        "api/api.html",
        site_url=request.host_url.rstrip("/"),
        operations=[{**one, "example": _request_operation(one)} for one in operations],
        schemas=document["components"]["schemas"],
        error_example=_request_example(UNREACHABLE_EXAMPLE),
        status_phrases={str(status.value): status.phrase for status in HTTPStatus},
        client_source=EXAMPLE_CLIENT_FILE.read_text(),
    )


def _request_operation(operation: OpenApiDocument) -> OpenApiDocument:
    if operation["method"] == "POST":
        return _request_example(operation["path"], EXAMPLE_TABLE)
    values: dict[str, dict[str, Any]] = {"path": {}, "query": {}}
    for parameter in operation.get("parameters", ()):
        for example in parameter["schema"].get("examples", [])[:1]:
            values[parameter["in"]][parameter["name"]] = example
    url = operation["path"].format(**values["path"])
    query = urlencode(values["query"])
    return _request_example(f"{url}?{query}" if query else url)


def _request_example(url: str, table: str = "") -> OpenApiDocument:
    client = current_app.test_client()
    base_url = request.host_url.rstrip("/")
    if table:
        form = {"table": table}
        answer = client.post(
            url, base_url=base_url, data=form, content_type="multipart/form-data"
        )
    else:
        answer = client.get(url, base_url=base_url)
    shown = format_json(shorten_texts(answer.json))
    return {"url": url, "sent_table": table, "answer": shown}


def shorten_texts(json_value: JsonValue) -> JsonValue:
    """Replace the middle of every long text in a JSON value by an ellipsis."""
    if isinstance(json_value, dict):
        return {key: shorten_texts(inner) for key, inner in json_value.items()}
    if isinstance(json_value, list):
        return [shorten_texts(inner) for inner in json_value]
    if isinstance(json_value, str) and len(json_value) > MAX_EXAMPLE_TEXT_LENGTH:
        return f"{json_value[:24]}\N{HORIZONTAL ELLIPSIS}{json_value[-12:]}"
    return json_value


def format_json(json_value: JsonValue, indent: str = "") -> str:
    """Return a JSON value as text, with line breaks only where it does not fit in a line."""
    flat = json.dumps(json_value, ensure_ascii=False)
    if len(indent + flat) <= MAX_LINE_LENGTH or not isinstance(json_value, dict | list):
        return flat
    deeper = indent + "  "
    if isinstance(json_value, dict):
        parts = [
            f"{json.dumps(key)}: {format_json(inner, deeper)}"
            for key, inner in json_value.items()
        ]
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    lines = ",\n".join(deeper + format_json(inner, deeper) for inner in json_value)
    return f"[\n{lines}\n{indent}]"


@bp.app_template_global()
def describe_type(schema: OpenApiDocument) -> tuple[str, str]:
    """Return a JSON Schema's type in words, and a link to its explanation or ""."""
    link = ""
    match schema:
        case {"$ref": str(reference)}:
            name = reference.removeprefix(SCHEMA_PREFIX)
            text = f"{name} object"
            link = f"#{name}"
        case {"anyOf": list(choices)}:
            names, places = zip(*map(describe_type, choices), strict=True)
            enumerations = [
                name if " of " in name else name.replace(" or ", ", ") for name in names
            ]
            text = _join_choices(enumerations)
            link = places[0]
        case {"type": "string", "title": str(name)}:
            text = name
        case {"enum": list(names)} if len(names) > MAX_LISTED_ITEMS:
            text = "a name"
            link = API_AGENTS_ROUTE.url()
        case {"enum": list(names)}:
            text = _join_choices([name or "an empty text" for name in names])
        case {
            "type": "array",
            "items": dict(item),
            "minItems": least,
            "maxItems": most,
        } if least == most:
            text = f"list of {most} values ({describe_type(item)[0]})"
        case {"type": "array", "items": dict(item)}:
            text, link = describe_type(item)
            text = f"list of {_pluralize(text)}".replace(" or null", " and nulls")
        case {"type": "object", "additionalProperties": dict(field)}:
            text, link = describe_type(field)
            text = f"object whose fields are {_pluralize(text)}"
        case {"type": str(name), "minimum": low, "maximum": high}:
            text = f"{name} from {low} to {high}"
        case {"type": str(name), "minimum": low, "exclusiveMaximum": above}:
            text = f"{name} from {low} to {above - 1}"
        case _:
            text = schema["type"]
    return text, link


def _pluralize(type_name: str) -> str:
    word = r"\b(string|integer|number|boolean|object|list)\b"
    return re.sub(word, r"\1s", type_name)


def _join_choices(choices: Sequence[str]) -> str:
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last
