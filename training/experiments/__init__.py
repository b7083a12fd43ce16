"""Experiments that check the claims of publications by training agents.

Each claim has a TOML file in `claims/`, which says what to train and what to compare. `engine.py`
runs all of them.
"""

import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from app.experiments import sort_claims
from app.recipes.names import suggest_word

CLAIMS_FOLDER = Path(__file__).with_name("claims")
# shared.toml has no claim, but sentences that several claims use.
SHARED_SENTENCES_FILE = "shared"


class ClaimError(ValueError):
    """Raised for a mistake in a claim's file; the message says where it is and what would be valid."""


class TomlTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The base class of all tables in a claim's TOML file."""


@cache
def list_claims() -> list[str]:
    """Return the ids of all claims in the order of the page /experiments.

    Raises ClaimError if a file is not valid TOML.
    """
    return sort_claims(
        {
            path.stem: read_toml(path).get("sources", [""])[0]
            for path in CLAIMS_FOLDER.glob("*.toml")
            if path.stem != SHARED_SENTENCES_FILE
        }
    )


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ClaimError(f"{path}: {error}") from error


def check_name(kind: str, name: str, known: Collection[str]) -> None:
    """Raise ValueError, with a list of the known names, if `name` is not one of them.

    `kind` says in the message what the name is for, such as "function".
    """
    if name not in known:
        right = ", ".join(known) or "none"
        raise ValueError(
            f"there is no {kind} {name!r}{suggest_word(name, known)}, only {right}"
        )
