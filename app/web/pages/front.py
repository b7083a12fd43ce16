"""The front page: a board with the values of a trained agent, and the ways on from there."""

from typing import Any

from flask import Response, request

from app.web.formatting import format_count, format_updates
from app.web.links.front import HOME_ROUTE
from app.web.links.play import MATCH_PREVIEW_ROUTE, match_url, play_url, watch_url
from app.web.match import Match, read_choice, read_snapshot, replay_match
from app.web.navigation import PageBlueprint
from app.web.pages.parts.match_page import MatchPage
from app.web.rendering import render_page
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext
from app.web.wording import (
    FRONT_PAGE_AGENT,
    FRONT_PAGE_AGENTS,
    FRONT_PAGE_RECORD,
    describe_strength,
    grade_strength,
)

bp = PageBlueprint("front", __name__)
bp.add_to_sitemap(lambda: [HOME_ROUTE.url()])
BEGINNER_UPDATES = 500


def list_choices(site: SiteData, shown: Match) -> list[dict[str, Any]]:
    """Describe the agents to choose from, and "Beginner", the first agent early in its training."""
    names = list_front_agents(site)
    choices = [
        {
            "id": name,
            "title": site.display_titles[name],
            "strength_name": grade_strength(site, name),
            "description": describe_strength(site, name),
            "href": HOME_ROUTE.url(agent=name if name != names[0] else ""),
            "is_shown": name == shown.o and shown.snapshot is None,
        }
        for name in names
    ]
    updates = site.agents[names[0]].snapshot_updates.tolist()
    step = min(range(len(updates)), key=lambda at: abs(updates[at] - BEGINNER_UPDATES))
    beginner = {
        "id": "beginner",
        "title": gettext("Beginner"),
        "strength_name": "beginner",
        "description": gettext(
            "%(agent)s after %(updates)s",
            agent=site.display_titles[names[0]],
            updates=format_updates(updates[step]),
        ),
        "href": HOME_ROUTE.url(step=step),
        "is_shown": names[0] == shown.o and shown.snapshot == step,
    }
    return [*choices, beginner]


def describe_learning(site: SiteData, name: str) -> str:
    """Return two sentences on how an agent of FRONT_PAGE_AGENTS was trained, "" for any other agent."""
    if name not in FRONT_PAGE_AGENTS:
        return ""
    phases = site.get_recipe(name).phases
    count = format_count(sum(number for _, number in phases))
    return gettext(FRONT_PAGE_AGENTS[name], count=count)


@bp.app_template_global()
def get_first_preview_url() -> str:
    """Return the URL of the preview picture for pages that have no preview picture of their own."""
    site = get_current_site()
    agent = FRONT_PAGE_AGENT if FRONT_PAGE_AGENT in site.agents else site.first_opponent
    return match_url(
        MATCH_PREVIEW_ROUTE, Match(FRONT_PAGE_RECORD, o=HUMAN, value_source=agent)
    )


def list_front_agents(site: SiteData) -> list[str]:
    """Return the ids of the agents to choose from.

    The folder of models may lack some of FRONT_PAGE_AGENTS. If it lacks all of them, its first agent is
    offered.
    """
    return [name for name in FRONT_PAGE_AGENTS if name in site.agents] or [
        *site.agents
    ][:1]


@bp.get(HOME_ROUTE)
def show_front() -> Response:
    site = get_current_site()
    names = list_front_agents(site)
    name = read_choice("agent", request.args, names, names[0])
    last = site.get_last_snapshot(name)
    step = read_snapshot(name, request.args.get("step", ""), last, site)
    match = Match(FRONT_PAGE_RECORD, o=name)
    if step != last:
        match = Match(FRONT_PAGE_RECORD, o=name, value_source=name, snapshot=step)
    learn = Match(
        FRONT_PAGE_RECORD, o=name, value_source=name, snapshot=0, plays_training=True
    )
    both_sides = Match(
        FRONT_PAGE_RECORD, o=HUMAN, value_source=name, snapshot=match.snapshot
    )
    return render_page(
        "front/front.html",
        MatchPage(replay_match(match, site)),
        fragment=("game", "beside"),
        new_game_url=play_url(match.follow_record("")),
        watch_url=watch_url(name),
        learn_url=play_url(learn),
        both_sides_url=play_url(both_sides),
        training_sentences=describe_learning(site, name),
        algorithm_slug=site.agents[name].card.algorithm,
        choices=list_choices(site, match),
        agent_count=len(site.agents),
    )
