"""The table of all agents, by the order that its address asks for, and the page of each: what is
exactly true of it, how it was made, and its files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from app.experiments import Summary
from app.recipes import Parameter, parameters, parse
from app.sources import Source, named
from app.tictactoe.agents import Agent, arrays_file, whole_card
from app.tictactoe.card import Card, card_text
from app.tictactoe.game import SEATS
from app.tictactoe.notation import MARKS, position_text
from app.tictactoe.policy import BASELINES
from app.tictactoe.report import Chances
from app.web import addresses
from app.web.addresses import Offer
from app.web.algorithms import ALGORITHMS, opponent_name, phases
from app.web.comparison import Comparison, View, parting
from app.web.match import Match, read_word
from app.web.numbers import count
from app.web.pages.parts import judgement, learning
from app.web.pages.parts.export import Take, file, numbers_file, take_curve
from app.web.pictures.curves import Charts, Share, shares
from app.web.pictures.minds import MindPicture, picture
from app.web.respond import Page, respond
from app.web.text import STRENGTHS, Character, character, facts, task_words
from app.web.world import BEST_RESPONDER, TASK, PolicyJudgement, World, world

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


class Column(NamedTuple):
    """One figure; those of one group share a column of the table, one below the other."""

    key: str
    group: str
    head: str
    order: str  # what a first click on its head sorts to: the best or the most on top
    value: Callable[[Player], Any]  # "" for those who never learned, where it is of a training
    kind: str = "number"  # or "title", "text", "outcome"
    mark: str = ""  # the seat that it is about, if it is about one


class Order(NamedTuple):
    """By which column the table is sorted, and which way."""

    sort: str = "blunders"
    order: str = ASCENDING

    @property
    def address(self) -> str:
        """Where the table has this order."""
        return addresses.AGENTS if self == Order() else addresses.AGENTS.to(**self._asdict())

    @property
    def aria(self) -> str:
        """The way, as browsers know it."""
        return ARIA[self.order]

    def by(self, column: Column) -> "Order":
        """Return the order by another column, or by the same the other way round."""
        return Order(column.key, OTHER[self.order] if column.key == self.sort else column.order)


def players(world: World, names: Iterable[str]) -> list[Player]:
    """List players; the link of a baseline is a game against it."""
    return [
        Player(
            world.titles[name],
            addresses.agent(name) if name in world.agents else addresses.play_against(name),
            character(world, name),
            world.judgement(name),
            world.agents[name].card if name in world.agents else None,
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
    key: str, group: str, value: Callable[[PolicyJudgement, str], Any], kind: str = "number"
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


def _against(opponent: str, group: str) -> list[Column]:
    """Make the columns of the chances, sorted by games won, then by games drawn."""
    return _by_seat(opponent, group, lambda judged, seat: judged.chances[opponent, seat], "outcome")


COLUMNS = [
    Column("title", "Agent", "Agent", ASCENDING, _title, "title"),
    Column("blunders", "Blunders", "Blunders", ASCENDING, lambda player: player.judgement.blunders),
    *_by_seat("unbeatable", "Unbeatable", lambda judged, seat: judged.unbeatable[seat]),
    *_against("random", "Against Random"),
    *_against("t-hand", "Against T-hand"),
    *_against(BEST_RESPONDER, "Its best responder"),
    Column(
        "kind",
        "Method",
        "Algorithm",
        ASCENDING,
        _learned(lambda card: ALGORITHMS[card.algorithm].title),
        "text",
    ),
    Column("origin", "Method", "Origin", ASCENDING, _learned(lambda card: card.origin), "text"),
    Column("updates", "Training", "Updates", DESCENDING, _learned(lambda card: card.updates)),
    Column("games", "Training", "Games", DESCENDING, _learned(lambda card: card.games)),
]
GROUPS = {title: [*of] for title, of in groupby(COLUMNS, lambda column: column.group)}


class AgentsPage(Page, frozen=True):
    """All agents with their exact figures."""

    template: ClassVar = "agents/agents.html"
    fragment: ClassVar = ("ranking",)

    order: Order
    groups: Mapping[str, list[Column]]  # by title
    shares: Callable[[Chances], list[Share]]  # a cell of chances
    rows: list[Player]
    baselines: list[Player]
    decisions: int  # how many positions could have a blunder
    strengths: Mapping[str, str]  # what each word for a strength means


@bp.get(addresses.AGENTS, strict_slashes=False)
def table() -> Response:
    """Show all agents."""
    order = parse_order(request.args)
    page = AgentsPage(
        order=order,
        groups=GROUPS,
        shares=partial(shares, decimals=DECIMALS),
        rows=ranked(players(world(), world().agents), order),
        baselines=ranked(players(world(), BASELINES), order),
        decisions=world().game.decisions,
        strengths=STRENGTHS,
    )
    return respond(page)


def beside(world: World, name: str) -> str:
    """Return where an agent is compared with optimal play: where the two part, if they do."""
    views = (View(name),)
    return addresses.compare(Comparison(parting(views, world) or "", views))


def training_task(world: World, name: str) -> Offer | None:
    """Describe an agent's training task, and lead to its exact values on the squares."""
    task = world.task(name)
    if not task:
        return None
    policies = "ε-soft policy, one that explores so often" if task.epsilon else "policy"
    words = (
        f"Its training task is {task_words(world, task)}. The exact values of that task are Q*, "
        f"those of the best {policies}."
    )
    return Offer(words, addresses.play(Match(o=name, lens=name + TASK)))


