"""The logs of the server: a JSON object for each response, written without delaying requests.

If a log file cannot be written, the reason is printed once and no request fails.
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

MAX_QUEUED_LINES = 2_000  # maximum number of lines that wait to be written
MAX_LINE_LENGTH = 1_000  # maximum number of characters of a logged value
FLUSH_SECONDS = 1.0  # longest time for writing the last lines of a process


class Logger(glogging.Logger):  # type: ignore[misc]
    """gunicorn's logger with a JSON access log; a thread writes to a terminal or pipe."""

    def setup(self, cfg: Any) -> None:
        """Open the logs, at the start and at every reload."""
        super().setup(cfg)
        for handler in self.access_log.handlers:
            handler.setFormatter(JsonFormatter([]))
        for log in (self.error_log, self.access_log):
            log.handlers = [_replace_handler(handler) for handler in log.handlers]
        # The site logs to the root logger.
        logging.getLogger().handlers = self.error_log.handlers[:]

    def access(
        self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta
    ) -> None:
        """Log one response."""
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
        for name, value in line.items():
            if isinstance(value, str):
                line[name] = value[:MAX_LINE_LENGTH]
        self.access_log.info(line)


def _replace_handler(handler: logging.Handler) -> logging.Handler:
    """Return the handler of this module that replaces a handler of gunicorn, or the handler itself."""
    if type(handler) is logging.StreamHandler:
        return QueuedHandler(handler)
    if type(handler) is logging.FileHandler:
        handler.close()
        return LogFile(handler)
    return handler


class LogFile(logging.FileHandler):
    """A handler that writes to a file; it prints an error once, until writing works again."""

    _gunicorn = True  # gunicorn opens such handlers again on USR1

    def __init__(self, handler: logging.FileHandler) -> None:
        super().__init__(handler.baseFilename)
        self.setFormatter(handler.formatter)
        self.write_error = ""  # the reason why the last line could not be written, "" if it was written

    def emit(self, record: logging.LogRecord) -> None:
        """Write a log record to the file."""
        before = self.write_error
        self.write_error = ""
        super().emit(record)
        if self.write_error and self.write_error != before:
            with suppress(OSError):
                print(
                    f"{self.baseFilename} cannot be written: {self.write_error}",
                    file=sys.stderr,
                )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Print the reason why a line could not be written, once; print other errors as tracebacks."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.write_error = error.strerror or str(error)
        else:
            super().handleError(record)


class QueuedHandler(QueueHandler):
    """A handler that queues lines for a thread; lines are dropped if the queue is full."""

    _gunicorn = True  # gunicorn opens such handlers again on USR1
    queue: "Queue[logging.LogRecord]"

    def __init__(self, handler: "logging.StreamHandler[Any]") -> None:
        super().__init__(Queue(MAX_QUEUED_LINES))
        self.setFormatter(handler.formatter)
        self.file = handler.stream.fileno()
        self.process = 0  # id of the process that runs the thread; a forked process needs its own thread

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a log record; drop it if the queue is full."""
        if self.process != os.getpid():
            self.process = os.getpid()
            self.queue = Queue(MAX_QUEUED_LINES)
            LogWriter(self.queue, self.file).start()
        if not self.queue.full():
            self.queue.put_nowait(record)

    def flush(self) -> None:
        """Wait up to FLUSH_SECONDS for queued lines: called at the end of the process."""
        if self.process == os.getpid():
            with Timeout(FLUSH_SECONDS, False):
                self.queue.join()


class LogWriter(QueueListener):
    """A thread that writes lines without a buffer, which a fork could copy."""

    def __init__(self, queue: "Queue[logging.LogRecord]", descriptor: int) -> None:
        super().__init__(queue)
        self.file = descriptor
        self.process = os.getpid()

    def handle(self, record: logging.LogRecord) -> None:
        """Write a log record in this thread, without stopping other work of the process."""
        # A forked process also continues the greenlets of its parent.
        if self.process != os.getpid():
            return
        rest = f"{record.msg}\n".encode("utf-8", "backslashreplace")
        with suppress(OSError):
            while rest:
                rest = rest[tp_write(self.file, rest) :]
