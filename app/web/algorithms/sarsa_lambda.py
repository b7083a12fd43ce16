"""Sarsa(lambda): each error also changes the values of earlier moves, by their eligibility traces."""

from app.recipes.algorithms import SarsaLambda
from app.recipes.games import TrainingGame, TrainingUpdate
from app.recipes.parameters import Recipe
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.formula import bracket_negative, format_short_unsigned
from app.web.algorithms.targets import ValueQuery, ValueReason

EARLIER_MOVES_TEXT = (
    "The errors of later moves of each game also changed this value, so it is no "
    "average of such targets."
)


class SarsaLambdaAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Sarsa(lambda): each error changes the values of several moves."""

    def describe_updates(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        if query.recipe.lambda_ and reason.bootstraps:
            return [EARLIER_MOVES_TEXT]
        return super().describe_updates(query, reason)

    def describe_training_update(
        self, recipe: Recipe, game: TrainingGame, update_count: int
    ) -> str:
        assert isinstance(recipe, SarsaLambda)
        turns = [change.move_index for change in game.updates[:update_count]]
        moves_back = 0
        while turns and turns.index(turns[-1]) < len(turns) - 1:
            turns.pop()
            moves_back += 1
        if not moves_back:
            return super().describe_training_update(recipe, game, update_count)
        trace = format_short_unsigned((recipe.gamma * recipe.lambda_) ** moves_back)
        turn, last = game.updates[update_count - 1].move_index, turns[-1]
        return f"The error of move {last + 1} moves move {turn + 1}, too, with its trace, {trace}."

    def format_equation(self, recipe: Recipe, update: TrainingUpdate) -> str:
        """Return the equation of an update, with error times trace as one number."""
        assert isinstance(recipe, SarsaLambda)
        if not recipe.alpha:
            return ""
        way = bracket_negative(
            format_short_unsigned((update.new - update.old) / recipe.alpha)
        )
        old, new = format_short_unsigned(update.old), format_short_unsigned(update.new)
        return f"{old} + {recipe.alpha:g} × {way} = {new}"