NUMBERS = ("position", "to_move", "cell", "q", "visits", "true_value")


def pairs(world: World, agent: Agent) -> Iterator[tuple[object, ...]]:
    """Write one row a legal move: the mover's value, learned and true, and how often updated."""
    game = world.game
    positions = [position_text(game, position) for position in range(game.decisions)]
    movers = [MARKS[mover] for mover in game.to_move.tolist()]
    columns = (
        game.pair_cell.tolist(),
        agent.q[game.legal].astype(str).tolist(),  # as short as can be
        agent.visits[game.legal].tolist(),
        world.truth[game.legal].astype(int).tolist(),
    )
    for position, *numbers in zip(game.pair_from.tolist(), *columns, strict=True):
        yield positions[position], movers[position], *numbers


SHOWN = 9  # blunders on the agent's own page: three rows of a phone


class AgentPage(Page, frozen=True):
    """One agent."""

    template: ClassVar = "agents/agent.html"
    fragment: ClassVar = ("learning",)

    world: World
    name: str
    card: Card
    character: Character
    mind: MindPicture  # what it expects of every position
    algorithm: str  # its title; /how has a section of the card's slug
    training: str  # what it was, and how long
    summary: str  # its exact figures in a sentence
    ways: list[Offer]  # to meet it
    results: dict[str, list[list[Share]]]
    task: Offer | None  # its training task and the exact values of it, if it has one
    opponents: Mapping[str, str]  # by id the titles of those against whom the curves can be
    against: str  # against whom they are
    curves: Charts
    take: Take  # how these leave the site
    winning: Charts | None  # of those whose training counted the games won
    take_winning: Take
    blunders: judgement.Blunders
    verdicts: Mapping[str, judgement.LostGame | judgement.Proof]  # by seat
    settings: Sequence[Parameter]
    code: str  # where its training is one file; "" if it is none
    met: str  # the opponents of its training
    digest: str  # of its file
    claims: list[Summary]  # that were checked and are about it
    source: Source | None  # whose idea it was; None where its card names no source


@bp.get(addresses.AGENT)
def agent(name: str) -> Response:
    """Show an agent."""
    there, card = world(), world().learned(name).card
    against = learning.parse_against(request.args, card)
    usual, *_ = opponents = learning.opponents(card)
    recipe = there.recipe(name)
    page = AgentPage(
        world=there,
        name=name,
        card=card,
        character=character(there, name),
        mind=picture(there, name, there.last_step(name)),
        algorithm=ALGORITHMS[card.algorithm].title,
        training=f"{', then '.join(phases(there, recipe))}; {count(card.updates)} updates",
        summary=facts(there, name),
        ways=[
            *judgement.encounters(name),
            Offer("Replay its training", addresses.play(Match(o=name, lens=name, step=0))),
            Offer("Compare with optimal play", beside(there, name)),
            Offer("Change something", addresses.lab(name), id="to-lab"),
        ],
        results=judgement.results(there, name),
        task=training_task(there, name),
        opponents={opponent: learning.opponent_title(there, opponent) for opponent in opponents},
        against=against,
        curves=learning.learning(there, card, against),
        take=take_curve(there, [name], against="" if against == usual else against),
        winning=learning.winning(card.win_rate) if card.win_rate else None,
        take_winning=take_curve(there, [name], learning.WON),
        blunders=judgement.blunders(there, name, slice(SHOWN)),
        verdicts=judgement.verdicts(there, name),
        settings=parameters(recipe),
        code=addresses.CODE.to(name) if there.lab.source and not recipe.is_network else "",
        met="; ".join(dict.fromkeys(opponent_name(there, of) for of, _ in recipe.phases)),
        digest=whole_card(there.game, there.agents[name]).arrays,
        claims=[one for one in there.experiments.values() if name in one.agents],
        source=named(card.origin),
    )
    return respond(page)


@bp.get(addresses.AGENT_FILE)
def download(name: str, ending: str) -> Response:
    """Hand out an agent as a file: its arrays as they were loaded, its card, or its table."""
    agent, game = world().learned(name), world().game
    if ending == "csv":
        return numbers_file(NUMBERS, pairs(world(), agent), agent.card.id)
    content, mimetype = arrays_file(game, agent), "application/octet-stream"
    if ending == "json":
        content, mimetype = card_text(whole_card(game, agent)).encode(), "application/json"
    return file(content, mimetype, f"{agent.card.id}.{ending}")


@bp.get(addresses.CODE)
def code(name: str) -> Response:
    """Hand out the training of an agent as one file of Python."""
    card = world().learned(name).card
    if parse(card.recipe).is_network:
        raise NotFound(f"The training of {card.title} cannot be written as one file.")
    return file(world().lab.code(card.recipe), "text/x-python", "training.py")
