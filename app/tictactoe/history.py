"""Store an agent's values at every snapshot of its training, as changes between snapshots.

A snapshot is a copy of all values at one moment of the training. Most values do not change from one
snapshot to the next, so a typical training takes a quarter of the space.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.game import BoolArray

ALL_MOVES = slice(None)


@dataclass(frozen=True, eq=False)
class History:
    """The values of P legal moves at T snapshots of a training, stored as C changes.

    A change is a new value and the first snapshot that has it. The restored values are exactly the
    original ones. All arrays are read-only.
    """

    snapshot_count: int
    # [P + 1] pair p has changes first_change[p]:first_change[p + 1]
    first_change: NDArray[np.int32]
    # [C] the first snapshot that has the value; 0 for the first value of a pair
    snapshot_of_change: NDArray[np.uint8]
    value_after_change: NDArray[np.float32]
    # [P] the first snapshot that was taken after an update of the move, T if there is none
    first_update: NDArray[np.uint8]

    @classmethod
    def from_snapshots(
        cls, values: NDArray[np.float32], is_updated: BoolArray
    ) -> "History":
        """Return the history of T snapshots from the values at each of them, [T, P].

        `is_updated`, [T, P], tells whether a move had been updated before a snapshot. Once it is
        True for a move, it has to stay True.
        """
        snapshots, pairs = values.shape
        # 0 and -0 are equal as numbers, but not as bits.
        bits = values.view(np.uint32)
        changes = np.ones((pairs, snapshots), np.bool_)
        changes[:, 1:] = (bits[1:] != bits[:-1]).T
        pair, snapshot = changes.nonzero()
        first_change = np.zeros(pairs + 1, np.int32)
        np.cumsum(np.bincount(pair, minlength=pairs), out=first_change[1:])
        # In an untrusted file any byte but 0 may stand for true, so bytes are compared with 0.
        first_update = (is_updated.view(np.uint8) == 0).sum(axis=0).astype(np.uint8)
        since = snapshot.astype(np.uint8)
        history = cls(
            snapshots, first_change, since, values[snapshot, pair], first_update
        )
        for array in (first_change, since, history.value_after_change, first_update):
            array.flags.writeable = False
        return history

    def get_values(
        self, snapshot: int, pairs: slice = ALL_MOVES
    ) -> NDArray[np.float32]:
        """Return the values of the moves `pairs` at a snapshot; -1 is the last one."""
        starts = self.first_change[:-1][pairs]
        ends = self.first_change[1:][pairs]
        start = int(starts[0])
        end = int(ends[-1])
        # A pair's changes are sorted by snapshot. Its value comes from the last change that is not
        # later than this snapshot.
        is_made = self.snapshot_of_change[start:end] <= snapshot % self.snapshot_count
        made = np.add.reduceat(is_made, starts - start, dtype=np.int32)
        return self.value_after_change[starts + made - 1]

    def find_updated_moves(self, snapshot: int, pairs: slice = ALL_MOVES) -> BoolArray:
        """Return which of the moves `pairs` were updated before a snapshot (-1: the last one)."""
        return self.first_update[pairs] <= snapshot % self.snapshot_count

    def get_all_values(self) -> NDArray[np.float32]:
        until = np.append(self.snapshot_of_change[1:], np.uint8(0))
        # A value lasts until the next change of its pair, or else until the last snapshot. After
        # the last change of a pair, the next one belongs to another pair and has snapshot 0.
        until = np.where(
            until > self.snapshot_of_change, until, np.uint8(self.snapshot_count)
        )
        values = self.value_after_change.repeat(until - self.snapshot_of_change)
        return np.ascontiguousarray(values.reshape(-1, self.snapshot_count).T)

    def find_all_updated_moves(self) -> BoolArray:
        return self.first_update <= np.arange(self.snapshot_count)[:, None]
