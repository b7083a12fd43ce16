"""The section on exploration."""

from collections.abc import Mapping

import numpy as np

from app.tictactoe.notation import replay_record
from app.web.algorithms.algorithm import Section
from app.web.formatting import format_count
from app.web.site_data import SiteData


class ExplorationSection(Section, frozen=True, kw_only=True):
    """Exploration, with the league's way of drawing moves."""

    def compute_facts(self, site: SiteData) -> Mapping[str, object]:
        """Return how many times as often a learner plays its best move as a move of value 0."""
        if self.value_source not in site.shipped_agents:
            return {}
        position = replay_record(site.game, self.example_record)[-1]
        row = site.agents[self.value_source].q[position]
        recipe = site.get_recipe(self.value_source)
        limit: float = recipe.k_limit  # type: ignore[attr-defined]
        odds = format_count(round(limit ** float(np.nanmax(row))))
        return {"limit": f"{limit:g}", "odds": odds}
