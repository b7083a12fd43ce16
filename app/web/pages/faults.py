"""Common faults of a learner's code: an agent for each fault, and puzzles about the faulty line."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
import numpy as np
from flask import Blueprint, Response, redirect, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import name_recipe
from app.recipes.faults import FAULTY_RECIPES, find_correct_recipe
from app.tictactoe.agents import Agent
from app.tictactoe.notation import DIGITS, find_record, parse_position
from app.tictactoe.policy import policy_from_values
from app.web import urls
from app.web.comparison import Comparison, SourceSnapshot
from app.web.formatting import (
    format_count,
    format_percent,
    format_signed,
    list_choices,
)
from app.web.match import Match, replay_match
from app.web.move_values import evaluate_moves
from app.web.pictures import minds
from app.web.pictures.boards import BoardPicture, lay_out_board
from app.web.rendering import Page, render_page
from app.web.site_data import SiteData, cached_per_site, current_site

bp = Blueprint("faults", __name__)
ORDER = tuple(FAULTY_RECIPES)
# the lines of a puzzle: how far each is from the right one in ORDER
CHOICES = (0, 3, 7)


class FirstUpdate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first update of a training that differs from the training without the fault.

    Without values it is a move: the fault shows in the choice of moves.
    """

    game: int  # number of the game, from 1
    update: int  # number of the update in the training, from 1
    board: str
    cell: int
    old: float | None = None  # the value before it
    found: float | None = None  # after it, with the fault; None if there is no update
    right: float | None = None  # after it, without the fault


