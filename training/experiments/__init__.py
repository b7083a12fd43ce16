"""Experiments that check claims: a file for each claim, and the engine that runs them."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from app.experiments import sort_claims

FOLDER = Path(__file__).with_name("claims")
SHARED = "shared"  # the name of the file with the sentences that several claims share


class ClaimError(ValueError):
    """What is wrong in the file of a claim, with its line, and what would be right."""


@cache
def list_claims() -> list[str]:
    """Return the ids of all claims, in the order of the site; raises ClaimError for a broken file."""
    return sort_claims(
        {
            path.stem: read_table(path).get("sources", [""])[0]
            for path in FOLDER.glob("*.toml")
            if path.stem != SHARED
        }
    )


def read_table(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; raises ClaimError if it is none."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ClaimError(f"{path}: {error}") from error
