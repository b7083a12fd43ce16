"""How gunicorn serves the site: read at start and on every reload.

Its gevent worker waits for all clients at once in one thread: a slow one costs a connection.

`kill -HUP` to the first process takes in new models.  They are checked before anything else
happens: if one is broken it is named in the log, and the old ones go on serving.
"""

# Before anything else: a lock that is made before, and held by a fork, would hold up all of it.
from gevent import monkey

monkey.patch_all()

import ctypes
import errno
import gc
import os
import re
import resource
import secrets
import signal
import socket
import sys
from contextlib import suppress

from gevent import Timeout, sleep, spawn

from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.service.deployment import SettingError, number
from app.web.service.log import Logger

REQUEST_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
# from a request to the last byte of its answer that the client takes
ANSWER_SECONDS = 60.0
SEND_BUFFER = (
    1 << 18
)  # bytes that the system takes from us for a slow client: a page has less
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # of glibc's malloc.h
LARGE = 1 << 17  # bytes
with suppress(OSError, AttributeError):  # another C library has other ways
    # Else threads have heaps of their own, which keep what they once needed.
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    # Else the heap comes to hold large arrays too, and keeps their room when they are gone.
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)

try:
    workers = number("WORKERS", 2, 1, 64)
    host = os.environ.get("HOST") or "0.0.0.0"
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host  # IPv6
    bind = f"{host}:{number('PORT', 8000, 1, 65535)}"
except SettingError as error:
    sys.exit(f"Not started. {error}".replace("WORKERS", "WEB_CONCURRENCY"))
preload_app = True
control_socket_disable = True
graceful_timeout = 30  # seconds

worker_class = "gevent"
# seconds until the head of a request is whole, the first and each after it
keepalive = 5
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 4096
worker_connections = 2_000  # of a process
with suppress(ValueError):  # where files have no limit
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each connection is one
    if (
        most != resource.RLIM_INFINITY
    ):  # a third is for the site's own and what they ask for
        worker_connections = min(worker_connections, 2 * most // 3)

# Whom to believe is said by TRUSTED_PROXIES alone: gunicorn itself believes nobody.
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}

logger_class = Logger
accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output

ENDS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)
MAY_HANG_UP = (
    signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
)  # by nohup, before gunicorn's own


def tell(kind, error, trace):
    """Say in one line why the site does not start, if it is no fault of the program."""
    if isinstance(error, (ModelError, SettingError)):
        print(f"Not started. {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = tell


def when_ready(arbiter):
    """Serve until told to end, or until the terminal is closed."""
    os.register_at_fork(
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    )
    for listener in arbiter.LISTENERS:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if not MAY_HANG_UP:
        with suppress(OSError):  # there is none
            spawn(end_with, os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))


def end_with(terminal):
    """End as soon as a terminal is closed.

    make, between the two, would wait for it for ever; and SIGHUP alone takes in new models.
    """
    while os.isatty(terminal):
        sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


def pre_fork(arbiter, worker):
    """Hold what a new worker may be told before it has learned to listen: it hears it then.

    Until then it would hear it as the first process does, where no one reads what that puts down,
    and the site would wait for it until the time to end is over.
    """
    gc.freeze()  # the site: looked through it would be copied, at 50 ms of some visitor's request
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)


def post_worker_init(worker):
    """Listen, from now on, to what was held; and have compiled what the lab will need.

    Ctrl-C is left to the first process, which ends its workers; told twice, they leave a trace.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    # One of several would accept a single connection between two looks at all that it has: of
    # thirty that come at once the last would have its first answer after a second.
    worker.cfg.set("workers", 1)
    site = worker.wsgi.extensions.get("world")
    if site and site.lab.source:
        site.lab.source.prepare()


def pre_request(worker, request):
    """Give a request a time limit, and an id by which the logs name it, unless a proxy has."""
    sleep(0)  # who sends many at once takes turns with the others
    too_slow = BrokenPipeError(errno.EPIPE, "the client reads too slowly")
    request.time_limit = Timeout.start_new(ANSWER_SECONDS, too_slow)
    given = [name for name, _ in request.headers if name == "X-REQUEST-ID"]
    request.headers = [
        (name, text)
        for name, text in request.headers
        if name != "X-REQUEST-ID" or (len(given) == 1 and REQUEST_ID.fullmatch(text))
    ]
    if not any(name == "X-REQUEST-ID" for name, _ in request.headers):
        request.headers.append(("X-REQUEST-ID", secrets.token_hex(8)))


def post_request(worker, request, environ, response):
    """Lift the time limit: the answer is sent."""
    request.time_limit.close()


def on_reload(arbiter):
    """Build the site anew for the workers that take over; keep the old one if that fails."""
    try:
        arbiter.app.callable = create_app()
    except (ModelError, SettingError) as error:
        arbiter.log.error("Models refused, the old ones go on serving. %s", error)
    except Exception:
        arbiter.log.exception(
            "The site cannot be built anew, the old one goes on serving."
        )
    else:
        gc.unfreeze()
        gc.collect()  # the old site: 36 MB in circles, which no worker is to be forked with
        arbiter.log.info("New models taken in.")
