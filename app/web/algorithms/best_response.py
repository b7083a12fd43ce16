"""The section on the best responder."""

from collections.abc import Mapping

from app.tictactoe.game import SEATS
from app.web.algorithms.algorithm import Section
from app.web.formatting import format_percent
from app.web.site_data import SiteData

OFTEN_BEATEN = "q-learning-1"  # an agent that often loses against random moves


class BestResponseSection(Section, frozen=True, kw_only=True):
    """The best responder, with an agent that it always beats."""

    def compute_facts(self, site: SiteData) -> Mapping[str, object]:
        """Return the agent's win rate against random moves in the seat in which it is beaten."""
        seat = find_beaten_seat(site, OFTEN_BEATEN)
        if not seat:
            return {}
        figures = site.agents[OFTEN_BEATEN].card.figures
        wins = getattr(figures.baseline_chances["random"], seat)[-1][0]
        return {"mark": seat.upper(), "wins": format_percent(wins)}


def find_beaten_seat(site: SiteData, agent_name: str) -> str:
    """Return a seat in which an agent always loses to its best responder, "" if there is none."""
    if agent_name not in site.shipped_agents:
        return ""
    worst = site.agents[agent_name].card.figures.best_response
    for seat in SEATS:
        if getattr(worst, seat)[-1][2] == 1:
            return seat
    return ""
