"""Signals that a test sends to processes of its own."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heeding(number: signal.Signals) -> Iterator[None]:
    """Have what is started within heed a signal, whatever this process does.

    A shell lets what runs in its background ignore Ctrl-C, and a child inherits that.
    """
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)
