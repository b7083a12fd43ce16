"""Configuration of gunicorn: read at the start and at every reload.

The gevent worker handles all its clients in one thread, so a slow client costs a connection and
no thread.

`kill -HUP` to the first process loads new models.  They are checked first: if a model is broken,
the log names it, and the site goes on with the old ones.
"""

# First of all: a lock created before the patch and held during a fork would block the fork.
from gevent import monkey

monkey.patch_all()

import os
import signal

# Until gunicorn sets its own handlers, Ctrl-C ends the imports without a traceback.
# `q-tac-toe serve` blocks the signal until here.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])

import ctypes
import errno
import gc
import resource
import shutil
import socket
import sys
import tempfile
from contextlib import suppress

from gevent import Timeout, sleep, spawn

from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.service.deployment import SettingError, read_number
from app.web.service.log import Logger

RESPONSE_SECONDS = 60.0  # from a request to the last byte that the client takes
SEND_BUFFER = 1 << 18  # bytes the kernel holds for a slow client: larger than any page
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # the variable that prometheus_client reads
OUR_METRICS = "q-tac-toe-metrics-"  # how the name of its folder begins
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # from glibc's malloc.h
LARGE = 1 << 17  # bytes
with suppress(OSError, AttributeError):  # only glibc has mallopt
    # One heap: each thread would keep a heap of its own, as large as it ever was.
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    # Large arrays are mapped, so their memory returns to the system when they are freed.
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)

try:
    workers = read_number("WORKERS", 2, 1, 64)
    host = os.environ.get("HOST") or "0.0.0.0"
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host  # IPv6
    bind = f"{host}:{read_number('PORT', 8000, 1, 65535)}"
    if read_number("METRICS", 0, 0, 1) and METRICS_FOLDER not in os.environ:
        os.environ[METRICS_FOLDER] = tempfile.mkdtemp(prefix=OUR_METRICS)
except SettingError as error:
    sys.exit(f"Not started. {error}".replace("WORKERS", "WEB_CONCURRENCY"))
preload_app = True
control_socket_disable = True
graceful_timeout = 30  # seconds

worker_class = "gevent"
keepalive = 5  # seconds until the head of a request is complete
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 4096
worker_connections = 2_000  # of a process
with suppress(ValueError):  # without a limit on open files
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each connection is one
    if most != resource.RLIM_INFINITY:
        # A third is left for the site's own files and its connections to the trainer.
        worker_connections = min(worker_connections, 2 * most // 3)

# Only TRUSTED_PROXIES decides which proxies are trusted: gunicorn itself trusts none.
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}

logger_class = Logger
accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output

STOP_SIGNALS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)
# nohup ignores SIGHUP: such a server survives its terminal.
ignores_hangup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def print_error(kind, error, trace):
    """Print why the site does not start: in one line, unless it is a fault of the program."""
    if isinstance(error, (ModelError, SettingError)):
        print(f"Not started. {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = print_error


def when_ready(arbiter):
    """Prepare the first process: it stops with a signal, or when its terminal is closed."""
    os.register_at_fork(
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    )
    for listener in arbiter.LISTENERS:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if not ignores_hangup:
        with suppress(OSError):  # there is no terminal
            spawn(stop_with_terminal, os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))


def stop_with_terminal(terminal):
    """Stop the server as soon as a terminal is closed.

    A closed terminal sends SIGHUP, which only reloads the models, and make would wait for ever.
    """
    while os.isatty(terminal):
        sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


def pre_fork(arbiter, worker):
    """Block stop signals until the new worker can handle them.

    A worker inherits the handlers of the first process, which only note a signal; without the
    block a signal that arrives early would be lost, and the server would wait for the worker.
    """
    # Frozen objects are not visited by the garbage collector, so their pages stay shared.
    gc.freeze()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)


def post_worker_init(worker):
    """Unblock the stop signals, and let the trainer compile what the lab will need.

    Ctrl-C reaches all processes; the first one stops its workers, so they ignore it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    # With several workers gunicorn accepts one connection at a time: the last of thirty that
    # arrive together would wait a second.
    worker.cfg.set("workers", 1)
    site = worker.wsgi.extensions.get("site")
    if site and site.lab.source:
        site.lab.source.prepare_process()


def pre_request(worker, request):
    """Give a request its time limit."""
    sleep(0)  # a client that sends many requests at once takes turns with the others
    too_slow = BrokenPipeError(errno.EPIPE, "the client reads too slowly")
    request.time_limit = Timeout.start_new(RESPONSE_SECONDS, too_slow)


def post_request(worker, request, environ, response):
    """Lift the time limit: the response is sent."""
    request.time_limit.close()


def on_reload(arbiter):
    """Build the site again for the workers that take over; keep the old one if that fails."""
    try:
        arbiter.app.callable = create_app()
    except (ModelError, SettingError) as error:
        arbiter.log.error("Models refused, the old ones go on serving. %s", error)
    except Exception:
        arbiter.log.exception(
            "The site cannot be built again, the old one goes on serving."
        )
    else:
        gc.unfreeze()
        gc.collect()  # the old site, 36 MB of cycles, must not be copied into new workers
        arbiter.log.info("New models taken in.")


def on_exit(arbiter):
    """Remove the folder of the metrics, if it was created here."""
    folder = os.environ.get(METRICS_FOLDER, "")
    if OUR_METRICS in folder:
        shutil.rmtree(folder, ignore_errors=True)
