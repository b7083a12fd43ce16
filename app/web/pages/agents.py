"""The table of all agents, sorted as its URL says, and the page of each agent.

The page of an agent has its exact figures, its training and its files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from flask import Response, request
from werkzeug.exceptions import NotFound

from app.experiments import ClaimSummary
from app.recipes import (
    Parameter,
    Recipe,
    list_parameters,
    name_script_file,
    parse_recipe,
)
from app.sources import Source, find_source
from app.tictactoe.agents import Agent, complete_card, read_arrays_file
from app.tictactoe.card import Card, format_card
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS, format_position
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances
from app.web.algorithms import ALGORITHM_PAGES, describe_phases, get_opponent_name
from app.web.comparison import Comparison, SourceSnapshot, find_next_disagreement
from app.web.facts import BEST_RESPONDER, PolicyJudgement, judge_policy
from app.web.formatting import format_count
from app.web.links.agents import AGENT, AGENT_FILE, AGENTS, AGENTS_FILE, agent_url
from app.web.links.compare import compare_url
from app.web.links.lab import RECIPE_SCRIPT, lab_url
from app.web.links.play import play_against_url, play_url
from app.web.match import Match, read_choice
from app.web.navigation import PageBlueprint
from app.web.pages.parts import judgement, learning
from app.web.pages.parts.export import (
    Export,
    build_csv_response,
    build_file_response,
    export_curves,
)
from app.web.pictures.curves import Charts, OutcomeShare, divide_bar
from app.web.pictures.minds import MindPicture, draw_mind
from app.web.rendering import Page, render_page
from app.web.routes import Destination
from app.web.site_data import TASK_SUFFIX, SiteData, get_current_site
from app.web.translation import gettext_noop
from app.web.wording import (
    STRENGTH_MEANINGS,
    Character,
    describe_agent,
    describe_character,
    describe_task,
)

bp = PageBlueprint("agents", __name__)
bp.add_room("Research", "agents", gettext_noop("Agents"), AGENTS.url)
bp.add_to_sitemap(lambda: map(agent_url, get_current_site().shipped_agents))

ASCENDING, DESCENDING = "asc", "desc"
ARIA_SORT_VALUES = {ASCENDING: "ascending", DESCENDING: "descending"}
OPPOSITE_ORDER = {ASCENDING: DESCENDING, DESCENDING: ASCENDING}
PERCENT_DECIMALS = 1  # decimals of a percentage in the table


class AgentRow(NamedTuple):
    """A row of the table: an agent or a baseline."""

    title: str
    href: str
    character: Character
    judgement: PolicyJudgement
    card: Card | None  # None for a baseline


class ColumnGroup(NamedTuple):
    """A group of columns of the table under a common heading."""

    id: str  # id in the HTML page and in the style sheet
    title: str


class Column(NamedTuple):
    """A column of the table: its heading, and the figure of each player."""

    key: str
    group: ColumnGroup
    heading: str
    # order after the first click on the heading: ASCENDING or DESCENDING
    first_order: str
    # function from a player to its figure; "" if a baseline has no such figure
    get_value: Callable[[AgentRow], Any]
    cell_kind: str = "number"  # "number", "title", "text" or "outcome"
    seat_mark: str = ""  # seat of the figure, "X" or "O"; "" for both seats


class TableOrder(NamedTuple):
    """The column that sorts the table, and the direction."""

    column_key: str = "blunders"
    direction: str = ASCENDING

    @property
    def url(self) -> str:
        return (
            AGENTS.url()
            if self == TableOrder()
            else AGENTS.url(sort=self.column_key, order=self.direction)
        )

    @property
    def aria_sort(self) -> str:
        """The value of the attribute aria-sort."""
        return ARIA_SORT_VALUES[self.direction]

    def sort_by(self, column: Column) -> "TableOrder":
        """Return the order by a column; the column that sorts already is reversed."""
        return TableOrder(
            column.key,
            OPPOSITE_ORDER[self.direction]
            if column.key == self.column_key
            else column.first_order,
        )


def list_agent_rows(site: SiteData, player_names: Iterable[str]) -> list[AgentRow]:
    """Return the rows of players; a baseline links to a game against it."""
    players = []
    for name in player_names:
        is_agent = name in site.agents
        players.append(
            AgentRow(
                site.display_titles[name],
                agent_url(name) if is_agent else play_against_url(name),
                describe_character(site, name),
                judge_policy(site, name),
                site.agents[name].card if is_agent else None,
            )
        )
    return players


def parse_order(query: Mapping[str, str]) -> TableOrder:
    """Return the order in the query of a URL; an empty value counts as left out.

    Raises BadRequest, naming the columns or the two orders, for any other text.
    """
    columns = {column.key: column for column in COLUMNS}
    sort = read_choice("sort", query, columns, TableOrder().column_key)
    return TableOrder(
        sort, read_choice("order", query, OPPOSITE_ORDER, columns[sort].first_order)
    )


def sort_players(players: Iterable[AgentRow], order: TableOrder) -> list[AgentRow]:
    """Return sorted rows; equal rows are in the order of their titles."""
    by_title = sorted(players, key=_get_sort_title)
    value = next(
        column.get_value for column in COLUMNS if column.key == order.column_key
    )
    return sorted(by_title, key=value, reverse=order.direction == DESCENDING)


def _get_sort_title(player: AgentRow) -> str:
    return player.title.lower()


def _build_card_getter(get_value: Callable[[Card], Any]) -> Callable[[AgentRow], Any]:
    return lambda player: get_value(player.card) if player.card else ""


def _build_seat_columns(
    column_key: str,
    group: ColumnGroup,
    get_value: Callable[[PolicyJudgement, str], Any],
    cell_kind: str = "number",
) -> list[Column]:
    def build_column(seat: str) -> Column:
        return Column(
            key=f"{column_key}-{seat}",
            group=group,
            heading=f"as {seat.upper()}",
            first_order=DESCENDING,
            get_value=lambda player: get_value(player.judgement, seat),
            cell_kind=cell_kind,
            seat_mark=seat.upper(),
        )

    return [build_column(seat) for seat in SEATS]


def _build_result_columns(opponent: str, group: ColumnGroup) -> list[Column]:
    """Return the columns of results against an opponent, sorted by games won, then drawn."""
    return _build_seat_columns(
        opponent,
        group,
        lambda judged, seat: judged.outcome_chances[opponent, seat],
        "outcome",
    )


AGENT_GROUP = ColumnGroup("agent", "Agent")
BLUNDERS_GROUP = ColumnGroup("blunders", "Blunders")
METHOD_GROUP = ColumnGroup("method", "Method")
TRAINING_GROUP = ColumnGroup("training", "Training")
COLUMNS = [
    Column("title", AGENT_GROUP, "Agent", ASCENDING, _get_sort_title, "title"),
    Column(
        "blunders",
        BLUNDERS_GROUP,
        "Blunders",
        ASCENDING,
        lambda player: player.judgement.blunder_count,
    ),
    *_build_seat_columns(
        "unbeatable",
        ColumnGroup("unbeatable", "Unbeatable"),
        lambda judged, seat: judged.is_unbeatable[seat],
    ),
    *_build_result_columns("random", ColumnGroup("random", "Against Random")),
    *_build_result_columns("t-hand", ColumnGroup("t-hand", "Against T-hand")),
    *_build_result_columns(BEST_RESPONDER, ColumnGroup("responder", "Best responder")),
    Column(
        "kind",
        METHOD_GROUP,
        "Algorithm",
        ASCENDING,
        _build_card_getter(lambda card: ALGORITHM_PAGES[card.algorithm].title),
        "text",
    ),
    Column(
        "origin",
        METHOD_GROUP,
        "Origin",
        ASCENDING,
        _build_card_getter(lambda card: card.origin),
        "text",
    ),
    Column(
        "updates",
        TRAINING_GROUP,
        "Updates",
        DESCENDING,
        _build_card_getter(lambda card: card.updates),
    ),
    Column(
        "games",
        TRAINING_GROUP,
        "Games",
        DESCENDING,
        _build_card_getter(lambda card: card.games),
    ),
]
COLUMNS_BY_GROUP = {
    group: [*of] for group, of in groupby(COLUMNS, lambda column: column.group)
}


class AgentsPage(Page, frozen=True):
    """All agents with their exact figures."""

    template: ClassVar = "agents/agents.html"
    fragment: ClassVar = ("ranking",)

    site: SiteData
    table_order: TableOrder

    @property
    def groups(self) -> Mapping[ColumnGroup, list[Column]]:
        return COLUMNS_BY_GROUP

    @property
    def rows(self) -> list[AgentRow]:
        return sort_players(
            list_agent_rows(self.site, self.site.agents), self.table_order
        )

    @property
    def baselines(self) -> list[AgentRow]:
        """The rows of the baselines: players that follow a fixed rule."""
        return sort_players(list_agent_rows(self.site, BASELINES), self.table_order)

    @property
    def divide_chances(self) -> Callable[[Chances], list[OutcomeShare]]:
        """A function that divides a table cell's bar into the shares of wins, draws and losses."""
        return partial(divide_bar, decimals=PERCENT_DECIMALS)

    @property
    def decision_count(self) -> int:
        """The number of positions in which a blunder is possible."""
        return self.site.game.decisions

    @property
    def strength_meanings(self) -> Mapping[str, str]:
        """The rule behind each name of a strength."""
        return STRENGTH_MEANINGS


