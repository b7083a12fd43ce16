"""The description of the API: an OpenAPI document, made by SpecTree, and a page for people."""

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from http import HTTPStatus
from typing import Any, ClassVar, NamedTuple, TypeAlias
from urllib.parse import urlencode

import msgspec
from flask import Request, current_app, request
from flask import Response as Answer
from spectree import Response, SpecTree
from spectree.model_adapter import get_msgspec_model_adapter
from werkzeug.exceptions import BadRequest

from app.project import ROOT
from app.recipes import ALGORITHMS, MAX_NAME_LENGTH
from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import find_best_moves
from app.tictactoe.policy_codec import encode_moves, get_code_lengths
from app.web.formatting import lower_first_letter
from app.web.links.api import API, API_AGENTS, API_JUDGE, API_POSITION
from app.web.navigation import PageBlueprint
from app.web.pages.api.schema import (
    PATH_PARTS,
    Error,
    JudgeQuery,
    LookQuery,
    MoveQuery,
    Problem,
    TableQuery,
)
from app.web.rendering import Page, render_page
from app.web.service.errors import PROBLEM_MIMETYPE
from app.web.site_data import SiteData, get_current_site
from app.web.translation import gettext_noop

Document: TypeAlias = dict[str, Any]  # a JSON object
JsonValue: TypeAlias = Any  # a JSON object, list, text, number, boolean or null

JSON_MIMETYPE = "application/json"
# prefix of class names of the API, which the OpenAPI document leaves out
API_TAG = "Api"
TAGS_KEY = "type"  # the field that distinguishes kinds of figures
RECIPE_PATTERN = f"^({'|'.join(ALGORITHMS)})(,[a-z_]+=[a-z0-9.:+-]+)*"
# matches names of recipes, and of value sources of their training tasks
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


def reject_invalid_request(
    request: Request, _response: Any, error: Any, _instance: Any, adapter: Any
) -> None:
    """Raise BadRequest with a sentence for a request that breaks its description."""
    if error:
        fault = adapter.validation_errors(error)[0]
        where = ".".join(fault["loc"]) or "The query"
        what = fault["msg"]
        raise BadRequest(f"{where} is wrong: {lower_first_letter(what)}.")
    for name, text in (request.view_args or {}).items():
        schema = build_path_schema(name, list_game_formats(get_current_site().game))
        if "pattern" in schema and not re.fullmatch(schema["pattern"], text):
            words = f"{text!r} in the URL is wrong. {schema['description']}"
            raise BadRequest(words)


def raise_invalid_answer(
    _request: Any, _response: Any, error: Any, _instance: Any, _adapter: Any
) -> None:
    """Raise the validation error of an answer that breaks its description."""
    if error:
        raise error


tree = SpecTree(
    "flask",
    model_adapter=get_msgspec_model_adapter(),
    mode="strict",
    before=reject_invalid_request,
    after=raise_invalid_answer,
    validation_error_status=400,
    validation_error_model=Problem,
    naming_strategy=lambda model: model.__name__.removeprefix(API_TAG),
    nested_naming_strategy=lambda _parent, child: child.removeprefix(API_TAG),
    title="Q-Tac-Toe",
    version="1",
    description="Tic-tac-toe agents that taught themselves: their Q-values and their moves.",
    servers=[{"url": "/", "description": "The site that serves this description."}],
)


def describe_responses(model: type, *faults: int) -> Response:
    """Return the responses of an operation: `model`, the problems 400 and 414, and `faults`."""
    return Response(
        HTTP_200=model, **{f"HTTP_{code}": Problem for code in sorted([*faults, 414])}
    )


def build_description(site: SiteData) -> Document:
    """Return the OpenAPI description for this game and its players."""
    document: Document = deepcopy(tree.spec)
    formats = {**list_game_formats(site.game), **list_player_formats(site)}
    for one in list_operations(document):
        for parameter in one.operation["parameters"]:
            if parameter["in"] == "path":
                parameter["schema"] = build_path_schema(parameter["name"], formats)
            fill_formats(parameter["schema"], formats)
            parameter["description"] = parameter["schema"].pop("description")
        for status, response in one.operation["responses"].items():
            if status != "200":
                response["content"] = {
                    PROBLEM_MIMETYPE: response["content"][JSON_MIMETYPE]
                }
    document["paths"][API_JUDGE.url()]["post"]["requestBody"] = TABLE_REQUEST_BODY
    components = document["components"]["schemas"]
    shown_as_parameters = (LookQuery, MoveQuery, JudgeQuery, TableQuery)
    for query in shown_as_parameters:
        del components[query.__name__]
    for error in (Problem.__name__, Error.__name__):  # shown last
        components[error] = components.pop(error)
    fill_formats(components, formats)
    for component in components.values():
        component["title"] = component["title"].removeprefix(API_TAG)
        if TAGS_KEY in component["properties"]:
            component["properties"][TAGS_KEY].setdefault(
                "description",
                "The kind of chart: histogram, curves, grid, bars or boards.",
            )
    return document


