"""JSON and its types, written for people."""

import json
from typing import Any

WIDTH = 170  # characters of a line: a cell of a position fits
COMPONENT = "#/components/schemas/"
MANY = 5  # names that are not worth listing in a line


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
            return "/api/v1/agents"
    return ""
