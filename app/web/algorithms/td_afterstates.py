"""TD learning of afterstates: a board's value moves towards that of the learner's next board."""

from app.recipes.algorithms import TdAfterstates
from app.recipes.games import TrainingGame
from app.recipes.parameters import Recipe
from app.tictactoe.game import GAME
from app.web.algorithms.algorithm import DURING_GAME_PHRASE, Algorithm
from app.web.algorithms.sentences import (
    OUTCOME_VERBS,
    describe_shared_boards,
)
from app.web.algorithms.targets import ValueQuery, ValueReason, remove_update_target
from app.web.formatting import format_signed


class TdAfterstatesAlgorithm(Algorithm, frozen=True, kw_only=True):
    """TD learning of afterstates; the rules give the values of finished boards."""

    def compute_value_reason(self, query: ValueQuery) -> ValueReason:
        """Return the reason, which has a target only if the game goes on."""
        reason = super().compute_value_reason(query)
        over = GAME.is_over(query.next_position)
        return remove_update_target(reason) if over else reason

    def describe_settled_value(
        self, query: ValueQuery, reason: ValueReason
    ) -> list[str]:
        end = OUTCOME_VERBS[query.get_outcome(query.next_position) or 0]
        return [
            f"The game is {end} by this move. The rules give the value of the result, "
            f"{format_signed(query.value)}, so nothing is learned here."
        ]

    def describe_next_move(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        if query.recipe.learn_from == "all":
            return super().describe_next_move(query, reason)
        is_skipped = reason.bootstraps and query.recipe.epsilon
        return ["After a random move there is no update."] if is_skipped else []

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        # Past targets can be computed from a value only if the step size was constant.
        is_constant = not query.recipe.alpha_drop
        past = super().describe_updates(query, reason) if is_constant else []
        shared = describe_shared_boards(query) if query.recipe.symmetric else []
        return [*past, *shared]

    def describe_training_update(
        self, recipe: Recipe, game: TrainingGame, update_count: int
    ) -> str:
        assert isinstance(recipe, TdAfterstates)
        if not update_count and recipe.learn_from == "greedy":
            learned = f"{DURING_GAME_PHRASE}, it learned move by move"
            return f"{learned}; a move that it explored taught it nothing."
        return super().describe_training_update(recipe, game, update_count)