class Operation(NamedTuple):
    """An operation of the API: a method at a path."""

    path: str
    method: str  # HTTP method in lower case
    operation: Document

    @property
    def title(self) -> str:
        """The method and the path."""
        return f"{self.method.upper()} {self.path}"


def list_operations(document: Document) -> list[Operation]:
    """List the operations (path and method) of an OpenAPI description."""
    return [
        Operation(path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


@lru_cache(maxsize=2)
def list_game_formats(game: Game) -> Mapping[str, Document]:
    """Return the JSON Schema of each format that depends on the size of the board."""
    cells = DIGITS[: game.cells]
    codes = [f"[A-Za-z0-9_-]{{{length}}}" for length in get_code_lengths(game)]
    return {
        "cell": {"maximum": game.cells - 1},
        "position": {
            "description": "A position: one character for each cell in "
            "reading order, X, O or '.' (empty).",
            "pattern": f"^[XO.]{{{game.cells}}}$",
            "maxLength": game.cells,
        },
        "record": {
            "description": "A game: the numbers of the cells in the order of the moves; cells are "
            f"numbered {cells[0]} to {cells[-1]} in reading order.",
            "pattern": f"^[{cells}]{{1,{game.cells}}}$",
            "maxLength": game.cells,
        },
        "moves": {
            "pattern": f"^({'|'.join(codes)})$",
            "examples": [encode_moves(game, find_best_moves(game))],  # optimal play
        },
    }


def list_player_formats(site: SiteData) -> Mapping[str, Document]:
    """Return a JSON Schema of valid names for each format: known names, and recipes."""
    names = {"lens": site.value_sources, "agent": site.agents, "player": site.policies}
    formats: dict[str, Document] = {
        format: {"anyOf": [{"enum": list(known)}, RECIPE_SCHEMA, TAUGHT_RECIPE_SCHEMA]}
        for format, known in names.items()
    }
    return formats | {
        "claim": {"enum": list(site.experiments)} if site.experiments else {}
    }


def build_path_schema(part_name: str, formats: Mapping[str, Document]) -> Document:
    """Return the JSON Schema of a part of a path, by its name, with the limits of its format."""
    schema = msgspec.json.schema(PATH_PARTS[part_name])
    fill_formats(schema, formats)
    return schema


def fill_formats(schema: JsonValue, formats: Mapping[str, Document]) -> None:
    """Replace the placeholders of `mark_format` in a JSON value by their limits, at any depth.

    `schema` is changed in place. Other formats, descriptions and existing limits stay.
    """
    if isinstance(schema, dict):
        if schema.get("format") in formats:
            for key, limit in formats[schema.pop("format")].items():
                schema.setdefault(key, limit)
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            fill_formats(inner, formats)


CLIENT_FILE = ROOT / "docs" / "play_over_http.py"
EXAMPLE_TABLE = '{"....X....": 0, "X...O....": 8}'
TABLE_REQUEST_BODY = {
    "required": True,
    "description": "The table, or a form with the table in a field.",
    "content": {
        "application/octet-stream": {
            "schema": {"type": "string", "contentMediaType": "application/octet-stream"}
        },
        JSON_MIMETYPE: {"schema": {}},
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {"file": {"type": "string"}, "table": {"type": "string"}},
            }
        },
    },
}
UNREACHABLE_EXAMPLE = API_POSITION.url("XXX......")  # no game leads there
MAX_LINE_LENGTH = (
    170  # maximum number of characters of a line: a cell of a position fits
)
# maximum number of characters of a text in an example: most URLs fit
MAX_TEXT_LENGTH = 160
SCHEMA_PREFIX = "#/components/schemas/"
MAX_LISTED_ITEMS = 6  # maximum number of names in a line

