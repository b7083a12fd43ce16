"""Reading of untrusted files: with a size limit, and without waiting for a pipe."""

import os
from pathlib import Path
from stat import S_ISREG


def read_plain_file(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file of at most `max_bytes` bytes.

    Raises ValueError, naming the file and the reason, if it cannot be read, is larger, or
    is no plain file: a read from a pipe would wait for its writer.
    """
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ValueError(f"{path}: no plain file")
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from error
    if len(content) > max_bytes:
        raise ValueError(f"{path}: larger than any right one, {max_bytes} bytes")
    return content


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file; an `opener` for `open` that does not wait for the writer of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)
