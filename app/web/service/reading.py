"""Reads what visitors send in another process, which is stopped if it takes too long.

So a text that takes very long to read blocks only its sender, not the site.
"""

import atexit
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from werkzeug.exceptions import BadRequest

from app.processes import CallError, CallProcess

Result = TypeVar("Result")

READ_SECONDS = 5.0
_process = CallProcess()
atexit.register(_process.close)


def read_in_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function in the other process, and return its result or raise its error.

    The function must not be in `app.web`. Raises BadRequest if it takes too long or the process
    crashes.
    """
    try:
        return _process.call(READ_SECONDS, function, *arguments)
    except CallError:
        raise BadRequest(
            f"This could not be read within {READ_SECONDS:g} seconds."
        ) from None


@contextmanager
def limit_seconds(seconds: float, error: Exception) -> Iterator[None]:
    """Raise `error` in the block if it takes longer; without gevent there is no limit."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None or not monkey.is_module_patched("threading"):
        yield
        return
    from gevent import Timeout  # noqa: PLC0415 - there is no gevent on Windows

    with Timeout(seconds, error):
        yield
