"""The trainer of a web worker: it does jobs (see `job_line.py`) in processes that can be killed.

Every web worker has one process for training and one for quick jobs. Each starts with its first job.
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
from app.web.job_line import Answer, JobLine, LineFullError, get_job_line

TRAINING_JOB, QUICK_JOB = "training", "quick"  # the two kinds of jobs
JOB_SECONDS = 60.0  # time limit of a job, far above the usual few seconds
# time limit for compiling all kernels, which usually takes 20 s
COMPILE_SECONDS = 600.0
DROP_SECONDS = 1.0  # seconds until a job is dropped after its client has left
# seconds between two checks for an answer
MIN_LOOK_SECONDS, MAX_LOOK_SECONDS = 0.003, 0.1

# how often an idle process checks whether other web workers have waiting jobs, in seconds
IDLE_CHECK_SECONDS = 0.25


class Trainer:
    """Does the jobs that clients of this web worker ask for, and others when it is idle."""

    def __init__(self, line: JobLine) -> None:
        """Create the trainer; its threads and processes start with the first jobs."""
        self.line = line
        self._lock = Lock()  # protects the start of threads
        # the event that tells a thread to look for a job, by process id and kind of job
        self._bells: dict[tuple[int, str], Event] = {}

    def request_answer(
        self,
        request: str,
        kind: str,
        address: str,
        seconds: float,
        is_wanted: Callable[[], bool],
        is_batch: bool = False,
    ) -> Answer | None:
        """Return the answer to a request, None if there is none after `seconds`.

        Raises LineFullError if the line is full or the client has left.
        """
        begin = monotonic()
        kept_until = 0.0
        while True:
            answer = self.line.find_answer(request)
            if answer:
                return answer
            now = monotonic()
            if now > kept_until - DROP_SECONDS / 2:
                if not is_wanted():
                    raise LineFullError
                self.line.request_job(request, kind, is_batch, address, DROP_SECONDS)
                kept_until = now + DROP_SECONDS
            if now >= begin + seconds:
                return None
            self._wake_worker(kind)
            # The pause is a tenth of the time so far, so no wait is much longer than the job.
            sleep(min(MAX_LOOK_SECONDS, MIN_LOOK_SECONDS + (now - begin) / 10))

    def compile_kernels(self) -> None:
        """Compile the kernels in the background, in a process of their own."""
        work = (COMPILE_SECONDS, call_by_name, "training.kernels", "compile_all")

        def compile_all() -> None:
            process = CallProcess()
            process.call(*work)
            process.close()

        Thread(target=compile_all, daemon=True).start()

    def _wake_worker(self, kind: str) -> None:
        """Tell the thread for a kind of job to look for one; start it if this process has none."""
        key = (os.getpid(), kind)
        with self._lock:
            bell = self._bells.get(key)
            if bell is None:
                bell = self._bells[key] = Event()
                Thread(target=self._work, args=(kind, bell), daemon=True).start()
        bell.set()

    def _work(self, kind: str, bell: Event) -> None:
        process = CallProcess()
        while True:
            bell.clear()
            request = self.line.take_job(kind)
            if request is None:
                bell.wait(IDLE_CHECK_SECONDS)
                continue
            self.line.finish_job(request, answer_job(process, request))


def answer_job(process: CallProcess, request: str) -> Answer:
    """Return the answer to a request, which `training.jobs` describes, from another process."""
    try:
        content = process.call(
            JOB_SECONDS, call_by_name, "training.jobs", "answer_request", request
        )
    except RecipeError as error:
        return Answer(400, str(error).encode())
    except Exception:
        logging.getLogger(__name__).exception("no answer to %s", request)
        return Answer(500, b"")
    return Answer(200, content)


@cache
def get_trainer() -> Trainer | None:
    """Return the trainer of this process and of its future forks; None without training packages."""
    return Trainer(get_job_line()) if find_spec("numba") else None
