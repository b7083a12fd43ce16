"""The server's side of the trainer, the one process that trains what people ask for.

The first process of the server makes a private folder with a listening Unix socket, and all that it
forks share both.  Whichever needs the trainer first starts it and hands it the socket.  Two locks,
which the kernel lifts when a process ends, however it ends, do the rest:

- the folder itself is locked by the server as long as one process of it lives.  The trainer waits
  for this lock, and ends when it gets it;
- a file in it, which names its process, is locked by the trainer.  Who gets that lock knows that
  there is no trainer, and hands it on to the one that it starts: so there are never two.

Who waits stands in the queue of the socket, which is short.  The program is `training.trainer`.
"""

import atexit
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from select import POLLIN, poll
from threading import Thread
from urllib.parse import quote

ROOT = Path(__file__).parent.parent.parent
PREFIX = "q-tac-toe-"  # of the folder
LOCK = "lock"  # the file in it
QUEUE = 8  # requests that wait while another is trained
TRIES = 2
WAIT_SECONDS = 40.0  # for an answer
READ_SECONDS = 5.0  # for the rest of it
LOOK_SECONDS = 1.0  # between two looks whether there is a trainer
LARGEST = 4 << 20  # bytes of an answer
OLD_SECONDS = 60.0  # of a folder that nobody has locked: its server was killed


class TrainerBusyError(Exception):
    """So many wait for the trainer already that it is better to come back later."""


class TrainerError(Exception):
    """The trainer cannot be had, or what it answers is no agent: the message says why."""


class Trainer:
    """The one trainer of this server; it is started at the first need."""

    def __init__(self) -> None:
        tidy_up()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))  # nobody else's: its mode is 0700
        # The lock goes with the open folder to all that is forked.  Who tidies up old temporary
        # files, as systemd does, leaves a locked folder alone.
        self.held = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.held, fcntl.LOCK_EX)
        self.address = str(self.folder / "socket")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.address)
        self.listener.listen(QUEUE - 1)  # the kernel lets one more in
        self.maker = os.getpid()
        atexit.register(self._tidy)

    def ask(self, name: str) -> bytes:
        """Return the trainer's answer for a recipe, asked once more if the trainer ends over it.

        So it is if the trainer stops in the middle of its answer.

        Raises TrainerBusyError if too many wait or it takes too long, and TrainerError.
        """
        try:
            for _ in range(TRIES):
                with suppress(ConnectionError, HTTPException, TimeoutError):
                    return self._asked(name)
        except OSError as error:
            raise TrainerError(f"it cannot be started or reached: {error}") from error
        raise TrainerError("it ended or stopped each time that it was asked")

    def start(self) -> bool:
        """Start the trainer, unless there is one; return whether there was none."""
        lock = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            number = self.listener.fileno()
            process = subprocess.Popen(
                [sys.executable, "-m", "training.trainer", str(self.folder), str(number)],
                cwd=ROOT,
                pass_fds=[number, lock],  # the lock is the trainer's from here on
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the server, whose end it waits for
            )
            os.ftruncate(lock, 0)
            os.write(lock, f"{process.pid}".encode())
            with suppress(RuntimeError):  # no more threads: it stays a zombie after its end
                Thread(target=process.wait, daemon=True).start()
            return True
        finally:
            os.close(lock)

    def _asked(self, name: str) -> bytes:
        connection = HTTPConnection("trainer")
        with socket.socket(socket.AF_UNIX) as client:
            try:
                self.start()
                client.setblocking(False)
                client.connect(self.address)
            except (BlockingIOError, ConnectionRefusedError):  # the queue is full: Linux, others
                raise TrainerBusyError from None
            client.settimeout(READ_SECONDS)
            connection.sock = client
            connection.request("GET", f"/{quote(name)}")
            self._wait(client)
            with connection.getresponse() as response:
                if (response.length or 0) > LARGEST:
                    raise TrainerError(f"its answer has {response.length} bytes")
                body = response.read()
                if response.status != 200:
                    raise TrainerError(f"it answered {response.status} {body[:200]!r}")
                return body

    def _wait(self, client: socket.socket) -> None:
        """Wait for the answer to begin; should the trainer end before it, start another."""
        ready, deadline, started = poll(), time.monotonic() + WAIT_SECONDS, 0
        ready.register(client, POLLIN)
        while not ready.poll(LOOK_SECONDS * 1000):
            started += self.start()
            if started > TRIES:
                raise TrainerError("it ends as soon as it starts")
            if time.monotonic() > deadline:
                raise TrainerBusyError

    def _tidy(self) -> None:
        """Remove the folder at the end of the process that made it."""
        if os.getpid() == self.maker:
            shutil.rmtree(self.folder, ignore_errors=True)


def tidy_up() -> None:
    """Remove the folders of servers that were killed, and whose trainer could not do it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is somebody else's, or its server lives
            if time.time() - folder.stat().st_mtime > OLD_SECONDS:
                handle = os.open(folder, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(handle)


@cache
def trainer() -> Trainer:
    """Return the trainer of this process and of all that it forks from here on."""
    return Trainer()
