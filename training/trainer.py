"""The trainer process of the site: `python -m training.trainer ...`.

`app.web.trainer_client` starts it and passes three open files: a listening Unix socket and
the end of a pipe by their numbers, and the trainer's lock, which is held until exit. When
the last process of the server has ended, the pipe closes, and the trainer exits.

It serves HTTP: `GET /<request>` returns the answer to a request (see `training.jobs`), and
`GET /position/<request>` the position of the request in the queue.

This process holds the queues and trains nothing itself. Each worker does one job at a time:
LAB_TRAINERS workers train, and one worker answers quick requests, so that they do not wait
behind a training. On a machine without compiled kernels the trainer compiles them first;
with an additional argument it exits if kernels are compiled already. Without arguments all
kernels are compiled.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote, unquote

import msgspec
from cachetools import LRUCache

from app.project import PREFIX, ROOT
from app.recipes import ALGORITHMS, Recipe
from app.tictactoe.game import tic_tac_toe
from training.job_queue import BUSY_ANSWER, MAX_JOBS, Answer, JobQueue
from training.jobs import (
    SEEDS_PREFIX,
    answer_request,
    is_batch,
    is_quick,
    split_request,
)
from training.worker import FAILED_STATUS, UNCACHED_ARGUMENT, JobOutcome, JobRequest

CACHE_BYTES = 24 << 20  # limit for cached answers; an agent has about 100 KB
POSITION_PREFIX = "position"
# time limit for a client to send a request or to receive the answer
CLIENT_SECONDS = 5.0
MAX_ATTEMPTS = 2
MAX_WORKER_BYTES = 250 << 20  # a worker with more memory is replaced by a new one
WORKER_NICENESS = 5  # trainings have a lower priority than the server's pages
CRASH_SIGNALS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT}
# The folder where numba saves most compiled kernels.
KERNEL_FOLDER = ROOT / "training/learners/__pycache__"
KERNEL_FILES = "*.nb[ci]"  # pattern of the names of kernel files
# the most common algorithms are compiled first
COMPILED_FIRST = ("q-table", "q-learning")
RECIPE_SECONDS = 1.5  # mean time for compiling the kernels of a recipe
COMPILE_CLIENT = ""  # the client name of jobs that only compile kernels
REASON_BY_STATUS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class Worker:
    """A worker process and the socket to it."""

    process: subprocess.Popen[bytes]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def do_job(self, job_request: JobRequest) -> tuple[JobOutcome, bytes] | None:
        """Return the outcome of a job and its answer, None if the process died."""
        try:
            self.writer.write(msgspec.json.encode(job_request) + b"\n")
            outcome = msgspec.json.decode(await self.reader.readline(), type=JobOutcome)
            return outcome, await self.reader.readexactly(outcome.answer_size)
        except (msgspec.DecodeError, OSError, EOFError):
            return None

    def stop(self) -> int:
        """Stop the process; return the number of the signal that ended it."""
        self.writer.transport.abort()
        self.process.kill()
        return -self.process.wait()


async def start_worker(*arguments: str) -> Worker:
    """Start a worker with a socket as its standard input; return the worker."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", f"{PREFIX}training.worker", *arguments],
            cwd=ROOT,
            stdin=theirs.fileno(),
        )
    return Worker(process, *await asyncio.open_unix_connection(sock=ours))


