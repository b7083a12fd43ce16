"""A fair queue of jobs: the client with the least recent processor time comes first.

The workers measure the processor time of each job. A client that waits alone gets all
workers; a client with many or long jobs delays another client by no more than the current
job.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache

MAX_JOBS = 200  # limit for waiting jobs
MAX_CLIENTS = 10_000  # limit for clients whose used processor time is recorded
HALF_LIFE = 60.0  # seconds after which half of a client's used processor time expires
YIELD_SECONDS = 30.0  # a batch lets other jobs go first for this time after its arrival
FIRST_ESTIMATE = 0.03  # assumed processor seconds of a job before the first measurement
SMOOTHING = 0.1  # weight of the latest job in the mean processor time

Answer = tuple[int, bytes]  # an HTTP status and a body
BUSY_ANSWER: Answer = (503, b"")


@dataclass(eq=False)
class Job:
    """A request that at least one client waits for."""

    request: str
    # the first client that requested the job; its processor time is charged to this client
    client: str
    # whether the job has several trainings, so that no page waits for it
    is_batch: bool
    arrival_time: float  # time of arrival by the queue's clock, in seconds
    answer_future: asyncio.Future[Answer] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    listener_count: int = 0  # number of clients that wait for the answer


class JobQueue:
    """Waiting and running jobs by request; equal requests share a job."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Create the queue within a running event loop."""
        self.clock = clock
        self.jobs: dict[str, Job] = {}  # waiting and running jobs
        self.waiting: list[
            Job
        ] = []  # jobs that no worker has taken, in the order of arrival
        self.changed = asyncio.Event()
        self.mean_seconds = FIRST_ESTIMATE
        # client -> (processor seconds used, time of the measurement)
        self.used: LRUCache[str, tuple[float, float]] = LRUCache(MAX_CLIENTS)

    def add_job(self, request: str, client: str, is_batch: bool = False) -> Job | None:
        """Return the waiting or running job of a request, or a new job.

        If the queue is full, the client with the most jobs loses its last job, which is
        answered BUSY_ANSWER. If this client has the most jobs, return None.
        """
        if request in self.jobs:
            return self.jobs[request]
        if len(self.waiting) >= MAX_JOBS and not self._make_room(client):
            return None
        job = self.jobs[request] = Job(request, client, is_batch, self.clock())
        self.waiting.append(job)
        self.changed.set()
        return job

    def remove_listener(self, job: Job) -> None:
        """Remove a job without listeners, unless a worker has taken it."""
        if not job.listener_count and job in self.waiting:
            self._remove_waiting_job(job)

    async def start_next_job(self) -> Job:
        """Return the next job; wait for one if the queue is empty."""
        while not self.waiting:
            self.changed.clear()
            await self.changed.wait()
        job = self.list_in_queue_order()[0]
        self.waiting.remove(job)
        return job

    def finish_job(self, job: Job, answer: Answer, seconds: float) -> None:
        """Answer a running job, and add its processor seconds to the use of its client."""
        del self.jobs[job.request]
        self.used[job.client] = (
            self.compute_recent_use(job.client) + seconds,
            self.clock(),
        )
        self.mean_seconds += SMOOTHING * (seconds - self.mean_seconds)
        job.answer_future.set_result(answer)

    def list_in_queue_order(self) -> list[Job]:
        """Return the waiting jobs in the order of the queue: workers take the first job next."""
        now = self.clock()
        urgent_first = sorted(self.waiting, key=lambda job: _is_yielding(job, now))
        jobs_before = Counter[
            str
        ]()  # by client, the number of its jobs that are earlier in the queue
        rank = {}
        for job in urgent_first:
            expected_use = (
                self.compute_recent_use(job.client)
                + jobs_before[job.client] * self.mean_seconds
            )
            jobs_before[job.client] += 1
            rank[job] = (_is_yielding(job, now), expected_use)
        return sorted(urgent_first, key=lambda job: rank[job])

    def find_position(self, request: str) -> int | None:
        """Return the position of a request among the waiting jobs, from 1.

        It is 0 if a worker has taken the job, and None if there is no such job.
        """
        job = self.jobs.get(request)
        if job is None:
            return None
        return self.list_in_queue_order().index(job) + 1 if job in self.waiting else 0

    def compute_recent_use(self, client: str) -> float:
        """Return the processor seconds that a client used; half of them expire in each HALF_LIFE."""
        seconds, measured = self.used.get(client, (0.0, 0.0))
        age = self.clock() - measured
        return float(seconds * 0.5 ** (age / HALF_LIFE))

    def _make_room(self, client: str) -> bool:
        """Remove the last job of the client with the most jobs; return False if it is `client`."""
        job_counts = Counter(job.client for job in self.waiting)
        busiest_client, most_jobs = job_counts.most_common(1)[0]
        if job_counts[client] >= most_jobs:
            return False
        last_job = next(
            job for job in reversed(self.waiting) if job.client == busiest_client
        )
        self._remove_waiting_job(last_job)
        last_job.answer_future.set_result(BUSY_ANSWER)
        return True

    def _remove_waiting_job(self, job: Job) -> None:
        """Remove a job that no worker has taken."""
        self.waiting.remove(job)
        del self.jobs[job.request]


def _is_yielding(job: Job, now: float) -> bool:
    """Return whether a batch still lets the other jobs of its client go first."""
    return job.is_batch and now < job.arrival_time + YIELD_SECONDS
