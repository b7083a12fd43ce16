"""The OpenAPI description: SpecTree reads it off the operations, and this adds what it cannot."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Annotated, Any, TypeAlias

import msgspec
from flask import Request
from spectree import Response, SpecTree
from spectree.model_adapter import get_msgspec_model_adapter
from werkzeug.exceptions import BadRequest

from app.recipes import ALGORITHMS, LONGEST
from app.tictactoe.game import Game
from app.tictactoe.moves_code import encode, lengths
from app.tictactoe.policy import best_moves
from app.web.pages.api.schema import Fault, JudgeQuery, LookQuery, MoveQuery, limits
from app.web.world import World, world

Document: TypeAlias = dict[str, Any]  # made of nothing but what JSON has

# The names of what has none of its own, by what they begin with.
COMPONENTS = {
    "BySeat_tuple": "ChancesBySeat",
    "BySeat_typing.Annotated_int": "CountsBySeat",
    "BySeat_typing.Annotated_float": "RatesBySeat",
    "ByResult_typing.Annotated_float": "Ends",
    "ByResult_typing.Optional": "Games",
}


OURS = "Api"  # before the name of a type that the site has by the same name; not in the document
TAG = "type"  # the field that tells kinds of figures apart
SETTINGS = f"^({'|'.join(ALGORITHMS)})(,[a-z_]+=[a-z0-9.:+-]+)*"
RECIPE = {
    "type": "string",
    "title": "recipe",
    "pattern": f"{SETTINGS}(_task)?$",
    "maxLength": LONGEST,
}  # of the names of recipes, and of the lenses of their tasks
TAUGHT = {
    "type": "string",
    "title": "recipe with games of a person",
    "pattern": f"{SETTINGS},taught=[0-9.]+(,[a-z_]+=[0-9.-]+)*$",
}


def refuse(request: Request, _response: Any, error: Any, _instance: Any, adapter: Any) -> None:
    """Raise BadRequest, saying what is wrong, if a request is not as it is described."""
    if error:
        fault = adapter.validation_errors(error)[0]
        where, what = ".".join(fault["loc"]) or "The query", fault["msg"]
        raise BadRequest(f"{where} is wrong: {what[0].lower()}{what[1:]}.")
    for name, text in (request.view_args or {}).items():
        allowed = limits(world().game)[name]
        try:
            msgspec.convert(text, Annotated[str, allowed])
        except msgspec.ValidationError:
            words = f"{text!r} in the address is wrong. {allowed.description}"
            raise BadRequest(words) from None


def check(_request: Any, _response: Any, error: Any, _instance: Any, _adapter: Any) -> None:
    """Raise an answer's fault, if it is not as it is described."""
    if error:
        raise error


def named(_: str, child: str) -> str:
    """Name a type that is part of another one."""
    known = next((name for prefix, name in COMPONENTS.items() if child.startswith(prefix)), child)
    return known.removeprefix(OURS)


tree = SpecTree(
    "flask",
    model_adapter=get_msgspec_model_adapter(),
    mode="strict",
    before=refuse,
    after=check,
    validation_error_status=400,
    validation_error_model=Fault,
    naming_strategy=lambda model: model.__name__.removeprefix(OURS),
    nested_naming_strategy=named,
    title="Q-Tac-Toe",
    version="1",
    description="Tic-tac-toe agents that taught themselves: their Q-values, and how they move.",
    servers=[{"url": "/", "description": "The site that serves this description."}],
)


def answer(model: type, *faults: int) -> Response:
    """Describe an operation's answer, and with which codes it fails besides 400 and 414."""
    return Response(HTTP_200=model, **{f"HTTP_{code}": Fault for code in sorted([*faults, 414])})


def describe(world: World) -> Document:
    """Write the description, with the names of all players, and what the game is."""
    document: Document = deepcopy(tree.spec)
    parts = {
        name: msgspec.json.schema(Annotated[str, allowed])
        for name, allowed in limits(world.game).items()
    }
    names = {"lens": list(world.lenses), "id": list(world.agents)}
    names |= {player: list(world.policies) for player in ("agent", "x", "o")}
    for _, operation in operations(document):
        for parameter in operation["parameters"]:
            _complete(parameter, parts, names)
            if parameter["name"] == "claim" and world.experiments:
                parameter["schema"]["enum"] = list(world.experiments)
            if parameter["name"] == "moves":
                parameter["schema"] |= _moves(world.game)
    components = document["components"]["schemas"]
    for query in (LookQuery, MoveQuery, JudgeQuery):  # told where they are used
        del components[query.__name__]
    for error in ("Fault", "Error"):  # told last
        components[error] = components.pop(error)
    for component in components.values():
        component["title"] = component["title"].removeprefix(OURS)
        _limit(component["properties"], parts["position"], world.game.cells)
    return document


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    """Go through the paths of a description and what a GET of each answers."""
    for path, methods in document["paths"].items():
        yield path, methods["get"]


def _complete(parameter: Document, parts: dict[str, Document], names: dict[str, list[str]]) -> None:
    """Add what is allowed in a part of a path, and who can be named: a player, or a recipe."""
    name, schema = parameter["name"], parameter["schema"]
    if parameter["in"] == "path":
        schema |= parts[name]
    parameter["description"] = schema.pop("description")
    if name in names:
        schema["anyOf"] = [{"enum": names[name]}, RECIPE, TAUGHT]


def _moves(game: Game) -> Document:
    """Say what the code of moves looks like; the example is that of optimal play."""
    kinds = [f"[A-Za-z0-9_-]{{{length}}}" for length in lengths(game)]
    return {"pattern": f"^({'|'.join(kinds)})$", "examples": [encode(game, best_moves(game))]}


def _limit(fields: Document, position: Document, cells: int) -> None:
    """Add to the fields of an answer what follows from the game."""
    for name, schema in fields.items():
        if name == TAG:
            schema.setdefault("description", "Which kind it is.")
        if name == "cell":
            schema["maximum"] = cells - 1
        if name in ("position", "symmetry_class"):
            schema |= {key: position[key] for key in ("pattern", "maxLength")}
