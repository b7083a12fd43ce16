"""Servers and workers that end while people play."""

import json
import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.service.faults.finding import Finding
from tests.service.faults.load import Asked, Load, load
from tests.service.faults.raw import WHOLE, ask, finish, half_open
from tests.service.server import Server, serving, wait_until

KILLS = 8
LISTENING = "0A"  # as the kernel writes the state of a socket
RECOVERY = 5.0  # seconds until there are as many workers as before
SETTLED = 1.0  # seconds until every client has noticed
STOP = 10.0
HOLDS = 8
HELD = 2.5  # seconds: longer than a connection between two requests is kept


def kill_a_worker() -> Iterator[Finding]:
    """Workers that are killed, one after the other."""
    told, fine, slowest = [], True, 0.0
    with serving() as server, load(server.port) as clients:
        for _ in range(KILLS):
            clients.go_on()
            before, lost = server.workers, len(clients.lost)
            victim = min(before)
            os.kill(victim, signal.SIGSTOP)  # so that it takes no more while it is looked at
            held = connections(victim, server.port)
            start = time.monotonic()
            os.kill(victim, signal.SIGKILL)
            wait_until(partial(replaced, server, before))
            slowest = max(slowest, time.monotonic() - start)
            clients.go_on(4 * len(clients.threads))
            lost = len(clients.lost) - lost
            late = [asked for asked in clients.lost if asked.start > start + SETTLED]
            told.append(f"{lost} of {held}")
            fine = fine and lost <= held and not late
    yield Finding(
        f"{KILLS} x kill -KILL of one of {len(before)} workers, {len(clients.threads)} clients",
        f"no more requests lost than it held connections, none asked for more than {SETTLED:g} s "
        f"later, all workers back within {RECOVERY:g} s",
        f"lost of held: {', '.join(told)}; {clients.told()}; {slowest:.2f} s at most until there "
        f"is another worker; never {clients.gap():.2f} s without an answer",
        fine and slowest < RECOVERY,
    )


def hold_up_workers() -> Iterator[Finding]:
    """Processes that get no processor for a while, as on a machine that has too much to do."""
    with serving() as server, load(server.port) as clients:
        for _ in range(HOLDS):
            clients.go_on()
            workers = server.workers
            for worker in workers:
                os.kill(worker, signal.SIGSTOP)
            time.sleep(HELD)
            for worker in workers:
                os.kill(worker, signal.SIGCONT)
        clients.go_on()
    yield Finding(
        f"{HOLDS} x all workers held up for {HELD:g} s, {len(clients.threads)} clients",
        "no request lost",
        clients.told(),
        not clients.lost,
    )


def replaced(server: Server, before: set[int]) -> bool:
    """Whether there are other workers than before, and as many."""
    return not before <= server.workers and len(server.workers) >= len(before)


def connections(pid: int, port: int) -> int:
    """Count the connections of a worker, which it would lose."""
    mine = {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()}
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    local = f":{port:04X}"
    return sum(
        f"socket:[{row[9]}]" in mine and row[1].endswith(local) and row[3] != LISTENING
        for row in rows
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
