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

RESPONSE_SECONDS = 60.0  # time limit from a request to the last byte of its response
# bytes of a response that the kernel holds for a slow client: more than any page has
SEND_BUFFER = 1 << 18
# environment variable from which prometheus_client reads the folder of the metrics
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
METRICS_PREFIX = (
    "q-tac-toe-metrics-"  # prefix of the name of a folder that is created here
)
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # numbers of options in glibc's malloc.h
LARGE_BYTES = 1 << 17  # arrays of at least this size are mapped
with suppress(OSError, AttributeError):  # only glibc has mallopt
    # All threads share one heap, because a heap of a thread never becomes smaller.
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    # Large arrays are mapped, so their memory returns to the system when they are freed.
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)

try:
    workers = read_number("WORKERS", 2, 1, 64)
    host = os.environ.get("HOST") or "0.0.0.0"
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host  # IPv6
    bind = f"{host}:{read_number('PORT', 8000, 1, 65535)}"
    if read_number("METRICS", 0, 0, 1) and METRICS_FOLDER not in os.environ:
        os.environ[METRICS_FOLDER] = tempfile.mkdtemp(prefix=METRICS_PREFIX)
except SettingError as error:
    sys.exit(f"Not started. {error}".replace("WORKERS", "WEB_CONCURRENCY"))
preload_app = True
control_socket_disable = True
graceful_timeout = 30  # seconds in which workers finish their requests at a stop

worker_class = "gevent"
keepalive = 5  # seconds until the head of a request is complete
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 4096
worker_connections = 2_000  # maximum number of connections of a worker
with suppress(ValueError):  # some systems refuse an unlimited number of open files
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Each connection needs an open file.
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most != resource.RLIM_INFINITY:
        # A third is left for the site's own files and its connections to the trainer.
        worker_connections = min(worker_connections, 2 * most // 3)

# The setting TRUSTED_PROXIES lists the trusted proxies; gunicorn itself trusts none.
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}

logger_class = Logger
accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output

STOP_SIGNALS = (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT)
# The command nohup ignores SIGHUP, so that the server goes on after its terminal is closed.
ignores_hangup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def print_error(kind, error, trace):
    """Print the reason why the site does not start; a traceback only for a fault of the program."""
    if isinstance(error, (ModelError, SettingError)):
        print(f"Not started. {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = print_error


def when_ready(arbiter):
    """Prepare the first process to stop with a signal, or when its terminal is closed."""
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
    """Unblock the stop signals of a worker, and let the trainer compile the kernels of the lab.

    Workers ignore Ctrl-C, which reaches all processes: the first process stops its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    # With this setting a worker accepts all waiting connections at once, not one by one.
    worker.cfg.set("workers", 1)
    site = worker.wsgi.extensions.get("site")
    if site and site.lab.source:
        site.lab.source.prepare_process()


def pre_request(worker, request):
    """Start the time limit of a request."""
    sleep(0)  # lets the requests of other clients go first
    too_slow = BrokenPipeError(errno.EPIPE, "the client reads too slowly")
    request.time_limit = Timeout.start_new(RESPONSE_SECONDS, too_slow)


def post_request(worker, request, environ, response):
    """Stop the time limit of a request, whose response is sent."""
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
        gc.collect()  # deletes the old site, so that new workers have no copy of its 36 MB
        arbiter.log.info("New models taken in.")


def on_exit(arbiter):
    """Remove the folder of the metrics, if it was created here."""
    folder = os.environ.get(METRICS_FOLDER, "")
    if METRICS_PREFIX in folder:
        shutil.rmtree(folder, ignore_errors=True)