class FaultText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of a fault."""

    title: str
    wrong: str  # a line of code
    right: str
    meaning: str
    notice: str
    book: str  # a section of Sutton & Barto (2018)
    first: FirstUpdate


TEXTS = msgspec.toml.decode(
    Path(__file__).with_suffix(".toml").read_bytes(), type=dict[str, FaultText]
)


class Line(NamedTuple):
    """A figure of the agent with the fault and of the agent without."""

    title: str
    faulty: str
    right: str


class FaultSide(NamedTuple):
    """One of two agents side by side."""

    title: str
    name: str  # its recipe
    mind: Markup
    board: BoardPicture
    game: str  # URL of a game against it


class Card(NamedTuple):
    """A fault in the list of faults."""

    text: FaultText
    url: str
    blunders: str
    right_blunders: str  # number of blunders of the agent without the fault
    board: BoardPicture  # the agent's values on a board where it blunders


class FaultsPage(Page, frozen=True):
    """The list of faults."""

    template: ClassVar = "faults/faults.html"

    site: SiteData

    @property
    def cards(self) -> list[Card]:
        """The common faults, each with the number of blunders of an agent whose learner has it."""
        return [build_card(self.site, fault) for fault in ORDER]


class FaultPage(Page, frozen=True):
    """The page of a fault."""

    template: ClassVar = "faults/fault.html"

    site: SiteData
    fault: str

    @property
    def text(self) -> FaultText:
        """The texts of the fault."""
        return TEXTS[self.fault]

    @property
    def number(self) -> int:
        """The number of its puzzle."""
        return ORDER.index(self.fault) + 1

    @property
    def first_board(self) -> BoardPicture:
        """The board after the move of the first update that differs, with the move marked."""
        game = self.site.game
        first = self.text.first
        record = find_record(game, parse_position(game, first.board))
        state = replay_match(Match(record + DIGITS[first.cell]), self.site)
        return lay_out_board(
            state, None, None, "board-first", "Move of the first update"
        )

    @property
    def first_values(self) -> list[tuple[str, str]]:
        """The value of this move before and after the update; [] if no value differs."""
        first = self.text.first
        if first.old is None or first.right is None:
            return []
        found = "no update" if first.found is None else format_signed(first.found, 3)
        return [
            ("Before the update", format_signed(first.old, 3)),
            ("After it, with the fault", found),
            ("After it, without the fault", format_signed(first.right, 3)),
        ]

    @cached_property
    def _record(self) -> str:
        """The moves to a board on which only the agent with the fault blunders."""
        return find_first_blunder(self.site, self.fault)

    @cached_property
    def sides(self) -> list[FaultSide]:
        """The agent with the fault and the agent without."""
        return [
            build_side(self.site, agent, title, self._record)
            for agent, title in zip(
                find_agents(self.site, self.fault),
                ("With the fault", "Without it"),
                strict=True,
            )
        ]

    @property
    def lines(self) -> list[Line]:
        """The exact figures of both agents."""
        return list_lines(*find_agents(self.site, self.fault))

    @property
    def comparison(self) -> str:
        """The URL of a comparison of both agents on the board where the fault shows."""
        views = tuple(SourceSnapshot(side.name, None) for side in self.sides)
        return urls.compare(Comparison(self._record, views))

    @property
    def contrast(self) -> str:
        """The URL of the lab with the fault as the contrast."""
        faulty, right = self.sides
        return urls.lab(faulty.name, right.name)

    @property
    def others(self) -> Mapping[str, FaultText]:
        """All faults by their URLs."""
        return {urls.FAULT.url(fault): TEXTS[fault] for fault in ORDER}


class FaultPuzzlePage(Page, frozen=True):
    """A puzzle: which of three lines of code made this agent?"""

    template: ClassVar = "faults/puzzle.html"

    site: SiteData
    number: int
    answer: str  # the fault that was chosen, "" for none yet

    @property
    def fault(self) -> str:
        """The fault that the shown agent really has: the right answer."""
        return ORDER[self.number - 1]

    @property
    def text(self) -> FaultText:
        """The texts of the fault."""
        return TEXTS[self.fault]

    @cached_property
    def side(self) -> FaultSide:
        """The agent with the fault."""
        agent, _ = find_agents(self.site, self.fault)
        return build_side(
            self.site, agent, "", find_first_blunder(self.site, self.fault)
        )

    @property
    def choices(self) -> list[tuple[str, FaultText, str]]:
        """Three faults, each with the URL of this answer."""
        return [
            (fault, TEXTS[fault], urls.FAULT_PUZZLE.url(self.number, answer=fault))
            for fault in list_choices_of(self.number)
        ]

    @property
    def explanation(self) -> str:
        """The URL of the page of the fault."""
        return urls.FAULT.url(self.fault)

    @property
    def next_puzzle(self) -> str:
        """The URL of the next puzzle; the first puzzle follows the last."""
        return urls.FAULT_PUZZLE.url(self.number % len(ORDER) + 1)

    @property
    def games(self) -> str:
        """The number of games of its training."""
        return format_count(self.site.lab.faults[self.side.name].card.games)

    @property
    def count(self) -> int:
        """The number of puzzles."""
        return len(ORDER)


def list_choices_of(number: int) -> list[str]:
    """Return the faults whose lines a puzzle shows, sorted by title."""
    faults = [ORDER[(number - 1 + step) % len(ORDER)] for step in CHOICES]
    return sorted(faults, key=lambda fault: TEXTS[fault].wrong)


def find_agents(site: SiteData, fault: str) -> tuple[Agent, Agent]:
    """Return the agent with a fault and the agent without.

    Raises NotFound if there is no such fault, or if the site has no agents of faults.
    """
    if fault not in FAULTY_RECIPES:
        raise NotFound(f"There is no fault {fault!r}. {list_choices(ORDER)}")
    if not site.lab.faults:
        raise NotFound("The agents of the faults are missing here.")
    faulty, right = map(
        name_recipe, (FAULTY_RECIPES[fault], find_correct_recipe(fault))
    )
    return site.lab.faults[faulty], site.lab.faults[right]


@cached_per_site(16)
def find_first_blunder(site: SiteData, fault: str) -> str:
    """Return the record of the first position in which only the faulty agent blunders.

    Positions that its training updated are preferred.
    """
    faulty, right = find_agents(site, fault)
    may_blunder = [
        (
            (policy_from_values(agent.q, agent.card.play_rule) > 0)
            & ~site.is_move_correct
            & site.game.legal
        ).any(axis=1)
        for agent in (faulty, right)
    ]
    alone = may_blunder[0] & ~may_blunder[1]
    known = site.game.spread_pairs(faulty.history.find_updated_pairs(-1), False).any(
        axis=1
    )
    chosen = alone & known if (alone & known).any() else alone
    return find_record(site.game, int(np.flatnonzero(chosen)[0]))


def build_card(site: SiteData, fault: str) -> Card:
    """Return the card of a fault."""
    text = TEXTS[fault]
    faulty, right = find_agents(site, fault)
    faulty_count, right_count = (
        format_count(agent.card.figures.blunders[-1]) for agent in (faulty, right)
    )
    record = find_first_blunder(site, fault)
    board = draw_values(site, faulty, record, fault, f"A board of: {text.title}")
    return Card(text, urls.FAULT.url(fault), faulty_count, right_count, board)


def draw_values(
    site: SiteData, agent: Agent, record: str, board_id: str, label: str
) -> BoardPicture:
    """Return the board after the moves of a record, with the agent's values on the squares.

    `board_id` is the id of the HTML element, `label` its name for screen readers.
    """
    state = replay_match(Match(record), site)
    move_values = evaluate_moves(site, state.position, agent.card.recipe)
    return lay_out_board(state, move_values, None, f"board-{board_id}", label)


def build_side(site: SiteData, agent: Agent, title: str, record: str) -> FaultSide:
    """Return an agent with the picture of its positions and its values on a board."""
    name = agent.card.recipe
    kind = "with" if title != "Without it" else "without"
    mind = minds.draw_mind(site, name, site.get_last_snapshot(name))
    return FaultSide(
        title=title,
        name=name,
        mind=mind.draw_svg(f"mind-{kind}"),
        board=draw_values(site, agent, record, kind, f"Board: {title}"),
        game=urls.play(Match(x="human", o=name, value_source=name)),
    )


def list_lines(faulty: Agent, right: Agent) -> list[Line]:
    """Return the exact figures of two agents."""
    figures = faulty.card.figures, right.card.figures
    losses = [
        Line(
            f"Games lost as {seat.upper()} against random moves",
            *(
                f"{format_percent(getattr(one.baseline_chances['random'], seat)[-1][2])}%"
                for one in figures
            ),
        )
        for seat in ("x", "o")
    ]
    blunders = (format_count(one.blunders[-1]) for one in figures)
    return [Line("Blunders, of 4,520 positions", *blunders), *losses]


@bp.get(urls.FAULTS)
def show_faults() -> Response:
    """Show the list of common faults in the code of learners."""
    site = current_site()
    find_agents(site, ORDER[0])
    return render_page(FaultsPage(site))


@bp.get(urls.FAULT)
def show_fault(fault: str) -> Response:
    """Show the page of a common fault in the code of learners."""
    site = current_site()
    find_agents(site, fault)
    return render_page(FaultPage(site, fault))


@bp.get(urls.FAULT_PUZZLES)
def show_first_puzzle() -> AnyResponse:
    """Redirect to the first puzzle."""
    return redirect(urls.FAULT_PUZZLE.url(1))


@bp.get(urls.FAULT_PUZZLE)
def show_puzzle(number: int) -> Response:
    """Show a puzzle, with the result if the URL has an answer."""
    site = current_site()
    answer = request.args.get("answer", "")
    if not 1 <= number <= len(ORDER):
        raise NotFound(f"There are puzzles 1 to {len(ORDER)}, not {number}.")
    if answer and answer not in list_choices_of(number):
        raise BadRequest(f"answer is one of {', '.join(list_choices_of(number))}.")
    find_agents(site, ORDER[number - 1])
    return render_page(FaultPuzzlePage(site, number, answer))
