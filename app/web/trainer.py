"""The trainer of a web worker trains agents for visitors, in processes that can be killed.

Jobs wait in a queue (see `job_queue.py`), which all web workers share. Every web worker has one process
for training jobs and one for quick jobs. Each process starts with its first job.
"""

import logging
import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from threading import Event, Lock, Thread
from time import monotonic, sleep

from app.processes import CallProcess, call_by_name
from app.recipes import RecipeError
from app.web.job_queue import Answer, JobQueue, QueueFullError, get_job_queue

TRAINING_JOB, QUICK_JOB = "training", "quick"
# A job usually takes a few seconds.
JOB_TIMEOUT_SECONDS = 60.0
# Compiling all kernels usually takes 20 seconds.
COMPILE_TIMEOUT_SECONDS = 600.0
# A waiting job is dropped this many seconds after its client has left.
ABANDONED_JOB_SECONDS = 1.0
MIN_POLL_SECONDS, MAX_POLL_SECONDS = 0.003, 0.1
# An idle process looks this often for jobs that other web workers have put into the queue.
IDLE_POLL_SECONDS = 0.25


class Trainer:
    """Does jobs from the queue that all web workers share."""

    def __init__(self, job_queue: JobQueue) -> None:
        self.job_queue = job_queue
        # Two requests at the same time must not start two threads for one kind of job.
        self._lock = Lock()
        # After a fork the threads are gone, so the keys are (process id, kind of job).
        self._wake_events: dict[tuple[int, str], Event] = {}

    def request_answer(
        self,
        request: str,
        kind: str,
        address: str,
        seconds: float,
        is_wanted: Callable[[], bool],
        is_batch: bool = False,
    ) -> Answer | None:
        """Wait for the answer to a request; return None if it takes longer than `seconds`.

        `training.jobs` describes requests. `kind` is TRAINING_JOB or QUICK_JOB. Network addresses
        take turns, and jobs with `is_batch` come last among the jobs of their address. Raises
        QueueFullError if too many jobs wait, or if `is_wanted()` is false because the client has
        left.
        """
        begin = monotonic()
        kept_until = 0.0
        while True:
            answer = self.job_queue.find_answer(request)
            if answer:
                return answer
            now = monotonic()
            if now > kept_until - ABANDONED_JOB_SECONDS / 2:
                if not is_wanted():
                    raise QueueFullError
                self.job_queue.request_job(
                    request, kind, is_batch, address, ABANDONED_JOB_SECONDS
                )
                kept_until = now + ABANDONED_JOB_SECONDS
            if now >= begin + seconds:
                return None
            self._wake_thread(kind)
            # With pauses that grow with the waiting time, a client notices a finished job after
            # at most a tenth more time than the job took.
            sleep(min(MAX_POLL_SECONDS, MIN_POLL_SECONDS + (now - begin) / 10))

    def compile_kernels(self) -> None:
        """Compile the training loops in a background process, which ends afterwards."""
        work = (
            COMPILE_TIMEOUT_SECONDS,
            call_by_name,
            "training.kernels",
            "compile_all_kernels",
        )

        def compile_all_kernels() -> None:
            process = CallProcess()
            process.call(*work)
            process.close()

        Thread(target=compile_all_kernels, daemon=True).start()

    def _wake_thread(self, kind: str) -> None:
        key = (os.getpid(), kind)
        with self._lock:
            wake_event = self._wake_events.get(key)
            if wake_event is None:
                wake_event = self._wake_events[key] = Event()
                Thread(
                    target=self._do_jobs, args=(kind, wake_event), daemon=True
                ).start()
        wake_event.set()

    def _do_jobs(self, kind: str, wake_event: Event) -> None:
        process = CallProcess()
        while True:
            wake_event.clear()
            request = self.job_queue.take_job(kind)
            if request is None:
                wake_event.wait(IDLE_POLL_SECONDS)
                continue
            self.job_queue.finish_job(request, answer_job(process, request))


def answer_job(process: CallProcess, request: str) -> Answer:
    """Return the answer that `training.jobs.answer_request` computes in `process`.

    Its status is 400 for an invalid recipe, and 500 if the process crashed, was killed, or took
    longer than the time limit.
    """
    try:
        content = process.call(
            JOB_TIMEOUT_SECONDS,
            call_by_name,
            "training.jobs",
            "answer_request",
            request,
        )
    except RecipeError as error:
        return Answer(400, str(error).encode())
    except Exception:
        logging.getLogger(__name__).exception("no answer to %s", request)
        return Answer(500, b"")
    return Answer(200, content)


@cache
def get_trainer() -> Trainer | None:
    return Trainer(get_job_queue()) if find_spec("numba") else None
