"""The client of the trainer; the trainer is a process that trains agents on demand.

The first process of the server creates a folder with a listening Unix socket in the runtime folder
of this program, and every forked process shares the folder and the socket. The first process that
needs the trainer starts it and passes the socket to it. The kernel cleans up after every process:

- The folder is locked and a pipe is open while any process of the server runs. The trainer exits
  when this pipe closes.
- The trainer holds a lock on a file in the folder, which contains its process id. A process that
  gets this lock starts a trainer and passes the lock to it, so there are never two trainers.

The program is `training.trainer`.
"""

import atexit
import fcntl
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from select import POLLIN, poll
from threading import Thread
from typing import NamedTuple
from urllib.parse import quote
from warnings import catch_warnings, simplefilter

import msgspec
from platformdirs import RuntimeDirWarning, user_runtime_path

from app.project import PREFIX, ROOT

TRAINER_MODULE = f"{PREFIX}training.trainer"  # a module that this process never imports
SERVER_DIR_PREFIX = "server-"  # prefix of the folders of servers
SOCKET_FILE, LOCK_FILE = "socket", "lock"  # the only files in such a folder
BACKLOG = 300  # maximum number of waiting connections; more than the queue of the trainer can hold
MAX_ATTEMPTS = 2
READ_SECONDS = 5.0  # timeout for the rest of an answer
POSITION_SECONDS = 1.0  # timeout for a question about the position in the queue
# seconds between two checks whether the trainer runs and a client still waits
CLIENT_CHECK_SECONDS = 0.5
MAX_ANSWER_BYTES = 4 << 20  # largest answer in bytes
MAX_SOCKET_PATH = 100  # longest path of a socket in bytes, on any system
STALE_SECONDS = 60.0  # age of an unlocked folder that is removed


class TrainerBusyError(Exception):
    """The error if the queue is full, or if no client waits for the answer any more."""


class TrainerError(Exception):
    """The error if the trainer does not run, or if its answer is invalid."""


class TrainerRefusedError(TrainerError):
    """The error if the trainer refuses a recipe; the message is the reason."""


class QueuePosition(NamedTuple):
    """A position in the queue: 0 for the running job, 1 for the next job."""

    place_in_queue: int
    # seconds until all kernels are compiled, estimated; 0 afterwards
    compile_seconds: int


