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

    Raises ValueError, naming the file and the reason, if the file cannot be read or is larger. It
    also has to be a plain file, because reading from a pipe could wait for ever.
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
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def lock_folder(folder: Path) -> FileLock:
    """Return a lock that lets only one process of this user save in a folder at a time."""
    # The lock file is in another folder, because `folder` should contain nothing but models.
    name = sha256(os.fsencode(folder.resolve())).hexdigest()[:16]
    return FileLock(get_runtime_folder() / f"{name}.saving")


def get_runtime_folder() -> Path:
    """Return a folder for files that are needed only while the program runs.

    It is in the user's runtime folder, or in a temporary folder of the same kind, and created if
    missing. Other users cannot write to it. Raises OSError if the system has no such folder.
    """
    with catch_warnings():
        # platformdirs warns if it has to use a temporary folder, which is good enough.
        simplefilter("ignore", RuntimeDirWarning)
        return user_runtime_path("q-tac-toe", ensure_exists=True)