bp = PageBlueprint("api", __name__)
bp.add_room("Research", "api", gettext_noop("API"), API.url)


class RequestExample(NamedTuple):
    """A request to the API and the response of this site."""

    url: str
    sent_table: str  # table in the body, "" for GET
    answer: str  # the JSON of the response, with long texts shortened


class ApiPage(Page, frozen=True):
    """The page that explains the API, made from its description."""

    template: ClassVar = "api/api.html"

    site_url: str  # URL of this site
    operations: list[tuple[Operation, RequestExample]]
    schemas: Mapping[str, Document]  # objects in the answers, by name
    error_example: RequestExample
    status_phrases: Mapping[str, str]  # HTTP status code -> phrase
    client_source: str  # the source of a program that plays a game


@bp.get(API)
def show_api() -> Answer:
    """Explain the API."""
    document = current_app.extensions["openapi"]
    base_url = request.host_url.rstrip("/")
    page = ApiPage(
        site_url=base_url,
        operations=[
            (one, _request_operation(one, base_url))
            for one in list_operations(document)
        ],
        schemas=document["components"]["schemas"],
        error_example=_request_example(UNREACHABLE_EXAMPLE, base_url),
        status_phrases={str(status.value): status.phrase for status in HTTPStatus},
        client_source=CLIENT_FILE.read_text(),
    )
    return render_page(page)


def _request_operation(operation: Operation, base_url: str) -> RequestExample:
    is_post = operation.method == "post"
    parameters = [] if is_post else operation.operation["parameters"]
    return _request_example(
        _build_url(operation.path, parameters),
        base_url,
        EXAMPLE_TABLE if is_post else "",
    )


def _build_url(path: str, parameters: list[Document]) -> str:
    """Return a URL of a path, with the first example of each parameter filled in."""
    parameter_values: dict[str, dict[str, Any]] = {"path": {}, "query": {}}
    for parameter in parameters:
        for example in parameter["schema"].get("examples", [])[:1]:
            parameter_values[parameter["in"]][parameter["name"]] = example
    url = path.format(**parameter_values["path"])
    query = urlencode(parameter_values["query"])
    return f"{url}?{query}" if query else url


def _request_example(url: str, base_url: str, table: str = "") -> RequestExample:
    """Return an example request and its response: POST with a table, else GET."""
    client = current_app.test_client()
    form = {"table": table}
    answer = (
        client.post(
            url, base_url=base_url, data=form, content_type="multipart/form-data"
        )
        if table
        else client.get(url, base_url=base_url)
    )
    return RequestExample(url, table, format_json(shorten_texts(answer.json)))


def shorten_texts(json_value: JsonValue) -> JsonValue:
    """Return a JSON value with the middle of every long text replaced by an ellipsis."""
    if isinstance(json_value, dict):
        return {key: shorten_texts(inner) for key, inner in json_value.items()}
    if isinstance(json_value, list):
        return [shorten_texts(inner) for inner in json_value]
    if isinstance(json_value, str) and len(json_value) > MAX_TEXT_LENGTH:
        return f"{json_value[:24]}\N{HORIZONTAL ELLIPSIS}{json_value[-12:]}"
    return json_value


def format_json(json_value: JsonValue, indent: str = "") -> str:
    """Return a JSON value as text, broken into lines only where it does not fit."""
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
def describe_type(schema: Document) -> tuple[str, str]:
    """Return the name of a JSON Schema's type, and a link to its explanation, or ""."""
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
            link = API_AGENTS.url()
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
            text = f"list of {_pluralize(text)}"
        case {"type": "object", "additionalProperties": dict(field)}:
            text, link = describe_type(field)
            text = f"object with fields of type {text}"
        case {"type": str(name), "minimum": low, "maximum": high}:
            text = f"{name} from {low} to {high}"
        case {"type": str(name), "minimum": low, "exclusiveMaximum": above}:
            text = f"{name} from {low} to {above - 1}"
        case _:
            text = schema["type"]
    return text, link


def _pluralize(type_name: str) -> str:
    """Return a type in the plural: "strings", "numbers from 0 to 1", "Summary objects"."""
    word = r"\b(string|integer|number|boolean|object|list)\b"
    return re.sub(word, r"\1s", type_name)


def _join_choices(choices: Sequence[str]) -> str:
    """Return alternatives as text: "X, O or null"."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last
