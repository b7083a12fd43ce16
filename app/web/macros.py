"""Parts of pages that are the same again and again, written once."""

from collections.abc import Hashable
from functools import lru_cache

from flask import Flask, get_template_attribute

KEPT = 512  # parts, most of them below 3 KB


def init_app(app: Flask) -> None:
    """Let templates call `once(macro, ...)` for a macro of _controls.html."""
    app.add_template_global(once, "once")


@lru_cache(maxsize=KEPT)
def once(macro: str, *facts: Hashable) -> str:
    """Return what a macro makes of facts, and remember it: a list of players takes a while."""
    written: str = get_template_attribute("_controls.html", macro)(*facts)
    return written