@bp.get(AGENTS, strict_slashes=False)
def show_agents() -> Response:
    """Show all agents."""
    return render_page(AgentsPage(get_current_site(), parse_order(request.args)))


@bp.get(AGENTS_FILE)
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
        table_row: list[object] = [name, player.character.strength_name]
        for column in COLUMNS:
            value = (
                player.title
                if column.cell_kind == "title"
                else column.get_value(player)
            )
            table_row += [*value] if column.cell_kind == "outcome" else [value]
        yield table_row


def build_comparison_url(site: SiteData, agent_name: str) -> str:
    """Return the URL of a comparison with optimal play, in a position where the moves differ."""
    views = (SourceSnapshot(agent_name),)
    return compare_url(Comparison(find_next_disagreement(views, site) or "", views))


def describe_training_task(site: SiteData, agent_name: str) -> Destination | None:
    """Return a link to the exact values of an agent's training task; None without exact values.

    The text of the link describes the task.
    """
    task = site.get_task(agent_name)
    if not task:
        return None
    policies = (
        "ε-soft policy (a policy that explores with probability ε)"
        if task.epsilon
        else "policy"
    )
    words = (
        f"The training task of the agent is {describe_task(site, task)}. The exact values of "
        f"this task are Q*, the values of the best {policies}."
    )
    return Destination(
        words, play_url(Match(o=agent_name, value_source=agent_name + TASK_SUFFIX))
    )