class Trainer:
    """The trainer of this server, started by the first request."""

    def __init__(self) -> None:
        remove_stale_server_dirs(get_runtime_dir())
        # mkdtemp creates a folder that only this user can read
        self.folder = Path(
            tempfile.mkdtemp(prefix=SERVER_DIR_PREFIX, dir=get_runtime_dir())
        )
        # All forked processes inherit the lock. Cleaners of temporary files, such as systemd, skip
        # locked folders.
        self.held = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.held, fcntl.LOCK_EX)
        self.server_ends, self.open = os.pipe()
        self.address = str(self.folder / SOCKET_FILE)
        # a shorter path to the open folder on Linux
        if len(os.fsencode(self.address)) > MAX_SOCKET_PATH:
            self.address = f"/proc/self/fd/{self.held}/{SOCKET_FILE}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        self.listener.listen(BACKLOG)
        self.maker = os.getpid()
        atexit.register(self._remove_folder)

    def request_answer(
        self,
        request_text: str,
        client_network: str = "",
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> bytes:
        """Return the trainer's answer to a request of a client.

        If the trainer ends or its answer breaks off, the request is sent again. Raises
        TrainerBusyError if the queue is full or the answer is no longer wanted, and TrainerError.
        """
        try:
            for _ in range(MAX_ATTEMPTS):
                with suppress(ConnectionError, HTTPException, TimeoutError):
                    return self._request_once(request_text, client_network, is_wanted)
        except OSError as error:
            raise TrainerError(f"it cannot be started or reached: {error}") from error
        raise TrainerError("it ended or stopped each time that it was asked")

    def find_queue_position(self, request_text: str) -> QueuePosition | None:
        """Return the position of a request in the queue, None if unknown."""
        end = time.monotonic() + POSITION_SECONDS
        try:
            answer = self._request_once(
                f"position/{request_text}", "", lambda: time.monotonic() < end
            )
            return msgspec.json.decode(answer, type=QueuePosition)
        except (OSError, HTTPException, TrainerBusyError, TrainerError):
            return None

    def prepare_process(self) -> None:
        """Start the trainer if kernels must be compiled, so that no visitor waits for them."""
        with suppress(OSError):
            self.start_process("prepare")

    def start_process(self, *arguments: str) -> bool:
        """Start the trainer unless it runs; return whether it was started."""
        lock = os.open(self.folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            files = self.listener.fileno(), self.server_ends
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    TRAINER_MODULE,
                    *map(str, files),
                    self.folder,
                    *arguments,
                ],
                cwd=ROOT,
                pass_fds=[*files, lock],  # the trainer inherits the lock
                stdin=subprocess.DEVNULL,
                process_group=0,  # no Ctrl-C for the trainer, which exits after the server
            )
            # The disk can be full, and no program needs the process id.
            with suppress(OSError):
                os.ftruncate(lock, 0)
                os.write(lock, f"{process.pid}".encode())
            # A thread waits for the trainer, so that it does not stay a zombie after its end.
            with suppress(RuntimeError):
                Thread(target=process.wait, daemon=True).start()
            return True
        finally:
            os.close(lock)

    def _request_once(
        self, request_text: str, client_network: str, is_wanted: Callable[[], bool]
    ) -> bytes:
        connection = HTTPConnection("trainer")
        with socket.socket(socket.AF_UNIX) as client:
            try:
                self.start_process()
                client.setblocking(False)
                client.connect(self.address)
            # errors of a full backlog on Linux and on other systems
            except (BlockingIOError, ConnectionRefusedError):
                raise TrainerBusyError from None
            client.settimeout(READ_SECONDS)
            connection.sock = client
            connection.request(
                "GET", f"/{quote(request_text)}", headers={"X-For": client_network}
            )
            self._wait_for_start(client, is_wanted)
            with connection.getresponse() as response:
                if (response.length or 0) > MAX_ANSWER_BYTES:
                    raise TrainerError(f"its answer has {response.length} bytes")
                body = response.read()
                if response.status == 400:
                    raise TrainerRefusedError(body.decode())
                if response.status == 503:
                    raise TrainerBusyError
                if response.status != 200:
                    raise TrainerError(f"it answered {response.status} {body[:200]!r}")
                return body

    def _wait_for_start(
        self, connection: socket.socket, is_wanted: Callable[[], bool]
    ) -> None:
        """Wait for the start of the answer; restart the trainer if it ends."""
        ready = poll()
        started = 0
        ready.register(connection, POLLIN)
        while not ready.poll(CLIENT_CHECK_SECONDS * 1000):
            started += self.start_process()
            if started > MAX_ATTEMPTS:
                raise TrainerError("it ends as soon as it starts")
            if not is_wanted():
                raise TrainerBusyError

    def _remove_folder(self) -> None:
        """Remove the folder, in the process that created it."""
        if os.getpid() == self.maker:
            self.listener.close()
            remove_folder(self.folder)


def get_runtime_dir() -> Path:
    """Return the runtime folder of this program, created if necessary.

    The folder is in the user's runtime folder, or in a similar temporary folder; other users
    cannot write to either. Raises OSError without such a folder.
    """
    with catch_warnings():
        # suppresses the warning that the folder is temporary
        simplefilter("ignore", RuntimeDirWarning)
        return user_runtime_path("q-tac-toe", ensure_exists=True)


def remove_stale_server_dirs(runtime_dir: Path) -> None:
    """Remove the folders of servers that were killed."""
    for folder in runtime_dir.glob(f"{SERVER_DIR_PREFIX}*"):
        with suppress(OSError):  # a folder of a running server, or of another user
            if time.time() - folder.lstat().st_mtime > STALE_SECONDS:
                handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove_folder(folder)
                finally:
                    os.close(handle)


def remove_folder(folder: Path) -> None:
    """Remove the folder of a server if it contains only a socket and a lock."""
    with suppress(OSError):
        files = {file.name: file for file in folder.iterdir()}
        ours = files.get(SOCKET_FILE)
        if ours and ours.is_socket() and files.keys() <= {SOCKET_FILE, LOCK_FILE}:
            for file in files.values():
                file.unlink()
            folder.rmdir()


@cache
def get_trainer() -> Trainer:
    """Return the trainer of this process and of its future forks."""
    return Trainer()
