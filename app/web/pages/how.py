"""How it works: a section for each algorithm and each measure, most with a board to play on.

Beside them stand a position in all its writings, and one won game worked through.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from flask import Blueprint, Response, request
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest

from app.recipes import Recipe
from app.sources import sources
from app.tictactoe.card import Card
from app.tictactoe.game import SEATS, Game
from app.tictactoe.notation import MARKS, parse_position, parse_record, position_text, replay
from app.web import addresses
from app.web.algorithms import ALGORITHMS, Section
from app.web.algorithms.algorithm import seen_by
from app.web.algorithms.formula import Formula
from app.web.lens import HEAT_STEPS, opinion_at
from app.web.match import Match, parse, place_of, read_whole
from app.web.numbers import count, percent
from app.web.pages.parts.claims import Claim, of_algorithm
from app.web.pages.parts.network_inputs import Encoding, encoded
from app.web.pictures.boards import Board, SmallBoard, board, small_board
from app.web.respond import Page, respond, wants_fragment
from app.web.text import STOPS, Legend, Stop, headline_of, legend_of
from app.web.world import TRUTH, World, kept, world

bp = Blueprint("how", __name__)

WRITING, WON_GAME = "writing", "won-game"
TITLES = {WRITING: "A position, written down", WON_GAME: "One won game, worked through"}
WRITTEN = "04"  # the record with which the writing begins
IMAGES = (
    "as it is",
    "rotated left",
    "rotated by 180°",
    "rotated right",
    "reflected, left and right",
    "reflected, along the falling diagonal",
    "reflected, top and bottom",
    "reflected, along the rising diagonal",
)  # in the order of `Game.symmetry`; a board that is no square has every second
GAME = "03142"  # X wins with its third move
ALPHA = 0.9  # how far a value goes towards its target
STAGES = 4  # before the first value, and after each of three


class Edit(NamedTuple):
    """A square of the position that can be changed."""

    id: str
    mark: str
    label: str  # what it holds and what a press makes of it
    href: str  # "" where a press would leave a position that no game reaches


class Image(NamedTuple):
    """What a symmetry makes of the position."""

    name: str
    board: SmallBoard
    href: str  # the same page with this position
    chosen: bool  # it stands for all of them


class Writing(NamedTuple):
    """A position in all its writings."""

    turn: str
    ranks: list[list[Edit]]  # row by row
    empty: str  # where the board is empty again
    encodings: list[Encoding]
    images: list[Image]


class Cell(NamedTuple):
    """A square of a board of the worked example."""

    mark: str
    text: str  # the value of the move there, "" where it is not about that move
    heat: int | None
    played: bool


class WorkedMove(NamedTuple):
    """A move of the winner: the board before it, and how its value comes about."""

    title: str
    label: str
    ranks: list[list[Cell]]  # row by row
    sum: str  # "" before its turn


class WonGame(NamedTuple):
    """The worked example at one of its stages."""

    stage: int
    stages: list[str]  # the addresses of all
    said: str
    turns: list[WorkedMove]
    back: str  # "" at the first
    on: str  # "" at the last


def parse_board(query: Mapping[str, str], game: Game) -> int:
    """Read the position that is written down.

    Raises BadRequest with a sentence if it is none.
    """
    if not query.get("board"):
        return replay(game, WRITTEN)[-1]
    try:
        return parse_position(game, query["board"])
    except ValueError as error:
        raise BadRequest(f"board in the address is wrong: {error}.") from None


def writing(game: Game, position: int) -> Writing:
    """Write a position in all ways, with what a press on each square makes of it."""
    over = game.is_over(position)
    text = position_text(game, position)
    mover = "X" if text.count("X") == text.count("O") else "O"
    stands = int(game.symmetry_class[position])
    names = IMAGES[:: len(IMAGES) // len(game.symmetry)]
    return Writing(
        turn=f"{mover} to move" if not over else "The game is over",
        ranks=[
            [_edit(game, text, cell, "" if over else mover) for cell in rank]
            for rank in _ranks(game)
        ],
        empty=addresses.how_writing("." * game.cells) if text.strip(".") else "",
        encodings=encoded(game, position),
        images=[
            Image(
                name=name,
                board=small_board(game, image, {}),
                href=addresses.how_writing(position_text(game, image)),
                chosen=image == stands,
            )
            for name, image in zip(names, game.image[:, position].tolist(), strict=True)
        ],
    )


def won_game(game: Game, stage: int) -> WonGame:
    """Work out the values of the winner's moves, the last first, as far as a stage goes."""
    positions = replay(game, GAME)
    played = parse_record(game, GAME)
    turns, target, said = [], 1.0, "X has won. So far the value of each of its moves is 0."
    for number, ply in enumerate(range(len(played) - 1, -1, -2), 1):
        value = ALPHA * target
        done = number <= stage
        source = "the win, 1" if number == 1 else f"the value just found, {target:.2f}"
        if number == stage:
            said = f"The target is {source}. The value goes nine tenths of the way there from 0."
        turns.append(
            WorkedMove(
                title=f"Move {ply + 1}",
                label=f"Before move {ply + 1}: {position_text(game, positions[ply])}",
                ranks=_worked(game, positions[ply], played[ply], value if done else 0.0),
                sum=f"0 + {ALPHA} × ({target:.2f} − 0) = {value:.2f}" if done else "",
            )
        )
        target = value
    addressed = [addresses.how_stage(number) for number in range(STAGES)]
    return WonGame(
        stage=stage,
        stages=addressed,
        said=said,
        turns=turns[::-1],
        back=addressed[stage - 1] if stage else "",
        on=addressed[stage + 1] if stage + 1 < STAGES else "",
    )


