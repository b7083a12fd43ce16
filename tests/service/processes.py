"""What the kernel says of the processes of a server."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

PROC = Path("/proc")
TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds
KIB = 1024
USER, SYSTEM = 11, 12  # places in `stat`, after the name, of the time spent


def cpu_seconds(pids: Iterable[int]) -> float:
    """Processor time that processes have used, together."""
    return sum(_cpu_seconds(pid) for pid in pids)


def memory(pid: int, kind: str) -> int:
    """Bytes of a process: "Rss", or "Pss", in which what n of them share counts 1/n."""
    for line in (PROC / f"{pid}/smaps_rollup").read_text().splitlines():
        name, _, size = line.partition(":")
        if name == kind:
            return int(size.split()[0]) * KIB
    raise ValueError(f"the kernel does not say how much {kind} process {pid} has")


def open_files(pid: int) -> int:
    return len(list((PROC / f"{pid}/fd").iterdir()))


@contextmanager
def only_on(core: int | None) -> Iterator[None]:
    """Bind this process, and those that it starts meanwhile, to one core, unless it is None."""
    before = os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _cpu_seconds(pid: int) -> float:
    spent = (PROC / f"{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(spent[USER]) + int(spent[SYSTEM])) * TICK
