"""New models taken in while people play."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.service.faults.finding import Finding
from tests.service.faults.load import load
from tests.service.faults.raw import WHOLE, ask, finish, half_open
from tests.service.server import ROOT, Server, get, serving, wait_until

TIMES = 3
QUICK = "q-learning-1"  # trained in a second


def reload_under_load() -> Iterator[Finding]:
    """Three reloads."""
    with serving() as server:
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
            assert ask(server.port, WHOLE) == 200  # so those before it have been let in
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


def retrain_under_load() -> Iterator[Finding]:
    """A model trained anew."""
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


def reload_of_a_broken_model() -> Iterator[Finding]:
    """A model cut short, then put right."""
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
    """Give a copy of the models, to be spoilt."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(shutil.copytree(ROOT / "models", Path(name) / "models"))


def digests(server: Server) -> dict[str, str]:
    """Return what a server says its models are."""
    answer: dict[str, dict[str, str]] = json.loads(get(f"{server.url}/healthz"))
    return answer["models"]
