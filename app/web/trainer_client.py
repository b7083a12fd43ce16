"""The server's side of the trainer, the one process that trains what people ask for.

The first process of the server creates a folder with a listening Unix socket in the runtime folder
of this program, and every process that it forks shares both.  The first that needs the trainer
starts it and passes the socket to it.  The kernel cleans up when a process ends, however it ends:

- The folder is locked as long as one process of the server lives, and a pipe is open for as long.
  The trainer exits when this pipe closes.
- A file in the folder, which contains the trainer's process number, is locked by the trainer.  A
  process that gets this lock knows that there is no trainer, and passes the lock to the one that it
  starts: so there are never two.

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

TRAINER = f"{PREFIX}training.trainer"  # a module that this process never imports
SERVERS = "server-"  # how the names of the folders of servers begin
SOCKET, LOCK = "socket", "lock"  # the files in each, and nothing else is
BACKLOG = 300  # connections, more than can wait in the queue
TRIES = 2
READ_SECONDS = 5.0  # for the rest of an answer that has begun
POSITION_SECONDS = 1.0  # for a position in the queue
# between two looks whether there is a trainer, and whether it is still wanted
LOOK_SECONDS = 0.5
LARGEST = 4 << 20  # bytes of an answer
LONGEST = 100  # bytes of the address of a socket, on any system
OLD_SECONDS = 60.0  # of a folder that no process has locked: its server was killed


class TrainerBusyError(Exception):
    """The queue is full, or nobody waits for the answer any more."""


class TrainerError(Exception):
    """The trainer does not run, or its answer is wrong: the message says why."""


class TrainerRefusedError(TrainerError):
    """The recipe cannot be learned: the message says why."""


class QueuePosition(NamedTuple):
    """A position in the queue: the next job has number 1, and 0 is being trained."""

    number: int
    is_compiling: bool  # whether kernels are compiled, which is done once on a machine


class Trainer:
    """The one trainer of this server; it is started at the first need."""

    def __init__(self) -> None:
        remove_stale_server_dirs(runtime_dir())
        self.folder = Path(
            tempfile.mkdtemp(prefix=SERVERS, dir=runtime_dir())
        )  # its mode is 0700
        # The lock goes with the open folder to all that is forked.  Who tidies up old temporary
        # files, as systemd does, leaves a locked folder alone.
        self.held = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.held, fcntl.LOCK_EX)
        self.server_ends, self.open = os.pipe()
        self.address = str(self.folder / SOCKET)
        if (
            len(os.fsencode(self.address)) > LONGEST
        ):  # Linux knows the open folder by this, too
            self.address = f"/proc/self/fd/{self.held}/{SOCKET}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        self.listener.listen(BACKLOG)
        self.maker = os.getpid()
        atexit.register(self._remove_folder)

    def ask(
        self, text: str, client: str = "", wanted: Callable[[], bool] = lambda: True
    ) -> bytes:
        """Return the trainer's answer to a request of a client.

        If the trainer ends, or stops in the middle of its answer, the request is sent again.
        Raises TrainerBusyError if the queue is full or the answer is not wanted any more, and
        TrainerError.
        """
        try:
            for _ in range(TRIES):
                with suppress(ConnectionError, HTTPException, TimeoutError):
                    return self._request(text, client, wanted)
        except OSError as error:
            raise TrainerError(f"it cannot be started or reached: {error}") from error
        raise TrainerError("it ended or stopped each time that it was asked")

    def queue_position(self, text: str) -> QueuePosition | None:
        """Return the position of a request in the queue, None if that is not known."""
        end = time.monotonic() + POSITION_SECONDS
        try:
            answer = self._request(
                f"position/{text}", "", lambda: time.monotonic() < end
            )
            return msgspec.json.decode(answer, type=QueuePosition)
        except (OSError, HTTPException, TrainerBusyError, TrainerError):
            return None

    def prepare(self) -> None:
        """Start the trainer if there is anything to compile, so that nobody has to wait for it."""
        with suppress(OSError):
            self.start("prepare")

    def start(self, *more: str) -> bool:
        """Start the trainer, unless there is one; return whether there was none."""
        lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
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
                    TRAINER,
                    *map(str, files),
                    self.folder,
                    *more,
                ],
                cwd=ROOT,
                pass_fds=[*files, lock],  # the lock is the trainer's from here on
                stdin=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the server, whose end it waits for
            )
            with suppress(OSError):  # no room for the number, which only people read
                os.ftruncate(lock, 0)
                os.write(lock, f"{process.pid}".encode())
            with suppress(
                RuntimeError
            ):  # no more threads: it stays a zombie after its end
                Thread(target=process.wait, daemon=True).start()
            return True
        finally:
            os.close(lock)

    def _request(self, text: str, address: str, wanted: Callable[[], bool]) -> bytes:
        connection = HTTPConnection("trainer")
        with socket.socket(socket.AF_UNIX) as client:
            try:
                self.start()
                client.setblocking(False)
                client.connect(self.address)
            except (
                BlockingIOError,
                ConnectionRefusedError,
            ):  # the backlog is full: Linux, others
                raise TrainerBusyError from None
            client.settimeout(READ_SECONDS)
            connection.sock = client
            connection.request("GET", f"/{quote(text)}", headers={"X-For": address})
            self._wait(client, wanted)
            with connection.getresponse() as response:
                if (response.length or 0) > LARGEST:
                    raise TrainerError(f"its answer has {response.length} bytes")
                body = response.read()
                if response.status == 400:
                    raise TrainerRefusedError(body.decode())
                if response.status == 503:
                    raise TrainerBusyError
                if response.status != 200:
                    raise TrainerError(f"it answered {response.status} {body[:200]!r}")
                return body

    def _wait(self, client: socket.socket, wanted: Callable[[], bool]) -> None:
        """Wait for the answer to begin; should the trainer end before it, start another."""
        ready, started = poll(), 0
        ready.register(client, POLLIN)
        while not ready.poll(LOOK_SECONDS * 1000):
            started += self.start()
            if started > TRIES:
                raise TrainerError("it ends as soon as it starts")
            if not wanted():
                raise TrainerBusyError

    def _remove_folder(self) -> None:
        """Remove the folder at the end of the process that made it."""
        if os.getpid() == self.maker:
            self.listener.close()
            remove(self.folder)


def runtime_dir() -> Path:
    """Return the folder that is this program's alone, made if it is not there.

    It is in the user's runtime folder, or in one like it among the temporary files; neither is
    taken if another user could write to it.  Raises OSError if there is none.
    """
    with catch_warnings():
        simplefilter(
            "ignore", RuntimeDirWarning
        )  # says that it is among the temporary files
        return user_runtime_path("q-tac-toe", ensure_exists=True)


def remove_stale_server_dirs(runtime_dir: Path) -> None:
    """Remove the folders of servers that were killed."""
    for folder in runtime_dir.glob(f"{SERVERS}*"):
        with suppress(OSError):  # its server lives, or it is not ours
            if time.time() - folder.lstat().st_mtime > OLD_SECONDS:
                handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(folder)
                finally:
                    os.close(handle)


def remove(folder: Path) -> None:
    """Remove the folder of a server if nothing is in it but a socket and a lock, as it was made."""
    with suppress(OSError):
        files = {file.name: file for file in folder.iterdir()}
        ours = files.get(SOCKET)
        if ours and ours.is_socket() and files.keys() <= {SOCKET, LOCK}:
            for file in files.values():
                file.unlink()
            folder.rmdir()


@cache
def trainer() -> Trainer:
    """Return the trainer of this process and of all that it forks from here on."""
    return Trainer()
