"""What gunicorn does otherwise for this site: how it waits for clients, and how it writes its log.

gunicorn gives each connection a thread as soon as it is there, and waits for each client to hang
up in the one loop that takes the next connection: a few hundred clients who are slow, or who stay,
keep everybody else out.  Here the loop itself waits, for all of them at once and never for one; a
thread only meets requests whose head is whole.  TLS is for a proxy in front.
"""

import errno
import json
import logging
import os
import re
import select
import selectors
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from queue import Empty, Full, Queue
from typing import Any

from gunicorn import glogging
from gunicorn.http.errors import (
    ExpectationFailed,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.workers.gthread import TConn, ThreadWorker
from werkzeug.test import create_environ
from werkzeug.wrappers import Response

from app.web.service.errors import API, REFUSED

HEAD_SECONDS = 10.0  # until the head of a request is whole
BODY_SECONDS = 0.2  # for the rest of a body that nobody has asked for
SEND_SECONDS = 5.0  # in which a client takes nothing of its answer
SEND_BUFFER = 1 << 18  # bytes that the system takes from us for a slow one: more than any page has
STAY_SECONDS = 2.0  # for a client to hang up after its last answer, or while the worker ends
STAYING = 256  # connections that may do so at once
DRAINED = 1 << 24  # bytes that such a client may still send
CHUNK = 1 << 16  # bytes
LOOK = 0.5  # seconds between two looks at who is too late
HEAD_END = b"\r\n\r\n"
REQUEST_LINE = re.compile(rb"\S+ \S+ HTTP/1\.[01]")
# What gunicorn cannot make sense of is answered so, and everything else with 400.
STATUS = {
    LimitRequestLine: 414,
    LimitRequestHeaders: 431,
    ExpectationFailed: 417,
    UnsupportedTransferCoding: 501,
}
OURS = (InvalidResponseHeader, InvalidResponseHeaderName)
TOO_MANY_FILES = {errno.EMFILE, errno.ENFILE}
NOBODY_THERE = {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}

LINES = 2_000  # of the log, that wait for somebody to read them
LONGEST = 1_000  # characters of one value in it


class Connection(TConn):  # type: ignore[misc]
    """A client, with what it has sent of its next request."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        timeout = struct.pack("ll", int(SEND_SECONDS), 0)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeout)
        self.head = bytearray()
        self.deadline = 0.0
        self.drained = 0  # bytes

    def wait_until(self, seconds: float) -> None:
        """Give it so many seconds from now."""
        self.deadline = time.monotonic() + seconds


class Worker(ThreadWorker):  # type: ignore[misc]
    """A process that answers, each request in a thread."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting: dict[Connection, None] = {}  # for a head, who waits longest first
        self.staying: dict[Connection, None] = {}  # who have their last answer, the same
        self.next_look = 0.0
        self.largest_head = self.cfg.limit_request_line + self.cfg.limit_request_field_size * 8
        self.answering = threading.local()
        self.refusals: dict[tuple[str, int], bytes] = {}

    def init_signals(self) -> None:
        """Listen, from now on, to what may have been said since this process was made."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)

    def get_thread_pool(self) -> Executor:
        """Start one thread at least: where no more can be had, requests wait for it."""
        pool: Executor = super().get_thread_pool()
        pool.submit(int).result()
        return pool

    # A connection before its request.

    def accept(self, listener: socket.socket) -> None:
        """Let a client in; if there is no room, who keeps us waiting longest makes way."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno in TOO_MANY_FILES and (self.staying or self.waiting):
                self._drop(next(iter(self.staying or self.waiting)))
            elif error.errno not in NOBODY_THERE:
                raise
            return
        self.nr_conns += 1
        connection = Connection(self.cfg, client, address, listener.getsockname())
        self._wait_for_head(connection, HEAD_SECONDS)
        if self.nr_conns >= self.worker_connections and len(self.waiting) > 1:
            # Who has spoken, and only waits to be read, keeps nobody waiting: it is our turn.
            ours = select.POLLIN | select.POLLOUT
            slow = next((one for one in self.waiting if not _is_ready(one.sock, ours)), None)
            if slow:
                self._drop(slow)

    def _wait_for_head(self, connection: Connection, seconds: float) -> None:
        connection.wait_until(seconds)
        self._watch(connection, self.waiting, self._read_head)

    def _read_head(self, connection: Connection, client: socket.socket) -> None:
        if connection not in self.waiting:  # it has just had to make way
            return
        data = _received(client)
        if not data:
            if data is not None:
                self._drop(connection)
            return
        if not connection.head:
            connection.wait_until(HEAD_SECONDS)
        before = len(connection.head)
        connection.head += data
        if self._is_whole(connection.head, max(0, before - len(HEAD_END))):
            self._forget(connection)
            self._answer_when_read(connection)

    def _answer_when_read(self, connection: Connection) -> None:
        """Have a request answered, as soon as the client has taken the answers before it."""
        if connection.initialized and not _is_ready(connection.sock, select.POLLOUT):
            connection.wait_until(SEND_SECONDS)
            self._watch(connection, self.waiting, self._taken, selectors.EVENT_WRITE)
        else:
            self.enqueue_req(connection)

    def _taken(self, connection: Connection, client: socket.socket) -> None:
        if connection in self.waiting:
            self._forget(connection)
            self.enqueue_req(connection)

    def _is_whole(self, head: bytearray, start: int = 0) -> bool:
        return head.find(HEAD_END, start) >= 0 or self._refusal(head) is not None

    def _refusal(self, head: bytearray) -> int | None:
        """Return the status that a head deserves of which no end can make a right one."""
        line, ended, _ = head[: self.largest_head].removeprefix(b"\r\n").partition(b"\r\n")
        if len(line) > self.cfg.limit_request_line:
            return 414
        if ended and not REQUEST_LINE.fullmatch(line):
            return 400
        return 431 if len(head) > self.largest_head else None

    # A request, in a thread.

    def enqueue_req(self, conn: Connection) -> None:
        """Have a thread answer; if no other can be started, it is one of those that there are."""
        with suppress(RuntimeError):
            self.tpool.submit(self._answer, conn)

    def _answer(self, connection: Connection) -> None:
        keep = False
        try:
            keep = self.handle(connection)
        finally:
            self.method_queue.defer(self.finish_request, connection, keep)

    def handle(self, conn: Connection) -> bool:
        """Answer one request; return whether the client may ask for more."""
        conn.sock.setblocking(True)
        conn.init()
        head, conn.head = conn.head, bytearray()
        target = head.removeprefix(b"\r\n")[:LONGEST].split(b" ", 2)[1:2]
        in_api = bool(target) and target[0].startswith(API.encode())
        self.answering.path = f"{API if in_api else '/'}refused"
        if HEAD_END not in head and (status := self._refusal(head)):
            self._refuse(conn.sock, conn.client, status, "the head of a request")
            return False
        conn.parser.unreader.unread(bytes(head))
        conn.data_ready = True
        return bool(super().handle(conn))

    def handle_request(self, req: Any, conn: Connection) -> bool:
        """Have the site answer; who takes nothing of it for too long has gone."""
        try:
            return bool(super().handle_request(req, conn))
        except BlockingIOError as error:
            raise BrokenPipeError(errno.EPIPE, "the client does not read") from error

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        deadline = time.monotonic() + BODY_SECONDS
        return bool(keepalive and conn.parser.finish_body(deadline=deadline))

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: Exception) -> None:
        """Refuse what is no request, in the words of the site."""
        if isinstance(exc, ParseException) and not isinstance(exc, OURS):
            self._refuse(client, addr, STATUS.get(type(exc), 400), exc)
        else:
            super().handle_error(req, client, addr, exc)

    def _refuse(self, client: socket.socket, address: Any, status: int, why: object) -> None:
        self.log.warning("Refused %s with %d: %a", address[0], status, str(why)[:LONGEST])
        path = self.answering.path
        if (path, status) not in self.refusals:  # there are few, and they are all the same
            self.refusals[path, status] = self._refusal_bytes(path, status)
        with suppress(OSError):
            client.sendall(self.refusals[path, status])

    def _refusal_bytes(self, path: str, status: int) -> bytes:
        answer = Response.from_app(self.wsgi, create_environ(path, environ_base={REFUSED: status}))
        answer.headers["Connection"] = "close"
        lines = [f"HTTP/1.1 {answer.status}", *(f"{name}: {text}" for name, text in answer.headers)]
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        return head + bytes(answer.data)

    # A connection after its request, in the loop again.

    def finish_request(self, conn: Connection, keep: bool) -> None:
        """Wait for the next request, or for the client to hang up."""
        if not keep:
            self.nr_conns -= 1
            self._stay(conn)
            return
        conn.head += conn.parser.unreader.take_buffered()
        if self._is_whole(conn.head):
            self._answer_when_read(conn)
        else:
            conn.sock.setblocking(False)
            seconds = float(self.cfg.keepalive) if self.alive else STAY_SECONDS
            self._wait_for_head(conn, HEAD_SECONDS if conn.head else seconds)

    def _stay(self, connection: Connection) -> None:
        """End our side, and read what still comes: else the client might lose its answer."""
        try:
            connection.sock.shutdown(socket.SHUT_WR)
            connection.sock.setblocking(False)
        except OSError:
            connection.close()
            return
        if len(self.staying) >= STAYING:
            self._drop(next(iter(self.staying)))
        connection.wait_until(STAY_SECONDS)
        self._watch(connection, self.staying, self._drain)
        self._drain(connection, connection.sock)

    def _drain(self, connection: Connection, client: socket.socket) -> None:
        if connection not in self.staying:
            return
        data = _received(client)
        connection.drained += len(data or b"")
        if data == b"" or connection.drained > DRAINED:
            self._drop(connection)

    # Who is watched by the loop.

    def _watch(
        self,
        connection: Connection,
        where: dict[Connection, None],
        ready: Callable[[Connection, socket.socket], None],
        for_what: int = selectors.EVENT_READ,
    ) -> None:
        where[connection] = None
        self.poller.register(connection.sock, for_what, partial(ready, connection))

    def _forget(self, connection: Connection) -> None:
        self.poller.unregister(connection.sock)
        self.waiting.pop(connection, None)
        self.staying.pop(connection, None)

    def _drop(self, connection: Connection) -> None:
        self.nr_conns -= connection in self.waiting
        self._forget(connection)
        connection.close()

    def murder_pending(self) -> None:
        """Close the connections that have waited too long; the loop calls it all the time."""
        now = time.monotonic()
        if now >= self.next_look:
            self.next_look = now + LOOK
            for connection in [*self.waiting, *self.staying]:
                if connection.deadline < now:
                    self._end_wait(connection, now)

    def _end_wait(self, connection: Connection, now: float) -> None:
        """Close a connection that is late, unless it has spoken while this process was held up."""
        if connection in self.waiting and not connection.head:
            self._read_head(connection, connection.sock)
        late = connection.deadline < now
        if late and (connection in self.waiting or connection in self.staying):
            self._drop(connection)

    def _cap_keepalive(self, deadline: float) -> None:
        """Close who has not begun another request by then: the worker ends."""
        for connection in self.waiting:
            if not connection.head:
                connection.deadline = min(connection.deadline, deadline)


