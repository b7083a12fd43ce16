"""Read what visitors send in a separate process, which can be killed.

So a text that takes very long to read stops only its sender's request, and not the site.
"""

import atexit
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from werkzeug.exceptions import BadRequest

from app.processes import CallError, CallProcess

Result = TypeVar("Result")

READ_SECONDS = 5.0  # the time limit, far more than the largest table needs
_process = CallProcess()
atexit.register(_process.close)


def read_in_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """Return the result of a function outside `app.web`; raises its errors.

    Raises BadRequest, with a sentence, if the function takes too long or its process crashes.
    """
    try:
        return _process.call(READ_SECONDS, function, *arguments)
    except CallError:
        raise BadRequest(
            f"This could not be read within {READ_SECONDS:g} seconds."
        ) from None


@contextmanager
def limit_seconds(seconds: float, error: Exception) -> Iterator[None]:
    """Raise an error in the block if it takes longer; only a gevent worker has such a limit."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None or not monkey.is_module_patched("threading"):
        yield
        return
    from gevent import Timeout  # noqa: PLC0415 - there is no gevent on Windows

    with Timeout(seconds, error):
        yield
