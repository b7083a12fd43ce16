"""Work of some tenths of a second that must not hold up the other requests of a worker."""

from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

from gevent import get_hub
from gevent.lock import BoundedSemaphore
from gevent.monkey import is_module_patched

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
_turn = BoundedSemaphore(
    1
)  # one at a time: the requests beside it have half of the processor


def run_beside(
    function: Callable[Parameters, Result],
    *arguments: Parameters.args,
    **options: Parameters.kwargs,
) -> Result:
    """Return what a function returns; a gevent worker calls it in a thread and answers others.

    The function must not use the request.
    """
    if not is_module_patched(
        "threading"
    ):  # a test, or a server with a thread a request
        return function(*arguments, **options)
    with _turn:
        outcome = get_hub().threadpool.apply(_call, (function, arguments, options))
    if isinstance(outcome, _Failure):
        raise outcome.error
    result: Result = outcome
    return result


class _Failure(NamedTuple):
    """The error of a function in a thread; gevent would write one that it raises into the log."""

    error: Exception


def _call(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    try:
        return function(*arguments, **options)
    except Exception as error:
        return _Failure(error)
