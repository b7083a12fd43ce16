"""The rules of games like tic-tac-toe, and all their positions, enumerated and numbered.

All other modules compute with arrays. A position is a number. A move is a cell, which is a column
of the array `successor`. The game is over in positions with the number `decisions` or higher.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

X, O = 1, -1  # noqa: E741 - the names of the players
# With more cells the code of a position would not fit 31 bits, nor the arrays fit in memory.
MAX_CELLS = 16
SEATS = {"x": X, "o": O}

Array = TypeVar("Array", bound=NDArray[Any])
PositionCodes = NDArray[np.int32]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Game:
    """All S positions of a game, as read-only arrays.

    A player is to move in the first D positions, which are called decisions. In the other positions
    the game is over. Both parts are sorted by ply, then by code. The code of a position is a base-3
    number with a digit for each cell: 0 for an empty cell, 1 for X, 2 for O. The first cell in
    reading order has the highest digit. A state-action pair is a decision and a legal move in it;
    there are P.

    Because of this order, the decisions of a ply are one slice, and every move leads to a position
    with a higher number. So values can be computed backward, ply by ply.
    """

    rows: int
    columns: int
    # the number of stones in a line that wins
    in_a_row: int
    # [L, in_a_row] the cells of each line
    lines: IndexArray
    # [G, cells] the symmetries: symmetry g turns a board b into b[symmetries[g]], and symmetry 0
    # changes nothing
    symmetries: IndexArray
    code: PositionCodes
    # [D, cells] the position after each move, -1 for an illegal move
    successor: PositionCodes
    # [S - D] the result of each finished position: +1 X won, 0 draw, -1 O won
    outcome: NDArray[np.int8]
    # [plies + 1] the decisions of ply p are the slice ply_start[p]:ply_start[p + 1]
    ply_start: IndexArray

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def positions(self) -> int:
        return len(self.code)

    @property
    def decisions(self) -> int:
        """The number of unfinished positions, D; their numbers are 0 to D - 1."""
        return len(self.successor)

    @property
    def pairs(self) -> int:
        return int(self.first_pair[-1])

    def is_over(self, position: int) -> bool:
        return position >= self.decisions

    def get_result(self, position: int) -> int:
        """Return the result of a finished position: +1 X won, 0 draw, -1 O won."""
        return int(self.outcome[position - self.decisions])

    @cached_property
    def board(self) -> NDArray[np.int8]:
        """The board of each position, [S, cells]: +1 for X, -1 for O, 0 for an empty cell."""
        board = np.empty((self.positions, self.cells), np.int8)
        for cell, weight in enumerate(_get_digit_weights(self.cells)):
            digit = self.code // weight % 3
            board[:, cell] = np.where(digit == 2, O, digit)
        return _make_read_only(board)

    @cached_property
    def legal(self) -> BoolArray:
        return _make_read_only(self.successor >= 0)

    @cached_property
    def first_pair(self) -> IndexArray:
        """The index of the first state-action pair of each decision, [D + 1].

        Those of decision s are `first_pair[s]:first_pair[s + 1]`, with their cells in reading
        order.
        """
        return _make_read_only(
            np.concatenate([[0], self.legal.sum(axis=1).cumsum()]).astype(np.intp)
        )

    @cached_property
    def pair_decision(self) -> IndexArray:
        return _make_read_only(self.legal.nonzero()[0])

    @cached_property
    def pair_cell(self) -> IndexArray:
        return _make_read_only(self.legal.nonzero()[1])

    @cached_property
    def pair_index(self) -> IndexArray:
        """The index of each legal move, [P], in a flattened table: decision * cells + cell."""
        return _make_read_only(np.flatnonzero(self.legal))

    @cached_property
    def pair_successor(self) -> PositionCodes:
        return _make_read_only(self.successor[self.legal])

    def spread_pairs(
        self, pair_values: NDArray[Any], illegal_value: float = np.nan
    ) -> NDArray[Any]:
        """Return tables, [..., D, cells], with the values of the legal moves, [..., P].

        Illegal moves get `illegal_value`, which is NaN or a number of the same type.
        """
        stack = pair_values.shape[:-1]
        tables = np.full((*stack, self.legal.size), illegal_value, pair_values.dtype)
        tables[..., self.pair_index] = pair_values
        return tables.reshape(*stack, *self.legal.shape)

    def gather_pairs(self, tables: NDArray[Any]) -> NDArray[Any]:
        return tables.reshape(*tables.shape[:-2], -1)[..., self.pair_index]

    @cached_property
    def ply(self) -> IndexArray:
        """The number of moves made before each decision, [D]."""
        return _make_read_only(
            np.repeat(np.arange(len(self.ply_start) - 1), np.diff(self.ply_start))
        )

    @cached_property
    def to_move(self) -> NDArray[np.int8]:
        """The player to move in each decision, [D]: +1 X, -1 O."""
        return _make_read_only(np.where(self.ply % 2 == 0, X, O).astype(np.int8))

    @cached_property
    def symmetric_positions(self) -> NDArray[np.int32]:
        """The images of each position under the G symmetries, [G, S]."""
        # Modulo 3 turns the -1 of O into 2.
        # Symmetric moves lead to symmetric positions: image[g, successor[s, symmetries[g, c]]]
        # equals successor[image[g, s], c].
        digits = self.board % 3
        weight = _get_digit_weights(self.cells)
        return _make_read_only(
            np.stack(
                [
                    self.find_positions(digits[:, cells] @ weight)
                    for cells in self.symmetries
                ]
            )
        )

    @cached_property
    def symmetry_class(self) -> NDArray[np.int32]:
        """The lowest number among the positions symmetric to each position, [S]."""
        return _make_read_only(self.symmetric_positions.min(axis=0))

    @cached_property
    def pair_class(self) -> NDArray[np.int64]:
        """A number for each state-action pair, [P], which symmetric pairs share."""
        # Symmetry g moves the content of cell symmetries[g, j] to cell j. So the inverse
        # permutation tells where each cell goes.
        image_of_cell = np.argsort(self.symmetries, axis=1)
        # Each pair becomes one integer. The lowest integer among symmetric pairs is their class.
        symmetric_pairs = (
            self.symmetric_positions[:, self.pair_decision] * self.cells
            + image_of_cell[:, self.pair_cell]
        )
        return _make_read_only(symmetric_pairs.min(axis=0))

    @cached_property
    def _code_order(self) -> IndexArray:
        return np.argsort(self.code)

    def find_positions(self, codes: PositionCodes | int) -> NDArray[np.int32]:
        """Return the positions with these codes, in the same shape as `codes`.

        Raises ValueError if no game reaches a position with one of the codes.
        """
        place = np.searchsorted(self.code, codes, sorter=self._code_order)
        place = np.minimum(place, self.positions - 1)
        found = self._code_order[place].astype(np.int32)
        if (self.code[found] != codes).any():
            raise ValueError("no game reaches a position with this code")
        return found


def build_game(rows: int = 3, columns: int = 3, in_a_row: int = 3) -> Game:
    """Return the game in which `in_a_row` stones in line win; the default is tic-tac-toe.

    Raises ValueError if the board is empty or has more than 16 cells, or if no line fits on it.
    """
    if min(rows, columns, in_a_row) < 1 or rows * columns > MAX_CELLS:
        raise ValueError(
            f"a board has 1 to {MAX_CELLS} cells and a line at least one, "
            f"not {rows} x {columns} and {in_a_row} in a row"
        )
    if in_a_row > max(rows, columns):
        raise ValueError(
            f"{in_a_row} in a row do not fit on a board of {rows} x {columns}"
        )
    lines = _list_lines(rows, columns, in_a_row)
    plies = _enumerate_positions(rows * columns, lines)
    sizes = [len(ply.unfinished) for ply in plies[:-1]]
    ply_start = np.cumsum([0, *sizes])
    return Game(
        rows=rows,
        columns=columns,
        in_a_row=in_a_row,
        lines=_make_read_only(lines),
        symmetries=_make_read_only(_list_symmetries(rows, columns)),
        code=_make_read_only(
            np.concatenate(
                [ply.unfinished for ply in plies] + [ply.finished for ply in plies]
            )
        ),
        successor=_make_read_only(_find_successors(rows * columns, plies, ply_start)),
        outcome=_make_read_only(np.concatenate([ply.outcome for ply in plies])),
        ply_start=_make_read_only(ply_start),
    )


def get_mover(ply: int) -> int:
    return X if ply % 2 == 0 else O


class _PlyPositions(NamedTuple):
    """The positions of one ply, sorted by code.

    `outcome` is the result of each finished position: +1 X won, 0 draw, -1 O won.
    """

    unfinished: PositionCodes
    finished: PositionCodes
    outcome: NDArray[np.int8]


def _enumerate_positions(cells: int, lines: IndexArray) -> list[_PlyPositions]:
    nothing = np.empty(0, np.int32)
    plies = [_PlyPositions(np.zeros(1, np.int32), nothing, nothing.astype(np.int8))]
    while len(plies[-1].unfinished):
        ply = len(plies) - 1
        moves = _list_moves(plies[-1].unfinished, ply, cells)
        # Different moves can lead to the same position, so duplicates are removed. Only the player
        # who has just moved can have completed a line.
        codes = np.unique(np.concatenate([children for _, _, children in moves]))
        won = _has_line(codes, get_mover(ply), cells, lines)
        over = won | (ply + 1 == cells)
        outcome = np.where(won, get_mover(ply), 0).astype(np.int8)
        plies.append(_PlyPositions(codes[~over], codes[over], outcome[over]))
    return plies


def _find_successors(
    cells: int, plies: list[_PlyPositions], ply_start: IndexArray
) -> PositionCodes:
    """Return the position after every move, [D, cells], and -1 for illegal moves.

    `ply_start` has the number of the first unfinished position of each ply. Finished positions have
    higher numbers, ply by ply.
    """
    successor = np.full((ply_start[-1], cells), -1, np.int32)
    finished_start = ply_start[-1]
    for ply, (ply_positions, next_positions) in enumerate(pairwise(plies)):
        unfinished = len(next_positions.unfinished)
        finished = len(next_positions.finished)
        number = np.concatenate(
            [
                ply_start[ply + 1] + np.arange(unfinished),
                finished_start + np.arange(finished),
            ]
        )
        codes = np.concatenate([next_positions.unfinished, next_positions.finished])
        # `searchsorted` needs the codes in sorted order.
        order = np.argsort(codes, kind="stable")
        rows = successor[ply_start[ply] : ply_start[ply + 1]]
        for cell, free, children in _list_moves(ply_positions.unfinished, ply, cells):
            rows[free, cell] = number[
                order[np.searchsorted(codes, children, sorter=order)]
            ]
        finished_start += finished
    return successor


def _list_moves(
    codes: PositionCodes, ply: int, cells: int
) -> Iterator[tuple[int, BoolArray, PositionCodes]]:
    """Yield (cell, mask of the positions where it is empty, codes of these after a move there)."""
    stone = get_mover(ply) % 3
    for cell, weight in enumerate(_get_digit_weights(cells)):
        free = codes // weight % 3 == 0
        yield cell, free, codes[free] + stone * weight


def _has_line(
    codes: PositionCodes, player: int, cells: int, lines: IndexArray
) -> BoolArray:
    stones = np.stack(
        [codes // weight % 3 == player % 3 for weight in _get_digit_weights(cells)]
    )
    won = np.zeros(len(codes), np.bool_)
    for line in lines:
        won |= stones[line].all(axis=0)
    return won


def _get_digit_weights(cells: int) -> PositionCodes:
    """Return the weight of each cell in a code, [cells]: powers of 3, the highest one first."""
    return 3 ** np.arange(cells - 1, -1, -1, dtype=np.int32)


def _list_lines(rows: int, columns: int, in_a_row: int) -> IndexArray:
    steps = np.arange(in_a_row)
    lines = {
        tuple((row + down * steps) * columns + column + right * steps)
        for down, right in [(0, 1), (1, 0), (1, 1), (1, -1)]
        for row in range(rows)
        for column in range(columns)
        if row + down * (in_a_row - 1) < rows
        and 0 <= column + right * (in_a_row - 1) < columns
    }
    return np.array(sorted(lines), np.intp)


def _list_symmetries(rows: int, columns: int) -> IndexArray:
    """Return the rotations and reflections that keep the board's shape, [G, cells].

    The first one changes nothing. A board that is not square has at most four of the eight.
    """
    grid = np.arange(rows * columns).reshape(rows, columns)
    mirrored = grid[:, ::-1]
    images = [np.rot90(side, turns) for side in (grid, mirrored) for turns in range(4)]
    # A board of one row has equal maps. `dict.fromkeys` removes them and keeps the order.
    maps = dict.fromkeys(
        tuple(image.ravel()) for image in images if image.shape == grid.shape
    )
    return np.array(list(maps), np.intp)


def _make_read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array


# tic-tac-toe, enumerated once per process
GAME = build_game()
