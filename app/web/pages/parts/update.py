"""One update, drawn step by step: its boards, its numbers, and the other updates to look at.

The macros of `templates/updates/` write it down; `static/parts/update.js` goes through its
steps and recomputes it when a parameter is dragged.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from app.recipes import Recipe, parse_recipe
from app.recipes.algorithms import compute_final_rate
from app.recipes.games import TrainingMove, TrainingUpdate, UpdateExample
from app.recipes.shipped import SHIPPED
from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import format_position, parse_position
from app.tictactoe.views import RewardScale, compute_heat, scale_values
from app.web.algorithms import ALGORITHMS, MINIMAX, rule_of, section_of
from app.web.algorithms.algorithm import UpdateStyle
from app.web.algorithms.champion import BOUNDS
from app.web.algorithms.targets import Reply, ValueQuery, ValueReason
from app.web.formatting import MINUS, format_count, name_square_briefly
from app.web.move_values import HEAT_STEPS
from app.web.site_data import TRUTH, SiteData
from app.web.translation import localize_number

STEPS = 6  # steps in which each update is shown
DECIMALS = (2, 3, 4)  # tried in this order until the rounded numbers add up
RESULTS = {1: "win", 0: "draw", -1: "loss"}


class UpdateTerms(NamedTuple):
    """The context of the numbers of an update: the algorithm, its rewards and its discount."""

    slug: str
    style: UpdateStyle
    worth: RewardScale | None  # None for beads
    gamma: float | None  # None for algorithms without a discount


def terms_of(recipe: Recipe) -> UpdateTerms:
    """Return the terms of the updates of a recipe."""
    style = ALGORITHMS[recipe.slug].update
    return UpdateTerms(
        recipe.slug, style, recipe.reward_scale(), getattr(recipe, "gamma", None)
    )


class UpdateSquare(NamedTuple):
    """A square of one of the boards of an update."""

    mark: str  # "" where it is empty
    text: str = ""  # its value
    heat: int | None = None
    symbol: str = ""  # which symbol of the formula stands for its value
    empty: bool = False  # a move without a value, among others that have one
    played: bool = False  # whether the updated move or the reply to it fills the cell


class UpdateLink(NamedTuple):
    """A link to another update of the same game, or to another example."""

    id: str
    title: str
    href: str
    chosen: bool


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
    # the least and the most that each answer can be worth, of bounds
    answers_lower: list[str]
    answers_upper: list[str]
    # position of the new value between the old one and the target, in percent
    part: int


def draw_update(
    game: Game,
    terms: UpdateTerms,
    move: TrainingMove,
    change: TrainingUpdate,
    end: str = "",
    later: int = 0,
) -> UpdatePicture:
    """Return the picture of an update.

    `end` is the last board of the game, and `later` the number of own moves after this one, both
    for algorithms that learn from the result.
    """
    style = terms.style
    next_board = change.next_board or end
    values = [value for value in change.values if value is not None]
    own = change.values[move.cell] if change.values else None
    numbers, is_exact, data = _write_numbers(terms, move, change, later)
    alpha = change.step_size or 0.0
    answers = []
    if style.family == "bounds":
        answers = [BOUNDS[value] for value in change.next_values if value is not None]
    return UpdatePicture(
        slug=terms.slug,
        style=style,
        mover=move.mark,
        other="O" if move.mark == "X" else "X",
        cell=name_square_briefly(game, move.cell),
        explored=move.explored,
        is_best=bool(values) and own == max(values),
        answer=_name_answer(game, move, next_board) if change.next_board else "",
        result=_result(game, next_board, move.mark),
        later=later,
        board=_draw_board(game, terms, move, change),
        next_board=_draw_next(game, terms, move, change, next_board),
        numbers=numbers,
        is_exact=is_exact,
        data=data,
        is_traced=style.family == "step" and not change.next_board,
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
    return _draw(
        game,
        terms,
        move.board,
        change.values,
        move.mark,
        {move.cell: "old"},
        [move.cell],
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
    cell = change.next_cell
    if cell is None and change.next_value in change.next_values:
        cell = change.next_values.index(change.next_value)
    chosen = {} if cell is None else {cell: "next"}
    new = [
        cell
        for cell, (before, now) in enumerate(zip(move.board, board, strict=True))
        if before != now
    ]
    return _draw(game, terms, board, change.next_values, mark, chosen, new[:2])


def _draw(
    game: Game,
    terms: UpdateTerms,
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
    return _text(value, 0 if terms.worth is None else 2)


def _text(value: float, decimals: int) -> str:
    """Write a number with a true minus and without a plus; zero has no sign."""
    text = f"{value:.{decimals}f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return localize_number(text.replace("-", MINUS))


def _short(value: float) -> str:
    return localize_number(f"{value:.3g}".replace("-", MINUS))


def _write_numbers(
    terms: UpdateTerms,
    move: TrainingMove,
    change: TrainingUpdate,
    later: int,
) -> tuple[dict[str, str], bool, dict[str, str]]:
    """Return the numbers as texts, whether they add up so, and the numbers for the script."""
    style, gamma = terms.style, terms.gamma
    old, new = change.in_table or (change.old, change.new)
    target = change.target if change.target is not None else change.reward
    alpha = change.step_size
    sign = -1 if style.next_mover == "other" else 1
    reward = change.reward
    if style.family == "return":
        reward = target / gamma**later if later and gamma else target
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
        is_exact = is_exact and terms.slug != "dqn"  # its step is none of a fixed size
        if is_exact or style.family in ("beads", "bounds"):
            break
    else:
        decimals = DECIMALS[-1] if terms.slug == "dqn" else DECIMALS[0]
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
        "error": _text(target - old, decimals),
    }
    if style.family == "bounds":
        lower, upper = BOUNDS[change.new]
        numbers |= {"lower": _short(lower), "upper": _short(upper)}
    if alpha is not None:
        numbers["alpha"] = _short(alpha)
    if gamma is not None:
        numbers["gamma"] = _short(gamma)
    worth = terms.worth
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
        data["becomes"] = str(_colour(terms, change.new, known, move.mark))
    if worth is not None:
        scale = worth.scale(move.mark.lower())
        data["scale"] = " ".join(map(repr, scale))
    return numbers, is_exact, data


class ExamplePicture(NamedTuple):
    """An example of an algorithm: one update, and where it comes from."""

    update: UpdatePicture
    agent: str  # id or recipe
    title: str  # title of the agent
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
    url: Callable[..., str],
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
    terms = terms_of(recipe)
    family = ALGORITHMS[slug].update.family
    update = draw_update(
        site.game,
        terms,
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
        agent=agent,
        title=site.always[agent].card.title if agent in site.always else agent,
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


class NextUpdate(NamedTuple):
    """The next update of a value, if the opponent gives one of its answers."""

    update: UpdatePicture
    # the other answers, [] if the update is the same after each
    answers: list[UpdateLink]


def draw_next_update(
    pair: ValueQuery, answer: int | None, url: Callable[..., str]
) -> NextUpdate | None:
    """Return the next update of a value, None for algorithms that need a whole game for it.

    `answer` is the cell of the opponent's answer, by default the one whose target is nearest to
    the average; `url` builds the URL of the page with another answer.  Raises ValueError with a
    sentence if the answer is impossible.
    """
    rule, site = rule_of(pair), pair.site
    style = ALGORITHMS[section_of(pair)].update
    # people have no policy to average over
    if not pair.known or site.is_taught(pair.lens):
        return None
    reason = rule.reason(pair)
    if not reason.has_target:
        return None
    if style.family == "bounds" or style.next_mover == "other":
        change = _bound_or_opponent(pair, style, reason)
        return None if change is None else NextUpdate(_draw_pair(pair, change), [])
    if section_of(pair) not in STEP_SIZES or not pair.is_learned:
        return None
    given = [reply for reply in reason.given if reply.cell is not None]
    if not given:
        return NextUpdate(_draw_pair(pair, _step(pair, reason.given[0])), [])
    cells = [reply.cell for reply in given]
    if answer is not None and answer not in cells:
        names = ", ".join(name_square_briefly(site.game, cell or 0) for cell in cells)
        raise ValueError(
            f"answer in the address is {answer}, which is not among the answers: {names}."
        )
    chosen = min(given, key=lambda reply: abs(reply.target - reason.target))
    if answer is not None:
        chosen = given[cells.index(answer)]
    answers = [
        UpdateLink(
            f"why-after-{reply.cell}",
            name_square_briefly(site.game, reply.cell or 0),
            url(answer=reply.cell),
            reply.cell == chosen.cell,
        )
        for reply in given
    ]
    return NextUpdate(_draw_pair(pair, _step(pair, chosen)), answers)


def _end_alpha(recipe: Any) -> float:
    return compute_final_rate(recipe.alpha, getattr(recipe, "alpha_drop", 0.0))


# The step size at the end of a training, of the algorithms that step towards an answer's target.
STEP_SIZES: Mapping[str, Callable[[Any], float]] = {
    "q-learning": _end_alpha,
    "sarsa": _end_alpha,
    "expected-sarsa": _end_alpha,
    "q-table": _end_alpha,
    "td-afterstates": _end_alpha,
    "q-iteration": lambda _recipe: 1.0,
}


def _row(pair: ValueQuery, position: int) -> list[float | None]:
    """Return the values of the moves of a position, None where illegal; [] after the end."""
    if pair.game.is_over(position):
        return []
    row = pair.table[position].tolist()
    return [None if math.isnan(value) else value for value in row]


def _draw_pair(pair: ValueQuery, change: TrainingUpdate) -> UpdatePicture:
    board = format_position(pair.game, pair.position)
    move = TrainingMove(board, pair.cell, explored=False, after=change.next_board)
    if pair.lens == TRUTH:
        style = ALGORITHMS[MINIMAX].update
        terms = UpdateTerms(MINIMAX, style, RewardScale(), None)
    else:
        terms = terms_of(pair.recipe)
    return draw_update(pair.game, terms, move, change)


def _step(pair: ValueQuery, reply: Reply) -> TrainingUpdate:
    """Return the next update of a value by one answer, and by the best next move."""
    next_values = _row(pair, reply.position)
    followed = 0.0
    if next_values:
        known = [value for value in next_values if value is not None]
        followed = max(known)
        if section_of(pair) == "expected-sarsa":
            followed = reply.found or 0.0
    target = reply.reward + pair.gamma * followed
    alpha = STEP_SIZES[section_of(pair)](pair.recipe)
    return TrainingUpdate(
        turn=0,
        old=pair.value,
        new=pair.value + alpha * (target - pair.value),
        times=(pair.visits or 0) + 1,
        observed=False,
        reward=reply.reward,
        next_board=format_position(pair.game, reply.position),
        next_cell=next_values.index(followed) if followed in next_values else None,
        next_value=followed,
        target=target,
        step_size=alpha,
        values=_row(pair, pair.position),
        next_values=next_values,
    )


def _bound_or_opponent(
    pair: ValueQuery, style: UpdateStyle, reason: ValueReason
) -> TrainingUpdate | None:
    """Return the next update of a value that follows from the best answer."""
    next_values = _row(pair, pair.after)
    change = TrainingUpdate(
        turn=0,
        old=pair.value,
        new=reason.target,
        times=(pair.visits or 0) + 1,
        observed=False,
        next_board=format_position(pair.game, pair.after),
        values=_row(pair, pair.position),
        next_values=next_values,
    )
    if style.family == "bounds":
        return change if reason.target in BOUNDS and pair.task is None else None
    if not pair.is_learned:
        return None
    best = max((value for value in next_values if value is not None), default=0.0)
    reward = reason.given[0].reward
    target = reward - pair.gamma * best
    alpha = _end_alpha(pair.recipe)
    return replace(
        change,
        new=pair.value + alpha * (target - pair.value),
        reward=reward,
        next_value=best,
        target=target,
        step_size=alpha,
    )
