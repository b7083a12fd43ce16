"""An agent's values at every snapshot of its training, stored as changes.

Most values stay unchanged between two snapshots, so only a quarter of the numbers of a
typical training is stored.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EVERY = slice(None)  # pair


@dataclass(frozen=True, eq=False)
class History:
    """The values of P pairs at T snapshots as C changes, and each pair's first update.

    The values are restored bit for bit. The arrays are read-only.
    """

    snapshots: int  # T
    # [P + 1] pair p has changes change_start[p]:change_start[p + 1]
    change_start: NDArray[np.int32]
    # [C] the snapshot from which on the value holds; 0 for a pair's first
    since: NDArray[np.uint8]
    value: NDArray[np.float32]  # [C]
    # [P] the first snapshot by which it was updated, T if none
    first_update: NDArray[np.uint8]

    @classmethod
    def from_tables(
        cls, values: NDArray[np.float32], updated: NDArray[np.bool_]
    ) -> "History":
        """Return the history of values and of whether they had been updated by then, [T, P] each.

        A pair that was updated stays so at all later snapshots.
        """
        snapshots, pairs = values.shape
        bits = values.view(np.uint32)  # 0 and -0 are equal as numbers, but not as bits
        changes = np.ones((pairs, snapshots), np.bool_)
        changes[:, 1:] = (bits[1:] != bits[:-1]).T
        pair, snapshot = changes.nonzero()
        change_start = np.zeros(pairs + 1, np.int32)
        np.cumsum(np.bincount(pair, minlength=pairs), out=change_start[1:])
        # A file may hold any byte for true: only the comparison counts all of them as one.
        first_update = (updated.view(np.uint8) == 0).sum(axis=0).astype(np.uint8)
        since = snapshot.astype(np.uint8)
        history = cls(
            snapshots, change_start, since, values[snapshot, pair], first_update
        )
        for array in (change_start, since, history.value, first_update):
            array.flags.writeable = False
        return history

    def values(self, step: int, pairs: slice = EVERY) -> NDArray[np.float32]:
        """Return the values of pairs at a snapshot; negative numbers count from the end."""
        starts, ends = self.change_start[:-1][pairs], self.change_start[1:][pairs]
        start, end = int(starts[0]), int(ends[-1])
        # The changes of a pair are in order, so the value that holds is the last one made by then.
        is_made = self.since[start:end] <= step % self.snapshots
        made = np.add.reduceat(is_made, starts - start, dtype=np.int32)
        return self.value[starts + made - 1]

    def updated_pairs(self, step: int, pairs: slice = EVERY) -> NDArray[np.bool_]:
        """Return whether training had updated pairs by a snapshot, numbered as in `values`."""
        return self.first_update[pairs] <= step % self.snapshots

    def all_values(self) -> NDArray[np.float32]:
        """Return the values of all pairs at all snapshots, [T, P]."""
        until = np.append(self.since[1:], np.uint8(0))
        # The last change of a pair lasts to the end: the next one belongs to the next pair, at 0.
        lasts = (
            np.where(until > self.since, until, np.uint8(self.snapshots)) - self.since
        )
        return np.ascontiguousarray(
            self.value.repeat(lasts).reshape(-1, self.snapshots).T
        )

    def all_updated(self) -> NDArray[np.bool_]:
        """Return whether training had updated all pairs by all snapshots, [T, P]."""
        return self.first_update <= np.arange(self.snapshots)[:, None]
