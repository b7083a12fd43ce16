"""The process that trains what the site is asked for: `python -m training.trainer ...`.

It is started by `app.web.service.trainer`, which hands on three open files: a listening Unix socket
and the end of a pipe by their numbers, and the trainer's lock, to be held to the end.  The pipe is
closed when the last process of the server has ended, and then this one ends too.

It speaks HTTP.  Who asks for `/q-learning,alpha=0.5` is sent the agent, packed by brotli.
`/story/` before a name asks for the first games of its training, `/code/` for all of it as one file
of Python, `/taught/` for what people taught it, `/seeds/3.4.5/` for the figures and proofs that it
comes to with these seeds, `/place/` before any of them for the place in the line.

This process holds the line and learns nothing itself.  Those that it forks do, one job at a time
each: LAB_TRAINERS of them with numba, and one that tells stories and is taught in plain Python, so
that what is quick does not wait behind a training.  Where nothing is compiled yet they begin with
that; with one argument more it ends at once where something is.  Without arguments all kernels are
compiled, and kept.
"""

import asyncio
import os
import signal
import socket
import sys
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from traceback import print_exc
from typing import Any
from urllib.parse import quote, unquote

import brotli
import msgspec
import numpy as np
from cachetools import LRUCache

from app.recipes import ALGORITHMS, Recipe, RecipeError, name, parse
from app.recipes.on_demand import parse_on_demand
from app.tictactoe.agents import to_process
from app.tictactoe.game import SEATS, Game, tic_tac_toe
from app.tictactoe.policy import policy_of
from app.tictactoe.report import report

KEPT = 24 << 20  # bytes of answers: of agents some 100 KB each, of five seeds 10 KB
MOST = 200  # that wait in a line
# What else can be asked.
STORY, CODE, TAUGHT, SEEDS, PLACE = "story", "code", "taught", "seeds", "place"
TRAIN_SECONDS, COMPILE_SECONDS = 30, 600  # until a learner ends itself: nothing waits for ever
CLIENT_SECONDS = 5.0  # for a client to speak, and to take the answer
TRAINING_SECONDS, SEED_SECONDS = 0.03, 0.02  # what one is taken to cost whoever asks for it
GIVE_WAY = 30.0  # seconds within which all else goes before seeds, whose page is there already
TRIES = 2
LARGEST = 250 << 20  # bytes of a learner's memory: a larger one makes way for another
PAGE = os.sysconf("SC_PAGE_SIZE")
NICENESS = 5  # pages go first
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT}
HERE = Path(__file__).parent
COMPILED = HERE / "learners/__pycache__"  # where numba keeps most of what it compiled
KERNELS = "*.nb[ci]"  # how it calls its files
COMMON = ("q-table", "q-learning")  # are compiled first where nothing is yet
LEFT = ["200 OK", "400 Bad Request", "404 Not Found", "500 Internal Server Error"]
REASONS = {int(text[:3]): text for text in [*LEFT, "503 Service Unavailable"]}

Answer = tuple[int, bytes]  # a status of HTTP and a body
ENDED: Answer = (500, b"")  # where a learner has ended before it answered
FAULT: Answer = (500, b"fault")  # where one said that it could not


@dataclass(eq=False)
class Job:
    """What somebody waits for."""

    text: str
    share: str  # whose it is, and of what kind
    cost: float  # seconds that it is taken to last
    due: float  # in the time of the line
    answer: asyncio.Future[Answer]
    clients: int = 0
    compiling: bool = False


