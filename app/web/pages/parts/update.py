"""One update, drawn step by step: its boards, its formula with the numbers, its steps.

The macros of `templates/updates/` write it down; `static/parts/update.js` goes through its
steps and recomputes it when a parameter is dragged.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.recipes import Recipe
from app.recipes.games import TrainingMove, TrainingUpdate
from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import parse_position
from app.tictactoe.views import RewardScale, compute_heat, scale_values
from app.web.algorithms import ALGORITHMS, MINIMAX
from app.web.algorithms.algorithm import UpdateStyle
from app.web.algorithms.champion import BOUNDS
from app.web.formatting import MINUS, format_count, name_square_briefly
from app.web.move_values import HEAT_STEPS
from app.web.translation import localize_number

STEPS = 6  # steps in which each update is shown
DECIMALS = (2, 3, 4)  # tried in this order until the rounded numbers add up
# result of a game for the mover: its name, which is also that of MENACE's parameter for it
RESULTS = {1: "win", 0: "draw", -1: "loss"}
MOST_BEADS = 24  # beads that are drawn one by one
# algorithms whose estimates begin at 0
FROM_ZERO = (
    "q-learning",
    "sarsa",
    "expected-sarsa",
    "sarsa-lambda",
    "q-table",
    "double-q",
    "monte-carlo",
    "league",
)
LAST_STONES = 2  # new stones that are marked on the next board: a move and its answer


class UpdateTerms(NamedTuple):
    """The context of the numbers of an update: the algorithm, its rewards and its discount."""

    slug: str
    style: UpdateStyle
    worth: RewardScale | None  # None for beads
    gamma: float | None  # None for algorithms without a discount

    @property
    def square_decimals(self) -> int:
        """The decimals of a value on a square: none for beads and for results."""
        return 0 if self.worth is None or self.slug == MINIMAX else DECIMALS[0]


def terms_of(recipe: Recipe) -> UpdateTerms:
    """Return the scale, discount and style of an update formula for a recipe."""
    style = ALGORITHMS[recipe.slug].update
    return UpdateTerms(
        recipe.slug, style, recipe.reward_scale(), getattr(recipe, "gamma", None)
    )


class WeightedReply(NamedTuple):
    """An answer of the opponent, in an exact value that is the average over all answers."""

    cell: int
    chance: float
    target: float


class UpdateEvent(NamedTuple):
    """An update of a move, with the rest of its game."""

    move: TrainingMove
    change: TrainingUpdate
    end: str = ""  # the last board of the game, for learners from results
    later: int = 0  # number of own moves after this one, for learners from results
    shares: Sequence[WeightedReply] = ()  # the answers, of an average over all answers


class UpdateSquare(NamedTuple):
    """A square of one of the boards of an update."""

    mark: str  # "" where it is empty
    text: str = ""  # its value
    heat: int | None = None
    symbol: str = ""  # which symbol of the formula stands for its value
    empty: bool = False  # a move without a value, among others that have one
    played: bool = False  # whether the updated move or the reply to it fills the cell


class UpdateLink(NamedTuple):
    """A link to another update."""

    id: str
    title: str
    href: str
    chosen: bool


class BeadBox(NamedTuple):
    """The beads of a move in its box, before and after a game paid for the move."""

    colour: str  # class of the beads
    drawn: int  # beads that are drawn one by one and stay in the box
    is_cut: bool  # whether the box has more beads than are drawn
    added: int  # beads that come into the box
    removed: int  # beads that leave the box


class UpdatePicture(NamedTuple):
    """Everything that a page shows of one update; numbers are texts."""

    slug: str  # slug of the algorithm
    style: UpdateStyle
    mover: str
    other: str
    cell: str  # name of the square of the move
    explored: bool
    is_best: bool  # no other move of the board has a higher value
    answer: str  # name of the square of the opponent's answer, "" without one
    result: str  # "win", "draw" or "loss" for the mover if the game is over, else ""
    later: int  # number of own moves between the move and the end of the game
    board: list[list[UpdateSquare]]
    next_board: list[list[UpdateSquare]]  # [] if none is shown
    numbers: Mapping[str, str]  # symbol -> its number
    is_exact: bool  # the numbers add up as they are shown
    data: Mapping[str, str]  # what the script computes with, by data attribute
    # an earlier move, updated by the error of the last one
    is_traced: bool
    zeros: int  # number of other moves of the board that still have the value 0
    zero: str  # 0 as squares show it
    # the least and the most that each answer can be worth, of bounds
    answers_lower: list[str]
    answers_upper: list[str]
    # position of the new value between the old one and the target, in percent
    part: int
    shares: list[tuple[str, str]]  # chance and target of each answer, of an average
    box: BeadBox | None  # of beads


class Arithmetic(NamedTuple):
    """The numbers of an update that make its result: new = old + alpha (target - old)."""

    old: float
    new: float
    target: float
    reward: float
    next_value: float  # with a minus if it is the opponent's
    alpha: float | None
    gamma: float  # 1 without a discount
    power: int  # number of own moves by which the reward is discounted

    @property
    def made_target(self) -> float:
        """The target that the other numbers make."""
        return self.reward * self.gamma**self.power + self.gamma * self.next_value

    def round(self, decimals: int) -> "Arithmetic":
        """Return the numbers as they are shown."""
        return self._replace(
            old=round(self.old, decimals),
            new=round(self.new, decimals),
            target=round(self.target, decimals),
            next_value=round(self.next_value, decimals),
        )

    def adds_up(self, decimals: int) -> bool:
        """Whether the numbers make the target and the new value, as they are shown."""
        shown = self.round(decimals)
        moved = shown.old + (self.alpha or 0.0) * (shown.target - shown.old)
        is_target_made = round(shown.made_target, decimals) == shown.target
        return is_target_made and round(moved, decimals) == shown.new


def draw_update(game: Game, terms: UpdateTerms, event: UpdateEvent) -> UpdatePicture:
    """Return the picture of an update."""
    move = event.move
    change = event.change
    style = terms.style
    next_board = change.next_board or event.end
    arithmetic = read_arithmetic(terms, event)
    decimals, is_exact = find_decimals(terms, arithmetic, event.shares)
    return UpdatePicture(
        slug=terms.slug,
        style=style,
        mover=move.mark,
        other="O" if move.mark == "X" else "X",
        cell=name_square_briefly(game, move.cell),
        explored=move.explored,
        is_best=_is_best(move, change),
        answer=_name_answer(game, move, next_board) if change.next_board else "",
        result=_result(game, next_board, move.mark),
        later=event.later,
        board=_draw_board(game, terms, move, change),
        next_board=_draw_next(game, terms, move, change, next_board),
        numbers=_format_numbers(terms, event, arithmetic, decimals),
        is_exact=is_exact,
        data=_list_data(terms, event, arithmetic, decimals),
        is_traced=style.family == "step" and not change.next_board,
        zero=format_value(0.0, DECIMALS[0]),
        zeros=_count_zeros(terms, move, change),
        answers_lower=_list_bounds(terms, change, 0),
        answers_upper=_list_bounds(terms, change, 1),
        part=round(100 * (arithmetic.alpha or 0.0)),
        shares=[
            (_short(share.chance), format_value(share.target, decimals))
            for share in event.shares
        ],
        box=_fill_box(move.cell, change) if style.family == "beads" else None,
    )


def _count_zeros(terms: UpdateTerms, move: TrainingMove, change: TrainingUpdate) -> int:
    """Return the number of other moves whose value is still the 0 that it began with."""
    if terms.slug not in FROM_ZERO:
        return 0
    return sum(
        value == 0.0 for cell, value in enumerate(change.values) if cell != move.cell
    )


def _is_best(move: TrainingMove, change: TrainingUpdate) -> bool:
    """Return whether no other move of the board has a higher value."""
    known = _known(change.values)
    return bool(known) and change.values[move.cell] == max(known)


def _list_bounds(terms: UpdateTerms, change: TrainingUpdate, side: int) -> list[str]:
    """Return the lower (0) or upper (1) bounds of all answers, [] for other algorithms."""
    if terms.style.family != "bounds":
        return []
    return [_short(BOUNDS[value][side]) for value in _known(change.next_values)]


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _fill_box(cell: int, change: TrainingUpdate) -> BeadBox:
    """Return the beads of a move; `MOST_BEADS` of them are drawn."""
    paid = round(change.new - change.old)
    staying = round(min(change.old, change.new))
    return BeadBox(
        colour=f"bead-{cell + 1}",
        drawn=min(staying, MOST_BEADS),
        is_cut=staying > MOST_BEADS,
        added=max(paid, 0),
        removed=max(-paid, 0),
    )


def _result(game: Game, board: str, mark: str) -> str:
    position = parse_position(game, board) if board else 0
    if not board or not game.is_over(position):
        return ""
    return RESULTS[game.result(position) * (1 if mark == "X" else -1)]


def _name_answer(game: Game, move: TrainingMove, after: str) -> str:
    cells = [
        cell
        for cell, (before, now) in enumerate(zip(move.board, after, strict=True))
        if before != now and cell != move.cell
    ]
    return name_square_briefly(game, cells[0]) if len(cells) == 1 else ""


def _colour(
    terms: UpdateTerms, value: float, values: Sequence[float], mark: str
) -> int:
    """Return the colour step of a value, or of a number of beads among the others of its box."""
    worth = terms.worth
    if worth is None:
        share = value / (sum(values) or 1.0) * len(values)
        return round(HEAT_STEPS * float(np.clip(share - 1, -1, 1)))
    scaled = scale_values(np.array(value), worth, X if mark == "X" else O)
    return int(compute_heat(scaled, HEAT_STEPS))


def _draw_board(
    game: Game, terms: UpdateTerms, move: TrainingMove, change: TrainingUpdate
) -> list[list[UpdateSquare]]:
    symbols = {move.cell: "old"}
    return draw_squares(
        game, terms, move.board, change.values, move.mark, symbols, [move.cell]
    )


def _draw_next(
    game: Game,
    terms: UpdateTerms,
    move: TrainingMove,
    change: TrainingUpdate,
    board: str,
) -> list[list[UpdateSquare]]:
    """Draw the next state, with the move whose value counts there."""
    if not board:
        return []
    mark = move.mark
    if terms.style.next_mover == "other":
        mark = "O" if mark == "X" else "X"
    cell = _find_next_cell(terms, change)
    chosen = {} if cell is None else {cell: "next"}
    new = [
        cell
        for cell, (before, now) in enumerate(zip(move.board, board, strict=True))
        if before != now
    ]
    # the last board of a game has many new stones
    played = new if len(new) <= LAST_STONES else []
    return draw_squares(game, terms, board, change.next_values, mark, chosen, played)


def _find_next_cell(terms: UpdateTerms, change: TrainingUpdate) -> int | None:
    """Return the cell of the move whose value counts in the next state, None if no single one."""
    if change.next_cell is not None or terms.slug == "champion":
        return change.next_cell
    counting = change.next_value
    if terms.slug == MINIMAX:
        counting = max(_known(change.next_values), default=0.0)
    if counting not in change.next_values:
        return None
    return change.next_values.index(counting)


def draw_squares(
    game: Game,
    terms: UpdateTerms,
    board: str,
    values: Sequence[float | None],
    mark: str,
    symbols: Mapping[int, str],
    played: Sequence[int],
) -> list[list[UpdateSquare]]:
    """Return the rows of a board with values by cell, and a symbol of the formula on some cells."""
    known = _known(values)
    squares = []
    for cell, stone in enumerate(board):
        value = values[cell] if values else None
        squares.append(
            UpdateSquare(
                mark=stone if stone != "." else "",
                text="" if value is None else _square_text(terms, value),
                heat=None if value is None else _colour(terms, value, known, mark),
                symbol=symbols.get(cell, ""),
                empty=bool(values) and value is None,
                played=cell in played,
            )
        )
    return [
        squares[start : start + game.columns]
        for start in range(0, game.cells, game.columns)
    ]


def _square_text(terms: UpdateTerms, value: float) -> str:
    return format_value(value, terms.square_decimals)


def format_value(value: float, decimals: int) -> str:
    """Write a number with a true minus and without a plus; zero has no sign."""
    text = f"{value:.{decimals}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return localize_number(text.replace("-", MINUS))


def _short(value: float) -> str:
    return localize_number(f"{value:.3g}".replace("-", MINUS))


def read_arithmetic(terms: UpdateTerms, event: UpdateEvent) -> Arithmetic:
    """Return the numbers that make the result of an update."""
    change = event.change
    gamma = 1.0 if terms.gamma is None else terms.gamma
    old, new = change.in_table or (change.old, change.new)
    target = change.reward if change.target is None else change.target
    reward = change.reward
    if terms.style.family == "return":
        reward = target / gamma**event.later if gamma else target
    return Arithmetic(
        old=old,
        new=new,
        target=target,
        reward=reward,
        next_value=change.next_value * (-1 if terms.style.next_mover == "other" else 1),
        alpha=change.step_size,
        gamma=gamma,
        power=event.later,
    )


def find_decimals(
    terms: UpdateTerms, arithmetic: Arithmetic, shares: Sequence[WeightedReply]
) -> tuple[int, bool]:
    """Return the decimals with which the numbers of an update add up, and whether they do."""
    if terms.slug == "dqn":  # a step of a network is none of a fixed size
        return DECIMALS[-1], False
    if terms.style.family in ("beads", "bounds"):
        return DECIMALS[0], True
    for decimals in DECIMALS:
        if terms.style.family == "mean":
            adds_up = _averages(arithmetic, shares, decimals)
        else:
            adds_up = arithmetic.adds_up(decimals)
        if adds_up:
            return decimals, True
    return DECIMALS[0], False


def _averages(
    arithmetic: Arithmetic, shares: Sequence[WeightedReply], decimals: int
) -> bool:
    """Return whether targets and chances make the value, as they are shown."""
    shown = arithmetic.round(decimals)
    mean = sum(
        float(f"{share.chance:.3g}") * round(share.target, decimals) for share in shares
    )
    is_target_made = round(shown.made_target, decimals) == shown.target
    return is_target_made and round(mean, decimals) == shown.new


def _format_numbers(
    terms: UpdateTerms, event: UpdateEvent, arithmetic: Arithmetic, decimals: int
) -> dict[str, str]:
    """Return the numbers of an update as texts, by symbol."""
    change = event.change
    mark = event.move.mark.lower()
    family = terms.style.family
    whole = decimals if terms.square_decimals else 0
    numbers = {
        "old": format_value(arithmetic.old, whole),
        "new": format_value(arithmetic.new, whole),
        "target": format_value(arithmetic.target, decimals),
        "reward": _short(arithmetic.reward),
        "next": format_value(change.next_value, decimals),
        "shown_old": format_value(change.old, whole),
        "shown_new": format_value(change.new, whole),
        "times": format_count(change.times),
        "error": format_value(arithmetic.target - arithmetic.old, decimals),
    }
    if family == "bounds":
        lower, upper = BOUNDS[change.new]
        numbers |= {"lower": _short(lower), "upper": _short(upper)}
    if arithmetic.alpha is not None:
        numbers["alpha"] = _short(arithmetic.alpha)
    if terms.gamma is not None:
        numbers["gamma"] = _short(terms.gamma)
    if terms.worth is not None:
        numbers["loss"], numbers["draw"], numbers["win"] = map(
            _short, terms.worth.scale(mark)
        )
    return numbers


def _list_data(
    terms: UpdateTerms, event: UpdateEvent, arithmetic: Arithmetic, decimals: int
) -> dict[str, str]:
    """Return the numbers for the script, by data attribute."""
    move = event.move
    change = event.change
    whole = decimals if terms.square_decimals else 0
    data = {
        "alpha": repr(arithmetic.alpha),
        "gamma": repr(arithmetic.gamma),
        "old": repr(arithmetic.old),
        "square": repr(change.old),
        # share of a table's change in the value that the square shows
        "share": "0.5" if change.in_table else "1",
        "shown": format_value(change.new, whole),
        "reward": repr(arithmetic.reward),
        "next": repr(arithmetic.next_value),
        "power": str(arithmetic.power),
        "decimals": str(decimals),
    }
    if known := _known(change.values):
        data["becomes"] = str(_colour(terms, change.new, known, move.mark))
    if terms.worth is not None:
        data["scale"] = " ".join(map(repr, terms.worth.scale(move.mark.lower())))
    return data
