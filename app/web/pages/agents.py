"""The table of all agents, sorted as its URL says, and the page of each agent.

The page of an agent has its exact results, its training and its files.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from flask import Response, request
from werkzeug.exceptions import NotFound

from app.recipes import (
    list_parameters,
    name_script_file,
    parse_recipe,
)
from app.sources import find_source
from app.tictactoe.agents import Agent, add_arrays_digest, read_arrays_file
from app.tictactoe.card import Card, format_card
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.notation import MARKS, format_position
from app.tictactoe.policy import BASELINES
from app.web.algorithms import ALGORITHM_PAGES, get_opponent_name
from app.web.comparison import Comparison, SourceSnapshot, find_next_disagreement
from app.web.facts import BEST_RESPONDER, PolicyJudgement, judge_policy
from app.web.formatting import format_count, format_count_of
from app.web.links.agents import (
    AGENT_FILE_ROUTE,
    AGENT_ROUTE,
    AGENTS_FILE_ROUTE,
    AGENTS_ROUTE,
    agent_url,
)
from app.web.links.compare import compare_url
from app.web.links.lab import RECIPE_SCRIPT_ROUTE, lab_url
from app.web.links.play import play_against_url, play_url
from app.web.match import Match, read_choice
from app.web.navigation import PageBlueprint
from app.web.pages.parts import judgement, learning
from app.web.pages.parts.export import (
    build_csv_response,
    build_file_response,
    export_curves,
)
from app.web.pictures.curves import build_bar_parts
from app.web.pictures.minds import plot_value_map
from app.web.rendering import Variables, render_page, wants_fragment
from app.web.routes import Destination, Query
from app.web.site_data import TASK_SUFFIX, SiteData, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import (
    PlayerProfile,
    build_player_profile,
    describe_task,
    recommend_agents,
)

bp = PageBlueprint("agents", __name__)
bp.add_menu_page("Research", "agents", gettext_noop("Agents"), AGENTS_ROUTE.url)
bp.add_to_sitemap(lambda: map(agent_url, get_current_site().shipped_agents))

ASCENDING_ORDER, DESCENDING_ORDER = "asc", "desc"
ARIA_SORT_VALUES = {ASCENDING_ORDER: "ascending", DESCENDING_ORDER: "descending"}
OPPOSITE_ORDER = {ASCENDING_ORDER: DESCENDING_ORDER, DESCENDING_ORDER: ASCENDING_ORDER}
PERCENT_DECIMALS = 1


class AgentRow(NamedTuple):
    title: str
    href: str
    play_url: str
    profile: PlayerProfile
    judgement: PolicyJudgement
    # None for a baseline
    card: Card | None


class Column(NamedTuple):
    key: str
    # a key of COLUMN_GROUPS
    group: str
    heading: str
    # the order after the first click on the heading
    first_order: str
    # returns what a cell of the column shows for a player; "" if it shows nothing for baselines
    get_value: Callable[[AgentRow], Any]
    # what the cells contain: "number", "title", "text" or "outcome"
    cell_kind: str = "number"
    # the seat of the results, "X" or "O"; "" for both seats
    seat_mark: str = ""


class TableOrder(NamedTuple):
    column_key: str = "blunders"
    direction: str = ASCENDING_ORDER

    @property
    def url(self) -> str:
        return (
            AGENTS_ROUTE.url()
            if self == TableOrder()
            else AGENTS_ROUTE.url(sort=self.column_key, order=self.direction)
        )

    @property
    def aria_sort(self) -> str:
        return ARIA_SORT_VALUES[self.direction]

    def sort_by(self, column: Column) -> "TableOrder":
        """Return the order after a click on a column's heading; a second click reverses it."""
        return TableOrder(
            column.key,
            OPPOSITE_ORDER[self.direction]
            if column.key == self.column_key
            else column.first_order,
        )


