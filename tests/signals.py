"""Signals that tests send to processes that they started."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heeding(number: signal.Signals) -> Iterator[None]:
    """Reset a signal's handler, so that processes started in the context react to it.

    A shell makes its background jobs ignore Ctrl-C, and children inherit this.
    """
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)