class Line:
    """Jobs that wait, and the learners that take the next of them.

    A job is due when it comes, and later by what those of the same address cost that wait already.
    So who waits longest is next, but nobody has more than a share while others wait.  Several
    seeds at once give way to single trainings.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.jobs: dict[str, Job] = {}  # that are not done, by what is asked
        self.waiting: list[Job] = []  # those of them that no learner has begun, by arrival
        self.came = asyncio.Event()
        self.cached = True  # whether what is compiled is kept in files

    def join(self, text: str, whose: str) -> Job | None:
        """Return the job for a text, in line from now on if it was not; None if it is full."""
        if text in self.jobs:
            return self.jobs[text]
        if len(self.waiting) >= MOST:
            return None
        kind, rest = asked(text)
        number = rest.partition("/")[0].count(".") + 1 if kind == SEEDS else 1
        several = number > 1  # one seed is what a page waits for
        share, cost = f"{whose} {several}", SEED_SECONDS * number if several else TRAINING_SECONDS
        due = time.monotonic() + GIVE_WAY * several
        due += sum(other.cost for other in self.waiting if other.share == share)
        answer = asyncio.get_running_loop().create_future()
        job = self.jobs[text] = Job(text, share, cost, due, answer)
        self.waiting.append(job)
        self.came.set()
        return job

    def leave(self, job: Job) -> None:
        """Forget a job that nobody wants any more, unless it has been begun."""
        if not job.clients and job in self.waiting:
            self.waiting.remove(job)
            del self.jobs[job.text]

    def order(self) -> list[Job]:
        """Return who waits in the order of their turns, should nobody else come."""
        return sorted(self.waiting, key=lambda job: job.due)

    async def work(self) -> None:
        """Have a learner do one job after the other."""
        learner = None
        while True:
            while not self.waiting:
                self.came.clear()
                await self.came.wait()
            job = self.order()[0]
            self.waiting.remove(job)
            answer, cached = ENDED, self.cached
            for _ in range(TRIES):
                learner = learner or await begin(self.game, cached)
                answer = await learner.ask(job)
                if answer[0] != 500:
                    break
                if learner.end() in CRASHES or answer == FAULT:
                    cached = False  # it may be what was kept that is broken
                learner = None
            if self.cached and learner and not cached:  # and so it is
                self.cached = False
                set_aside()
            del self.jobs[job.text]
            job.answer.set_result(answer)
            if learner and self.cached and learner.size() > LARGEST:
                learner.end()
                learner = None


@dataclass(frozen=True)
class Learner:
    """A process of ours that does jobs."""

    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, job: Job) -> Answer:
        """Have a job done: FAULT if the process cannot, ENDED if it ends over it."""
        try:
            self.writer.write(f"{job.text}\n".encode())
            while True:
                status, size = map(int, (await self.reader.readline()).split())
                if status != 102:
                    return status, await self.reader.readexactly(size)
                job.compiling = True
        except (ValueError, OSError, EOFError):
            return ENDED

    def size(self) -> int:
        """Return the bytes of memory that it holds, 0 where the system does not say."""
        with suppress(OSError):
            return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * PAGE
        return 0

    def end(self) -> int:
        """End it, and return the signal with which it ended, its own if it had already."""
        self.writer.transport.abort()  # later: nobody else would tell it
        os.kill(self.pid, signal.SIGKILL)
        return os.WTERMSIG(os.waitpid(self.pid, 0)[1])


async def begin(game: Game, cached: bool) -> Learner:
    """Fork a learner."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(theirs.fileno(), 3)
            for number in map(int, os.listdir("/dev/fd")):
                with suppress(OSError):  # nothing that the line has open is its business
                    if number > 3:
                        os.close(number)
            learn(game, socket.socket(fileno=3), cached)
        finally:
            os._exit(0)
    theirs.close()
    return Learner(pid, *await asyncio.open_unix_connection(sock=ours))


def learn(game: Game, channel: socket.socket, cached: bool) -> None:
    """Do the jobs that come through a channel until it is closed."""
    from numba.core import event  # noqa: PLC0415
    from numba.core.dispatcher import Dispatcher  # noqa: PLC0415

    if not cached:
        setattr(Dispatcher, "enable_caching", lambda self: None)  # noqa: B010
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends this process
    with channel.makefile("rwb") as file:

        class Told(event.Listener):
            def on_start(self, _: event.Event) -> None:
                signal.alarm(COMPILE_SECONDS)
                file.write(b"102 0\n")
                file.flush()

            def on_end(self, _: event.Event) -> None:
                pass

        event.register("numba:compile", Told())  # type: ignore[no-untyped-call]
        for line in file:
            signal.alarm(TRAIN_SECONDS)
            try:
                status, body = 200, answer(game, unquote(line.decode().strip()))
            except RecipeError as error:
                status, body = 400, f"{error}".encode()
            except Exception:
                print_exc()
                status, body = FAULT
            signal.alarm(0)
            file.write(f"{status} {len(body)}\n".encode() + body)
            file.flush()


