"""Receive and read the table that a visitor sends, within limits of size and time.

Nothing is stored.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from threading import BoundedSemaphore
from typing import IO, Any

from flask import request
from werkzeug.exceptions import (
    BadRequest,
    RequestEntityTooLarge,
    RequestTimeout,
    ServiceUnavailable,
)
from werkzeug.formparser import parse_form_data

from app.doctor import Diagnosis
from app.reading import read_table_or_diagnose_trace
from app.tables.options import OPTION_QUESTIONS, TableOptions
from app.tables.reader import TableReading
from app.web.formatting import format_valid_names
from app.web.service.reading import limit_seconds, read_in_process

MAX_TABLE_BYTES = 4 << 20
MAX_FORM_BYTES = MAX_TABLE_BYTES + (1 << 14)
# To examine this many updates takes at most 2 s.
MAX_TRACE_ROWS = 20_000
MAX_FORM_PARTS = 20
FORM_MIMETYPE = "multipart/form-data"
# Each table takes up to 4 MB of memory, and a slow client keeps it for long.
MAX_CONCURRENT_TABLES = 128
RECEIVE_SECONDS = 10.0
RETRY_SECONDS = 5
BROKEN_BODY_ERRORS: tuple[type[Exception], ...] = (OSError,)
# For broken chunks gunicorn raises an error of its own. Other servers do not need gunicorn.
if find_spec("gunicorn"):
    from gunicorn.http.errors import ParseException

    BROKEN_BODY_ERRORS += (ParseException,)
_free_places = BoundedSemaphore(MAX_CONCURRENT_TABLES)


def read_sent_table() -> tuple[TableReading | Diagnosis, TableOptions]:
    """Return the table in the request with its options, or the diagnosis of a list of updates.

    Raises TableError if it cannot be read, RequestEntityTooLarge if it is too large, BadRequest if
    there is none or an option is invalid, and the errors of `limit_receiving`.
    """
    with limit_receiving():
        content, options = receive_table()
    reading = read_in_process(
        read_table_or_diagnose_trace, content, options, MAX_TRACE_ROWS
    )
    return reading, options


@contextmanager
def limit_receiving() -> Iterator[None]:
    """Limit the time in which a body arrives, and how many bodies arrive at once.

    Raises BadRequest if the body is broken, RequestTimeout if it is too slow, and
    ServiceUnavailable if too many bodies arrive.
    """
    if not _free_places.acquire(blocking=False):
        raise ServiceUnavailable(
            "Many tables are being received just now.", retry_after=RETRY_SECONDS
        )
    late = RequestTimeout(
        f"The data did not arrive within {RECEIVE_SECONDS:g} seconds."
    )
    try:
        with limit_seconds(RECEIVE_SECONDS, late):
            yield
    except BROKEN_BODY_ERRORS:
        raise BadRequest("The body of the request is broken.") from None
    finally:
        _free_places.release()


def receive_table() -> tuple[bytes, TableOptions]:
    given = request.args.to_dict()
    if request.mimetype == FORM_MIMETYPE:
        content, fields = receive_form()
        given |= fields
    else:
        # A body in chunks has no known length, so it is cut one byte after the limit.
        request.max_content_length = MAX_TABLE_BYTES + 1
        content = request.get_data(cache=False)
    if len(content) > MAX_TABLE_BYTES:
        raise RequestEntityTooLarge
    if not content:
        raise BadRequest("There is no table in this request.")
    return content, read_options(given)


def receive_form(max_bytes: int = MAX_FORM_BYTES) -> tuple[bytes, dict[str, str]]:
    """Return the uploaded file, or else the text in the field `table`, and all other fields."""
    _stream, fields, files = parse_form_data(
        request.environ,
        stream_factory=create_memory_file,
        max_form_memory_size=max_bytes,
        max_content_length=max_bytes,
        max_form_parts=MAX_FORM_PARTS,
    )
    content = files["file"].read() if "file" in files else b""
    return content or fields.get("table", "").encode(), fields.to_dict()


def create_memory_file(*_: Any, **__: Any) -> IO[bytes]:
    """Return a buffer for an uploaded file, so that the file is never on the disk."""
    return BytesIO()


def read_options(form_values: dict[str, str]) -> TableOptions:
    """Return the options in a form; raises BadRequest if one is invalid."""
    options = {
        name: form_values[name] for name in OPTION_QUESTIONS if form_values.get(name)
    }
    for name, value in options.items():
        _, answers = OPTION_QUESTIONS[name]
        if value not in answers:
            raise BadRequest(
                f"There is no {name}={value!r}. {format_valid_names(answers)}"
            )
    return TableOptions(**options)
