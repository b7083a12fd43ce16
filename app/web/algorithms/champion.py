"""The algorithm of the champion: every value has a lower and an upper bound, until both are equal."""

from dataclasses import replace

from app.recipes import Recipe
from app.recipes.games import TrainingGame, TrainingMove, TrainingUpdate
from app.reference import build_rules
from app.textbook.champion import Champion, estimate_value
from app.textbook.loop import Update
from app.textbook.self_play import SelfPlay
from app.tictactoe.game import GAME
from app.tictactoe.notation import format_position
from app.web.algorithms.algorithm import AFTER_GAME_PHRASE, Algorithm
from app.web.algorithms.formula import bracket_negative, format_short_unsigned
from app.web.algorithms.learners import StoredValues
from app.web.algorithms.sentences import describe_distance, describe_shared_boards
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import MINUS, format_signed

# Each shown value stands for a lower and an upper bound.
BOUNDS_BY_VALUE = {
    estimate_value(lower, upper): (lower, upper)
    for lower in (-1, 0, 1)
    for upper in (-1, 0, 1)
    if lower <= upper
}


class ChampionAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Q-learning in self-play in which every value has a lower and an upper bound."""

    # This learner makes the update that pages show after a single reply.
    textbook_learner = SelfPlay

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        reason = super().compute_value_reason(query)
        update = _update_bounds(query)
        replies = [reply._replace(update=update) for reply in reason.replies]
        return replace(reason, replies=replies, target=update.new)

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        bounds = BOUNDS_BY_VALUE[reason.target]
        worth = _format_bounds(*(format_signed(bound, 0) for bound in bounds))
        proof = (
            "The rules say"
            if GAME.is_over(query.next_position)
            else "The bounds of the opponent's next moves prove"
        )
        return [
            f"{proof} that the value of the move is {worth}.",
            *describe_distance(reason),
            *describe_shared_boards(query),
        ]

    def describe_training_update(
        self, recipe: Recipe, game: TrainingGame, update_count: int
    ) -> str:
        if not update_count:
            return (
                f"{AFTER_GAME_PHRASE}, every board met so far is valued by the next moves from it, "
                "the last plies first."
            )
        change = game.updates[update_count - 1]
        number = change.move_index + 1
        worth = _format_bounds(*map(format_short_unsigned, BOUNDS_BY_VALUE[change.new]))
        by = "the rules" if number == len(game.moves) else "the next moves"
        return f"By {by} move {number} is worth {worth} to {game.moves[change.move_index].mark}."

    def format_equation(self, recipe: Recipe, update: TrainingUpdate) -> str:
        """Return lower + (upper - lower) / 4 in numbers, which is the shown value."""
        least, most = map(format_short_unsigned, BOUNDS_BY_VALUE[update.new])
        way = f"({most} {MINUS} {bracket_negative(least)}) / 4"
        return f"{least} + {way} = {format_short_unsigned(update.new)}"

    def name_move_choice(self, game: TrainingGame, move: TrainingMove) -> str:
        """Return "unseen" if the value of the next board was not yet proved, else "seen"."""
        return "unseen" if move.was_random else "seen"


def _update_bounds(query: ValueQuery) -> Update:
    learner = Champion(build_rules(GAME), query.recipe)
    values = StoredValues(query.table)
    board = format_position(GAME, query.position)
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


def _format_bounds(lower: str, upper: str) -> str:
    return (
        f"exactly {lower}"
        if lower == upper
        else f"at least {lower} and at most {upper}"
    )
