"""The picture of one update: its boards, its formula, and the numbers in both.

Macros in `templates/updates/` write the picture as HTML. The script `static/parts/update.js` shows
it step by step, and computes it again when a visitor changes a parameter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from app.recipes import Recipe
from app.recipes.games import TrainingMove, TrainingUpdate
from app.tictactoe.game import GAME, O, X
from app.tictactoe.notation import parse_position
from app.tictactoe.views import RewardScale, compute_colour_level, scale_values
from app.web.algorithms import ALGORITHM_PAGES, MINIMAX
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.champion import BOUNDS_BY_VALUE
from app.web.formatting import MINUS, format_count, name_square
from app.web.move_values import HEAT_STEPS
from app.web.translation import localize_number

FIGURE_STEP_COUNT = 6
# The numbers of a formula are rounded to the fewest of these decimals with which it is still right.
DECIMALS_TO_TRY = (2, 3, 4)
RESULT_NAMES = {1: "win", 0: "draw", -1: "loss"}
# More beads are shown as a number.
MAX_DRAWN_BEADS = 24
# The next board marks its new stones if they are the move and the reply, but not if there are more.
MAX_NEW_STONES = 2
OTHER_MARK = {"X": "O", "O": "X"}


class UpdateSquare(NamedTuple):
    """A square of the board before or after the updated move."""

    # "X", "O" or ""
    mark: str
    # value of a move to this square; "" without a value
    value_text: str = ""
    heat: int | None = None
    # the symbol of this value in the formula, as a CSS class
    symbol_class: str = ""
    # True if other moves on the board have a value
    lacks_value: bool = False
    # The updated move or the reply to it fills the square.
    is_played: bool = False


@dataclass(frozen=True)
class UpdatePicture:
    """One update, with the texts and numbers that templates show of it."""

    algorithm: Algorithm
    # None for beads
    reward_scale: RewardScale | None
    # None for an algorithm without a discount factor
    gamma: float | None
    move: TrainingMove
    update: TrainingUpdate
    # the end of the game, if the algorithm learns from results
    final_board: str = ""
    # how many moves the learner made after this one
    later_own_moves: int = 0
    # (chance, target) of each reply, for a value averaged over all replies
    weighted_replies: Sequence[tuple[float, float]] = ()
    # With fewer decimals the formula may be right only approximately.
    most_decimals: int = DECIMALS_TO_TRY[-1]

    @property
    def slug(self) -> str:
        return self.algorithm.slug

    @property
    def mover(self) -> str:
        return self.move.mark

    @property
    def opponent(self) -> str:
        return OTHER_MARK[self.mover]

    @property
    def square_name(self) -> str:
        return name_square(self.move.cell)

    @property
    def was_random(self) -> bool:
        return self.move.was_random

    @property
    def is_best(self) -> bool:
        known = drop_unknown(self.update.values)
        return bool(known) and self.update.values[self.move.cell] == max(known)

    @property
    def _shown_next_board(self) -> str:
        return self.update.next_board or self.final_board

    @property
    def _new_stones(self) -> list[int]:
        boards = zip(self.move.board, self._shown_next_board, strict=False)
        return [cell for cell, (before, now) in enumerate(boards) if before != now]

    @property
    def reply_square(self) -> str:
        """The square of the opponent's reply in words, "" without a reply."""
        replies = [cell for cell in self._new_stones if cell != self.move.cell]
        is_single = self.update.next_board and len(replies) == 1
        return name_square(replies[0]) if is_single else ""

    @property
    def final_result(self) -> str:
        """The result for the mover, "win", "draw" or "loss"; "" while the game goes on."""
        board = self._shown_next_board
        position = parse_position(GAME, board) if board else 0
        if not board or not GAME.is_over(position):
            return ""
        return RESULT_NAMES[
            GAME.get_result(position) * (1 if self.mover == "X" else -1)
        ]

    @property
    def board(self) -> list[list[UpdateSquare]]:
        cell = self.move.cell
        return self.lay_out_squares(
            self.move.board, self.update.values, self.mover, {cell: "old"}, [cell]
        )

    @property
    def next_board(self) -> list[list[UpdateSquare]]:
        """The board of the next state, [] if there is none; it marks the value in the target."""
        if not self._shown_next_board:
            return []
        cell = self._find_next_cell()
        new = self._new_stones
        return self.lay_out_squares(
            self._shown_next_board,
            self.update.next_values,
            self.opponent if self.algorithm.next_mover == "other" else self.mover,
            {} if cell is None else {cell: "next"},
            new if len(new) <= MAX_NEW_STONES else [],
        )

    def _find_next_cell(self) -> int | None:
        update = self.update
        if update.next_cell is not None or self.slug == "champion":
            return update.next_cell
        counting = update.next_value
        if self.slug == MINIMAX:
            counting = max(drop_unknown(update.next_values), default=0.0)
        if counting not in update.next_values:
            return None
        return update.next_values.index(counting)

    def lay_out_squares(
        self,
        board: str,
        values_by_cell: Sequence[float | None],
        mover_mark: str,
        symbols_by_cell: Mapping[int, str],
        played_cells: Sequence[int] = (),
    ) -> list[list[UpdateSquare]]:
        """Return the squares of a board in three rows, with their values.

        `values_by_cell` has a value for each cell, or is empty. `symbols_by_cell` has the CSS class
        of the formula's symbol for a value.
        """
        known = drop_unknown(values_by_cell)
        squares = []
        for cell, stone in enumerate(board):
            value = values_by_cell[cell] if values_by_cell else None
            square = UpdateSquare(
                mark=stone if stone != "." else "",
                symbol_class=symbols_by_cell.get(cell, ""),
                lacks_value=bool(values_by_cell) and value is None,
                is_played=cell in played_cells,
            )
            if value is not None:
                square = square._replace(
                    value_text=format_decimals(value, self.square_decimals),
                    heat=self._compute_heat(value, known, mover_mark),
                )
            squares.append(square)
        return [squares[start : start + 3] for start in (0, 3, 6)]

    def _compute_heat(
        self, value: float, known_values: Sequence[float], mover_mark: str
    ) -> int:
        """Return the colour of a value, from -HEAT_STEPS to HEAT_STEPS.

        For beads it says whether the move has more or fewer than an equal share of its box.
        """
        if self.reward_scale is None:
            share = value / (sum(known_values) or 1.0) * len(known_values)
            return round(HEAT_STEPS * float(np.clip(share - 1, -1, 1)))
        side = X if mover_mark == "X" else O
        scaled = scale_values(np.array(value), self.reward_scale, side)
        return int(compute_colour_level(scaled, HEAT_STEPS))

    @property
    def square_decimals(self) -> int:
        """How many decimals are shown of a value: none for beads and for exact results."""
        is_whole = self.reward_scale is None or self.slug == MINIMAX
        return 0 if is_whole else DECIMALS_TO_TRY[0]

    # The following properties are the numbers in new = old + alpha (target - old).

    @property
    def _old_and_new(self) -> tuple[float, float]:
        return self.update.in_table or (self.update.old, self.update.new)

    @property
    def _target(self) -> float:
        update = self.update
        return update.reward if update.target is None else update.target

    @property
    def _discount(self) -> float:
        return 1.0 if self.gamma is None else self.gamma

    @property
    def _reward(self) -> float:
        if self.algorithm.picture_kind != "return":
            return self.update.reward
        if not self._discount:
            return self._target
        return self._target / self._discount**self.later_own_moves

    @property
    def _next_value(self) -> float:
        return self.update.next_value * (
            -1 if self.algorithm.next_mover == "other" else 1
        )

    def _is_formula_right(self, decimals: int) -> bool:
        """Return whether the formula still holds after all its numbers are rounded."""
        rounded = partial(round, ndigits=decimals)
        old, new = map(rounded, self._old_and_new)
        target: float = rounded(self._target)
        discounted = self._reward * self._discount**self.later_own_moves
        made = discounted + self._discount * rounded(self._next_value)
        moved = old + (self.update.step_size or 0.0) * (target - old)
        if self.algorithm.picture_kind == "mean":
            moved = sum(
                float(f"{chance:.3g}") * rounded(reply_target)
                for chance, reply_target in self.weighted_replies
            )
        return bool(rounded(made) == target and rounded(moved) == new)

    @cached_property
    def _decimals(self) -> int | None:
        """The fewest decimals with which the formula holds, None if it never holds."""
        if self.slug == "dqn":
            return None
        if self.algorithm.picture_kind in ("beads", "bounds"):
            return DECIMALS_TO_TRY[0]
        tried = [each for each in DECIMALS_TO_TRY if each <= self.most_decimals]
        return next(filter(self._is_formula_right, tried), None)

    @property
    def is_exact(self) -> bool:
        return self._decimals is not None

    @property
    def _shown_decimals(self) -> int:
        return self._decimals or DECIMALS_TO_TRY[-1 if self.slug == "dqn" else 0]

    @cached_property
    def text_by_formula_symbol(self) -> Mapping[str, str]:
        update, decimals = self.update, self._shown_decimals
        whole = decimals if self.square_decimals else 0
        old, new = self._old_and_new
        numbers = {
            "old": format_decimals(old, whole),
            "new": format_decimals(new, whole),
            "target": format_decimals(self._target, decimals),
            "reward": _format_short(self._reward),
            "next": format_decimals(update.next_value, decimals),
            "shown_old": format_decimals(update.old, whole),
            "shown_new": format_decimals(update.new, whole),
            "times": format_count(update.update_count),
            "error": format_decimals(self._target - old, decimals),
        }
        if self.algorithm.picture_kind == "bounds":
            lower, upper = BOUNDS_BY_VALUE[update.new]
            numbers |= {"lower": _format_short(lower), "upper": _format_short(upper)}
        if update.step_size is not None:
            numbers["alpha"] = _format_short(update.step_size)
            numbers["percent"] = _format_short(100 * update.step_size)
        if self.gamma is not None:
            numbers["gamma"] = _format_short(self.gamma)
        if self.reward_scale is not None:
            rewards = self.reward_scale.get_rewards(self.mover.lower())
            texts = map(_format_short, rewards)
            numbers |= zip(("loss", "draw", "win"), texts, strict=True)
        return numbers

    @property
    def data_attributes(self) -> Mapping[str, str]:
        """The numbers that the script reads from data attributes, by their names."""
        data = {
            "alpha": repr(self.update.step_size),
            "gamma": repr(self._discount),
            "old": repr(self._old_and_new[0]),
            "square": repr(self.update.old),
            # With two tables the square shows their mean, which changes half as much as the updated
            # table.
            "share": "0.5" if self.update.in_table else "1",
            "shown": format_decimals(self.update.new, self.square_decimals),
            "reward": repr(self._reward),
            "next": repr(self._next_value),
            "power": str(self.later_own_moves),
            "decimals": str(self._shown_decimals),
        }
        if known := drop_unknown(self.update.values):
            heat = self._compute_heat(self.update.new, known, self.mover)
            data["becomes"] = str(heat)
        if self.reward_scale is not None:
            rewards = self.reward_scale.get_rewards(self.mover.lower())
            data["scale"] = " ".join(map(repr, rewards))
        return data

    # Each of the following properties is for one kind of update.

    @property
    def is_updated_by_trace(self) -> bool:
        """Whether an eligibility trace passed the error of a later move on to this value."""
        return self.algorithm.picture_kind == "step" and not self.update.next_board

    @property
    def zero_value_count(self) -> int:
        """How many other moves on the board still have the initial value 0."""
        if not self.algorithm.starts_at_zero:
            return 0
        others = enumerate(self.update.values)
        return sum(value == 0.0 for cell, value in others if cell != self.move.cell)

    @property
    def zero_text(self) -> str:
        return format_decimals(0.0, DECIMALS_TO_TRY[0])

    @property
    def reply_bounds(self) -> list[tuple[str, str]]:
        """(lower bound, upper bound) of the value of each reply."""
        known = drop_unknown(self.update.next_values)
        bounds = (BOUNDS_BY_VALUE[value] for value in known)
        return [(_format_short(lower), _format_short(upper)) for lower, upper in bounds]

    @property
    def direction(self) -> str:
        """Where the target is from the old value: "up", "down", or "" if both are equal."""
        error = round(self._target - self._old_and_new[0], self._shown_decimals)
        return "up" if error > 0 else "down" if error < 0 else ""

    @property
    def depends_on_gamma(self) -> bool:
        return bool(self.update.next_value or self.later_own_moves)

    @property
    def can_win_next(self) -> bool:
        """Whether the target is the value of a next move that wins at once."""
        cell = self._find_next_cell()
        if cell is None or self.final_result or self.algorithm.next_mover == "other":
            return False
        before = parse_position(GAME, self.update.next_board)
        after = int(GAME.successor[before, cell])
        return GAME.is_over(after) and GAME.get_result(after) != 0

    @property
    def weighted_targets(self) -> list[tuple[str, str]]:
        """(chance, target) of each reply, for an update that averages over replies."""
        return [
            (_format_short(chance), format_decimals(target, self._shown_decimals))
            for chance, target in self.weighted_replies
        ]

    @property
    def bead_box(self) -> Mapping[str, str | int]:
        paid = round(self.update.new - self.update.old)
        staying = round(min(self.update.old, self.update.new))
        return {
            "colour": f"bead-{self.move.cell + 1}",
            "drawn_beads": min(staying, MAX_DRAWN_BEADS),
            "is_cut": staying > MAX_DRAWN_BEADS,
            "added_beads": max(paid, 0),
            "removed_beads": max(-paid, 0),
        }


def prepare_update_picture(recipe: Recipe) -> partial[UpdatePicture]:
    """Return an `UpdatePicture` that still lacks the move and its update."""
    return partial(
        UpdatePicture,
        ALGORITHM_PAGES[recipe.slug],
        recipe.get_reward_scale(),
        getattr(recipe, "gamma", None),
    )


def drop_unknown(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def format_decimals(value: float, decimals: int) -> str:
    """Return a number with a typographic minus; a zero has no sign."""
    text = f"{value:.{decimals}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return localize_number(text.replace("-", MINUS))


def _format_short(value: float) -> str:
    return localize_number(f"{value:.3g}".replace("-", MINUS))
