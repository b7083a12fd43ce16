"""The picture of one update, step by step: its boards, its formula and the numbers in it.

The macros in `templates/updates/` write it as HTML.  The script `static/parts/update.js` shows its
steps, and computes it again when a visitor changes a parameter.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.recipes import Recipe
from app.recipes.games import TrainingMove, TrainingUpdate
from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import parse_position
from app.tictactoe.views import RewardScale, compute_colour_level, scale_values
from app.web.algorithms import ALGORITHM_PAGES, MINIMAX
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.champion import BOUNDS_BY_VALUE
from app.web.formatting import MINUS, format_count, name_square
from app.web.move_values import HEAT_STEPS
from app.web.translation import localize_number

STEP_COUNT = 6  # steps in which each update is shown
TRIED_DECIMALS = (
    2,
    3,
    4,
)  # numbers of decimals to try until the rounded numbers add up
# result of a game for the mover -> its name, also the parameter of MENACE for this result
RESULT_NAMES = {1: "win", 0: "draw", -1: "loss"}
MAX_DRAWN_BEADS = 24  # maximum number of beads that the picture shows one by one
# maximum number of new stones that are marked on the next board: a move and its reply
SETTLING_STONES = 2


class UpdateTerms(NamedTuple):
    """The algorithm, the rewards and the discount factor of an update."""

    algorithm: Algorithm
    reward_scale: RewardScale | None  # None for beads
    gamma: float | None  # None for algorithms without a discount

    @property
    def slug(self) -> str:
        return self.algorithm.slug

    @property
    def square_decimals(self) -> int:
        """The number of decimals of a value on a square: 0 for beads and for results."""
        return (
            0
            if self.reward_scale is None or self.slug == MINIMAX
            else TRIED_DECIMALS[0]
        )


def build_update_terms(recipe: Recipe) -> UpdateTerms:
    """Return the algorithm, the rewards and the discount factor of a recipe."""
    return UpdateTerms(
        ALGORITHM_PAGES[recipe.slug],
        recipe.get_reward_scale(),
        getattr(recipe, "gamma", None),
    )


class WeightedReply(NamedTuple):
    """A reply of the opponent with its probability, for an exact value averaged over replies."""

    cell: int
    chance: float
    target: float


class UpdateEvent(NamedTuple):
    """An update of a move, with the rest of the game that the update needs."""

    move: TrainingMove
    update: TrainingUpdate
    # last board of the game, for algorithms that learn from results
    final_board: str = ""
    later_own_moves: int = 0  # number of the learner's moves after this move
    # replies with their probabilities, for a value averaged over all replies
    weighted_replies: Sequence[WeightedReply] = ()


class UpdateSquare(NamedTuple):
    """A square of one of the boards of an update."""

    mark: str  # "X", "O", or "" for an empty square
    value_text: str = ""  # formatted value of a move to the square, "" without one
    heat: int | None = None
    symbol_class: str = ""  # symbol of this value in the formula, as a CSS class
    lacks_value: bool = False  # whether only other moves of the board have a value
    # whether the updated move or the reply to it fills the cell
    is_played: bool = False


class UpdateLink(NamedTuple):
    """A link to another update of the same game, or to another example."""

    id: str
    title: str
    url: str
    is_chosen: bool


class BeadBox(NamedTuple):
    """The beads of a move in its box, before and after a game paid for the move."""

    colour: str  # CSS class of the beads
    drawn_beads: int  # beads in the box that the picture shows one by one
    is_cut: bool  # whether the box has more beads than are drawn
    added_beads: int  # beads that come into the box
    removed_beads: int  # beads that leave the box


class UpdatePicture(NamedTuple):
    """The picture of one update with all its texts; numbers are formatted already."""

    slug: str  # slug of the algorithm
    algorithm: Algorithm
    mover: str
    opponent: str
    square_name: str  # name of the square of the move
    was_random: bool
    is_best: bool  # whether no other move of the board has a higher value
    reply_square: str  # name of the square of the opponent's reply, "" without a reply
    # "win", "draw" or "loss" for the mover if the game is over, else ""
    final_result: str
    # number of the learner's moves between this move and the end of the game
    later_own_moves: int
    board: list[list[UpdateSquare]]
    next_board: list[list[UpdateSquare]]  # [] if the picture has no next board
    number_by_symbol: Mapping[str, str]  # symbol of the formula -> number as text
    is_exact: bool  # whether the numbers add up as they are shown
    # HTML data attribute -> number, for the script
    data_attributes: Mapping[str, str]
    # whether the error of a later move updates this move by its eligibility trace
    is_updated_by_trace: bool
    # number of other moves of the board that still have the value 0
    zero_value_count: int
    zero_text: str  # the value 0 as formatted on squares
    # lower and upper bounds of the value of each reply, [] for other algorithms
    reply_lower_bounds: list[str]
    reply_upper_bounds: list[str]
    # position of the new value between the old one and the target, in percent
    target_percent: int
    # chance and target of each reply, if the update averages over replies
    weighted_targets: list[tuple[str, str]]
    bead_box: BeadBox | None  # the box of the move; None for algorithms without beads


class UpdateArithmetic(NamedTuple):
    """The numbers of an update that make its result: new = old + alpha (target - old)."""

    old_value: float
    new_value: float
    target: float
    reward: float
    next_value: float  # negative if the opponent moves in the next state
    alpha: float | None
    gamma: float  # 1 without a discount
    # number of the learner's moves by which the reward is discounted
    discount_power: int

    @property
    def computed_target(self) -> float:
        """The target, computed from the reward, the next value and the discount factor."""
        return (
            self.reward * self.gamma**self.discount_power + self.gamma * self.next_value
        )

    def round_numbers(self, decimals: int) -> "UpdateArithmetic":
        """Return the numbers as they are shown."""
        return self._replace(
            old_value=round(self.old_value, decimals),
            new_value=round(self.new_value, decimals),
            target=round(self.target, decimals),
            next_value=round(self.next_value, decimals),
        )

    def adds_up(self, decimals: int) -> bool:
        """Return whether the rounded numbers give the rounded target and the rounded new value."""
        shown = self.round_numbers(decimals)
        alpha = self.alpha or 0.0
        moved = shown.old_value + alpha * (shown.target - shown.old_value)
        is_target_made = round(shown.computed_target, decimals) == shown.target
        return is_target_made and round(moved, decimals) == shown.new_value


def draw_update(game: Game, terms: UpdateTerms, event: UpdateEvent) -> UpdatePicture:
    move = event.move
    update = event.update
    next_board = update.next_board or event.final_board
    arithmetic = read_arithmetic(terms, event)
    decimals, is_exact = find_decimals(terms, arithmetic, event.weighted_replies)
    return UpdatePicture(
        slug=terms.slug,
        algorithm=terms.algorithm,
        mover=move.mark,
        opponent="O" if move.mark == "X" else "X",
        square_name=name_square(move.cell),
        was_random=move.was_random,
        is_best=_is_best(move, update),
        reply_square=_name_reply_square(game, move, next_board)
        if update.next_board
        else "",
        final_result=_name_result(game, next_board, move.mark),
        later_own_moves=event.later_own_moves,
        board=_draw_first_board(game, terms, move, update),
        next_board=_draw_next_board(game, terms, move, update, next_board),
        number_by_symbol=_format_numbers(terms, event, arithmetic, decimals),
        is_exact=is_exact,
        data_attributes=list_data_attributes(terms, event, arithmetic, decimals),
        is_updated_by_trace=terms.algorithm.family == "step" and not update.next_board,
        zero_text=format_value(0.0, TRIED_DECIMALS[0]),
        zero_value_count=_count_zero_values(terms, move, update),
        reply_lower_bounds=_list_bounds(terms, update, 0),
        reply_upper_bounds=_list_bounds(terms, update, 1),
        target_percent=round(100 * (arithmetic.alpha or 0.0)),
        weighted_targets=[
            (_format_short(share.chance), format_value(share.target, decimals))
            for share in event.weighted_replies
        ],
        bead_box=_build_bead_box(move.cell, update)
        if terms.algorithm.family == "beads"
        else None,
    )


def _count_zero_values(
    terms: UpdateTerms, move: TrainingMove, update: TrainingUpdate
) -> int:
    """Return the number of other moves of the board whose value is still the initial 0."""
    if not terms.algorithm.starts_at_zero:
        return 0
    return sum(
        value == 0.0 for cell, value in enumerate(update.values) if cell != move.cell
    )


def _is_best(move: TrainingMove, update: TrainingUpdate) -> bool:
    """Return whether no other move of the board has a higher value."""
    known = drop_unknown(update.values)
    return bool(known) and update.values[move.cell] == max(known)


def _list_bounds(
    terms: UpdateTerms, update: TrainingUpdate, bound_index: int
) -> list[str]:
    """Return the lower (index 0) or upper (1) bounds of all replies as texts, else []."""
    if terms.algorithm.family != "bounds":
        return []
    return [
        _format_short(BOUNDS_BY_VALUE[value][bound_index])
        for value in drop_unknown(update.next_values)
    ]


def drop_unknown(values: Sequence[float | None]) -> list[float]:
    """Return the values that are not None."""
    return [value for value in values if value is not None]


def get_best_value(values: Sequence[float | None]) -> float:
    """Return the highest known value of the moves of a board, 0.0 if no value is known."""
    return max(drop_unknown(values), default=0.0)


def _build_bead_box(cell: int, update: TrainingUpdate) -> BeadBox:
    """Return the beads of a move; `MAX_DRAWN_BEADS` of them are drawn."""
    paid = round(update.new - update.old)
    staying = round(min(update.old, update.new))
    return BeadBox(
        colour=f"bead-{cell + 1}",
        drawn_beads=min(staying, MAX_DRAWN_BEADS),
        is_cut=staying > MAX_DRAWN_BEADS,
        added_beads=max(paid, 0),
        removed_beads=max(-paid, 0),
    )


def _name_result(game: Game, board: str, mark: str) -> str:
    position = parse_position(game, board) if board else 0
    if not board or not game.is_over(position):
        return ""
    view = 1 if mark == "X" else -1
    return RESULT_NAMES[game.get_result(position) * view]


def _name_reply_square(game: Game, move: TrainingMove, next_board: str) -> str:
    cells = [
        cell
        for cell, (before, now) in enumerate(zip(move.board, next_board, strict=True))
        if before != now and cell != move.cell
    ]
    return name_square(cells[0]) if len(cells) == 1 else ""


def _compute_heat(
    terms: UpdateTerms, value: float, known_values: Sequence[float], mover_mark: str
) -> int:
    """Return the colour step of a value; for beads, of their number relative to the whole box."""
    reward_scale = terms.reward_scale
    if reward_scale is None:
        share = value / (sum(known_values) or 1.0) * len(known_values)
        return round(HEAT_STEPS * float(np.clip(share - 1, -1, 1)))
    scaled = scale_values(np.array(value), reward_scale, X if mover_mark == "X" else O)
    return int(compute_colour_level(scaled, HEAT_STEPS))


def _draw_first_board(
    game: Game, terms: UpdateTerms, move: TrainingMove, update: TrainingUpdate
) -> list[list[UpdateSquare]]:
    symbols = {move.cell: "old"}
    return draw_squares(
        game, terms, move.board, update.values, move.mark, symbols, [move.cell]
    )


def _draw_next_board(
    game: Game,
    terms: UpdateTerms,
    move: TrainingMove,
    update: TrainingUpdate,
    board: str,
) -> list[list[UpdateSquare]]:
    """Return the board of the next state; the move whose value counts in the target is marked."""
    if not board:
        return []
    mark = move.mark
    if terms.algorithm.next_mover == "other":
        mark = "O" if mark == "X" else "X"
    cell = _find_next_cell(terms, update)
    chosen = {} if cell is None else {cell: "next"}
    new = [
        cell
        for cell, (before, now) in enumerate(zip(move.board, board, strict=True))
        if before != now
    ]
    # The last board of a game can have many new stones, which are not marked.
    played = new if len(new) <= SETTLING_STONES else []
    return draw_squares(game, terms, board, update.next_values, mark, chosen, played)


def _find_next_cell(terms: UpdateTerms, update: TrainingUpdate) -> int | None:
    """Return the cell of the move whose value counts in the next state, None if no single one."""
    if update.next_cell is not None or terms.slug == "champion":
        return update.next_cell
    counting = update.next_value
    if terms.slug == MINIMAX:
        counting = get_best_value(update.next_values)
    if counting not in update.next_values:
        return None
    return update.next_values.index(counting)


def draw_squares(
    game: Game,
    terms: UpdateTerms,
    board: str,
    values_by_cell: Sequence[float | None],
    mover_mark: str,
    symbols_by_cell: Mapping[int, str],
    played_cells: Sequence[int],
) -> list[list[UpdateSquare]]:
    """Return the rows of a board with values by cell, and a symbol of the formula on some cells."""
    known = drop_unknown(values_by_cell)
    squares = []
    for cell, stone in enumerate(board):
        value = values_by_cell[cell] if values_by_cell else None
        squares.append(
            UpdateSquare(
                mark=stone if stone != "." else "",
                value_text="" if value is None else _format_square_value(terms, value),
                heat=None
                if value is None
                else _compute_heat(terms, value, known, mover_mark),
                symbol_class=symbols_by_cell.get(cell, ""),
                lacks_value=bool(values_by_cell) and value is None,
                is_played=cell in played_cells,
            )
        )
    return [squares[start : start + 3] for start in (0, 3, 6)]


def _format_square_value(terms: UpdateTerms, value: float) -> str:
    return format_value(value, terms.square_decimals)


def format_value(value: float, decimals: int) -> str:
    """Return a number as text with a typographic minus and without a plus; zero has no sign."""
    text = f"{value:.{decimals}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return localize_number(text.replace("-", MINUS))


def _format_short(value: float) -> str:
    return localize_number(f"{value:.3g}".replace("-", MINUS))


def read_arithmetic(terms: UpdateTerms, event: UpdateEvent) -> UpdateArithmetic:
    """Return the numbers that make the result of an update."""
    update = event.update
    gamma = 1.0 if terms.gamma is None else terms.gamma
    old, new = update.in_table or (update.old, update.new)
    target = update.reward if update.target is None else update.target
    reward = update.reward
    if terms.algorithm.family == "return":
        reward = target / gamma**event.later_own_moves if gamma else target
    return UpdateArithmetic(
        old_value=old,
        new_value=new,
        target=target,
        reward=reward,
        next_value=update.next_value
        * (-1 if terms.algorithm.next_mover == "other" else 1),
        alpha=update.step_size,
        gamma=gamma,
        discount_power=event.later_own_moves,
    )


def find_decimals(
    terms: UpdateTerms,
    arithmetic: UpdateArithmetic,
    weighted_replies: Sequence[WeightedReply],
) -> tuple[int, bool]:
    """Return the decimals with which the numbers of an update add up, and whether they do."""
    if terms.slug == "dqn":  # a step of a network has no fixed step size
        return TRIED_DECIMALS[-1], False
    if terms.algorithm.family in ("beads", "bounds"):
        return TRIED_DECIMALS[0], True
    for decimals in TRIED_DECIMALS:
        if terms.algorithm.family == "mean":
            adds_up = _adds_up_as_average(arithmetic, weighted_replies, decimals)
        else:
            adds_up = arithmetic.adds_up(decimals)
        if adds_up:
            return decimals, True
    return TRIED_DECIMALS[0], False


def _adds_up_as_average(
    arithmetic: UpdateArithmetic,
    weighted_replies: Sequence[WeightedReply],
    decimals: int,
) -> bool:
    """Return whether the mean of the rounded targets, weighted by chance, is the rounded value."""
    shown = arithmetic.round_numbers(decimals)
    mean = sum(
        float(f"{share.chance:.3g}") * round(share.target, decimals)
        for share in weighted_replies
    )
    is_target_made = round(shown.computed_target, decimals) == shown.target
    return is_target_made and round(mean, decimals) == shown.new_value


def _format_numbers(
    terms: UpdateTerms, event: UpdateEvent, arithmetic: UpdateArithmetic, decimals: int
) -> dict[str, str]:
    """Return the numbers of an update as texts, by symbol."""
    update = event.update
    mark = event.move.mark.lower()
    family = terms.algorithm.family
    whole = decimals if terms.square_decimals else 0
    numbers = {
        "old": format_value(arithmetic.old_value, whole),
        "new": format_value(arithmetic.new_value, whole),
        "target": format_value(arithmetic.target, decimals),
        "reward": _format_short(arithmetic.reward),
        "next": format_value(update.next_value, decimals),
        "shown_old": format_value(update.old, whole),
        "shown_new": format_value(update.new, whole),
        "times": format_count(update.update_count),
        "error": format_value(arithmetic.target - arithmetic.old_value, decimals),
    }
    if family == "bounds":
        lower, upper = BOUNDS_BY_VALUE[update.new]
        numbers |= {"lower": _format_short(lower), "upper": _format_short(upper)}
    if arithmetic.alpha is not None:
        numbers["alpha"] = _format_short(arithmetic.alpha)
    if terms.gamma is not None:
        numbers["gamma"] = _format_short(terms.gamma)
    if terms.reward_scale is not None:
        numbers["loss"], numbers["draw"], numbers["win"] = map(
            _format_short, terms.reward_scale.get_rewards(mark)
        )
    return numbers


def list_data_attributes(
    terms: UpdateTerms, event: UpdateEvent, arithmetic: UpdateArithmetic, decimals: int
) -> dict[str, str]:
    """Return the numbers for the script, by data attribute."""
    move = event.move
    update = event.update
    data = {
        "alpha": repr(arithmetic.alpha),
        "gamma": repr(arithmetic.gamma),
        "old": repr(arithmetic.old_value),
        "square": repr(update.old),
        # share of the change of one of two tables in the average on the square
        "share": "0.5" if update.in_table else "1",
        "shown": _format_square_value(terms, update.new),
        "reward": repr(arithmetic.reward),
        "next": repr(arithmetic.next_value),
        "power": str(arithmetic.discount_power),
        "decimals": str(decimals),
    }
    if known := drop_unknown(update.values):
        data["becomes"] = str(_compute_heat(terms, update.new, known, move.mark))
    if terms.reward_scale is not None:
        data["scale"] = " ".join(
            map(repr, terms.reward_scale.get_rewards(move.mark.lower()))
        )
    return data
