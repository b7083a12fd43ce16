"""The front page: a board with the values of a trained agent, and the ways on from there."""

from flask import Response, request
from msgspec.structs import replace

from app.web.formatting import format_count
from app.web.links.front import HOME_ROUTE
from app.web.links.play import (
    MATCH_PREVIEW_ROUTE,
    match_url,
    play_url,
    split_match_url,
    watch_url,
)
from app.web.match import (
    Match,
    parse_match,
    read_choice,
    read_snapshot,
    replay_match,
)
from app.web.navigation import PageBlueprint
from app.web.pages.parts.match_page import MatchPage
from app.web.rendering import Variables, render_page
from app.web.routes import Query
from app.web.site_data import HUMAN, SiteData, get_current_site
from app.web.translation import gettext
from app.web.wording import (
    FRONT_PAGE_AGENTS,
    FRONT_PAGE_RECORD,
    describe_strength,
    get_front_page_agent,
    grade_strength,
    list_front_agents,
)

bp = PageBlueprint("front", __name__)
bp.add_to_sitemap(lambda: [HOME_ROUTE.url()])
BEGINNER_UPDATES = 500


def list_choices(
    site: SiteData, shown_name: str, shown_snapshot: int | None
) -> list[Variables]:
    """List the agents to choose from, and the first of them again after few updates, as a beginner."""
    names = list_front_agents(site)
    choices = [
        {
            "id": name,
            "title": site.display_titles[name],
            "strength_name": grade_strength(site, name),
            "description": describe_strength(site, name),
            "href": HOME_ROUTE.url(agent=name if name != names[0] else ""),
            "is_shown": name == shown_name and shown_snapshot is None,
        }
        for name in names
    ]
    updates = site.agents[names[0]].snapshot_updates.tolist()
    step = min(range(len(updates)), key=lambda at: abs(updates[at] - BEGINNER_UPDATES))
    beginner = {
        "id": "beginner",
        "title": gettext("%(agent)s, early", agent=site.display_titles[names[0]]),
        "strength_name": "beginner",
        "description": gettext(
            "After %(count)s of %(total)s updates.",
            count=format_count(updates[step]),
            total=format_count(updates[-1]),
        ),
        "href": HOME_ROUTE.url(step=step),
        "is_shown": names[0] == shown_name and shown_snapshot == step,
    }
    return [*choices, beginner]


def describe_learning(site: SiteData, name: str) -> str:
    """Say in two sentences how an agent in FRONT_PAGE_AGENTS was trained; "" for all others."""
    if name not in FRONT_PAGE_AGENTS:
        return ""
    phases = site.get_recipe(name).phases
    count = format_count(sum(number for _, number in phases))
    return gettext(FRONT_PAGE_AGENTS[name], count=count)


@bp.app_template_global()
def get_first_preview_url() -> str:
    """Return the preview picture for links to pages that have none of their own."""
    site = get_current_site()
    agent = get_front_page_agent(site)
    return match_url(
        MATCH_PREVIEW_ROUTE, Match(FRONT_PAGE_RECORD, o=HUMAN, value_source=agent)
    )


def continue_match(query: Query, name: str, site: SiteData) -> Match | None:
    """Return the game in the query parameter `at`, with the agent `name` as the opponent.

    If this game is over, the returned game begins with the empty board. Returns None if the query
    has no game, or only the position that the page shows first. Raises the errors of `parse_match`.
    """
    if not query.get("at"):
        return None
    state = parse_match(*split_match_url(query), site)
    match = state.match
    if match.record == FRONT_PAGE_RECORD:
        return None
    x, o = (HUMAN if player == HUMAN else name for player in (match.x, match.o))
    match = replace(
        match,
        x=x,
        o=o,
        value_source=name if x == o == HUMAN else "",
        snapshot=None,
        plays_training=False,
        shows_hint=False,
        result_counts=(0, 0, 0),
    )
    return match.follow_record("") if state.is_over else match


@bp.get(HOME_ROUTE)
def show_front() -> Response:
    """Show the board with an agent; a game in the URL goes on against this agent."""
    site = get_current_site()
    names = list_front_agents(site)
    name = read_choice("agent", request.args, names, names[0])
    last = site.get_last_snapshot(name)
    step = read_snapshot(name, request.args.get("step", ""), last, site)
    snapshot = None if step == last else step
    played = continue_match(request.args, name, site)
    match = played or Match(FRONT_PAGE_RECORD, o=name)
    if snapshot is not None:
        match = replace(match, value_source=name, snapshot=snapshot)
    learn = Match(
        FRONT_PAGE_RECORD, o=name, value_source=name, snapshot=0, plays_training=True
    )
    both_sides = Match(FRONT_PAGE_RECORD, o=HUMAN, value_source=name, snapshot=snapshot)
    response = render_page(
        "front/front.html",
        MatchPage(replay_match(match, site)),
        fragment=("game", "beside"),
        new_game_url=play_url(match.follow_record("")),
        watch_url=watch_url(name),
        learn_url=play_url(learn),
        both_sides_url=play_url(both_sides),
        training_sentences=describe_learning(site, name),
        algorithm_slug=site.agents[name].card.algorithm,
        choices=list_choices(site, name, snapshot),
        player_count=len(site.policies),
    )
    choice_url = HOME_ROUTE.url(
        agent=name if name != names[0] else "", step="" if snapshot is None else step
    )
    response.headers["HX-Push-Url"] = play_url(match) if played else choice_url
    return response
