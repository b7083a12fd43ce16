"""Servers and workers that end while people play."""

import json
import os
import signal
import time
from collections.abc import Iterator

from tests.service.faults.finding import Finding
from tests.service.faults.load import Asked, Load, load
from tests.service.faults.raw import WHOLE, ask, finish, half_open
from tests.service.server import Server, serving, wait_until

RECOVERY = 5.0  # seconds until there are as many workers as before
SETTLED = 1.0  # seconds until every client has noticed
STOP = 10.0


def kill_a_worker() -> Iterator[Finding]:
    """A worker that is killed."""
    with serving() as server, load(server.port) as clients:
        clients.go_on()
        before, start = server.workers, time.monotonic()
        os.kill(min(before), signal.SIGKILL)
        wait_until(lambda: min(before) not in server.workers and len(server.workers) == len(before))
        seconds = time.monotonic() - start
        clients.go_on(500)
        late = [asked for asked in clients.lost if asked.start > start + SETTLED]
    yield Finding(
        f"kill -KILL of one of {len(before)} workers, {len(clients.threads)} clients",
        f"at most one request a client lost, none asked for more than {SETTLED:g} s later, all "
        f"workers back within {RECOVERY:g} s",
        f"{clients.told()}; {seconds:.2f} s until there is another worker; never "
        f"{clients.gap():.2f} s without an answer",
        len(clients.lost) <= len(clients.threads) and not late and seconds < RECOVERY,
    )


def stop_under_load() -> Iterator[Finding]:
    """An orderly end."""
    with serving() as server:
        with load(server.port) as clients:
            clients.go_on()
            start = time.monotonic()
            status = server.stop()
            seconds = time.monotonic() - start
        queued = [asked for asked in clients.lost if not asked.kept]
        lost = [asked for asked in clients.lost if asked.kept] + unheard(server, clients)
        yield Finding(
            f"kill -TERM, {len(clients.threads)} clients",
            f"no accepted request lost, exit status 0, within {STOP:g} s",
            f"{len(lost)} of {len(clients.answered) + len(lost):,} accepted requests lost, "
            f"{len(queued)} more turned away at the door; exit status {status} after "
            f"{seconds:.1f} s",
            not lost and status == 0 and seconds < STOP,
        )
    with serving() as server, half_open(server.port, 4) as begun:
        assert ask(server.port, WHOLE) == 200  # so those before it have been let in
        server.process.terminate()
        wait_until(lambda: turned_away(server.port))
        statuses = [finish(connection) for connection in begun]
        ended = server.process.wait(STOP)
        yield Finding(
            "the headers of 4 requests half sent before kill -TERM, the rest when nobody gets in",
            "all answered 200, exit status 0",
            f"{', '.join(map(str, statuses))}; exit status {ended}",
            statuses == [200] * len(begun) and ended == 0,
        )


def turned_away(port: int) -> bool:
    """Whether somebody new is not served."""
    try:
        return ask(port, WHOLE, timeout=0.5) is None
    except OSError:
        return True


def unheard(server: Server, clients: Load) -> list[Asked]:
    """Find requests that the log says were answered and whose clients got no answer."""
    lines = [line for line in server.log.splitlines() if line.startswith("{")]
    logged = {json.loads(line)["id"] for line in lines}
    return [asked for asked in clients.lost if asked.id in logged and not asked.kept]
