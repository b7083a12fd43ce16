"""A worker process of the trainer: `python -m training.worker`.

Its standard input is a socket. Each line is a `JobRequest`; the reply is a `JobOutcome` line
followed by the bytes of the answer. The process ends when the socket closes, or by a signal
if a job exceeds its time limit.
"""

import resource
import signal
import socket
import sys
import time
from io import BufferedIOBase
from traceback import print_exc

import msgspec

from app.recipes import RecipeError
from app.tictactoe.game import Game, tic_tac_toe
from training.jobs import answer_request

JOB_SECONDS = 120  # time limit of a job, far above the usual few seconds
UNCACHED_ARGUMENT = "uncached"  # command-line argument to compile without cache files
FAILED_STATUS = 500
KIB_BYTES = 1024  # the unit of `ru_maxrss` on Linux


class JobRequest(msgspec.Struct):
    """A job for a worker, as a line of JSON."""

    request: str
    is_compiled: bool  # whether all kernels are compiled


class JobOutcome(msgspec.Struct):
    """The result of a job, without the bytes of its answer."""

    status: int  # HTTP status of the answer
    answer_size: int  # size of the answer in bytes
    seconds: float  # processor time of the job
    memory_bytes: int  # peak memory of the process in bytes


def main() -> None:
    """Do the jobs that arrive on the standard input until this socket closes."""
    import numba  # noqa: F401, PLC0415 - imported before the first job, so that no client waits for it

    if UNCACHED_ARGUMENT in sys.argv:
        disable_compile_cache()
    game = tic_tac_toe()
    with (
        socket.socket(fileno=sys.stdin.fileno()) as trainer,
        trainer.makefile("rwb") as channel,
    ):
        for line in channel:
            do_job(game, msgspec.json.decode(line, type=JobRequest), channel)


def do_job(game: Game, job: JobRequest, channel: BufferedIOBase) -> None:
    """Do a job and write its outcome and answer to the channel."""
    signal.alarm(JOB_SECONDS)
    before = time.process_time()
    try:
        status = 200
        body = answer_request(game, job.request, job.is_compiled)
    except RecipeError as error:
        status = 400
        body = f"{error}".encode()
    except Exception:
        print_exc()
        status = FAILED_STATUS
        body = b""
    signal.alarm(0)
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB_BYTES
    channel.write(
        msgspec.json.encode(JobOutcome(status, len(body), seconds, memory))
        + b"\n"
        + body
    )
    channel.flush()


def disable_compile_cache() -> None:
    """Stop numba from reading and writing files of compiled kernels."""
    from numba.core.dispatcher import Dispatcher  # noqa: PLC0415

    setattr(Dispatcher, "enable_caching", lambda self: None)  # noqa: B010


if __name__ == "__main__":
    main()
