"""Signals that tests send to processes that they started."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from tests.service.server import children, state, wait_until


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


@contextmanager
def held_up(parent: int) -> Iterator[None]:
    """Stop the processes that a process has started, and let them go on at the end."""
    stopped = children(parent)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    wait_until(lambda: all(state(process) == "T" for process in stopped))
    try:
        yield
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
