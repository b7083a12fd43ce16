"""The order in which workers take the jobs that clients wait for: fair by measured cost.

The next job is one of the client that used the least processor time lately, as the workers measured
it.  A client who waits alone has everything; one with many or long jobs delays nobody else by more
than the job that is being done.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache

CAPACITY = 200  # jobs that wait
CLIENTS = 10_000  # whose use is remembered
HALF_LIFE = 60.0  # seconds after which half of what a client used is forgotten
YIELD_SECONDS = 30.0  # for which a batch lets all other jobs of its client go first
FIRST_ESTIMATE = 0.03  # seconds that a job costs, before any is measured
SMOOTHING = 0.1  # weight of the last job in the mean cost of all

Answer = tuple[int, bytes]  # an HTTP status and a body
BUSY: Answer = (503, b"")


@dataclass(eq=False)
class Job:
    """What at least one client waits for."""

    request: str
    client: str  # who asked first, and is charged
    is_batch: bool  # of several trainings, none of which a page waits for
    arrived: float
    answer: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    listeners: int = 0


class JobQueue:
    """Jobs that wait or are being done, by request: the same request is one job."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Create it within a running event loop."""
        self.clock = clock
        self.jobs: dict[str, Job] = {}  # all
        self.waiting: list[Job] = []  # those that no worker has taken, by arrival
        self.changed = asyncio.Event()
        self.mean_seconds = FIRST_ESTIMATE
        self.used: LRUCache[str, tuple[float, float]] = LRUCache(
            CLIENTS
        )  # seconds, as of when

    def join(self, request: str, client: str, is_batch: bool = False) -> Job | None:
        """Return the job of a request, a new one if there is none.

        A full queue drops the last job of the client with most of them, and answers it BUSY; None
        if that is this client.
        """
        if request in self.jobs:
            return self.jobs[request]
        if len(self.waiting) >= CAPACITY and not self._make_room(client):
            return None
        job = self.jobs[request] = Job(request, client, is_batch, self.clock())
        self.waiting.append(job)
        self.changed.set()
        return job

    def leave(self, job: Job) -> None:
        """Remove a job that nobody waits for, unless a worker has taken it."""
        if not job.listeners and job in self.waiting:
            self._remove(job)

    async def take(self) -> Job:
        """Wait for a job, and remove the next one from those that wait."""
        while not self.waiting:
            self.changed.clear()
            await self.changed.wait()
        job = self.list_turns()[0]
        self.waiting.remove(job)
        return job

    def finish(self, job: Job, answer: Answer, seconds: float) -> None:
        """Answer a job that was taken, and charge its client with the seconds it cost."""
        del self.jobs[job.request]
        self.used[job.client] = self.recent_use(job.client) + seconds, self.clock()
        self.mean_seconds += SMOOTHING * (seconds - self.mean_seconds)
        job.answer.set_result(answer)

    def list_turns(self) -> list[Job]:
        """Return the jobs that wait in the order of their turns, if no other comes."""
        now = self.clock()
        urgent_first = sorted(self.waiting, key=lambda job: _is_yielding(job, now))
        turns = Counter[str]()  # by client
        rank = {}
        for job in urgent_first:
            expected_use = (
                self.recent_use(job.client) + turns[job.client] * self.mean_seconds
            )
            turns[job.client] += 1
            rank[job] = (_is_yielding(job, now), expected_use)
        return sorted(urgent_first, key=lambda job: rank[job])

    def position(self, request: str) -> int | None:
        """Return the place of a request among those that wait, from 1.

        It is 0 if a worker has taken it, and None if it is not here.
        """
        job = self.jobs.get(request)
        if job is None:
            return None
        return self.list_turns().index(job) + 1 if job in self.waiting else 0

    def recent_use(self, client: str) -> float:
        """Return the seconds that a client used, of which half is forgotten each HALF_LIFE."""
        seconds, measured = self.used.get(client, (0.0, 0.0))
        age = self.clock() - measured
        return float(seconds * 0.5 ** (age / HALF_LIFE))

    def _make_room(self, client: str) -> bool:
        """Drop the last job of the client with most; return False if that is this one."""
        numbers = Counter(job.client for job in self.waiting)
        greatest, number = numbers.most_common(1)[0]
        if numbers[client] >= number:
            return False
        last = next(job for job in reversed(self.waiting) if job.client == greatest)
        self._remove(last)
        last.answer.set_result(BUSY)
        return True

    def _remove(self, job: Job) -> None:
        self.waiting.remove(job)
        del self.jobs[job.request]


def _is_yielding(job: Job, now: float) -> bool:
    """Whether a job lets others go first."""
    return job.is_batch and now < job.arrived + YIELD_SECONDS
