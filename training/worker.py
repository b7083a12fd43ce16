"""A process that does one job after the other: `python -m training.worker`, by the trainer alone.

Its standard input is a socket.  A line of it is an `Order`; a line back is an `Outcome`, and the
bytes of the answer follow.  The process ends when the socket is closed, or by a signal if a job
takes too long: nothing waits for ever.
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

JOB_SECONDS = 120  # an agent takes one, and a kernel that has to be compiled some
UNCACHED = "uncached"  # the argument of a process that compiles for itself alone
FAILED = 500
KIB = 1024  # the unit of `ru_maxrss` on Linux


class Order(msgspec.Struct):
    """What a worker has to do."""

    request: str
    is_compiled: bool  # whether the kernels are


class Outcome(msgspec.Struct):
    """What came of it."""

    status: int  # of HTTP
    size: int  # bytes of the answer, which follow
    seconds: float  # processor time
    memory: int  # bytes at most that the process has held


def main() -> None:
    """Do jobs until the socket is closed."""
    import numba  # noqa: F401, PLC0415 - before the first job, and not while somebody waits

    if UNCACHED in sys.argv:
        disable_compile_cache()
    game = tic_tac_toe()
    with (
        socket.socket(fileno=sys.stdin.fileno()) as trainer,
        trainer.makefile("rwb") as channel,
    ):
        for line in channel:
            do_job(game, msgspec.json.decode(line, type=Order), channel)


def do_job(game: Game, order: Order, channel: BufferedIOBase) -> None:
    """Do a job and write what came of it."""
    signal.alarm(JOB_SECONDS)
    before = time.process_time()
    try:
        status, body = 200, answer_request(game, order.request, order.is_compiled)
    except RecipeError as error:
        status, body = 400, f"{error}".encode()
    except Exception:
        print_exc()
        status, body = FAILED, b""
    signal.alarm(0)
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    channel.write(
        msgspec.json.encode(Outcome(status, len(body), seconds, memory)) + b"\n" + body
    )
    channel.flush()


def disable_compile_cache() -> None:
    """Let numba neither read nor write files of compiled kernels."""
    from numba.core.dispatcher import Dispatcher  # noqa: PLC0415

    setattr(Dispatcher, "enable_caching", lambda self: None)  # noqa: B010


if __name__ == "__main__":
    main()