def _edit(game: Game, text: str, cell: int, mover: str) -> Edit:
    """Offer the mover's stone on an empty square, and none on a square that has one."""
    row, column = game.row_column(cell)
    mark = text[cell]
    after = text[:cell] + (mover if mark == "." else ".") + text[cell + 1 :]
    possible = bool(mark != "." or mover) and _reached(game, after)
    press = (f"press for {mover}" if mark == "." else "press to remove it") if possible else ""
    holds = "empty" if mark == "." else mark
    label = ", ".join(filter(None, [f"Row {row + 1}, column {column + 1}", holds, press]))
    return Edit(f"{WRITING}-{cell}", mark, label, addresses.how_writing(after) if possible else "")


def _reached(game: Game, text: str) -> bool:
    try:
        parse_position(game, text)
    except ValueError:
        return False
    return True


def _worked(game: Game, position: int, played: int, value: float) -> list[list[Cell]]:
    """Show a board with the value of the one move that was played."""
    cells = [Cell(MARKS[stone], "", None, False) for stone in game.board[position].tolist()]
    cells[played] = Cell(MARKS[0], f"{value:.2f}", round(value * HEAT_STEPS), True)
    return [[cells[cell] for cell in rank] for rank in _ranks(game)]


def _ranks(game: Game) -> list[list[int]]:
    ranks: list[list[int]] = np.arange(game.cells).reshape(game.rows, game.columns).tolist()
    return ranks


RARELY_BEATEN, OFTEN_BEATEN = "q-learning-2", "q-learning-1"  # by random moves


def _odds(world: World) -> Mapping[str, object]:
    """Say how often a learner of the league draws its best move for each move worth 0."""
    start = EXPLORATION.start
    if start.lens not in world.always:
        return {}
    row = world.agents[start.lens].q[replay(world.game, start.record)[-1]]
    limit = float(getattr(world.recipe(start.lens), "k_limit"))  # noqa: B009 - of this algorithm
    return {"limit": f"{limit:g}", "odds": count(round(limit ** float(np.nanmax(row))))}


def _unnoticed(world: World) -> Mapping[str, object]:
    """Say how likely it is that a rare loss is not seen in so many games."""
    seat = _beaten_seat(world, RARELY_BEATEN)
    if not seat:
        return {}
    loss = getattr(world.agents[RARELY_BEATEN].card.figures.vs["random"], seat)[-1][2]
    unseen = {games: percent((1 - loss) ** games) for games in (100, 1000)}
    return {"mark": seat.upper(), "loss": percent(loss), "unseen": unseen}


def _beaten(world: World) -> Mapping[str, object]:
    """Say how often an agent beats random moves that a best responder beats in every game."""
    name = OFTEN_BEATEN
    seat = _beaten_seat(world, name)
    if not seat:
        return {}
    wins = getattr(world.agents[name].card.figures.vs["random"], seat)[-1][0]
    return {"mark": seat.upper(), "wins": percent(wins)}


def _beaten_seat(world: World, name: str) -> str:
    """Name a seat in which an agent loses every game to its best responder, "" without one."""
    if name not in world.always:
        return ""
    worst = world.agents[name].card.figures.best_response
    return next((seat for seat in SEATS if getattr(worst, seat)[-1][2] == 1), "")