VALUE_TABLE_COLUMNS = ("position", "to_move", "cell", "q", "visits", "true_value")


def list_value_rows(site: SiteData, agent: Agent) -> Iterator[tuple[object, ...]]:
    """Yield a row for each legal move: learned value, true value and number of updates.

    Values are in the mover's view.
    """
    game = site.game
    positions = [format_position(game, position) for position in range(game.decisions)]
    movers = [MARKS[mover] for mover in game.to_move.tolist()]
    columns = (
        game.pair_cell.tolist(),
        agent.q[game.legal]
        .astype(str)
        .tolist(),  # the shortest decimals of each float32
        agent.visits[game.legal].tolist(),
        site.optimal_q[game.legal].astype(int).tolist(),
    )
    for position, *numbers in zip(game.pair_decision.tolist(), *columns, strict=True):
        yield positions[position], movers[position], *numbers


MAX_SHOWN_BLUNDERS = 9  # blunders on the agent's own page: three rows of a phone


class AgentPage(Page, frozen=True):
    """The page of an agent."""

    template: ClassVar = "agents/agent.html"
    fragment: ClassVar = ("learning",)

    site: SiteData
    name: str
    # the opponent of the learning curves, a key of `curve_opponents`
    curve_opponent: str

    @cached_property
    def card(self) -> Card:
        return self.site.agents[self.name].card

    @property
    def _recipe(self) -> Recipe:
        return self.site.get_recipe(self.name)

    # Properties that describe the agent.

    @property
    def character(self) -> Character:
        """The strength of the agent, and a sentence about it."""
        return describe_character(self.site, self.name)

    @property
    def algorithm_title(self) -> str:
        """The title of the agent's algorithm."""
        return ALGORITHM_PAGES[self.card.algorithm].title

    @property
    def source(self) -> Source | None:
        """The source of the idea; None if the card names no source."""
        return find_source(self.card.origin)

    @property
    def summary(self) -> str:
        """A sentence with the exact figures of the agent."""
        return describe_agent(self.site, self.name)

    @property
    def mind_picture(self) -> MindPicture:
        """The picture of all decisions of the agent."""
        return draw_mind(self.site, self.name, self.site.get_last_snapshot(self.name))

    @property
    def links(self) -> list[Destination]:
        """Links to games, comparisons and the lab."""
        replay = play_url(Match(o=self.name, value_source=self.name, snapshot=0))
        return [
            *judgement.list_board_links(self.name),
            Destination("Replay the training", replay),
            Destination(
                "Compare with optimal play", build_comparison_url(self.site, self.name)
            ),
            Destination(
                "Change the training in the lab", lab_url(self.name), id="to-lab"
            ),
        ]

    # Properties on the strength of the agent.

    @property
    def results(self) -> dict[str, list[list[OutcomeShare]]]:
        """The exact results against each opponent: title -> a bar for each seat."""
        return judgement.list_results(self.site, self.name)

    @property
    def blunders(self) -> judgement.BlunderExhibits:
        """The agent's most serious blunders, the most serious first."""
        return judgement.build_blunder_exhibits(
            self.site, self.name, slice(MAX_SHOWN_BLUNDERS)
        )

    @property
    def verdicts(self) -> Mapping[str, judgement.LostGame | judgement.Proof]:
        """Seat -> a game that the agent loses, or the proof that it cannot lose."""
        return judgement.judge_seats(self.site, self.name)

    @property
    def claims(self) -> list[ClaimSummary]:
        """The experiments about the agent."""
        return [
            one for one in self.site.experiments.values() if self.name in one.agents
        ]

    # Properties on the training.

    @property
    def training_summary(self) -> str:
        """The phases of the training and the number of updates."""
        learned = ", then ".join(describe_phases(self.site, self._recipe))
        return f"{learned}; {format_count(self.card.updates)} updates"

    @property
    def task_link(self) -> Destination | None:
        """The link to the exact values of the training task, with a text on the task; None without."""
        return describe_training_task(self.site, self.name)

    @property
    def training_opponents(self) -> str:
        opponents = (
            get_opponent_name(self.site, opponent)
            for opponent, _ in self._recipe.phases
        )
        return "; ".join(dict.fromkeys(opponents))

    @property
    def curve_opponents(self) -> Mapping[str, str]:
        """The titles of the opponents of the curves, by id."""
        return {
            opponent: learning.name_opponent(self.site, opponent)
            for opponent in learning.list_opponents(self.card)
        }

    @property
    def curves(self) -> Charts:
        """The learning curves of the agent."""
        return learning.chart_training(self.site, self.card, self.curve_opponent)

    @property
    def export(self) -> Export:
        """The ways to export the learning curves."""
        usual = next(iter(learning.list_opponents(self.card)))
        against = "" if self.curve_opponent == usual else self.curve_opponent
        return export_curves(self.site, [self.name], opponent=against)

    @property
    def training_wins_curve(self) -> Charts | None:
        """The curve of games won in training, if games were counted."""
        return learning.chart_wins(self.card.win_rate) if self.card.win_rate else None

    @property
    def training_wins_export(self) -> Export:
        """The ways to export the curve of games won."""
        return export_curves(self.site, [self.name], learning.WIN_RATE_KEY)

    # Properties for repeating the training.

    @property
    def recipe_parameters(self) -> Sequence[Parameter]:
        return list_parameters(self._recipe)

    @property
    def script_url(self) -> str:
        """The URL of the training as a script, "" if no script is available."""
        is_code = self.site.lab.trainer and not self._recipe.is_network
        return RECIPE_SCRIPT.url(self.name) if is_code else ""

    @property
    def script_name(self) -> str:
        """The file name of the script."""
        return name_script_file(self._recipe)

    @property
    def arrays_digest(self) -> str:
        """The digest of the arrays file."""
        return complete_card(self.site.agents[self.name]).arrays_digest


