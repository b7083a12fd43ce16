"""Call functions on the workers of a dask cluster, to which the code of this project is sent.

The workers need the same versions of the computing packages as this machine. The scheduler needs
only dask.
"""

import asyncio
import logging
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import import_module
from itertools import product
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import cloudpickle
from distributed import CancelledError, Client, Future, Worker, rpc
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.exceptions import WorkerStartTimeoutError
from distributed.versions import VersionMismatchWarning, get_versions

from app.project import PACKAGE_PREFIX, ROOT

UPLOADED_PACKAGES = ("app", "training")
# Workers get the code, the texts, and the files that numba has compiled (.nbi and .nbc).
UPLOADED_FILE_SUFFIXES = {".py", ".toml", ".nbi", ".nbc"}
# The scheduler must answer within this time. If no result comes for so long, we check whether any
# worker is left.
TIMEOUT_SECONDS = 10.0

MeasuredResult = TypeVar("MeasuredResult")
# Versions of packages and of the machine, by group and name, as `distributed.versions` lists them.
Versions = Mapping[str, Mapping[str, Any]]

# Different versions are reported by an exception, so the warning would only repeat it.
warnings.simplefilter("ignore", VersionMismatchWarning)
for logger in ("distributed", "distributed.client"):
    logging.getLogger(logger).setLevel(logging.CRITICAL)
# Workers do not have this module yet, so its objects are sent by value.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class CodePlugin(WorkerPlugin):
    """A dask plugin that installs this project's code on a worker and replaces older code.

    A worker is rejected if its package versions differ from those on this machine.
    """

    def __init__(self, packages: Sequence[str]) -> None:
        self.packages = packages
        self.versions = get_versions(packages)
        folder = PACKAGE_PREFIX.replace(".", "/")
        self.files = {}
        for pattern in ("__init__.py", *(f"{one}/**/*.*" for one in UPLOADED_PACKAGES)):
            for path in sorted(ROOT.glob(pattern)):
                is_web = path.is_relative_to(ROOT / "app" / "web")
                if path.suffix in UPLOADED_FILE_SUFFIXES and not is_web:
                    name = f"{folder}{path.relative_to(ROOT)}"
                    self.files[name] = path.read_bytes()
        code = [sent for sent in self.files.items() if sent[0].endswith(".py")]
        self.digest = sha256(pickle.dumps(code)).hexdigest()[:16]

    def setup(self, worker: Worker) -> None:
        """Install the code; dask calls this on each worker now, when it joins, and after a restart."""
        there = get_versions(self.packages)
        check_versions(worker.address, there, self.versions, self.packages)
        folder = Path(worker.local_directory) / f"q-tac-toe-{self.digest}"
        before = sys.modules.get(f"{PACKAGE_PREFIX}training")
        if before and folder in Path(before.__file__ or "").parents:
            # The worker got the same code from an earlier command.
            return
        for file, content in self.files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
        for module in [*sys.modules]:
            package = module.removeprefix(PACKAGE_PREFIX).partition(".")[0]
            if package in UPLOADED_PACKAGES or f"{module}." == PACKAGE_PREFIX:
                del sys.modules[module]
        sys.path.insert(0, str(folder))
        import_module(f"{PACKAGE_PREFIX}training")


class RemoteCall:
    """A function call that is made when the object is unpickled, which happens on a worker.

    The scheduler only passes bytes on, so it needs no code of this project.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.call


def run_in_cluster(
    function: Callable[..., MeasuredResult],
    call_arguments: Sequence[tuple[Any, ...]],
    address: str,
    packages: Sequence[str],
) -> Iterator[tuple[int, MeasuredResult]]:
    """Call a function with each of `call_arguments` on a dask cluster; yield (index, result) pairs.

    `address` is the scheduler's. Each of `packages` must have the same version on this machine and
    on the workers. If a worker dies, another worker repeats its call. Any failure raises
    ConnectionError, with a sentence as its message.
    """
    try:
        asyncio.run(asyncio.wait_for(_check_scheduler(address), TIMEOUT_SECONDS))
    except (OSError, ValueError) as error:
        reason = f" ({error})" if str(error) else ""
        raise ConnectionError(
            f"no dask scheduler answers at {address!r}{reason}"
        ) from error
    try:
        client = Client(address, timeout=TIMEOUT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        with client:
            client.wait_for_workers(1, TIMEOUT_SECONDS)
            # Versions are compared first: another version of Python could not unpickle the code.
            _compare_versions(client, packages)
            client.register_plugin(CodePlugin(packages), "q-tac-toe")
            pickled = [
                pickle.dumps(RemoteCall(function, arguments))
                for arguments in call_arguments
            ]
            futures = client.map(pickle.loads, pickled, pure=False)
            numbers = {future: number for number, future in enumerate(futures)}
            # Workers keep a result as long as this process refers to its future.
            del futures
            finished: SimpleQueue[Future[Any]] = SimpleQueue()
            for future in numbers:
                future.add_done_callback(finished.put)  # type: ignore[no-untyped-call]
            while numbers:
                try:
                    future = finished.get(timeout=TIMEOUT_SECONDS)
                except Empty:
                    # If all workers are gone, this raises an error instead of waiting for ever.
                    client.wait_for_workers(1, TIMEOUT_SECONDS)
                    continue
                if future.status == "error":
                    # A worker that joined later may have other versions.
                    _compare_versions(client, packages)
                yield numbers.pop(future), future.result()
    except CancelledError as error:
        raise ConnectionError(f"the scheduler at {address} has gone away") from error
    except WorkerStartTimeoutError as error:
        raise ConnectionError(f"the cluster at {address} has no worker") from error
    except Exception as error:
        reason = str(error).split("\n")[0].split(". ")[0]
        kind = type(error).__name__
        raise ConnectionError(
            f"the cluster at {address} fails: {kind}: {reason}"
        ) from error


async def _check_scheduler(address: str) -> None:
    """Raise OSError or ValueError if no scheduler answers; a `Client` would wait for ever."""
    async with rpc(address, timeout=TIMEOUT_SECONDS) as other:  # type: ignore[no-untyped-call]
        kind = (await other.identity())["type"]
    if kind != "Scheduler":
        raise ValueError(f"it is a {kind}")


def _compare_versions(client: Client, packages: Sequence[str]) -> None:
    versions: Any = client.get_versions(packages=packages)
    for worker, there in versions["workers"].items():
        check_versions(worker, there, versions["client"], packages)


def check_versions(
    worker_name: str,
    worker_versions: Versions,
    own_versions: Versions,
    packages: Sequence[str],
) -> None:
    """Raise RuntimeError if a worker's versions of packages, Python or its system differ from ours.

    Both `worker_versions` and `own_versions` are in the form of `distributed.versions`. Other
    versions could change the result of a run.
    """
    host = ("OS", "machine")
    installed = ("python", *packages)
    for part, name in [*product(["host"], host), *product(["packages"], installed)]:
        found = worker_versions[part][name]
        needed = own_versions[part][name]
        if found != needed:
            has = f"{name} {found}" if found else f"no {name}"
            raise RuntimeError(
                f"the worker {worker_name} has {has}; a run needs {needed}, as is here"
            )
