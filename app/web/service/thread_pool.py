"""Calls of functions in a thread, so that slow work does not delay other requests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, ParamSpec, TypeVar

from gevent import Timeout, get_hub
from gevent.lock import BoundedSemaphore
from gevent.monkey import is_module_patched

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
# Only one thread runs at a time, so that other requests still get half of the processor.
_thread_slot = BoundedSemaphore(1)


def run_in_thread_pool(
    function: Callable[Parameters, Result],
    *arguments: Parameters.args,
    **options: Parameters.kwargs,
) -> Result:
    """Call a function in a thread, while a gevent worker handles other requests, and return the result.

    The function must not use the request.
    """
    if not is_module_patched("threading"):  # in a test, or in a server with threads
        return function(*arguments, **options)
    with _thread_slot:
        outcome = get_hub().threadpool.apply(
            _call_function, (function, arguments, options)
        )
    if isinstance(outcome, _RaisedError):
        raise outcome.error
    result: Result = outcome
    return result


@contextmanager
def limit_seconds(seconds: float, error: Exception) -> Iterator[None]:
    """Raise an error in the block if it takes longer; only a gevent worker has such a limit."""
    if not is_module_patched("threading"):
        yield
        return
    with Timeout(seconds, error):
        yield


class _RaisedError(NamedTuple):
    """The error that a function raised in a thread.

    It is raised again in the calling code, because gevent would log an error in the thread.
    """

    error: Exception


def _call_function(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    try:
        return function(*arguments, **options)
    except Exception as error:
        return _RaisedError(error)