def asked(text: str) -> tuple[str, str]:
    """Return what is asked of a recipe, "" for its agent, and the rest of the text."""
    kind, slash, rest = text.partition("/")
    return (kind, rest) if slash else ("", text)


def answer(game: Game, text: str) -> bytes:
    """Return what is asked for: an agent, a story, or what becomes of some seeds.

    Raises RecipeError if there is no such recipe.
    """
    # Until now neither numba nor any learner has been imported by the process of a story.
    kind, rest = asked(text)
    if kind == STORY:  # of the first games, however long the training is
        from training.story import story  # noqa: PLC0415

        return story(game, parse(rest))
    if kind == CODE:
        from training.code import code_of  # noqa: PLC0415

        return code_of(parse(rest)).encode()
    if kind == TAUGHT:  # with the cells of a game that is begun, or "-", before the name
        from training.taught import answer as course  # noqa: PLC0415

        now, _, taught = rest.partition("/")
        return course(game, taught, None if now == "-" else now)
    if kind == SEEDS:
        seeds, _, text = rest.partition("/")
        all_seeds = [parse(text).with_seed(int(seed)) for seed in seeds.split(".")]
        return msgspec.msgpack.encode(
            [become(game, parse_on_demand(name(one))) for one in all_seeds]
        )
    from training.run import agent_id, train  # noqa: PLC0415

    recipe = parse_on_demand(text)
    agent = train(agent_id(recipe), recipe, game, lambda progress: None)
    packed: bytes = brotli.compress(to_process(game, agent), quality=1)  # in 2 ms to a third
    return packed


def become(game: Game, recipe: Recipe) -> bytes:
    """Return the seed of a recipe, its figures, and whether it is proved unbeatable as X, as O.

    As JSON, packed by zlib.  What its values are worth is left out: its play counts.
    """
    from training.following import follow, unbeatable  # noqa: PLC0415
    from training.run import learn  # noqa: PLC0415

    history = learn(recipe, game, lambda progress: None)
    tables = np.stack([game.pairs_of(moment.q) for moment in history])
    updates = [moment.updates for moment in history]
    figures = report(game, tables, updates, None, recipe.plays, recipe.task(), follow)
    policy = policy_of(history[-1].q, recipe.plays)
    proofs = [unbeatable(game, policy, seat) for seat in SEATS.values()]
    return zlib.compress(msgspec.json.encode((recipe.seed, figures, proofs)), 1)