ACTION_VALUES = Section(
    title="Positions, moves, values",
    start=seen_by("q-learning-4", "1043"),
    sources=sources("sutton-barto-2018", "watkins-1989"),
    formulas=(
        Formula(
            "Positions, moves, values",
            (r"Q(s, a) = E[r + \gamma \max\limits_{a'} Q(s', a')]",),
            {
                "Q": "the table of action values",
                "E": "the average over all that can come: the opponent’s answer, above all",
            },
        ),
    ),
)
EXPLORATION = Section(
    title="Exploration",
    start=seen_by("symmetric", "34678"),
    sources=sources("sutton-barto-2018", "hernandez"),
    formulas=(
        Formula(
            "ε-greedy",
            (
                r"P(a) = \frac{\varepsilon}{n} + \begin{cases} \frac{1 - \varepsilon}{m} & "
                r"\text{for a best move} \\ 0 & \text{for the others} \end{cases}",
            ),
            {
                "P": "the probability that a move is played",
                "a": "the move",
                "ε": "the exploration rate: the probability to play at random",
                "n": "how many moves are legal",
                "m": "how many of them have the highest value",
            },
        ),
        Formula(
            "powers of k",
            (r"P(a) = \frac{k^{Q(s, a)}}{\sum_b k^{Q(s, b)}}",),
            {
                "P": "the probability that a move is played",
                "k": "how sharp the choice is",
                "Q": "the table",
                "a": "the move",
                "b": "every legal move in turn, a too",
            },
        ),
    ),
    facts=_odds,
)
BEST_RESPONSE = Section(
    title="The best responder",
    start=seen_by("q-learning-2", "5"),
    sources=sources("lanctot-2017"),
    formulas=(
        Formula(
            "The best responder",
            (
                r"b(s) = \begin{cases} \max\limits_{s'} b(s') & \text{its own move} \\ "
                r"\sum_{s'} \pi(s' \mid s) b(s') & \text{the agent’s} \end{cases}",
            ),
            {
                "b": "what the responder may expect: 1 for its win, −1 for its loss",
                "s′": "a position that a move leads to",
                "π": "the agent’s policy: the probability that it moves there",
            },
        ),
    ),
    facts=_beaten,
)
NASH_CONV = Section(
    title="NashConv, and what a proof needs",
    start=seen_by("self-play", "865243", 15),
    sources=sources("lanctot-2017"),
    formulas=(
        Formula(
            "NashConv, and what a proof needs",
            (r"\text{NashConv} = b_{\mathrm O} + b_{\mathrm X}",),
            {"b": "what the best responder expects to gain, as O against the agent as X, and as X"},
        ),
    ),
)
EXACT = Section(
    title="Why nothing is sampled",
    start=seen_by("q-learning-1", "357"),
    sources=sources("garcia-1990"),
    formulas=(
        Formula(
            "Why nothing is sampled",
            (r"P = {(1 - p)}^n",),
            {
                "P": "the chance to see none",
                "p": "the chance of a loss in one game",
                "n": "how many games are played",
            },
        ),
    ),
    facts=_unnoticed,
)

SECTIONS: dict[str, Section] = {
    "action-values": ACTION_VALUES,
    **{slug: algorithm.section for slug, algorithm in ALGORITHMS.items()},
    "exploration": EXPLORATION,
    "best-response": BEST_RESPONSE,
    "nash-conv": NASH_CONV,
    "exact": EXACT,
}


def boards(world: World) -> list[str]:
    """List the sections whose position can be shown: the agent that it is about is there."""
    return [id for id, section in SECTIONS.items() if _can_be_seen(world, section)]


def _can_be_seen(world: World, section: Section) -> bool:
    lens, step = section.start.lens, section.start.step
    if lens == TRUTH:
        return True
    return lens in world.always and (step is None or step <= world.last_step(lens))


class Example(NamedTuple):
    """A section's board at some position."""

    headline: str
    caption: str  # whose values it shows, "" where the game is over
    board: Board
    back: str  # the address of the position it began with, "" there
    play: str  # the address of the same view on the play page


class Start(NamedTuple):
    """What the text of a section says of its first position, cell by cell."""

    values: list[str]
    tries: list[str]  # how often training updated the value


@dataclass(frozen=True)
class HowPage(Page):
    """All sections; what only some of them need is a function."""

    template: ClassVar = "how/how.html"

    stops: list[Stop]  # of the lesson
    contents: Mapping[str, str]  # the titles of all parts in their order
    writing: Callable[[], Writing]  # a position in all its writings
    won_game: Callable[[], WonGame]  # the worked example
    sections: Mapping[str, Section]
    boards: list[str]  # the sections that have one here
    example: Callable[[str], Example]  # a section's board
    start: Callable[..., Start]  # what a section's lens, or another one, thinks where it begins
    facts: Callable[[str], Mapping[str, object]]  # what only one section asks for
    legend: Callable[[str], Legend]  # of a section's board as it begins
    recipes: Mapping[str, Recipe]  # by agent, as are the cards
    cards: Mapping[str, Card]
    made: Callable[[str], list[Card]]  # by an algorithm
    claims: Callable[[str], Sequence[Claim]]  # that were checked with runs of an algorithm
    losing: Callable[[str, int], str | None]
    counts: Mapping[str, str]  # of the game
    count: Callable[[int], str]
    percent: Callable[[float], str]


