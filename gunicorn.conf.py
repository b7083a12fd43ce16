"""How gunicorn serves the site: read at start and on every reload.

`kill -HUP` to the first process takes in new models.  They are checked before anything else
happens: if one is broken it is named in the log, and the old ones go on serving.
"""

import ctypes
import os
import re
import secrets
import sys
from contextlib import suppress

from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.service import worker
from app.web.service.deployment import SettingError, number

REQUEST_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # of glibc's malloc.h
LARGE = 1 << 17  # bytes
with suppress(OSError, AttributeError):  # another C library has other ways
    # Else threads have heaps of their own, which keep what they once needed.
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
    # Else the heap comes to hold large arrays too, and keeps their room when they are gone.
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)

try:
    workers = number("WORKERS", 2, 1, 64)
    threads = number("WEB_THREADS", 64, 1, 1000)
    bind = f"{os.environ.get('HOST') or '0.0.0.0'}:{number('PORT', 8000, 1, 65535)}"
except SettingError as error:
    sys.exit(f"Not started. {error}".replace("WORKERS", "WEB_CONCURRENCY"))
preload_app = True
control_socket_disable = True
graceful_timeout = 30  # seconds

worker_class = "app.web.service.worker.Worker"
worker_connections = 512  # of a process: more make room for each other, and a file needs no more
limit_request_line = 8190
limit_request_fields = 64
limit_request_field_size = 4096

# Whom to believe is said by TRUSTED_PROXIES alone: gunicorn itself believes nobody.
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}

logger_class = "app.web.service.worker.Logger"
accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output


def tell(kind, error, trace):
    """Say in one line why the site does not start, if it is no fault of the program."""
    if isinstance(error, (ModelError, SettingError)):
        print(f"Not started. {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = tell


def when_ready(arbiter):
    """Serve until told to end, or until the terminal is closed."""
    worker.end_with_terminal()
    worker.hold_signals_while_forking()


def pre_request(worker, request):
    """Give every request an id, by which the logs name it, unless a proxy has done so."""
    given = [name for name, _ in request.headers if name == "X-REQUEST-ID"]
    request.headers = [
        (name, text)
        for name, text in request.headers
        if name != "X-REQUEST-ID" or (len(given) == 1 and REQUEST_ID.fullmatch(text))
    ]
    if not any(name == "X-REQUEST-ID" for name, _ in request.headers):
        request.headers.append(("X-REQUEST-ID", secrets.token_hex(8)))


def on_reload(arbiter):
    """Build the site anew for the workers that take over; keep the old one if that fails."""
    try:
        arbiter.app.callable = create_app()
    except (ModelError, SettingError) as error:
        arbiter.log.error("Models refused, the old ones go on serving. %s", error)
    except Exception:
        arbiter.log.exception("The site cannot be built anew, the old one goes on serving.")
    else:
        arbiter.log.info("New models taken in.")
