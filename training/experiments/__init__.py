"""Experiments that check the claims of publications: a file for each claim, and the common engine."""

import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from app.experiments import sort_claims
from app.recipes.names import suggest_word

FOLDER = Path(__file__).with_name("claims")
# The file with this name has sentences that several claims share.
SHARED = "shared"


class ClaimError(ValueError):
    """Raised for a mistake in a claim's file; the message tells its line and what would be right."""


class TomlTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The base class of all tables in the file of a claim."""


@cache
def list_claims() -> list[str]:
    """Return the ids of all claims, in the order of the site; raises ClaimError if a file is wrong."""
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
    """Raise ValueError, listing all `known` names, unless `name` is one of them."""
    if name not in known:
        right = ", ".join(known) or "none"
        raise ValueError(
            f"there is no {kind} {name!r}{suggest_word(name, known)}, only {right}"
        )