def list_agent_rows(site: SiteData, player_names: Iterable[str]) -> list[AgentRow]:
    players = []
    for name in player_names:
        is_agent = name in site.agents
        players.append(
            AgentRow(
                site.display_titles[name],
                agent_url(name) if is_agent else play_against_url(name),
                play_against_url(name),
                build_player_profile(site, name),
                judge_policy(site, name),
                site.agents[name].card if is_agent else None,
            )
        )
    return players


def parse_order(query: Query) -> TableOrder:
    """Return the order that the query asks for, by default `TableOrder()`.

    Raises BadRequest for an unknown column or direction; the message lists the valid ones.
    """
    columns = {column.key: column for column in COLUMNS}
    sort = read_choice("sort", query, columns, TableOrder().column_key)
    return TableOrder(
        sort, read_choice("order", query, OPPOSITE_ORDER, columns[sort].first_order)
    )


def sort_rows(players: Iterable[AgentRow], order: TableOrder) -> list[AgentRow]:
    by_title = sorted(players, key=_get_sort_title)
    value = next(
        column.get_value for column in COLUMNS if column.key == order.column_key
    )
    return sorted(by_title, key=value, reverse=order.direction == DESCENDING_ORDER)


def _get_sort_title(player: AgentRow) -> str:
    return player.title.lower()


def _build_card_getter(get_value: Callable[[Card], Any]) -> Callable[[AgentRow], Any]:
    return lambda player: get_value(player.card) if player.card else ""


def _build_seat_columns(
    column_key: str,
    group: str,
    get_value: Callable[[PolicyJudgement, str], Any],
    cell_kind: str = "number",
) -> list[Column]:
    def build_column(seat: str) -> Column:
        return Column(
            key=f"{column_key}-{seat}",
            group=group,
            heading=f"as {seat.upper()}",
            first_order=DESCENDING_ORDER,
            get_value=lambda player: get_value(player.judgement, seat),
            cell_kind=cell_kind,
            seat_mark=seat.upper(),
        )

    return [build_column(seat) for seat in SEATS]


def _build_result_columns(opponent: str, group: str) -> list[Column]:
    return _build_seat_columns(
        opponent,
        group,
        lambda judged, seat: judged.outcome_chances[opponent, seat],
        "outcome",
    )


# The keys are used in the page and in the style sheet.
COLUMN_GROUPS = {
    "agent": "Agent",
    "blunders": "Blunders",
    "unbeatable": "Unbeatable",
    "random": "Against Random",
    "t-hand": "Against T-hand",
    "responder": "Best responder",
    "method": "Method",
    "training": "Training",
}
COLUMNS = [
    Column("title", "agent", "Agent", ASCENDING_ORDER, _get_sort_title, "title"),
    Column(
        "blunders",
        "blunders",
        "Blunders",
        ASCENDING_ORDER,
        lambda player: player.judgement.blunder_count,
    ),
    *_build_seat_columns(
        "unbeatable",
        "unbeatable",
        lambda judged, seat: judged.is_unbeatable[seat],
    ),
    *_build_result_columns("random", "random"),
    *_build_result_columns("t-hand", "t-hand"),
    *_build_result_columns(BEST_RESPONDER, "responder"),
    Column(
        "kind",
        "method",
        "Algorithm",
        ASCENDING_ORDER,
        _build_card_getter(lambda card: ALGORITHM_PAGES[card.algorithm].name),
        "text",
    ),
    Column(
        "origin",
        "method",
        "Origin",
        ASCENDING_ORDER,
        _build_card_getter(lambda card: card.origin),
        "text",
    ),
    Column(
        "updates",
        "training",
        "Updates",
        DESCENDING_ORDER,
        _build_card_getter(lambda card: card.updates),
    ),
    Column(
        "games",
        "training",
        "Games",
        DESCENDING_ORDER,
        _build_card_getter(lambda card: card.games),
    ),
]
COLUMNS_BY_GROUP = {
    group: [*of] for group, of in groupby(COLUMNS, lambda column: column.group)
}


