"""Call functions in another process, which can be killed; it runs `python -m app.processes`.

If a call crashes, hangs or is killed, only its own answer is lost: the next call starts a new
process. A process ends when its standard input closes, so it also ends when its parent is killed.
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

from app.project import PREFIX, ROOT

START_SECONDS = 30.0  # On a busy machine a process may need so long to start.
IDLE_SECONDS = 600.0  # A process that gets no call for so long ends.
NICENESS = 5  # The server of the pages has a higher priority.

Result = TypeVar("Result")
Call = tuple[Callable[..., Any], tuple[Any, ...]]


class CallError(Exception):
    """Raised if the process was killed, crashed, or exceeded the time limit of a call."""


class CallProcess:
    """A process for one call at a time, which the first call starts."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()  # It is held during a call.

    def call(
        self, seconds: float, function: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Call a function of a module in the process, and return its result within some seconds.

        Raises CallError if the process fails or needs too long. If the function raises an error,
        raises the same error, with the traceback of the process as a note.
        """
        with self._lock:
            if not self._process or self._process.poll() is not None:
                # The time limit of the call does not include the start of the process.
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
        # Killing works even if the process is suspended, and it closes the pipe that is read here.
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
        """Kill the process, if there is one."""
        if self._process:
            process, self._process = self._process, None
            process.kill()
            with suppress(OSError):
                process.communicate()


def load_module(name: str) -> None:
    """Import a module before the first call, whose time limit does not include this."""
    import_module(name)


def call_by_name(module: str, name: str, *arguments: Any) -> Any:
    """Call a function by name, so that only the other process imports its module."""
    return getattr(import_module(f"{PREFIX}{module}"), name)(*arguments)


def _start_process() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", __name__],
        cwd=None if PREFIX else ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # In a group of its own it gets no Ctrl-C: this goes to the server, which ends the process.
        process_group=None if sys.platform == "win32" else 0,
    )


def main() -> None:
    """Answer calls from the standard input until it closes or no call comes for ten minutes."""
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # What a function prints must not be taken for an answer.
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
    """Read calls; when the parent has ended, end this process, even during a call."""
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
