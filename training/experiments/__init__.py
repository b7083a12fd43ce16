"""Experiments that check claims: a file for each claim, and the engine that runs them."""

import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from app.experiments import sort_claims
from app.recipes.names import suggest_word

FOLDER = Path(__file__).with_name("claims")
SHARED = "shared"  # the name of the file with the sentences that several claims share


class ClaimError(ValueError):
    """What is wrong in the file of a claim, with its line, and what would be right."""


class TomlTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base class of the tables in the file of a claim."""


@cache
def list_claims() -> list[str]:
    """Return the ids of all claims, in the order of the site; raises ClaimError for a broken file."""
    return sort_claims(
        {
            path.stem: read_toml(path).get("sources", [""])[0]
            for path in FOLDER.glob("*.toml")
            if path.stem != SHARED
        }
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raises ClaimError if the file is not valid TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ClaimError(f"{path}: {error}") from error


def check_name(kind: str, name: str, known: Collection[str]) -> None:
    """Raise ValueError, with all `known` names, if `name` is none of them."""
    if name not in known:
        right = ", ".join(known) or "none"
        raise ValueError(
            f"there is no {kind} {name!r}{suggest_word(name, known)}, only {right}"
        )
