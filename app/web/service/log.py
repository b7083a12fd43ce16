"""gunicorn's logger, with a JSON object for each response."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from gunicorn.instrument.statsd import Statsd

MAX_TEXT_LENGTH = 1_000  # maximum number of characters of a logged value


class Logger(Statsd):  # type: ignore[misc]
    """The logger of gunicorn, which also sends statistics with the setting `--statsd-host`."""

    # The class of gunicorn would escape the quotation marks a second time.
    atoms_wrapper_class = dict

    def atoms(
        self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta
    ) -> dict[str, Any]:
        """Return what the access log says of a response, as JSON in the item "json"."""
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