@bp.get(AGENTS_ROUTE, strict_slashes=False)
def show_agents() -> Response:
    site = get_current_site()
    order = parse_order(request.args)
    return render_page(
        "agents/agents.html",
        fragment=("ranking",),
        table_order=order,
        groups=COLUMNS_BY_GROUP,
        group_titles=COLUMN_GROUPS,
        rows=sort_rows(list_agent_rows(site, site.agents), order),
        baselines=sort_rows(list_agent_rows(site, BASELINES), order),
        divide_chances=partial(build_bar_parts, decimals=PERCENT_DECIMALS),
        decision_count=GAME.decisions,
        recommended=recommend_agents(site),
    )


@bp.get(AGENTS_FILE_ROUTE)
def download_table() -> Response:
    """Return the table of all agents and baselines as a CSV file, with all digits."""
    heads = ["id", "strength"]
    for column in COLUMNS:
        heads += (
            [f"{column.key}-{result}" for result in ("won", "drawn", "lost")]
            if column.cell_kind == "outcome"
            else [column.key]
        )
    return build_csv_response(heads, list_table_rows(get_current_site()), "agents")


def list_table_rows(site: SiteData) -> Iterator[list[object]]:
    """Yield the row of each agent and baseline in the CSV file; chances are from 0 to 1."""
    names = [*site.agents, *BASELINES]
    for name, player in zip(names, list_agent_rows(site, names), strict=True):
        table_row: list[object] = [name, player.profile.strength_name]
        for column in COLUMNS:
            value = (
                player.title
                if column.cell_kind == "title"
                else column.get_value(player)
            )
            table_row += [*value] if column.cell_kind == "outcome" else [value]
        yield table_row


def build_comparison_url(site: SiteData, agent_name: str) -> str:
    """Return the URL that compares an agent with optimal play, where their moves differ most."""
    views = (SourceSnapshot(agent_name),)
    return compare_url(Comparison(find_next_disagreement(views, site) or "", views))


def describe_training_task(site: SiteData, agent_name: str) -> Destination | None:
    """Describe what an agent was trained for, with a link to the exact values, None if unknown."""
    task = site.get_task(agent_name)
    if not task:
        return None
    policies = (
        "ε-soft policy (a policy that explores with probability ε)"
        if task.epsilon
        else "policy"
    )
    words = (
        f"The agent trained {describe_task(site, task)}. The exact values of these games are "
        f"Q*, those of the best {policies}."
    )
    return Destination(
        words, play_url(Match(o=agent_name, value_source=agent_name + TASK_SUFFIX))
    )


def explain_harmless_blunders(site: SiteData, name: str) -> str:
    """Explain why an agent that cannot be beaten has blunders; "" for all other agents."""
    judged, figures = judge_policy(site, name), site.agents[name].card.figures
    if not judged.blunder_count or not all(judged.is_unbeatable.values()):
        return ""
    reachable = figures.reachable_blunders.x[-1] + figures.reachable_blunders.o[-1]
    rewards = site.get_rewards(name)
    indifferent = rewards is not None and rewards.x[1] == rewards.x[2]
    reason = ", because a draw is worth as much to it as a win" if indifferent else ""
    kept = (
        f"In {format_count_of(reachable, 'position')} of its own games it gives away a "
        f"win{reason}, but it keeps the draw. "
        if reachable
        else ""
    )
    elsewhere = format_count(judged.blunder_count - reachable)
    return (
        f"Why does an unbeatable agent have blunders? {kept}Its own moves never lead to the "
        f"{'other ' if reachable else ''}{elsewhere} positions."
    )


VALUE_TABLE_COLUMNS = ("position", "to_move", "cell", "q", "visits", "true_value")


def list_value_rows(site: SiteData, agent: Agent) -> Iterator[tuple[object, ...]]:
    """Yield a CSV row for each legal move: learned value, true value and number of updates.

    Values are in the view of the player to move.
    """
    positions = [format_position(GAME, position) for position in range(GAME.decisions)]
    movers = [MARKS[mover] for mover in GAME.to_move.tolist()]
    columns = (
        GAME.pair_cell.tolist(),
        agent.q[GAME.legal]
        .astype(str)
        # A float32 is written with as few digits as identify it.
        .tolist(),
        agent.visits[GAME.legal].tolist(),
        site.optimal_q[GAME.legal].astype(int).tolist(),
    )
    for position, *numbers in zip(GAME.pair_decision.tolist(), *columns, strict=True):
        yield positions[position], movers[position], *numbers