@dataclass(frozen=True)
class HowBoard(Page):
    """The one board that has moved, for htmx."""

    template: ClassVar = "how/board.html"

    id: str  # the section that it belongs to
    writing: Callable[[], Writing]
    won_game: Callable[[], WonGame]
    example: Callable[[str], Example]


@bp.get(addresses.HOW)
def how() -> Response:
    """Show the page; to htmx the one board that has moved."""
    moved = requested(request.args, world())
    gather = how_board if moved.at and wants_fragment() else how_page
    return respond(gather(moved, world()))


class Moved(NamedTuple):
    """Where the one board is that is not as it begins."""

    at: str = ""  # the section of that board, "" for none
    match: Match = Match()  # of a section
    position: int | None = None  # of the writing
    stage: int = 0  # of the worked example


def requested(query: Mapping[str, str], world: World) -> Moved:
    """Read whose board has moved, and where it is now.

    Raises BadRequest or Conflict with a sentence on what is wrong.
    """
    at, record = query.get("at", ""), query.get("record", "")
    if not at:
        if record:
            raise BadRequest("record needs at, the section whose board it is, in the same address.")
        return Moved()
    if at == WRITING:
        return Moved(at, position=parse_board(query, world.game))
    if at == WON_GAME:
        stage = read_whole("stage", query.get("stage") or "0", 0, STAGES - 1)
        return Moved(at, stage=stage)
    if at not in boards(world):
        there = ", ".join([*TITLES, *boards(world)])
        raise BadRequest(f"There is no board {at!r}. There are: {there}.")
    start = SECTIONS[at].start
    return Moved(at, start.go(parse(record, {}, world).match.record) if record else start)


def how_board(moved: Moved, world: World) -> HowBoard:
    """Gather what the template of one board writes down."""
    game, at = world.game, moved.at
    position = parse_board({}, game) if moved.position is None else moved.position
    return HowBoard(
        id=at,
        writing=lambda: writing(game, position),
        won_game=lambda: won_game(game, moved.stage),
        example=lambda id: example(world, id, moved.match if id == at else SECTIONS[id].start),
    )


def how_page(moved: Moved, world: World) -> HowPage:
    """Gather what the templates write down."""
    first = next(iter(SECTIONS))
    titles = {id: section.title for id, section in SECTIONS.items()}
    game, shown = world.game, how_board(moved, world)
    return HowPage(
        stops=STOPS,
        contents={first: titles.pop(first)} | TITLES | titles,
        writing=shown.writing,
        won_game=shown.won_game,
        sections=SECTIONS,
        boards=boards(world),
        example=shown.example,
        start=partial(start, world),
        facts=partial(facts, world),
        legend=partial(legend, world),
        recipes={name: world.recipe(name) for name in world.agents},
        cards={name: agent.card for name, agent in world.agents.items()},
        made=partial(made, world),
        claims=partial(of_algorithm, world),
        losing=world.losing,
        counts={
            "positions": count(game.positions),
            "decisions": count(game.decisions),
            "pairs": count(game.pairs),
        },
        count=count,
        percent=percent,
    )


@kept(64)
def facts(world: World, id: str) -> Mapping[str, object]:
    """Return what only one section asks for."""
    return SECTIONS[id].facts(world)


@kept(64)
def example(world: World, id: str, match: Match) -> Example:
    """Lay out a section's board."""
    place = place_of(match, world)
    opinion = None if place.over else opinion_at(place)
    headline = headline_of(place)
    return Example(
        headline=headline,
        caption=legend_of(place, opinion).caption if opinion else "",
        board=board(
            place,
            opinion,
            lambda cell: addresses.how_example(id, match.play(cell).record),
            f"{id}-board",
            f"{SECTIONS[id].title}: {headline}",
        ),
        back=addresses.how_example(id) if match != SECTIONS[id].start else "",
        play=addresses.play(match),
    )


def start(world: World, id: str, lens: str = "") -> Start:
    """Say what an agent thinks where a section's board begins: its own, or another one."""
    match = SECTIONS[id].start
    place = place_of(replace(match, lens=lens) if lens else match, world)
    tries = world.agents[lens or match.lens].visits[place.position].tolist()
    return Start(opinion_at(place).texts, [count(number) for number in tries])


def legend(world: World, id: str) -> Legend:
    """Explain the colours of a section's board as it begins."""
    place = place_of(SECTIONS[id].start, world)
    return legend_of(place, opinion_at(place))


def made(world: World, id: str) -> list[Card]:
    """List the agents that a section's algorithm made."""
    return [agent.card for agent in world.agents.values() if agent.card.algorithm == id]