class Trainer:
    """Two lines and the last answers: trainings, and what is quick and does not wait for them."""

    def __init__(self, game: Game) -> None:
        self.trainings, self.quick = Line(game), Line(game)
        self.answers: LRUCache[str, bytes] = LRUCache(KEPT, getsizeof=len)
        self.runs: LRUCache[str, bytes] = LRUCache(KEPT, getsizeof=len)  # answers of seeds

    async def serve(self, listener: socket.socket, trainers: int) -> None:
        """Answer for ever."""
        await asyncio.start_unix_server(self.client, sock=listener, backlog=MOST)
        learners = [self.trainings] * trainers + [self.quick]
        await asyncio.gather(self.prepare(), *(line.work() for line in learners))

    async def prepare(self) -> None:
        """Have everything compiled that is not, one thing after the other between what is asked."""
        if not is_compiled():
            for text in little_of_everything():
                job = self.trainings.join(quote(text), "")
                if job:
                    await job.answer

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read a request and answer it; who does not speak or listen is left."""
        with suppress(OSError, EOFError, TimeoutError, ValueError, IndexError):
            async with asyncio.timeout(CLIENT_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            whose = head.partition("X-For: ")[2].partition("\r")[0]
            status, body = await self.answer(head.split(" ")[1].removeprefix("/"), whose, reader)
            writer.write(
                f"HTTP/1.1 {REASONS[status]}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
            )
            async with asyncio.timeout(CLIENT_SECONDS):
                await writer.drain()
        writer.close()

    async def answer(self, text: str, whose: str, reader: asyncio.StreamReader) -> Answer:
        """Answer as soon as its turn has come; 503 if the line is full or the client has gone."""
        kind, rest = asked(text)
        if kind == PLACE:
            return self.place(rest)
        kept = self.runs if kind == SEEDS else self.answers
        if text in kept:
            return 200, kept[text]
        line = self.line(text)
        job = line.join(text, whose)
        if job is None:
            return 503, b""
        job.clients += 1
        gone = asyncio.ensure_future(reader.read())
        waits: list[asyncio.Future[Any]] = [job.answer, gone]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        job.clients -= 1
        line.leave(job)
        if not job.answer.done():
            return 503, b""
        status, body = job.answer.result()
        if status == 200 and len(body) <= kept.maxsize:
            kept[text] = body
        return status, body

    def line(self, text: str) -> Line:
        """Return in which line one waits: one process keeps the learners that people teach."""
        taught = "taught" in text or asked(text)[0] in (STORY, CODE)
        return self.quick if taught else self.trainings

    def place(self, text: str) -> Answer:
        """Say how many are served before a text and it itself, 0 if it is being trained."""
        line = self.line(text)
        job = line.jobs.get(text)
        if job is None:
            return 404, b""
        number = line.order().index(job) + 1 if job in line.waiting else 0
        compiling = any(other.compiling for other in line.jobs.values())
        return 200, msgspec.json.encode((number, compiling))


def compile_somewhere(place: Path) -> None:
    """Let numba keep what it compiles among the user's files if it cannot beside the program."""
    try:
        COMPILED.mkdir(exist_ok=True)
        with TemporaryFile(dir=COMPILED):
            return
    except OSError:
        os.environ.setdefault("NUMBA_CACHE_DIR", str(place / "compiled"))


def set_aside() -> None:
    """Remove what numba has kept: some of it cannot be read, or there is no room for more."""
    print("trainer: what was compiled is of no use, and is compiled anew.", file=sys.stderr)
    for file in Path(os.environ.get("NUMBA_CACHE_DIR", HERE)).rglob(KERNELS):
        with suppress(OSError):
            file.unlink()


def is_compiled() -> bool:
    """Whether numba has kept anything."""
    return any(Path(os.environ.get("NUMBA_CACHE_DIR", HERE)).rglob(KERNELS))


def little_of_everything() -> list[str]:
    """Name recipes with which numba compiles all kernels, what people ask for most first."""
    kinds = sorted(ALGORITHMS.values(), key=lambda kind: kind.slug not in COMMON)
    return [shortest_recipe(kind) for kind in kinds if not kind.is_network]


def shortest_recipe(kind: type[Recipe]) -> str:
    """Name a recipe of two turns; phases have their own turns, so one opponent replaces them."""
    has_phases = ":" in getattr(kind(), "vs", "")
    return f"{kind.slug},{'vs=self,' * has_phases}{kind.turns}=2"


def main() -> None:
    """Answer until the server has ended."""
    game = tic_tac_toe()
    if len(sys.argv) == 1:
        for text in little_of_everything():
            answer(game, text)
        return
    listener, server, place = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]).parent
    compile_somewhere(place)
    if sys.argv[4:] and is_compiled():
        return
    os.nice(NICENESS)
    import numba  # noqa: F401, PLC0415 - here once, and not again in every process that learns

    async def serve() -> None:
        asyncio.get_running_loop().add_reader(server, os._exit, 0)
        trainers = int(os.environ.get("LAB_TRAINERS") or os.cpu_count() or 1)
        await Trainer(game).serve(socket.socket(fileno=listener), trainers)

    asyncio.run(serve())


if __name__ == "__main__":
    main()
