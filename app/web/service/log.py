"""The logs of the server: one JSON object a line of the access log, and none that is waited for.

A log file that cannot be written costs a line of standard error, and no request.
"""

import logging
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from logging.handlers import QueueHandler, QueueListener
from queue import Queue
from typing import Any

from gevent import Timeout
from gevent.os import tp_write
from gunicorn import glogging
from pythonjsonlogger.json import JsonFormatter

LINES = 2_000  # that wait to be written
LONGEST = 1_000  # characters of one value
FLUSH_SECONDS = 1.0  # at the end of a process


class Logger(glogging.Logger):  # type: ignore[misc]
    """gunicorn's logs, the one of all answers in JSON; a terminal or a pipe has its own thread."""

    def setup(self, cfg: Any) -> None:
        """Open the logs, at the start and at every reload."""
        super().setup(cfg)
        for handler in self.access_log.handlers:
            handler.setFormatter(JsonFormatter([]))
        for log in (self.error_log, self.access_log):
            log.handlers = [_replace_handler(handler) for handler in log.handlers]
        logging.getLogger().handlers = self.error_log.handlers[:]  # of the site itself

    def access(
        self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta
    ) -> None:
        """Write down one answer."""
        if not self.access_log_enabled:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "id": environ.get("HTTP_X_REQUEST_ID"),
            "from": environ.get("REMOTE_ADDR"),
            "method": environ["REQUEST_METHOD"],
            "path": environ.get("PATH_INFO", ""),
            "query": environ["QUERY_STRING"],
            "status": int(str(resp.status).split()[0]),
            "bytes": resp.sent,
            "microseconds": request_time // timedelta(microseconds=1),
            "agent": environ.get("HTTP_USER_AGENT"),
        }
        self.access_log.info(
            {name: v[:LONGEST] if isinstance(v, str) else v for name, v in line.items()}
        )


def _replace_handler(handler: logging.Handler) -> logging.Handler:
    """Return our handler in place of one of gunicorn's, or another one as it is."""
    if type(handler) is logging.StreamHandler:
        return Queued(handler)
    if type(handler) is logging.FileHandler:
        handler.close()
        return LogFile(handler)
    return handler


class LogFile(logging.FileHandler):
    """Writes to a file; why it cannot is said once, until it can again."""

    _gunicorn = True  # by which gunicorn knows the handlers that it opens anew

    def __init__(self, handler: logging.FileHandler) -> None:
        super().__init__(handler.baseFilename)
        self.setFormatter(handler.formatter)
        self.fault = ""  # why the last line could not be written

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        before, self.fault = self.fault, ""
        super().emit(record)
        if self.fault and self.fault != before:
            with suppress(OSError):
                print(
                    f"{self.baseFilename} cannot be written: {self.fault}",
                    file=sys.stderr,
                )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Remember why a line could not be written; any other fault is a traceback as usual."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.fault = error.strerror or str(error)
        else:
            super().handleError(record)


class Queued(QueueHandler):
    """Hands lines on to be written: if nothing reads them they are lost, and not waited for."""

    _gunicorn = True  # by which it knows the handlers that it opens anew
    queue: "Queue[logging.LogRecord]"

    def __init__(self, handler: "logging.StreamHandler[Any]") -> None:
        super().__init__(Queue(LINES))
        self.setFormatter(handler.formatter)
        self.file = handler.stream.fileno()
        self.process = 0  # that has a thread for them: no fork inherits it

    def enqueue(self, record: logging.LogRecord) -> None:
        """Hand on one line, if there is room."""
        if self.process != os.getpid():
            self.process, self.queue = os.getpid(), Queue(LINES)
            Writer(self.queue, self.file).start()
        if not self.queue.full():
            self.queue.put_nowait(record)

    def flush(self) -> None:
        """Wait a moment for the lines to be written: at the end of the process."""
        if self.process == os.getpid():
            with Timeout(FLUSH_SECONDS, False):
                self.queue.join()


class Writer(QueueListener):
    """Writes lines, past every buffer that a fork could copy."""

    def __init__(self, queue: "Queue[logging.LogRecord]", file: int) -> None:
        super().__init__(queue)
        self.file, self.process = file, os.getpid()

    def handle(self, record: logging.LogRecord) -> None:
        """Write one line, while the process goes on with other work."""
        if (
            self.process != os.getpid()
        ):  # a fork goes on with the greenlets of its parent
            return
        rest = f"{record.msg}\n".encode("utf-8", "backslashreplace")
        with suppress(OSError):
            while rest:
                rest = rest[tp_write(self.file, rest) :]
