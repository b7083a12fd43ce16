"""The table of all agents in the order of its URL, and the page of each agent.

The page has the agent's exact figures, its training, and its files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from app.experiments import Summary
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
from app.web import urls
from app.web.algorithms import ALGORITHMS, opponent_name, phases
from app.web.comparison import Comparison, View, next_disagreement
from app.web.facts import BEST_RESPONDER, PolicyJudgement, judge_policy
from app.web.formatting import format_count
from app.web.match import Match, read_word
from app.web.pages.parts import judgement, learning
from app.web.pages.parts.export import Take, file, numbers_file, take_curve
from app.web.pictures.curves import Charts, Share, shares
from app.web.pictures.minds import MindPicture, picture
from app.web.rendering import Page, render_page
from app.web.site_data import TASK, SiteData, current_site
from app.web.urls import Destination
from app.web.wording import (
    STRENGTHS,
    Character,
    characterise,
    describe_agent,
    describe_task,
)

bp = Blueprint("agents", __name__)

ASCENDING, DESCENDING = "asc", "desc"
ARIA = {ASCENDING: "ascending", DESCENDING: "descending"}
OTHER = {ASCENDING: DESCENDING, DESCENDING: ASCENDING}
DECIMALS = 1  # of a chance in percent: the page of an agent has them all


class Player(NamedTuple):
    """One row: an agent, or a player that follows a rule."""

    title: str
    href: str
    character: Character
    judgement: PolicyJudgement
    card: Card | None  # of those who learned


class ColumnGroup(NamedTuple):
    """Figures that share a column of the table, one below the other."""

    id: str  # in the page and in its style sheet
    title: str


class Column(NamedTuple):
    """One figure."""

    key: str
    group: ColumnGroup
    head: str
    order: str  # what a first click on its head sorts to: the best or the most on top
    value: Callable[
        [Player], Any
    ]  # "" for those who never learned, where it is of a training
    kind: str = "number"  # or "title", "text", "outcome"
    mark: str = ""  # the seat that it is about, if it is about one


class Order(NamedTuple):
    """By which column the table is sorted, and which way."""

    sort: str = "blunders"
    order: str = ASCENDING

    @property
    def address(self) -> str:
        """Where the table has this order."""
        return urls.AGENTS if self == Order() else urls.AGENTS.url(**self._asdict())

    @property
    def aria(self) -> str:
        """The way, as browsers know it."""
        return ARIA[self.order]

    def by(self, column: Column) -> "Order":
        """Return the order by another column, or by the same the other way round."""
        return Order(
            column.key, OTHER[self.order] if column.key == self.sort else column.order
        )


def players(site: SiteData, names: Iterable[str]) -> list[Player]:
    """List players; the link of a baseline is a game against it."""
    return [
        Player(
            site.titles[name],
            urls.agent(name) if name in site.agents else urls.play_against(name),
            characterise(site, name),
            judge_policy(site, name),
            site.agents[name].card if name in site.agents else None,
        )
        for name in names
    ]


def parse_order(query: Mapping[str, str]) -> Order:
    """Read the order from the query of an address; an empty value is as good as none.

    Raises BadRequest, naming the columns or the two orders, if there is no such.
    """
    columns = {column.key: column for column in COLUMNS}
    sort = read_word("sort", query, columns, Order().sort)
    return Order(sort, read_word("order", query, OTHER, columns[sort].order))


def ranked(players: Iterable[Player], order: Order) -> list[Player]:
    """Sort the rows; equal ones stay by title, whichever way the others go."""
    by_title = sorted(players, key=_title)
    value = next(column.value for column in COLUMNS if column.key == order.sort)
    return sorted(by_title, key=value, reverse=order.order == DESCENDING)


def _title(player: Player) -> str:
    return player.title.lower()


def _learned(value: Callable[[Card], Any]) -> Callable[[Player], Any]:
    return lambda player: value(player.card) if player.card else ""


def _by_seat(
    key: str,
    group: ColumnGroup,
    value: Callable[[PolicyJudgement, str], Any],
    kind: str = "number",
) -> list[Column]:
    def column(seat: str) -> Column:
        return Column(
            key=f"{key}-{seat}",
            group=group,
            head=f"as {seat.upper()}",
            order=DESCENDING,
            value=lambda player: value(player.judgement, seat),
            kind=kind,
            mark=seat.upper(),
        )

    return [column(seat) for seat in SEATS]


def _against(opponent: str, group: ColumnGroup) -> list[Column]:
    """Make the columns of the chances, sorted by games won, then by games drawn."""
    return _by_seat(
        opponent, group, lambda judged, seat: judged.chances[opponent, seat], "outcome"
    )


AGENT, BLUNDERS = ColumnGroup("agent", "Agent"), ColumnGroup("blunders", "Blunders")
METHOD, TRAINING = ColumnGroup("method", "Method"), ColumnGroup("training", "Training")
COLUMNS = [
    Column("title", AGENT, "Agent", ASCENDING, _title, "title"),
    Column(
        "blunders",
        BLUNDERS,
        "Blunders",
        ASCENDING,
        lambda player: player.judgement.blunders,
    ),
    *_by_seat(
        "unbeatable",
        ColumnGroup("unbeatable", "Unbeatable"),
        lambda judged, seat: judged.unbeatable[seat],
    ),
    *_against("random", ColumnGroup("random", "Against Random")),
    *_against("t-hand", ColumnGroup("t-hand", "Against T-hand")),
    *_against(BEST_RESPONDER, ColumnGroup("responder", "Its best responder")),
    Column(
        "kind",
        METHOD,
        "Algorithm",
        ASCENDING,
        _learned(lambda card: ALGORITHMS[card.algorithm].title),
        "text",
    ),
    Column(
        "origin",
        METHOD,
        "Origin",
        ASCENDING,
        _learned(lambda card: card.origin),
        "text",
    ),
    Column(
        "updates", TRAINING, "Updates", DESCENDING, _learned(lambda card: card.updates)
    ),
    Column("games", TRAINING, "Games", DESCENDING, _learned(lambda card: card.games)),
]
GROUPS = {group: [*of] for group, of in groupby(COLUMNS, lambda column: column.group)}


class AgentsPage(Page, frozen=True):
    """All agents with their exact figures."""

    template: ClassVar = "agents/agents.html"
    fragment: ClassVar = ("ranking",)

    site: SiteData
    order: Order

    @property
    def groups(self) -> Mapping[ColumnGroup, list[Column]]:
        """The columns by their group."""
        return GROUPS

    @property
    def rows(self) -> list[Player]:
        """The agents."""
        return ranked(players(self.site, self.site.agents), self.order)

    @property
    def baselines(self) -> list[Player]:
        """The players that follow a rule."""
        return ranked(players(self.site, BASELINES), self.order)

    @property
    def shares(self) -> Callable[[Chances], list[Share]]:
        """A function that lays out a cell of chances."""
        return partial(shares, decimals=DECIMALS)

    @property
    def decisions(self) -> int:
        """How many positions could have a blunder."""
        return self.site.game.decisions

    @property
    def strengths(self) -> Mapping[str, str]:
        """What each word for a strength means."""
        return STRENGTHS


@bp.get(urls.AGENTS, strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    return render_page(AgentsPage(current_site(), parse_order(request.args)))


@bp.get(urls.AGENTS_FILE)
def download_table() -> Response:
    """Return the table of all agents and baselines as a CSV file, with all digits."""
    heads = ["id", "strength"]
    for column in COLUMNS:
        heads += (
            [f"{column.key}-{result}" for result in ("won", "drawn", "lost")]
            if column.kind == "outcome"
            else [column.key]
        )
    return numbers_file(heads, list_table_rows(current_site()), "agents")


def list_table_rows(site: SiteData) -> Iterator[list[object]]:
    """Yield the row of each agent and baseline in the CSV file; chances are from 0 to 1."""
    names = [*site.agents, *BASELINES]
    for name, player in zip(names, players(site, names), strict=True):
        row: list[object] = [name, player.character.strength]
        for column in COLUMNS:
            value = player.title if column.kind == "title" else column.value(player)
            row += [*value] if column.kind == "outcome" else [value]
        yield row


def beside(site: SiteData, name: str) -> str:
    """Return where an agent is compared with optimal play: where the two part, if they do."""
    views = (View(name),)
    return urls.compare(Comparison(next_disagreement(views, site) or "", views))


def training_task(site: SiteData, name: str) -> Destination | None:
    """Describe an agent's training task, and lead to its exact values on the squares."""
    task = site.task(name)
    if not task:
        return None
    policies = "ε-soft policy, one that explores so often" if task.epsilon else "policy"
    words = (
        f"Its training task is {describe_task(site, task)}. The exact values of that task are Q*, "
        f"those of the best {policies}."
    )
    return Destination(words, urls.play(Match(o=name, lens=name + TASK)))


