"""Q-learning in self-play: both sides share a table; the next value is the opponent's, negated."""

from collections.abc import Mapping
from math import ceil

from app.recipes.algorithms import SelfPlay
from app.web.algorithms.algorithm import Algorithm
from app.web.algorithms.sentences import (
    describe_best_reply,
    describe_distance,
    describe_final_target,
    describe_past_updates,
)
from app.web.algorithms.targets import ValueQuery, ValueReason
from app.web.formatting import format_count, format_percent
from app.web.site_data import SiteData


class SelfPlayAlgorithm(Algorithm, frozen=True, kw_only=True):
    """Q-learning in self-play: the opponent's best value is subtracted."""

    def describe_reason(self, query: ValueQuery, reason: ValueReason) -> list[str]:
        best = reason.possible_replies[0]
        sentence = (
            describe_final_target(query, reason)
            if best.cell is None
            else "One table serves both sides, and nothing is left to chance: the "
            f"{describe_best_reply(query, best)} The target is {reason.format_value(best.target)}."
        )
        # The recipe has the initial value in X's view.
        initial = query.mover * query.recipe.initial
        return [
            sentence,
            *describe_distance(reason),
            *describe_past_updates(query, reason, initial),
        ]

    def compute_facts(self, site: SiteData) -> Mapping[str, object]:
        """Return how few updates a move had, and how much its initial value still counts."""
        if self.value_source not in site.agents:
            return {}
        recipe = site.get_recipe(self.value_source)
        assert isinstance(recipe, SelfPlay)
        fewest = int(site.agents[self.value_source].visits[site.game.legal].min())
        # Rounded up, because the text of the page gives an upper limit.
        most = ceil(1000 * (1 - recipe.alpha) ** fewest) / 1000
        return {"fewest": format_count(fewest), "left": format_percent(most, 1)}
