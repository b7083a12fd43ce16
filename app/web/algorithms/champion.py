"""The algorithm of the champion: a lower and an upper bound of each value, until both meet."""

from dataclasses import replace

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingUpdate
from app.reference import build_rules
from app.textbook.champion import Champion
from app.textbook.loop import Update
from app.tictactoe.notation import format_position
from app.web.algorithms.algorithm import (
    AFTER_GAME,
    COUNTS_HEADING,
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import Formula, bracket_negative, format_short_unsigned
from app.web.algorithms.learners import StoredValues, compute_reason_before_reply
from app.web.algorithms.sentences import (
    describe_distance,
    describe_reply_value,
    describe_shared_boards,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
)
from app.web.formatting import MINUS, format_signed
from app.web.translation import gettext_noop

# shown value -> (lower bound, upper bound); a shown value is a quarter of the way to the upper
BOUNDS_BY_VALUE = {
    lower + (upper - lower) / 4: (lower, upper)
    for lower in (-1, 0, 1)
    for upper in (-1, 0, 1)
    if lower <= upper
}


def _compute_reason(query: ValueQuery) -> ValueReason:
    """Return the reason of a value that lies between the bounds computed from the replies."""
    reason = compute_reason_before_reply(query)
    update = _update_bounds(query)
    replies = [reply._replace(update=update) for reply in reason.replies]
    return replace(reason, replies=replies, target=update.new)


def _update_bounds(query: ValueQuery) -> Update:
    """Return the update of a move by the bounds of the opponent's replies."""
    learner = Champion(build_rules(query.game), query.recipe)
    values = StoredValues(query.game, query.table)
    board = format_position(query.game, query.position)
    after = learner.game.make_move(board, query.cell)
    if not learner.game.is_over(after):
        for reply in learner.list_boards_after(after):
            learner.lower[reply], learner.upper[reply] = BOUNDS_BY_VALUE[values[reply]]
    learner.update(learner.key(board, query.cell))
    return Update(
        board=board,
        cell=query.cell,
        old=query.value,
        new=learner.value(board, query.cell),
        next_board=after,
    )


def find_bounds(query: ValueQuery) -> tuple[int, int]:
    """Return the lower and the upper bound of a move's value for the mover, each -1, 0 or +1."""
    return BOUNDS_BY_VALUE[_update_bounds(query).new]


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on the bounds of a move's value."""
    worth = _format_bounds(*(format_signed(bound, 0) for bound in find_bounds(query)))
    by = (
        "the rules"
        if query.game.is_over(query.next_position)
        else "the bounds of the opponent's next moves"
    )
    return [
        f"By {by} the value of the move is {worth}.",
        *describe_distance(reason),
        *describe_shared_boards(query),
    ]


def _format_bounds(lower: str, upper: str) -> str:
    """Return two bounds in words, such as "at least 0 and at most +1"."""
    return (
        f"exactly {lower}"
        if lower == upper
        else f"at least {lower} and at most {upper}"
    )


def _describe_training_update(_recipe: Recipe, game: TrainingGame, update: int) -> str:
    """Return a sentence on the bounds of a move after update number `update` of a game."""
    if not update:
        return (
            f"{AFTER_GAME}, every board met so far is valued by the next moves from it, "
            "the last plies first."
        )
    change = game.updates[update - 1]
    number = change.move_index + 1
    worth = _format_bounds(*map(format_short_unsigned, BOUNDS_BY_VALUE[change.new]))
    by = "the rules" if number == len(game.moves) else "the next moves"
    return f"By {by} move {number} is worth {worth} to {game.moves[change.move_index].mark}."


def _format_value_equation(_recipe: Recipe, update: TrainingUpdate) -> str:
    """Return the equation of the shown value: lower + (upper - lower) / 4."""
    least, most = BOUNDS_BY_VALUE[update.new]
    way = f"({format_short_unsigned(most)} {MINUS} {bracket_negative(format_short_unsigned(least))}) / 4"
    return (
        f"{format_short_unsigned(least)} + {way} = {format_short_unsigned(update.new)}"
    )


ALGORITHM = Algorithm(
    title="Self-play with values from below and above",
    name_training_unit=lambda _recipe: (
        "games at most, until every afterstate has been seen,"
    ),
    origin_text=gettext_noop("Played itself until every value was proved."),
    game_describer=GameDescriber(
        _describe_training_update,
        _format_value_equation,
        lambda _game, move: "unseen" if move.was_random else "seen",
        uses_movers_view=True,
    ),
    update_rule=UpdateRule(
        _compute_reason,
        _describe_reason,
        describe_reply_value,
        reply_column_heading=COUNTS_HEADING,
        update_cases="single",
    ),
    update_style=UpdateStyle(
        family="bounds",
        next_mover="other",
        differing_part="bounds",
        target_latex=r"L \leftarrow {-\max\limits_{z'} U(z')}",
        difference_text=(
            "A lower and an upper bound for the value of each board, until both are equal."
        ),
    ),
    section=Section(
        title="Champion: lower and upper bounds",
        value_source="champion",
        example_record="4758",
        snapshot=8,
        source_slugs=(
            "ours",
            "even-dar-2006",
        ),
        formula=Formula(
            latex_lines=(
                r"L(z) \leftarrow {-\max\limits_{z'} U(z')}",
                r"U(z) \leftarrow {-\max\limits_{z'} L(z')}",
                r"V(z) = L(z) + \frac{1}{4} (U(z) - L(z))",
            ),
            symbol_meanings={
                "L": "the lower bound of an afterstate’s value, for the player who moved",
                "U": "the upper bound of an afterstate’s value",
                "V": "the value by which the agent chooses its moves",
                "z′": "an afterstate of the opponent’s next move",
            },
        ),
    ),
)
