"""Call functions in another process, which can be killed.

If a call crashes, hangs or is killed, only its own answer is lost: the next call starts a new
process, by `python -m app.processes`. A process ends when its standard input closes, so it also
ends when its parent is killed.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from queue import Empty, SimpleQueue
from threading import Lock, Thread, Timer
from traceback import format_exc
from typing import Any, BinaryIO, TypeVar

from app.project import PACKAGE_PREFIX, ROOT

# A process needs this time to start only on a very busy machine.
START_SECONDS = 30.0
IDLE_SECONDS = 600.0
# Pages must stay quick while a call computes.
NICENESS = 5

Result = TypeVar("Result")
Call = tuple[Callable[..., Any], tuple[Any, ...]]


class CallError(Exception):
    """Raised if the process was killed, crashed, or exceeded the time limit of a call."""


class CallProcess:
    """A process that answers one call at a time, and starts at the first call."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._call_lock = Lock()

    def call(
        self, seconds: float, function: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Call a function of a module in the process, and return its result.

        Raises CallError if the process fails, or needs more than these seconds. An error of the
        function is raised here, too, with the traceback of the process as a note.
        """
        with self._call_lock:
            if not self._process or self._process.poll() is not None:
                # A start takes much longer than most calls, so it has its own time limit.
                self.close()
                self._process = _start_process()
                self._send(START_SECONDS, (load_module, (function.__module__,)))
            error, result = self._send(seconds, (function, arguments))
        if error:
            raise error
        return result  # type: ignore[no-any-return]

    def _send(self, seconds: float, call: Call) -> tuple[Exception | None, Any]:
        process = self._process
        assert process
        assert process.stdin
        assert process.stdout
        # Killing ends even a suspended process, and closes the pipe, so that reading it fails at once.
        limit = Timer(seconds, process.kill)
        limit.start()
        try:
            pickle.dump(call, process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)  # type: ignore[no-any-return]
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            raise CallError(f"{call[0].__name__}: the process has ended") from error
        finally:
            limit.cancel()

    def close(self) -> None:
        if self._process:
            process, self._process = self._process, None
            process.kill()
            with suppress(OSError):
                process.communicate()


def load_module(name: str) -> None:
    """Import a module in advance, so that a later call need not wait for it."""
    import_module(name)


def call_by_name(module: str, name: str, *arguments: Any) -> Any:
    """Import a module and call its function, so that the caller need not import the module."""
    return getattr(import_module(f"{PACKAGE_PREFIX}{module}"), name)(*arguments)


def _start_process() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", __name__],
        cwd=None if PACKAGE_PREFIX else ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C goes to all processes of a group. The server gets it alone, and ends this process.
        process_group=None if sys.platform == "win32" else 0,
    )


def main() -> None:
    """Answer calls from the standard input until it closes, or until it is idle for ten minutes."""
    answers = sys.stdout.buffer
    # What a function prints must not be taken for an answer.
    sys.stdout = sys.stderr
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    calls: SimpleQueue[Call] = SimpleQueue()
    Thread(target=_read_calls, args=(sys.stdin.buffer, calls), daemon=True).start()
    with suppress(Empty):
        while True:
            function, arguments = calls.get(timeout=IDLE_SECONDS)
            pickle.dump(_answer(function, arguments), answers)
            answers.flush()


def _read_calls(source: BinaryIO, calls: "SimpleQueue[Call]") -> None:
    with suppress(EOFError):
        while True:
            calls.put(pickle.load(source))
    os._exit(0)


def _answer(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[Exception | None, Any]:
    try:
        return None, function(*arguments)
    except Exception as error:
        error.add_note(format_exc())
        return error, None


if __name__ == "__main__":
    main()
