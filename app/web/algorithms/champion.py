"""The champion: a lower and an upper bound of each value, from the bounds of the replies."""

from dataclasses import replace

import numpy as np

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingUpdate
from app.web.algorithms.algorithm import (
    COUNTS,
    OVER,
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import Formula, add_brackets, format_short
from app.web.algorithms.sentences import (
    describe_distance,
    describe_reply_value,
    describe_symmetries,
)
from app.web.algorithms.targets import ValueQuery, ValueReason, target_before_reply
from app.web.formatting import MINUS, format_signed
from app.web.translation import gettext_noop

BOUNDS = {  # value on the board -> lower and upper bound
    lower + (upper - lower) / 4: (lower, upper)
    for lower in (-1, 0, 1)
    for upper in (-1, 0, 1)
    if lower <= upper
}


def _reason(pair: ValueQuery) -> ValueReason:
    lower, upper = find_bounds(pair)
    return replace(target_before_reply(pair), target=lower + (upper - lower) / 4)


def find_bounds(pair: ValueQuery) -> tuple[int, int]:
    """Return the lower and the upper bound of a move's value."""
    if (outcome := pair.outcome(pair.after)) is not None:
        return outcome, outcome
    known = _answer_bounds(pair)
    return -max(most for _, most in known), -max(least for least, _ in known)


def _answer_bounds(pair: ValueQuery) -> list[tuple[int, int]]:
    """Return the lower and the upper bound of each answer's value, for the opponent."""
    row = pair.table[pair.after]
    return [BOUNDS[value] for value in row[~np.isnan(row)].tolist()]


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    worth = _worth(*(format_signed(bound, 0) for bound in find_bounds(pair)))
    by = "the rules" if pair.game.is_over(pair.after) else "its answers"
    return [
        f"By {by} it is worth {worth}.",
        *describe_distance(reason),
        *describe_symmetries(pair),
    ]


def _worth(least: str, most: str) -> str:
    return f"just {least}" if least == most else f"at least {least} and at most {most}"


def _story(_recipe: Recipe, game: TrainingGame, update: int) -> str:
    """Return a sentence on the lower and upper bound of a move's value, in its player's view."""
    if not update:
        return f"{OVER}, every board met so far is valued by the answers to it, the last plies first."
    change = game.updates[update - 1]
    number = change.move_index + 1
    worth = _worth(*map(format_short, BOUNDS[change.new]))
    by = "the rules" if number == len(game.moves) else "its answers"
    return f"By {by} move {number} is worth {worth} to {game.moves[change.move_index].mark}."


def _shown(_recipe: Recipe, update: TrainingUpdate) -> str:
    """Return the equation of the shown value: a point between the bounds."""
    least, most = BOUNDS[update.new]
    way = f"({format_short(most)} {MINUS} {add_brackets(format_short(least))}) / 4"
    return f"{format_short(least)} + {way} = {format_short(update.new)}"


ALGORITHM = Algorithm(
    title="Self-play with values from below and above",
    turns=lambda _recipe: "games at most, until every afterstate has been seen,",
    origin=gettext_noop("Played itself until every value was proved."),
    story=Story(
        _story,
        _shown,
        lambda _game, move: "unseen" if move.was_random else "seen",
        movers_view=True,
    ),
    rule=UpdateRule(
        _reason,
        _sentences,
        describe_reply_value,
        reply_column=COUNTS,
    ),
    update=UpdateStyle(
        family="bounds",
        next_mover="other",
        differs="bounds",
        line=r"L \leftarrow {-\max\limits_{z'} U(z')}",
        words="A lower and an upper bound for the value of each board, until both are equal.",
    ),
    section=Section(
        title="Champion: lower and upper bounds",
        lens="champion",
        record="4758",
        step=8,
        sources=(
            "ours",
            "even-dar-2006",
        ),
        formula=Formula(
            lines=(
                r"L(z) \leftarrow {-\max\limits_{z'} U(z')}",
                r"U(z) \leftarrow {-\max\limits_{z'} L(z')}",
                r"V(z) = L(z) + \frac{1}{4} (U(z) - L(z))",
            ),
            symbol_meanings={
                "L": "the lower bound of an afterstate’s value, for the player who moved",
                "U": "the upper bound of an afterstate’s value",
                "V": "the value by which the agent chooses its moves",
                "z′": "an afterstate after an answer of the opponent",
            },
        ),
    ),
)
