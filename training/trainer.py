"""The process that trains what the site is asked for: `python -m training.trainer FOLDER NUMBER`.

It is started by `app.web.service.trainer`, which names its folder, and hands on two open files: a
listening Unix socket by its number, and the trainer's lock, to be held to the end.
It answers one request at a time, as HTTP: who asks for `/q-learning,alpha=0.5` is sent a zip file
of the agent's card and arrays.  The others wait in the socket's own queue.  It ends when the last
process of the server has.
"""

import fcntl
import io
import os
import signal
import socket
import sys
import threading
import zipfile
from collections.abc import Iterable
from pathlib import Path
from select import poll
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from cachetools import LRUCache

from app.recipes import RecipeError, name, parse
from app.recipes.on_demand import parse_on_demand
from app.tictactoe.agents import to_files
from app.tictactoe.game import tic_tac_toe

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

KEPT = 64  # answers
STORY = "story/"  # before a name: the first games of its training instead of the agent
TAUGHT = "taught/"  # before the cells of a game that is begun, or "-", "/" and a name: its course
CARD, ARRAYS = "card.json", "arrays.npz"
TRAIN_SECONDS = 30  # most of it is for compiling, the first time on a machine
CLIENT_SECONDS = 5.0  # for a client to speak, and to take more of the answer
NICENESS = 5  # pages go first
COMPILED = Path(__file__).parent / "learners/__pycache__"  # where numba keeps what it compiled


class Trainer:
    """A WSGI application whose only addresses are names of recipes; it keeps its last answers."""

    def __init__(self) -> None:
        self.game = tic_tac_toe()
        self.answers: LRUCache[str, bytes] = LRUCache(KEPT)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer 200 with the agent, or 400 with a sentence if there is no such recipe."""
        status, kind = "200 OK", "application/zip"
        try:
            body = self.answer(environ["PATH_INFO"].removeprefix("/"))
        except RecipeError as error:
            status, kind, body = "400 Bad Request", "text/plain; charset=utf-8", f"{error}".encode()
        start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body]

    def answer(self, text: str) -> bytes:
        """Return the agent of a recipe, trained now if it is not one of the last, or its story."""
        signal.alarm(TRAIN_SECONDS)  # which ends this process: nothing here waits for ever
        try:
            if text.startswith(STORY):  # of the first games, however long the training is
                from training.story import story  # noqa: PLC0415

                return story(self.game, parse(text.removeprefix(STORY)))
            if text.startswith(TAUGHT):
                from training.taught import answer  # noqa: PLC0415

                _, now, taught = text.split("/", 2)
                return answer(self.game, taught, None if now == "-" else now)
            recipe = parse_on_demand(text)
            named = name(recipe)
            if named not in self.answers:
                # Until now neither numba nor any learner has been imported.
                from training.run import agent_id, train  # noqa: PLC0415

                agent = train(agent_id(recipe), recipe, self.game, lambda progress: None)
                self.answers[named] = packed(*to_files(self.game, agent))
            return self.answers[named]
        finally:
            signal.alarm(0)


def packed(card: bytes, arrays: bytes) -> bytes:
    """Put an agent's two files into one; they are small enough as they are."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(CARD, card)
        archive.writestr(ARRAYS, arrays)
    return file.getvalue()


class Server(WSGIServer):
    """Answers on a socket that is open already."""

    def __init__(self, listener: socket.socket, application: Trainer) -> None:
        super().__init__(("trainer", 0), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = "trainer", 0
        self.setup_environ()
        self.set_app(application)

    def get_request(self) -> tuple[socket.socket, Any]:
        """Let in the next client, who has no address, and is given a little time to speak."""
        client, _ = self.socket.accept()
        client.settimeout(CLIENT_SECONDS)
        return client, ("local", 0)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether the client is still there, after all that waiting."""
        there = poll()
        there.register(request, 0)  # a hung-up end is told unasked
        return not there.poll(0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write down in one line that a client has not spoken, or not listened."""
        print(f"trainer: {sys.exception()!r}", file=sys.stderr)


class Handler(WSGIRequestHandler):
    """Reads a request; only faults are written down."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of an answer: the server has a log of its own."""


def end_with_server(folder: Path) -> None:
    """End this process as soon as the server has: until then it holds the lock of its folder."""
    handle = os.open(folder, os.O_RDONLY)

    def wait() -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def compile_somewhere(place: Path) -> None:
    """Let numba keep what it compiles among the user's files if it cannot beside the program."""
    try:
        COMPILED.mkdir(exist_ok=True)
        with TemporaryFile(dir=COMPILED):
            return
    except OSError:
        os.environ.setdefault("NUMBA_CACHE_DIR", str(place / "compiled"))


def main() -> None:
    """Answer until the server has ended."""
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    end_with_server(folder)
    compile_somewhere(folder.parent)
    os.nice(NICENESS)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with Server(socket.socket(fileno=number), Trainer()) as server:
        while True:
            server.handle_request()


if __name__ == "__main__":
    main()