@bp.get(AGENT)
def show_agent(name: str) -> Response:
    """Show an agent."""
    against = learning.parse_against(
        request.args, get_current_site().get_agent(name).card
    )
    return render_page(AgentPage(get_current_site(), name, against))


@bp.get(AGENT_FILE)
def download_agent_file(name: str, ending: str) -> Response:
    """Return a file of an agent: its arrays (npz), its card (JSON), or its table of values (CSV)."""
    agent = get_current_site().get_agent(name)
    game = get_current_site().game
    if ending == "csv":
        return build_csv_response(
            VALUE_TABLE_COLUMNS,
            list_value_rows(get_current_site(), agent),
            agent.card.id,
        )
    content = read_arrays_file(game, agent)
    mimetype = "application/octet-stream"
    if ending == "json":
        content = format_card(complete_card(agent)).encode()
        mimetype = "application/json"
    return build_file_response(content, mimetype, f"{agent.card.id}.{ending}")


@bp.get(RECIPE_SCRIPT)
def download_script(name: str) -> Response:
    """Return the training of an agent as a Python script."""
    card = get_current_site().get_agent(name).card
    if parse_recipe(card.recipe).is_network:
        raise NotFound(f"The training of {card.title} cannot be written as one file.")
    code = get_current_site().lab.get_script(card.recipe)
    return build_file_response(
        code, "text/x-python", name_script_file(parse_recipe(card.recipe))
    )
