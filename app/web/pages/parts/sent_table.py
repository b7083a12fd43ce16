"""A table in a request: read within limits, and never stored."""

from io import BytesIO
from threading import BoundedSemaphore
from typing import IO, Any

from flask import request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, ServiceUnavailable
from werkzeug.formparser import parse_form_data

from app.tables.options import QUESTIONS, Options
from app.tables.reader import Reading, read_table
from app.web.formatting import list_choices
from app.web.service.beside import run_beside
from app.web.site_data import SiteData

LARGEST = 1 << 20  # limit for a table in bytes
LARGEST_FORM = LARGEST + (1 << 14)  # limit for a form with a table in bytes
MOST_PARTS = 20  # parts of a form, at most
FORM = "multipart/form-data"
MOST_AT_ONCE = 32  # limit for tables received at once, 1 MB of memory each
RETRY_AFTER = 5  # seconds
_places = BoundedSemaphore(MOST_AT_ONCE)


def read_sent_table(site: SiteData) -> tuple[Reading, Options]:
    """Return the table in the body or the form of the request, as read, and its options.

    Raises TableError if nothing in it can be read, RequestEntityTooLarge if it is too
    large, BadRequest if there is no table or an option is invalid, and ServiceUnavailable
    if many tables are being received already.
    """
    if not _places.acquire(blocking=False):
        raise ServiceUnavailable(
            "Many tables are being read just now.", retry_after=RETRY_AFTER
        )
    try:
        content, options = receive_table()
        return run_beside(read_table, site.game, content, options), options
    finally:
        _places.release()


def receive_table() -> tuple[bytes, Options]:
    """Return the bytes of the table, and the options in the form and in the query."""
    given = request.args.to_dict()
    if request.mimetype == FORM:
        content, fields = receive_form()
        given |= fields
    else:
        # a chunked body is cut off at this size
        request.max_content_length = LARGEST + 1
        content = request.get_data(cache=False)
    if len(content) > LARGEST:
        raise RequestEntityTooLarge
    if not content:
        raise BadRequest("There is no table in this request.")
    return content, read_options(given)


def receive_form() -> tuple[bytes, dict[str, str]]:
    """Return the file of a form, or the text in its field `table`, and its other fields."""
    _stream, fields, files = parse_form_data(
        request.environ,
        stream_factory=in_memory,
        max_form_memory_size=LARGEST_FORM,
        max_content_length=LARGEST_FORM,
        max_form_parts=MOST_PARTS,
    )
    content = files["file"].read() if "file" in files else b""
    return content or fields.get("table", "").encode(), fields.to_dict()


def in_memory(*_: Any, **__: Any) -> IO[bytes]:
    """Return a buffer in memory for a file of a form, so that no file is written to disk."""
    return BytesIO()


def read_options(given: dict[str, str]) -> Options:
    """Return the options for reading a table; raises BadRequest if a value is invalid."""
    options = {name: given[name] for name in QUESTIONS if given.get(name)}
    for name, value in options.items():
        _, answers = QUESTIONS[name]
        if value not in answers:
            raise BadRequest(f"There is no {name}={value!r}. {list_choices(answers)}")
    return Options(**options)
