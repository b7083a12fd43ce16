"""Where runs are kept: an LMDB file outside the repository, by recipe and measure.

LMDB writes all of a transaction or nothing, whenever it is stopped, and several processes of one
machine may use one file.  What is kept are bytes that msgspec checks; nothing is ever unpickled.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import lmdb

MOST = 1 << 36  # bytes the file may grow to; it takes what it needs


class Store:
    """Bytes by name."""

    def __init__(self, environment: lmdb.Environment) -> None:
        self.environment = environment

    def read(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return what is kept under these names."""
        with self.environment.begin() as transaction:
            found = {name: transaction.get(name.encode()) for name in names}
        return {name: bytes(value) for name, value in found.items() if value is not None}

    def write(self, values: Mapping[str, bytes]) -> None:
        """Keep all of these, on the disk, before it returns."""
        with self.environment.begin(write=True) as transaction:
            for name, value in values.items():
                transaction.put(name.encode(), value)

    def __len__(self) -> int:
        return int(self.environment.stat()["entries"])


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    """Open the store of a folder, which is made where it is not there.

    Raises lmdb.Error or OSError if that cannot be.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with lmdb.open(str(folder), map_size=MOST) as environment:
        yield Store(environment)
