"""gunicorn's logger, with a JSON object for each response."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from gunicorn.instrument.statsd import Statsd

MAX_TEXT_LENGTH = 1_000


class Logger(Statsd):  # type: ignore[misc]
    """gunicorn's logger, which also sends statistics if `--statsd-host` is set."""

    # gunicorn's own class would escape the quotation marks a second time.
    atoms_wrapper_class = dict

    def atoms(
        self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta
    ) -> dict[str, Any]:
        """Return the fields of a line in the access log: {"json": all fields as a JSON text}."""
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
                line[name] = value[:MAX_TEXT_LENGTH]
        return {"json": json.dumps(line)}
