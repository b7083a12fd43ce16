"""Read untrusted files safely, and lock folders so that only one process saves in them."""

import os
from hashlib import sha256
from pathlib import Path
from stat import S_ISREG
from warnings import catch_warnings, simplefilter

from filelock import FileLock
from platformdirs import RuntimeDirWarning, user_runtime_path


def read_plain_file(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file of at most `max_bytes` bytes.

    Raises ValueError, naming the file and the reason, if it cannot be read, is larger, or is not a
    plain file (reading from a pipe could wait for ever).
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
    """Open a file without waiting for the writer of a pipe; used as the `opener` of `open`."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def lock_folder(folder: Path) -> FileLock:
    """Return a lock for saving in a folder; only one process of this user can hold it at a time.

    The lock is a file in another folder, because this one should have nothing but models.
    """
    name = sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    return FileLock(get_runtime_folder() / f"{name}.saving")


def get_runtime_folder() -> Path:
    """Return the folder for files that this program needs only while it runs, creating it if necessary.

    It is in the user's runtime folder, or in a similar temporary folder; other users cannot write
    to either. Raises OSError if the system has no such folder.
    """
    with catch_warnings():
        # platformdirs warns if it has to use a temporary folder, which is good enough.
        simplefilter("ignore", RuntimeDirWarning)
        return user_runtime_path("q-tac-toe", ensure_exists=True)
