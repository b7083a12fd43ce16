"""Store an agent's values at every snapshot of its training as changes between snapshots.

Most values do not change between two snapshots, so this takes a quarter of the space in a typical
training.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ALL_PAIRS = slice(None)


@dataclass(frozen=True, eq=False)
class History:
    """The values of P legal moves at T snapshots of a training, stored as C changes.

    A change is a new value and the first snapshot that has it. The restored values are exactly the
    original ones. The arrays are read-only.
    """

    snapshot_count: int
    # [P + 1] pair p has changes change_start[p]:change_start[p + 1]
    change_start: NDArray[np.int32]
    # [C] the first snapshot that has the value; 0 for the first value of a pair
    change_snapshot: NDArray[np.uint8]
    change_value: NDArray[np.float32]
    # [P] the first snapshot before which the move was updated, T if there is none
    first_update: NDArray[np.uint8]

    @classmethod
    def from_snapshots(
        cls, values: NDArray[np.float32], is_updated: NDArray[np.bool_]
    ) -> "History":
        """Return the history of T snapshots from the values and the moves updated so far, both [T, P].

        A move that is updated at a snapshot has to be updated at all later snapshots.
        """
        snapshots, pairs = values.shape
        bits = values.view(np.uint32)  # 0 and -0 are equal as numbers, but not as bits.
        changes = np.ones((pairs, snapshots), np.bool_)
        changes[:, 1:] = (bits[1:] != bits[:-1]).T
        pair, snapshot = changes.nonzero()
        change_start = np.zeros(pairs + 1, np.int32)
        np.cumsum(np.bincount(pair, minlength=pairs), out=change_start[1:])
        # In an untrusted file any byte but 0 may stand for true, so bytes are compared with 0.
        first_update = (is_updated.view(np.uint8) == 0).sum(axis=0).astype(np.uint8)
        since = snapshot.astype(np.uint8)
        history = cls(
            snapshots, change_start, since, values[snapshot, pair], first_update
        )
        for array in (change_start, since, history.change_value, first_update):
            array.flags.writeable = False
        return history

    def get_values(
        self, snapshot: int, pairs: slice = ALL_PAIRS
    ) -> NDArray[np.float32]:
        """Return the values of moves at a snapshot; a negative `snapshot` counts from the end."""
        starts = self.change_start[:-1][pairs]
        ends = self.change_start[1:][pairs]
        start = int(starts[0])
        end = int(ends[-1])
        # A pair's changes are sorted by snapshot. Its value comes from the last change that is not
        # later than this snapshot.
        is_made = self.change_snapshot[start:end] <= snapshot % self.snapshot_count
        made = np.add.reduceat(is_made, starts - start, dtype=np.int32)
        return self.change_value[starts + made - 1]

    def find_updated_pairs(
        self, snapshot: int, pairs: slice = ALL_PAIRS
    ) -> NDArray[np.bool_]:
        """Return whether moves had been updated by a snapshot; a negative one counts from the end."""
        return self.first_update[pairs] <= snapshot % self.snapshot_count

    def get_all_values(self) -> NDArray[np.float32]:
        """Return the values of all moves at all snapshots, [T, P]."""
        until = np.append(self.change_snapshot[1:], np.uint8(0))
        # A value lasts to the next change of its pair, and the last value of a pair to the end.
        # The change after the last one of a pair belongs to another pair and has snapshot 0.
        until = np.where(
            until > self.change_snapshot, until, np.uint8(self.snapshot_count)
        )
        values = self.change_value.repeat(until - self.change_snapshot)
        return np.ascontiguousarray(values.reshape(-1, self.snapshot_count).T)

    def find_all_updated_pairs(self) -> NDArray[np.bool_]:
        """Return whether each move had been updated by each snapshot, [T, P]."""
        return self.first_update <= np.arange(self.snapshot_count)[:, None]