def _received(client: socket.socket) -> bytes | None:
    """Return what a client has sent, b"" if it has hung up, None if there is nothing yet."""
    try:
        return client.recv(CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _is_ready(client: socket.socket, events: int) -> bool:
    """Whether a client can be read from (POLLIN), can be sent more (POLLOUT), or both."""
    poll = select.poll()
    poll.register(client, events)
    return any(seen & events == events for _, seen in poll.poll(0))


class Logger(glogging.Logger):  # type: ignore[misc]
    """The access log as one JSON object a line, and no log that anybody has to wait for."""

    def setup(self, cfg: Any) -> None:
        """Write to a terminal or a pipe from a thread of its own, whoever logs."""
        super().setup(cfg)
        for log in (self.error_log, self.access_log):
            for handler in log.handlers:
                if type(handler) is logging.StreamHandler and handler.stream:
                    log.handlers[log.handlers.index(handler)] = Patient(handler)
        logging.getLogger().handlers = self.error_log.handlers[:]  # of the site itself

    def access(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> None:
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
        short = {name: v[:LONGEST] if isinstance(v, str) else v for name, v in line.items()}
        self.access_log.info(json.dumps(short))


class Patient(logging.Handler):
    """Hands lines to a thread that writes them: if nobody reads, they are lost, not waited for."""

    _gunicorn = True  # which removes its own handlers by this

    def __init__(self, handler: "logging.StreamHandler[Any]") -> None:
        super().__init__()
        self.setFormatter(handler.formatter)
        self.stream = handler.stream
        self.process = 0  # that the thread belongs to: no fork inherits it
        self.lines: Queue[bytes] = Queue(LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on one line, if there is room."""
        line = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
        with suppress(Full, RuntimeError):
            if self.process != os.getpid():
                self.lines = Queue(LINES)
                threading.Thread(target=self._write, args=(self.lines,), daemon=True).start()
                self.process = os.getpid()
            self.lines.put_nowait(line)

    def flush(self) -> None:
        """Wait a moment for the lines to be written: at the end of the process."""
        lines = self.lines
        if self.process == os.getpid():  # else its lock may be held by a thread of another
            with lines.all_tasks_done:
                lines.all_tasks_done.wait_for(lambda: not lines.unfinished_tasks, 1.0)

    def _write(self, lines: Queue[bytes]) -> None:
        while True:
            written = [lines.get()]
            with suppress(Empty):
                while len(written) < LINES:
                    written.append(lines.get_nowait())
            with suppress(OSError, ValueError):
                rest = b"".join(written)
                while rest:
                    rest = rest[os.write(self.stream.fileno(), rest) :]
            for _ in written:
                lines.task_done()


ENDS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)


def hold_signals_while_forking() -> None:
    """See to it that a new worker hears what it is told before it has learned to listen.

    Until then it would hear as the first process does, and nobody reads what that puts down: the
    site would wait for it until the time to end is over.
    """
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)  # a new first process begins as held
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ENDS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS),
    )


MAY_HANG_UP = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # by nohup, before gunicorn's own


def end_with_terminal() -> None:
    """See to it that this process ends when the terminal that it was started from is closed.

    make, between the two, would wait for it for ever; and SIGHUP alone takes in new models.
    """
    if MAY_HANG_UP:
        return
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return  # there is none

    def wait() -> None:
        poll = select.poll()
        poll.register(terminal, 0)  # its end is told unasked
        poll.poll()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
