"""Workers that are reloaded, killed, paused or stopped while people play."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.service.faults.clients import WHOLE, Asked, Load, ask, finish, half_open, load
from tests.service.faults.finding import Finding, fault, on_a_server
from tests.service.server import ROOT, Server, get, memory, serving, wait_until

TIMES = 3
RELOADS = 30
MIB = 1 << 20
QUICK = "q-learning-1"  # trained in a second
KILLS = 8
LISTENING = "0A"  # the kernel's code for a listening socket
RECOVERY = 5.0  # seconds until there are as many workers as before
SETTLED = 1.0  # seconds until every client has noticed
STOP = 10.0
HOLDS = 8
HELD = 2.5  # seconds: longer than a connection between two requests is kept


@on_a_server("reload")
def reload_under_load(server: Server) -> Iterator[Finding]:
    """Three reloads."""
    with load(server.port) as clients:
        clients.go_on()
        start = time.monotonic()
        for _ in range(TIMES):
            server.reload()
        seconds = (time.monotonic() - start) / TIMES
        clients.go_on()
    yield Finding(
        f"{TIMES} x kill -HUP, {len(clients.threads)} clients",
        "no request lost",
        f"{clients.told()}; {seconds:.1f} s until all workers are new",
        not clients.lost,
    )
    with half_open(server.port, 4) as begun:
        assert ask(server.port, WHOLE) == 200  # the connections before this one are accepted now
        before = server.workers
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(server.workers - before) == len(before))
        held = bool(server.workers & before)
        statuses = [finish(connection) for connection in begun]
    yield Finding(
        "kill -HUP while the headers of 4 requests are half sent; the rest once all is new",
        "the old worker waits for them, all answered 200",
        f"{'it waits' if held else 'it does not wait'}; {', '.join(map(str, statuses))}",
        held and statuses == [200] * len(begun),
    )


@on_a_server("reloads")
def many_reloads(server: Server) -> Iterator[Finding]:
    """The memory of the first process after many reloads."""
    sizes = []
    for _ in range(RELOADS):
        server.reload()
        sizes.append(memory(server.process.pid, "Rss"))
    second, last = sizes[1], sizes[-1]
    yield Finding(
        f"{RELOADS} x kill -HUP, one after the other",
        "the first process has no tenth more than after the second",
        f"{second / MIB:.0f} MiB after two, {last / MIB:.0f} MiB after all",
        last < 1.1 * second,
    )


@fault("retrain")
def retrain_under_load() -> Iterator[Finding]:
    """A model that is trained again."""
    with models() as folder, serving(MODELS=str(folder)) as server:
        before = digests(server)
        with load(server.port) as clients:
            clients.go_on()
            command = [sys.executable, "-m", "training", "train", QUICK, "--seed", "99"]
            subprocess.run(
                [*command, "--out", str(folder)], cwd=ROOT, check=True, capture_output=True
            )
            server.reload()
            after = digests(server)
            clients.go_on()
        wanted = before | {QUICK: json.loads((folder / f"{QUICK}.json").read_text())["arrays"]}
    yield Finding(
        f"{QUICK} trained with another seed, kill -HUP",
        "/healthz has its new digest and the others' old ones, no request lost",
        f"{before[QUICK][:8]} became {after[QUICK][:8]}; {clients.told()}",
        before != after == wanted and not clients.lost,
    )


@fault("broken-reload")
def reload_of_a_broken_model() -> Iterator[Finding]:
    """A model that is cut short, then repaired."""
    with models() as folder, serving(MODELS=str(folder)) as server:
        before = digests(server)
        broken = folder / f"{QUICK}.npz"
        content = broken.read_bytes()
        with load(server.port) as clients:
            clients.go_on()
            broken.write_bytes(content[:1000])
            server.reload()
            after = digests(server)
            log = server.log
            clients.go_on()
        named = [line for line in log.splitlines() if str(broken) in line]
        reason = named[-1].partition(f"{broken}: ")[2] if named else ""
        yield Finding(
            f"{broken.name} cut to 1,000 bytes, kill -HUP",
            "old digests served, no request lost, the log names file and reason, no traceback",
            f"{clients.told()}; log: {broken.name}: {reason}",
            before == after and not clients.lost and bool(reason) and "Traceback" not in log,
        )
        broken.write_bytes(content)
        server.reload()
        taken = "New models taken in." in server.log
        yield Finding(
            "the file put right, kill -HUP",
            "the log says that the models are taken in",
            "it does" if taken else "it does not",
            taken and digests(server) == before,
        )


@contextmanager
def models() -> Iterator[Path]:
    """Return a copy of the models that can be damaged."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(shutil.copytree(ROOT / "models", Path(name) / "models"))


def digests(server: Server) -> dict[str, str]:
    """Return the digests of the models that a server reports."""
    answer: dict[str, dict[str, str]] = json.loads(get(f"{server.url}/healthz"))
    return answer["models"]


@on_a_server("kill")
def kill_a_worker(server: Server) -> Iterator[Finding]:
    """Workers that are killed, one after the other."""
    told, fine, slowest = [], True, 0.0
    with load(server.port) as clients:
        for _ in range(KILLS):
            clients.go_on()
            before, lost = server.workers, len(clients.lost)
            victim = min(before)
            # the worker accepts no connection during the inspection
            os.kill(victim, signal.SIGSTOP)
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


@on_a_server("held-up")
def hold_up_workers(server: Server) -> Iterator[Finding]:
    """Processes that are paused, as on an overloaded machine."""
    with load(server.port) as clients:
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
    """Return whether all workers are new and as many as before."""
    return not before <= server.workers and len(server.workers) >= len(before)


def connections(pid: int, port: int) -> int:
    """Return the number of connections of a worker, which it would lose."""
    mine = {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()}
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    local = f":{port:04X}"
    return sum(
        f"socket:[{row[9]}]" in mine and row[1].endswith(local) and row[3] != LISTENING
        for row in rows
    )


@fault("stop")
def stop_under_load() -> Iterator[Finding]:
    """A normal stop."""
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
        assert ask(server.port, WHOLE) == 200  # the connections before this one are accepted now
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
    """Return whether a new client is not served."""
    try:
        return ask(port, WHOLE, timeout=0.5) is None
    except OSError:
        return True


def unheard(server: Server, clients: Load) -> list[Asked]:
    """Return the requests that the log has as answered, but whose clients got no answer."""
    lines = [line for line in server.log.splitlines() if line.startswith("{")]
    logged = {json.loads(line)["id"] for line in lines}
    return [asked for asked in clients.lost if asked.id in logged and not asked.kept]