class Trainer:
    """The two queues with their workers, and a cache of recent answers."""

    def __init__(self) -> None:
        """Create the queues within a running event loop."""
        self.trainings = JobQueue()
        self.quick = JobQueue()
        # Answers of all kinds by request: agents, stories, scripts and seeds.
        self.agents: LRUCache[str, bytes] = LRUCache(CACHE_BYTES, getsizeof=len)
        self.seeds: LRUCache[str, bytes] = LRUCache(CACHE_BYTES, getsizeof=len)
        self.is_compiled = has_compiled_kernels()
        self.compile_start = time.monotonic()
        self.compiled = 0  # number of recipes whose kernels are compiled
        self.has_cache = True  # whether compiled kernels are saved in files

    async def run_server(self, listener: socket.socket, trainers: int) -> None:
        """Answer requests until the process ends."""
        await asyncio.start_unix_server(
            self.serve_client, sock=listener, backlog=MAX_JOBS
        )
        queues = [self.trainings] * trainers + [self.quick]
        await asyncio.gather(self.compile_all(), *map(self.run_worker, queues))

    async def compile_all(self) -> None:
        """Compile all missing kernels, one job at a time between other jobs."""
        if not self.is_compiled:
            for recipe in list_short_recipes():
                job = self.trainings.add_job(
                    f"{SEEDS_PREFIX}/0/{quote(recipe)}", COMPILE_CLIENT
                )
                if job:
                    job.listener_count += 1
                    await job.answer_future
                self.compiled += 1
            self.is_compiled = True

    def estimate_compile_seconds(self) -> int:
        """Return the estimated seconds until all kernels are compiled, 0 if they are."""
        if self.is_compiled:
            return 0
        elapsed = time.monotonic() - self.compile_start
        each = elapsed / self.compiled if self.compiled else RECIPE_SECONDS
        left = len(list_short_recipes()) - self.compiled
        return max(1, round(left * each))

    async def run_worker(self, queue: JobQueue) -> None:
        """Let a worker do the jobs of a queue one by one; replace it if it ends."""
        worker = None
        while True:
            job = await queue.start_next_job()
            worker, outcome = await self.do_job(worker, unquote(job.request))
            if outcome is None:
                queue.finish_job(job, (FAILED_STATUS, b""), 0.0)
                continue
            result, body = outcome
            queue.finish_job(job, (result.status, body), result.seconds)
            if worker and self.has_cache and result.memory_bytes > MAX_WORKER_BYTES:
                worker.stop()
                worker = None

    async def do_job(
        self, worker: Worker | None, request: str
    ) -> tuple[Worker | None, tuple[JobOutcome, bytes] | None]:
        """Return the outcome of a request, None if every worker died, and the remaining worker.

        After a crash the next worker runs without the saved kernels. If it succeeds, they are
        broken and are deleted.
        """
        order = JobRequest(request, self.is_compiled)
        outcome = None
        has_cache = self.has_cache
        for _ in range(MAX_ATTEMPTS):
            worker = worker or await start_worker(
                *[UNCACHED_ARGUMENT] * (not has_cache)
            )
            outcome = await worker.do_job(order)
            if outcome and outcome[0].status != FAILED_STATUS:
                break
            if worker.stop() in CRASH_SIGNALS or outcome:
                # the saved kernels may be broken: try without them
                has_cache = False
            worker = None
        if worker and self.has_cache and not has_cache:
            self.has_cache = False
            clear_compile_cache()
        return worker, outcome

    async def serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Read a request and answer it; a client that does not send or receive is dropped."""
        with suppress(OSError, EOFError, TimeoutError, ValueError, IndexError):
            async with asyncio.timeout(CLIENT_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            client = head.partition("X-For: ")[2].partition("\r")[0]
            request = head.split(" ")[1].removeprefix("/")
            kind, rest = split_request(request)
            if kind == POSITION_PREFIX:
                status, body = self.find_position(rest)
            else:
                status, body = await self.answer_request(request, client, reader)
            lines = (
                f"HTTP/1.1 {status} {REASON_BY_STATUS[status]}",
                f"Content-Length: {len(body)}",
                "",
                "",
            )
            writer.write("\r\n".join(lines).encode() + body)
            async with asyncio.timeout(CLIENT_SECONDS):
                await writer.drain()
        writer.close()

    async def answer_request(
        self, request: str, client: str, reader: asyncio.StreamReader
    ) -> Answer:
        """Return the answer to a request, when its job is done.

        Return BUSY_ANSWER if the queue is full or the client has closed the connection.
        """
        cache = self.seeds if split_request(request)[0] == SEEDS_PREFIX else self.agents
        if request in cache:
            return 200, cache[request]
        queue = self.choose_queue(request)
        job = queue.add_job(request, client, is_batch(request))
        if job is None:
            return BUSY_ANSWER
        job.listener_count += 1
        hang_up = asyncio.ensure_future(reader.read())
        waits: list[asyncio.Future[Any]] = [job.answer_future, hang_up]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        hang_up.cancel()
        job.listener_count -= 1
        if not job.answer_future.done():
            queue.remove_listener(job)
            return BUSY_ANSWER
        status, body = job.answer_future.result()
        if status == 200 and len(body) <= cache.maxsize:
            cache[request] = body
        return status, body

    def choose_queue(self, request: str) -> JobQueue:
        """Return the queue for a request."""
        return self.quick if is_quick(request) else self.trainings

    def find_position(self, request: str) -> Answer:
        """Return the position of a request in its queue, and the seconds until kernels are compiled."""
        position = self.choose_queue(request).find_position(request)
        if position is None:
            return 404, b""
        return 200, msgspec.json.encode((position, self.estimate_compile_seconds()))


def choose_compile_cache(runtime_dir: Path) -> None:
    """Set numba's cache to a user folder if the program's folder is not writable."""
    try:
        KERNEL_FOLDER.mkdir(exist_ok=True)
        with TemporaryFile(dir=KERNEL_FOLDER):
            return
    except OSError:
        os.environ.setdefault("NUMBA_CACHE_DIR", str(runtime_dir / "compiled"))


def find_compile_cache() -> Path:
    """Return the folder that contains the compiled kernels."""
    return Path(os.environ.get("NUMBA_CACHE_DIR", ROOT / "training"))


def clear_compile_cache() -> None:
    """Delete compiled kernels that are broken or fill the disk."""
    print(
        "trainer: the compiled kernels are of no use, and are compiled again.",
        file=sys.stderr,
    )
    for file in find_compile_cache().rglob(KERNEL_FILES):
        with suppress(OSError):
            file.unlink()


def has_compiled_kernels() -> bool:
    """Return whether numba has saved any compiled kernel."""
    return any(find_compile_cache().rglob(KERNEL_FILES))


def list_short_recipes() -> list[str]:
    """Return short recipes that compile all kernels, the most common algorithms first."""
    kinds = sorted(
        ALGORITHMS.values(), key=lambda kind: kind.slug not in COMPILED_FIRST
    )
    return [name_short_recipe(kind) for kind in kinds if not kind.is_network]


def name_short_recipe(algorithm: type[Recipe]) -> str:
    """Return the name of a recipe with two turns.

    A recipe with phases has turns in each phase, so `vs` becomes a single opponent.
    """
    has_phases = ":" in getattr(algorithm(), "vs", "")
    return f"{algorithm.slug},{'vs=self,' * has_phases}{algorithm.length_parameter}=2"


def main() -> None:
    """Compile all kernels, or answer requests until the server has ended."""
    if len(sys.argv) == 1:
        game = tic_tac_toe()
        for recipe in list_short_recipes():
            answer_request(game, recipe)
        return
    listener = int(sys.argv[1])
    server = int(sys.argv[2])
    folder = Path(sys.argv[3])
    choose_compile_cache(folder.parent)
    if sys.argv[4:] and has_compiled_kernels():
        return
    os.nice(WORKER_NICENESS)

    async def serve() -> None:
        asyncio.get_running_loop().add_reader(server, os._exit, 0)
        trainers = int(os.environ.get("LAB_TRAINERS") or os.cpu_count() or 1)
        await Trainer().run_server(socket.socket(fileno=listener), trainers)

    asyncio.run(serve())


if __name__ == "__main__":
    main()