NUMBERS = ("position", "to_move", "cell", "q", "visits", "true_value")


def pairs(site: SiteData, agent: Agent) -> Iterator[tuple[object, ...]]:
    """Write one row a legal move: the mover's value, learned and true, and how often updated."""
    game = site.game
    positions = [format_position(game, position) for position in range(game.decisions)]
    movers = [MARKS[mover] for mover in game.to_move.tolist()]
    columns = (
        game.pair_cell.tolist(),
        agent.q[game.legal].astype(str).tolist(),  # as short as can be
        agent.visits[game.legal].tolist(),
        site.truth[game.legal].astype(int).tolist(),
    )
    for position, *numbers in zip(game.pair_from.tolist(), *columns, strict=True):
        yield positions[position], movers[position], *numbers


SHOWN = 9  # blunders on the agent's own page: three rows of a phone


class AgentPage(Page, frozen=True):
    """One agent."""

    template: ClassVar = "agents/agent.html"
    fragment: ClassVar = ("learning",)

    site: SiteData
    name: str
    against: str  # the opponent of the curves, of `opponents`

    @cached_property
    def card(self) -> Card:
        """Its card."""
        return self.site.agents[self.name].card

    @property
    def _recipe(self) -> Recipe:
        return self.site.recipe(self.name)

    # What it is.

    @property
    def character(self) -> Character:
        """How strong it is, and its line."""
        return characterise(self.site, self.name)

    @property
    def algorithm(self) -> str:
        """The title of its algorithm; /how has a section of that name."""
        return ALGORITHMS[self.card.algorithm].title

    @property
    def source(self) -> Source | None:
        """Whose idea it was; None where its card names no source."""
        return find_source(self.card.origin)

    @property
    def summary(self) -> str:
        """Its exact figures in a sentence."""
        return describe_agent(self.site, self.name)

    @property
    def mind(self) -> MindPicture:
        """What it expects of every position."""
        return picture(self.site, self.name, self.site.last_step(self.name))

    @property
    def ways(self) -> list[Destination]:
        """The ways to meet it."""
        replay = urls.play(Match(o=self.name, lens=self.name, step=0))
        return [
            *judgement.encounters(self.name),
            Destination("Replay its training", replay),
            Destination("Compare with optimal play", beside(self.site, self.name)),
            Destination("Change something", urls.lab(self.name), id="to-lab"),
        ]

    # How good it is.

    @property
    def results(self) -> dict[str, list[list[Share]]]:
        """Its chances against each opponent, in each seat."""
        return judgement.results(self.site, self.name)

    @property
    def blunders(self) -> judgement.Blunders:
        """The most serious of its blunders."""
        return judgement.blunders(self.site, self.name, slice(SHOWN))

    @property
    def verdicts(self) -> Mapping[str, judgement.LostGame | judgement.Proof]:
        """By seat, a game that it loses or the proof that there is none."""
        return judgement.verdicts(self.site, self.name)

    @property
    def claims(self) -> list[Summary]:
        """The claims that were checked and are about it."""
        return [
            one for one in self.site.experiments.values() if self.name in one.agents
        ]

    # How it learned.

    @property
    def training(self) -> str:
        """What its training was, and how long."""
        learned = ", then ".join(phases(self.site, self._recipe))
        return f"{learned}; {format_count(self.card.updates)} updates"

    @property
    def task(self) -> Destination | None:
        """Its training task and where the exact values of it are, if it has one."""
        return training_task(self.site, self.name)

    @property
    def met(self) -> str:
        """The opponents of its training."""
        met = (
            opponent_name(self.site, opponent) for opponent, _ in self._recipe.phases
        )
        return "; ".join(dict.fromkeys(met))

    @property
    def opponents(self) -> Mapping[str, str]:
        """By id the titles of those against whom the curves can be."""
        return {
            opponent: learning.opponent_title(self.site, opponent)
            for opponent in learning.opponents(self.card)
        }

    @property
    def curves(self) -> Charts:
        """Its learning curves."""
        return learning.learning(self.site, self.card, self.against)

    @property
    def take(self) -> Take:
        """How the learning curves are exported."""
        usual = next(iter(learning.opponents(self.card)))
        against = "" if self.against == usual else self.against
        return take_curve(self.site, [self.name], against=against)

    @property
    def winning(self) -> Charts | None:
        """The curve of the games won in training, where they were counted."""
        return learning.winning(self.card.win_rate) if self.card.win_rate else None

    @property
    def take_winning(self) -> Take:
        """How that curve is exported."""
        return take_curve(self.site, [self.name], learning.WON)

    # How it is made again.

    @property
    def settings(self) -> Sequence[Parameter]:
        """The parameters of its recipe."""
        return list_parameters(self._recipe)

    @property
    def code(self) -> str:
        """The address of its training as one file, "" if it cannot be written so."""
        is_code = self.site.lab.source and not self._recipe.is_network
        return urls.CODE.url(self.name) if is_code else ""

    @property
    def code_file(self) -> str:
        """The name of that file."""
        return name_script_file(self._recipe)

    @property
    def digest(self) -> str:
        """The digest of its file."""
        return complete_card(self.site.game, self.site.agents[self.name]).arrays


@bp.get(urls.AGENT)
def agent(name: str) -> Response:
    """Show an agent."""
    against = learning.parse_against(request.args, current_site().learned(name).card)
    return render_page(AgentPage(current_site(), name, against))


@bp.get(urls.AGENT_FILE)
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file: its arrays as they were loaded, its card, or its table."""
    agent, game = current_site().learned(name), current_site().game
    if ending == "csv":
        return numbers_file(NUMBERS, pairs(current_site(), agent), agent.card.id)
    content, mimetype = read_arrays_file(game, agent), "application/octet-stream"
    if ending == "json":
        content, mimetype = (
            format_card(complete_card(game, agent)).encode(),
            "application/json",
        )
    return file(content, mimetype, f"{agent.card.id}.{ending}")


@bp.get(urls.CODE)
def code(name: str) -> Response:
    """Hand out the training of an agent as one file of Python."""
    card = current_site().learned(name).card
    if parse_recipe(card.recipe).is_network:
        raise NotFound(f"The training of {card.title} cannot be written as one file.")
    code = current_site().lab.code(card.recipe)
    return file(code, "text/x-python", name_script_file(parse_recipe(card.recipe)))
