"""What an agent knew while it learned, kept small: most values stay as they are for long."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EVERY = slice(None)  # pair


@dataclass(frozen=True, eq=False)
class History:
    """The values of P pairs at T snapshots as C changes, and when training first updated a pair.

    It gives back the same bits.  Of a table that was learned step by step a quarter is kept: an
    update changes one value.  The arrays are read-only.
    """

    moments: int  # T
    first: NDArray[np.int32]  # [P + 1] the changes of pair p are first[p]:first[p + 1], in order
    since: NDArray[np.uint8]  # [C] the snapshot from which on a value holds; of a first one 0
    value: NDArray[np.float32]  # [C]
    met: NDArray[np.uint8]  # [P] the first snapshot by which the pair was updated, T if none

    @classmethod
    def of(cls, values: NDArray[np.float32], updated: NDArray[np.bool_]) -> "History":
        """Keep values and whether they had been updated, [T, P] each; an update is for ever."""
        moments, pairs = values.shape
        bits = values.view(np.uint32)  # by which 0 and -0 differ
        changes = np.ones((pairs, moments), np.bool_)
        changes[:, 1:] = (bits[1:] != bits[:-1]).T
        pair, since = changes.nonzero()
        first = np.zeros(pairs + 1, np.int32)
        np.cumsum(np.bincount(pair, minlength=pairs), out=first[1:])
        # A file may hold any byte for true: only the comparison counts all of them as one.
        met = (updated.view(np.uint8) == 0).sum(axis=0).astype(np.uint8)
        kept = cls(moments, first, since.astype(np.uint8), values[since, pair], met)
        for array in (kept.first, kept.since, kept.value, kept.met):
            array.flags.writeable = False
        return kept

    def values(self, step: int, pairs: slice = EVERY) -> NDArray[np.float32]:
        """Return what pairs were worth at a snapshot, counted from 0, or from the end below 0."""
        first = self.first[: len(self.first) - 1][pairs]
        last = self.first[1:][pairs]
        begin, end = int(first[0]), int(last[-1])
        held = self.since[begin:end] <= step % self.moments
        place = first + np.add.reduceat(held, first - begin, dtype=np.int32) - 1
        return self.value[place]

    def updated(self, step: int, pairs: slice = EVERY) -> NDArray[np.bool_]:
        """Return whether training had updated pairs by a snapshot, counted as above."""
        return self.met[pairs] <= step % self.moments

    def all_values(self) -> NDArray[np.float32]:
        """Return what all pairs were worth at all snapshots, [T, P]."""
        until = np.append(self.since[1:], np.uint8(0))
        lasting = np.where(until > self.since, until, np.uint8(self.moments)) - self.since
        return np.ascontiguousarray(self.value.repeat(lasting).reshape(-1, self.moments).T)

    def all_updated(self) -> NDArray[np.bool_]:
        """Return whether training had updated all pairs by all snapshots, [T, P]."""
        return self.met <= np.arange(self.moments)[:, None]
