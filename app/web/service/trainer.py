"""The server's side of the trainer, the one process that people stand in line at for trainings.

The first process of the server makes a folder with a listening Unix socket in the place that this
program has among the user's own folders, and all that it forks share both.  Whichever needs the
trainer first starts it and hands it the socket.  The kernel does the rest when a process ends,
however it ends:

- the folder itself is locked by the server as long as one process of it lives, and so long a pipe
  is open, with whose end the trainer ends too;
- a file in it, which names its process, is locked by the trainer.  Who gets that lock knows that
  there is no trainer, and hands it on to the one that it starts: so there are never two.

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

ROOT = Path(__file__).parents[3]
SERVERS = "server-"  # how the names of the folders of servers begin
SOCKET, LOCK = "socket", "lock"  # the files in each, and nothing else is
BACKLOG = 300  # more than can stand in line
TRIES = 2
READ_SECONDS = 5.0  # for the rest of an answer that has begun
PLACE_SECONDS = 1.0  # for a place in the line
LOOK_SECONDS = 0.5  # between two looks whether there is a trainer, and whether it is still wanted
LARGEST = 4 << 20  # bytes of an answer
LONGEST = 100  # bytes of the address of a socket, on any system
OLD_SECONDS = 60.0  # of a folder that no process has locked: its server was killed


class TrainerBusyError(Exception):
    """So many stand in line already that it is better to come back later, or nobody waits."""


class TrainerError(Exception):
    """The trainer cannot be had, or what it answers is no agent: the message says why."""


class TrainerRefusedError(TrainerError):
    """What it learned by now shows that this recipe cannot be learned: the message says why."""


class LinePlace(NamedTuple):
    """A place in the line: the next has number 1, and 0 is being trained."""

    number: int
    compiling: bool  # whether all wait for what is done once on a machine


class Trainer:
    """The one trainer of this server; it is started at the first need."""

    def __init__(self) -> None:
        tidy_up(place())
        self.folder = Path(tempfile.mkdtemp(prefix=SERVERS, dir=place()))  # its mode is 0700
        # The lock goes with the open folder to all that is forked.  Who tidies up old temporary
        # files, as systemd does, leaves a locked folder alone.
        self.held = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.held, fcntl.LOCK_EX)
        self.server_ends, self.open = os.pipe()
        self.address = str(self.folder / SOCKET)
        if len(os.fsencode(self.address)) > LONGEST:  # Linux knows the open folder by this, too
            self.address = f"/proc/self/fd/{self.held}/{SOCKET}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        self.listener.listen(BACKLOG)
        self.maker = os.getpid()
        atexit.register(self._tidy)

    def ask(self, text: str, whose: str = "", wanted: Callable[[], bool] = lambda: True) -> bytes:
        """Return the trainer's answer as soon as it is somebody's turn, by their address.

        It is asked once more if it ends over it, or stops in the middle of its answer.
        Raises TrainerBusyError if too many stand in line or it is not wanted any more, and
        TrainerError.
        """
        try:
            for _ in range(TRIES):
                with suppress(ConnectionError, HTTPException, TimeoutError):
                    return self._asked(text, whose, wanted)
        except OSError as error:
            raise TrainerError(f"it cannot be started or reached: {error}") from error
        raise TrainerError("it ended or stopped each time that it was asked")

    def place(self, text: str) -> LinePlace | None:
        """Return the place in the line of what was asked, None if that is not known."""
        end = time.monotonic() + PLACE_SECONDS
        try:
            answer = self._asked(f"place/{text}", "", lambda: time.monotonic() < end)
            return msgspec.json.decode(answer, type=LinePlace)
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
                [sys.executable, "-m", "training.trainer", *map(str, files), self.folder, *more],
                cwd=ROOT,
                pass_fds=[*files, lock],  # the lock is the trainer's from here on
                stdin=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the server, whose end it waits for
            )
            os.ftruncate(lock, 0)
            os.write(lock, f"{process.pid}".encode())
            with suppress(RuntimeError):  # no more threads: it stays a zombie after its end
                Thread(target=process.wait, daemon=True).start()
            return True
        finally:
            os.close(lock)

    def _asked(self, text: str, whose: str, wanted: Callable[[], bool]) -> bytes:
        connection = HTTPConnection("trainer")
        with socket.socket(socket.AF_UNIX) as client:
            try:
                self.start()
                client.setblocking(False)
                client.connect(self.address)
            except (BlockingIOError, ConnectionRefusedError):  # the backlog is full: Linux, others
                raise TrainerBusyError from None
            client.settimeout(READ_SECONDS)
            connection.sock = client
            connection.request("GET", f"/{quote(text)}", headers={"X-For": whose})
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

    def _tidy(self) -> None:
        """Remove the folder at the end of the process that made it."""
        if os.getpid() == self.maker:
            self.listener.close()
            remove(self.folder)


def place() -> Path:
    """Return the folder that is this program's alone, made if it is not there.

    It is in the user's runtime folder, or in one like it among the temporary files; neither is
    taken if another user could write to it.  Raises OSError if there is none.
    """
    with catch_warnings():
        simplefilter("ignore", RuntimeDirWarning)  # says that it is among the temporary files
        return user_runtime_path("q-tac-toe", ensure_exists=True)


def tidy_up(place: Path) -> None:
    """Remove what servers that were killed have left in the place of this program."""
    for folder in place.glob(f"{SERVERS}*"):
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