# how many blunders the page of an agent shows: three rows on a phone
MAX_SHOWN_BLUNDERS = 9


@bp.get(AGENT_ROUTE)
def show_agent(name: str) -> Response:
    site = get_current_site()
    card = site.get_agent(name).card
    opponent = learning.parse_opponent(request.args, card)
    opponents = learning.list_card_opponents(card)
    other_opponent = "" if opponent == next(iter(opponents)) else opponent
    values: Variables = {
        "name": name,
        "curve_opponent": opponent,
        "curve_opponents": {
            each: learning.get_opponent_title(site, each) for each in opponents
        },
        "curves": learning.build_training_charts(site, card, opponent),
        "export": export_curves(site, [name], opponent=other_opponent),
    }
    if not wants_fragment():
        values |= build_training_variables(site, name) | build_strength_variables(
            site, name
        )
    return render_page("agents/agent.html", fragment=("learning",), **values)


def build_strength_variables(site: SiteData, name: str) -> Variables:
    return {
        "site": site,
        "profile": build_player_profile(site, name),
        "mind_picture": plot_value_map(site, name, site.get_last_snapshot(name)),
        "links": [
            *judgement.list_game_links(name),
            Destination(
                "Replay the training",
                play_url(Match(o=name, value_source=name, snapshot=0)),
            ),
            Destination("Compare with optimal play", build_comparison_url(site, name)),
            Destination("Change the training in the lab", lab_url(name), id="to-lab"),
        ],
        "blunder_reason": explain_harmless_blunders(site, name),
        "results": judgement.list_result_bars(site, name),
        "blunders": judgement.build_blunder_boards(
            site, name, slice(MAX_SHOWN_BLUNDERS)
        ),
        "verdicts": judgement.build_seat_verdicts(site, name),
        "claims": [one for one in site.experiments.values() if name in one.agents],
    }


def build_training_variables(site: SiteData, name: str) -> Variables:
    card = add_arrays_digest(site.agents[name])
    recipe = site.get_recipe(name)
    opponents = (get_opponent_name(site, opponent) for opponent, _ in recipe.phases)
    return {
        "card": card,
        "algorithm_title": ALGORITHM_PAGES[card.algorithm].name,
        "source": find_source(card.origin),
        "task_link": describe_training_task(site, name),
        "training_opponents": "; ".join(dict.fromkeys(opponents)),
        "training_wins_curve": card.win_rate
        and learning.build_win_rate_chart(card.win_rate),
        "training_wins_export": export_curves(site, [name], learning.WIN_RATE_KEY),
        "recipe_parameters": list_parameters(recipe),
        "script_url": RECIPE_SCRIPT_ROUTE.url(name)
        if site.on_demand.trainer and not recipe.is_network
        else "",
        "script_name": name_script_file(recipe),
    }


@bp.get(AGENT_FILE_ROUTE)
def download_agent_file(name: str, ending: str) -> Response:
    agent = get_current_site().get_agent(name)
    if ending == "csv":
        return build_csv_response(
            VALUE_TABLE_COLUMNS,
            list_value_rows(get_current_site(), agent),
            agent.card.id,
        )
    content = read_arrays_file(GAME, agent)
    mimetype = "application/octet-stream"
    if ending == "json":
        content = format_card(add_arrays_digest(agent)).encode()
        mimetype = "application/json"
    return build_file_response(content, mimetype, f"{agent.card.id}.{ending}")


@bp.get(RECIPE_SCRIPT_ROUTE)
def download_script(name: str) -> Response:
    card = get_current_site().get_agent(name).card
    if parse_recipe(card.recipe).is_network:
        raise NotFound(f"The training of {card.title} cannot be written as one file.")
    code = get_current_site().on_demand.get_script(card.recipe)
    return build_file_response(
        code, "text/x-python", name_script_file(parse_recipe(card.recipe))
    )
