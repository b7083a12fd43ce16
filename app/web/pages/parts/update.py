"""One update, drawn step by step: its boards, its numbers, and the other updates to look at.

The macros of `templates/updates/` write it down; `static/parts/update.js` goes through its
steps and recomputes it when a parameter is dragged.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from app.recipes import Recipe, parse_recipe
from app.recipes.games import TrainingMove, TrainingUpdate, UpdateExample
from app.recipes.shipped import SHIPPED
from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import parse_position
from app.tictactoe.views import compute_heat, scale_values
from app.web.algorithms import ALGORITHMS
from app.web.algorithms.algorithm import UpdateStyle
from app.web.algorithms.champion import BOUNDS
from app.web.formatting import MINUS, format_count, name_square_briefly
from app.web.move_values import HEAT_STEPS
from app.web.site_data import SiteData
from app.web.translation import localize_number

STEPS = 6  # of every update
DECIMALS = (2, 3, 4)  # that are tried until the numbers add up as they are shown
RESULTS = {1: "win", 0: "draw", -1: "loss"}


class UpdateSquare(NamedTuple):
    """A square of one of the boards of an update."""

    mark: str  # "" where it is empty
    text: str = ""  # its value
    heat: int | None = None
    symbol: str = ""  # which symbol of the formula stands for its value
    empty: bool = False  # a move without a value, among others that have one
    played: bool = False  # by the move that is updated, or as an answer to it


class UpdateLink(NamedTuple):
    """A link to another update of the same game, or to another example."""

    id: str
    title: str
    href: str
    chosen: bool


class UpdatePicture(NamedTuple):
    """Everything that a page shows of one update; numbers are texts."""

    slug: str  # of the algorithm
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
    numbers: Mapping[str, str]  # by symbol
    is_exact: bool  # the numbers add up as they are shown
    data: Mapping[str, str]  # what the script computes with, by data attribute
    # the least and the most that each answer can be worth, of bounds
    answers_lower: list[str]
    answers_upper: list[str]
    # position of the new value between the old one and the target, in percent
    part: int


def draw_update(
    game: Game,
    recipe: Recipe,
    move: TrainingMove,
    change: TrainingUpdate,
    end: str = "",
    later: int = 0,
) -> UpdatePicture:
    """Return the picture of an update.

    `end` is the last board of the game, and `later` the number of own moves after this one, both
    for algorithms that learn from the result.
    """
    style = ALGORITHMS[recipe.slug].update
    next_board = change.next_board or end
    values = [value for value in change.values if value is not None]
    own = change.values[move.cell] if change.values else None
    numbers, is_exact, data = _write_numbers(recipe, style, move, change, later)
    alpha = change.step_size or 0.0
    answers = []
    if style.family == "bounds":
        answers = [BOUNDS[value] for value in change.next_values if value is not None]
    return UpdatePicture(
        slug=recipe.slug,
        style=style,
        mover=move.mark,
        other="O" if move.mark == "X" else "X",
        cell=name_square_briefly(game, move.cell),
        explored=move.explored,
        is_best=bool(values) and own == max(values),
        answer=_name_answer(game, move, next_board) if change.next_board else "",
        result=_result(game, next_board, move.mark),
        later=later,
        board=_draw_board(game, recipe, move, change),
        next_board=_draw_next(game, recipe, move, change, next_board),
        numbers=numbers,
        is_exact=is_exact,
        data=data,
        answers_lower=[_short(lower) for lower, _ in answers],
        answers_upper=[_short(upper) for _, upper in answers],
        part=round(100 * alpha),
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


def _colour(recipe: Recipe, value: float, values: Sequence[float], mark: str) -> int:
    """Return the colour step of a value, or of a number of beads among the others of its box."""
    worth = recipe.reward_scale()
    if worth is None:
        share = value / (sum(values) or 1.0) * len(values)
        return round(HEAT_STEPS * float(np.clip(share - 1, -1, 1)))
    scaled = scale_values(np.array(value), worth, X if mark == "X" else O)
    return int(compute_heat(scaled, HEAT_STEPS))


def _draw_board(
    game: Game, recipe: Recipe, move: TrainingMove, change: TrainingUpdate
) -> list[list[UpdateSquare]]:
    return _draw(
        game,
        recipe,
        move.board,
        change.values,
        move.mark,
        {move.cell: "old"},
        [move.cell],
    )


def _draw_next(
    game: Game,
    recipe: Recipe,
    move: TrainingMove,
    change: TrainingUpdate,
    board: str,
) -> list[list[UpdateSquare]]:
    """Draw the next state, with the move whose value counts there."""
    if not board:
        return []
    mark = move.mark
    if ALGORITHMS[recipe.slug].update.next_mover == "other":
        mark = "O" if mark == "X" else "X"
    cell = change.next_cell
    if cell is None and change.next_value in change.next_values:
        cell = change.next_values.index(change.next_value)
    chosen = {} if cell is None else {cell: "next"}
    new = [
        cell
        for cell, (before, now) in enumerate(zip(move.board, board, strict=True))
        if before != now
    ]
    return _draw(game, recipe, board, change.next_values, mark, chosen, new[:2])


def _draw(
    game: Game,
    recipe: Recipe,
    board: str,
    values: Sequence[float | None],
    mark: str,
    symbols: Mapping[int, str],
    played: Sequence[int],
) -> list[list[UpdateSquare]]:
    known = [value for value in values if value is not None]
    squares = []
    for cell, stone in enumerate(board):
        value = values[cell] if values else None
        squares.append(
            UpdateSquare(
                mark=stone if stone != "." else "",
                text="" if value is None else _square_text(recipe, value),
                heat=None if value is None else _colour(recipe, value, known, mark),
                symbol=symbols.get(cell, ""),
                empty=bool(values) and value is None,
                played=cell in played,
            )
        )
    return [
        squares[start : start + game.columns]
        for start in range(0, game.cells, game.columns)
    ]


def _square_text(recipe: Recipe, value: float) -> str:
    return _text(value, 0 if recipe.reward_scale() is None else 2)


def _text(value: float, decimals: int) -> str:
    """Write a number with a true minus and without a plus; zero has no sign."""
    text = f"{value:.{decimals}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return localize_number(text.replace("-", MINUS))


def _short(value: float) -> str:
    return localize_number(f"{value:.3g}".replace("-", MINUS))


def _write_numbers(
    recipe: Recipe,
    style: UpdateStyle,
    move: TrainingMove,
    change: TrainingUpdate,
    later: int,
) -> tuple[dict[str, str], bool, dict[str, str]]:
    """Return the numbers as texts, whether they add up so, and the numbers for the script."""
    parameters: Any = recipe
    gamma = getattr(parameters, "gamma", None)
    old, new = change.in_table or (change.old, change.new)
    target = change.target if change.target is not None else change.reward
    alpha = change.step_size
    sign = -1 if style.next_mover == "other" else 1
    reward = change.reward
    if style.family == "return" and later and gamma:
        reward = target / gamma**later
    decimals, is_exact = DECIMALS[0], False
    for decimals in DECIMALS:
        shown_target = round(target, decimals)
        factor = 1.0 if gamma is None else gamma
        made = reward * factor**later + sign * factor * round(
            change.next_value, decimals
        )
        moved = round(old, decimals) + (alpha or 0.0) * (
            shown_target - round(old, decimals)
        )
        is_exact = round(made, decimals) == shown_target and round(
            moved, decimals
        ) == round(new, decimals)
        if is_exact or style.family in ("beads", "bounds"):
            break
    else:
        decimals = DECIMALS[0]
    whole = 0 if style.family == "beads" else decimals
    numbers = {
        "old": _text(old, whole),
        "new": _text(new, whole),
        "target": _text(target, decimals),
        "reward": _short(reward),
        "next": _text(change.next_value, decimals),
        "shown_old": _text(change.old, whole),
        "shown_new": _text(change.new, whole),
        "times": format_count(change.times),
    }
    if style.family == "bounds":
        lower, upper = BOUNDS[change.new]
        numbers |= {"lower": _short(lower), "upper": _short(upper)}
    if alpha is not None:
        numbers["alpha"] = _short(alpha)
    if gamma is not None:
        numbers["gamma"] = _short(gamma)
    worth = recipe.reward_scale()
    data = {
        "alpha": repr(alpha),
        "gamma": repr(1.0 if gamma is None else gamma),
        "old": repr(old),
        "square": repr(change.old),
        # share of a table's change in the value that the square shows
        "share": "0.5" if change.in_table else "1",
        "shown": numbers["shown_new"],
        "reward": repr(reward),
        "next": repr(sign * change.next_value),
        "power": str(later),
        "decimals": str(decimals),
    }
    if known := [value for value in change.values if value is not None]:
        data["becomes"] = str(_colour(recipe, change.new, known, move.mark))
    if worth is not None:
        scale = worth.scale(move.mark.lower())
        data["scale"] = " ".join(map(repr, scale))
    return numbers, is_exact, data


class ExamplePicture(NamedTuple):
    """An example of an algorithm: one update, and where it comes from."""

    update: UpdatePicture
    agent: str  # id or recipe
    game: str  # number of the game
    move: int  # number of the move in the game, from 1
    stage: int  # the step that is shown last
    changes: list[UpdateLink]  # all updates of the game, in the order of the learner
    examples: list[UpdateLink]  # the other examples
    following: str  # URL of the next update, "" after the last one
    kind: str
    stages: list[str]  # URL of each step


def find_example(
    examples: Sequence[UpdateExample], name: str
) -> tuple[UpdateExample, int]:
    """Return the example of a name such as "usual" or "usual-2", and the index of its update.

    Raises ValueError with a sentence that lists the names if there is none.
    """
    kind, _, number = name.partition("-")
    for example in examples:
        if example.kind == kind or not name:
            if not number:
                return example, example.shown
            if number.isdecimal() and 1 <= int(number) <= len(example.changes):
                return example, int(number) - 1
    kinds = ", ".join(example.kind for example in examples)
    raise ValueError(
        f"update in the address is {name!r}. There are: {kinds}; a number after it, as in "
        f"{examples[0].kind}-1, is one update of that game."
    )


def draw_example(
    site: SiteData,
    slug: str,
    name: str,
    stage: int,
    url: Any,
) -> ExamplePicture:
    """Return the picture of an example; `url` builds the address of an update and a step.

    Raises ValueError as `find_example` does.
    """
    examples = site.updates[slug]
    example, number = find_example(examples, name)
    change = example.changes[number]
    turn = example.turns[change.turn]
    later = sum(
        one.mark == turn.mark and not (slug == "mcts" and one.explored)
        for one in example.turns[change.turn + 1 :]
    )
    agent = example.agent
    recipe = SHIPPED[agent].recipe if agent in SHIPPED else parse_recipe(agent)
    family = ALGORITHMS[slug].update.family
    update = draw_update(
        site.game,
        recipe,
        turn,
        change,
        end=example.end if family in ("return", "beads") else "",
        later=later if family == "return" and slug != "mcts" else 0,
    )
    here = name or example.kind
    changes = []
    for index, one in enumerate(example.changes):
        kind = f"{example.kind}-{index + 1}"
        place = url(update=example.kind if index == example.shown else kind)
        digits = 0 if family == "beads" else 2
        title = f"{_text(one.old, digits)} → {_text(one.new, digits)}"
        changes.append(
            UpdateLink(f"update-{kind}", title, place, index == number)._replace(
                title=f"Move {_ply(example, one)}: {title}"
            )
        )
    after = changes[number + 1 :]
    kinds = [one.kind for one in examples]
    position = kinds.index(example.kind)
    following = ""
    if after:
        following = after[0].href
    elif position + 1 < len(kinds):
        following = url(update=kinds[position + 1])
    return ExamplePicture(
        update=update,
        agent=example.agent,
        game=format_count(example.game),
        move=_ply(example, change),
        stage=stage,
        changes=changes,
        examples=[
            UpdateLink(f"example-{kind}", kind, url(update=kind), kind == example.kind)
            for kind in kinds
        ],
        following=following,
        kind=example.kind,
        stages=[url(update=here, stage=step) for step in range(1, STEPS + 1)],
    )


def _ply(example: UpdateExample, change: TrainingUpdate) -> int:
    """Return the number of a move in its game, from 1."""
    board = example.turns[change.turn].board
    begun = example.turns[0].board
    return begun.count(".") - board.count(".") + 1
