"""The front page: a board with the values of a trained agent, and the ways on from there."""

from typing import ClassVar, NamedTuple

from flask import Response, request

from app.web.formatting import format_count, format_updates
from app.web.links.front import HOME
from app.web.links.play import MATCH_PREVIEW, match_url, play_url, watch_url
from app.web.match import Match, read_choice, read_snapshot, replay_match
from app.web.match_page import MatchPage
from app.web.navigation import PageBlueprint
from app.web.rendering import render_page
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext
from app.web.wording import (
    FIRST_AGENT,
    FIRST_RECORD,
    FRONT_AGENTS,
    describe_strength,
    grade_strength,
)

bp = PageBlueprint("front", __name__)
bp.add_to_sitemap(lambda: [HOME.url()])
BEGINNER_UPDATES = 500


class AgentChoice(NamedTuple):
    """An agent that can be chosen on the front page."""

    id: str
    title: str
    strength_name: str
    description: str
    href: str
    is_shown: bool


class FrontPage(MatchPage, frozen=True):
    """The front page with an agent at a snapshot of its training."""

    template: ClassVar = "front/front.html"
    fragment: ClassVar = ("game", "beside")

    @property
    def _name(self) -> str:
        """The id of the agent."""
        return self.match.o

    @property
    def new_game_url(self) -> str:
        """The URL of a new game against the agent as shown."""
        return play_url(self.match.follow_record(""))

    @property
    def watch_url(self) -> str:
        """The URL of games of the agent against itself."""
        return watch_url(self._name)

    @property
    def learn_url(self) -> str:
        """The URL of the film of the training, in the position shown."""
        return play_url(
            Match(
                self.match.record,
                o=self._name,
                value_source=self._name,
                snapshot=0,
                plays_training=True,
            )
        )

    @property
    def both_sides_url(self) -> str:
        """The URL of the position for a person who plays both sides."""
        return play_url(
            Match(
                self.match.record,
                o=HUMAN,
                value_source=self._name,
                snapshot=self.match.snapshot,
            )
        )

    @property
    def training_sentences(self) -> str:
        """Two sentences on how the agent learned, "" for an agent of another folder of models."""
        if self._name not in FRONT_AGENTS:
            return ""
        phases = self.state.site.get_recipe(self._name).phases
        count = format_count(sum(number for _, number in phases))
        return gettext(FRONT_AGENTS[self._name], count=count)

    @property
    def algorithm_slug(self) -> str:
        """The slug of the agent's algorithm on /how."""
        return self.state.site.agents[self._name].card.algorithm

    @property
    def choices(self) -> list[AgentChoice]:
        """The agents to choose from, and the first of them after a few updates."""
        site = self.state.site
        names = list_front_agents(site)
        chosen = [
            AgentChoice(
                id=name,
                title=site.display_titles[name],
                strength_name=grade_strength(site, name),
                description=describe_strength(site, name),
                href=HOME.url(agent=name if name != names[0] else ""),
                is_shown=name == self._name and self.match.snapshot is None,
            )
            for name in names
        ]
        return [*chosen, self._build_beginner_choice(names[0])]

    def _build_beginner_choice(self, name: str) -> AgentChoice:
        updates = self.state.site.agents[name].snapshot_updates.tolist()
        step = min(
            range(len(updates)), key=lambda at: abs(updates[at] - BEGINNER_UPDATES)
        )
        return AgentChoice(
            id="beginner",
            title=gettext("Beginner"),
            strength_name="beginner",
            description=gettext(
                "%(agent)s after %(updates)s",
                agent=self.state.site.display_titles[name],
                updates=format_updates(updates[step]),
            ),
            href=HOME.url(step=step),
            is_shown=name == self._name and self.match.snapshot == step,
        )

    @property
    def agent_count(self) -> int:
        return len(self.state.site.agents)


@bp.app_template_global()
def get_first_preview_url() -> str:
    """Return the URL of the preview picture of pages without their own: the board of this page."""
    site = get_current_site()
    agent = FIRST_AGENT if FIRST_AGENT in site.agents else site.first_opponent
    return match_url(MATCH_PREVIEW, Match(FIRST_RECORD, o=HUMAN, value_source=agent))


def list_front_agents(site: SiteData) -> list[str]:
    """Return the ids of the agents to choose from; another folder of models may lack some."""
    return [name for name in FRONT_AGENTS if name in site.agents] or [*site.agents][:1]


@bp.get(HOME)
def show_front() -> Response:
    """Show the front page with the agent and the snapshot in the URL."""
    site = get_current_site()
    names = list_front_agents(site)
    name = read_choice("agent", request.args, names, names[0])
    last = site.get_last_snapshot(name)
    step = read_snapshot(name, request.args.get("step", ""), last, site)
    match = Match(FIRST_RECORD, o=name)
    if step != last:
        match = Match(FIRST_RECORD, o=name, value_source=name, snapshot=step)
    return render_page(FrontPage(replay_match(match, site)))
