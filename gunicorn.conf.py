"""How gunicorn serves the site, beside what the Procfile says: read at start and on every reload.

`kill -HUP` to the first process takes in new models.  They are checked before anything else
happens: if one is broken it is named in the log, and the old ones go on serving.
"""

import os
import secrets

from app.tictactoe.agents import ModelError
from app.web import create_app

accesslog = os.environ.get("ACCESS_LOG", "-") or None  # "-" is the standard output
access_log_format = (
    '{"time": "%(t)s", "id": "%({x-request-id}i)s", "from": "%(h)s", "method": "%(m)s", '
    '"path": "%(U)s", "query": "%(q)s", "status": %(s)s, "bytes": "%(B)s", '
    '"microseconds": %(D)s, "agent": "%(a)s"}'
)


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
    else:
        server.log.info("New models taken in.")
