"""How gunicorn serves the site, beside what the Procfile says: read at start and on every reload.

`kill -HUP` to the first process takes in new models.  They are checked before anything else
happens: if one is broken it is named in the log, and the old ones go on serving.
"""

import ctypes
import os
import secrets
import sys
from contextlib import suppress
from functools import partial

from gunicorn import util

from app.tictactoe.agents import ModelError
from app.web import create_app
from app.web.deployment import SettingError

M_ARENA_MAX = -8  # of glibc's malloc.h
with suppress(OSError, AttributeError):  # another C library has other ways
    # Else every thread has a heap of its own, and keeps what it once needed.
    ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)

accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output
access_log_format = (
    '{"time": "%(t)s", "id": "%({x-request-id}i)s", "from": "%(h)s", "method": "%(m)s", '
    '"path": "%(U)s", "query": "%(q)s", "status": %(s)s, "bytes": "%(B)s", '
    '"microseconds": %(D)s, "agent": "%(a)s"}'
)

# A worker waits for each client to hang up, in the one loop that takes the next request: two
# seconds of that, which is gunicorn's own limit, and a few clients who never do block the site.
util.close_graceful = partial(util.close_graceful, timeout=0.02)


def tell(kind, error, trace):
    """Say in one line why the site does not start, if it is no fault of the program."""
    if isinstance(error, (ModelError, SettingError)):
        print(f"Not started. {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = tell


def pre_request(worker, request):
    """Give every request an id, by which the logs name it, unless a proxy has done so."""
    if not any(name == "X-REQUEST-ID" for name, _ in request.headers):
        request.headers.append(("X-REQUEST-ID", secrets.token_hex(8)))


def on_reload(server):
    """Build the site anew for the workers that take over; keep the old one if that fails."""
    try:
        server.app.callable = create_app()
    except ModelError as error:
        server.log.error("Models refused, the old ones go on serving. %s", error)
    except Exception:
        server.log.exception("The site cannot be built anew, the old one goes on serving.")
    else:
        server.log.info("New models taken in.")
