"""The section on exact figures."""

from collections.abc import Mapping

from app.tictactoe.game import O
from app.web.algorithms.algorithm import Section
from app.web.algorithms.best_response import OFTEN_BEATEN, find_beaten_seat
from app.web.facts import find_losing_game
from app.web.formatting import format_percent
from app.web.site_data import SiteData

RARELY_BEATEN = "q-learning-2"  # an agent that rarely loses against random moves


class ExactSection(Section, frozen=True, kw_only=True):
    """Why figures are exact, with losses that samples of games rarely show."""

    def compute_facts(self, site: SiteData) -> Mapping[str, object]:
        """Return the probabilities of seeing no loss in 100 and in 1,000 games, and a lost game."""
        facts: dict[str, object] = {}
        if OFTEN_BEATEN in site.shipped_agents:
            facts["lost_game"] = find_losing_game(site, OFTEN_BEATEN, O)
        seat = find_beaten_seat(site, RARELY_BEATEN)
        if not seat:
            return facts
        figures = site.agents[RARELY_BEATEN].card.figures
        loss = getattr(figures.baseline_chances["random"], seat)[-1][2]
        unseen = {games: format_percent((1 - loss) ** games) for games in (100, 1000)}
        return facts | {
            "mark": seat.upper(),
            "loss": format_percent(loss),
            "unseen": unseen,
        }
