"""A page for a class: a plan for one lesson, a worksheet, and a table of the class's results.

The links that a class pastes are read in memory and not stored.
"""

import re
from functools import cached_property
from typing import ClassVar, NamedTuple
from urllib.parse import unquote

from flask import Blueprint, request
from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge
from werkzeug.wrappers import Response

from app.recipes import RecipeError
from app.recipes.taught import Refusal
from app.tictactoe.blunder_boards import BlunderChance, find_blunder_chances
from app.tictactoe.game import SEATS, Game
from app.tictactoe.values import find_best_response
from app.web import urls
from app.web.formatting import format_percent
from app.web.pages.parts.export import build_iframe
from app.web.pages.parts.sent_table import FORM, LARGEST, receive_form
from app.web.pages.teach.learners import (
    find_cut,
    format_learner_title,
    parse_learner,
    replay_course,
)
from app.web.pictures.boards import SmallBoard, draw_small_board
from app.web.rendering import Page, render_page
from app.web.site_data import MOVES, current_site
from app.web.translation import gettext, gettext_noop

bp = Blueprint("classroom", __name__)

MAX_LINKS = 60  # links of a class, at most
BOARDS = 5  # boards that are compared
NO_BLUNDER = BlunderChance(0.0, 0.0)
FREQUENT = 0.01  # chance of a blunder from which a learner counts as making it
LINK = re.compile(r"(?:https?://)?\S*?/(teach/|judge\?)(\S*)")
CODE = re.compile(r"(?:^|&)moves=([A-Za-z0-9_-]+)")
# title, URL, height
FRAMES = (
    (gettext_noop("Teach a program tic-tac-toe"), urls.frame_url(urls.TEACH), 740),
    (gettext_noop("Puzzle of the day"), urls.frame_url(urls.PUZZLE_TODAY), 560),
    (gettext_noop("A step of the lesson"), urls.frame_url(urls.how("learning")), 700),
)


class LinkError(ValueError):
    """The error of a pasted line without a learner.

    The message is a translated sentence with the reason. The attribute `english` is a
    second sentence that is not translated, or "".
    """

    def __init__(self, sentence: str, english: str = "") -> None:
        super().__init__(sentence)
        self.english = english


class Fault(NamedTuple):
    """The reason why a pasted line is left out of the table."""

    sentence: str
    english: str = ""  # a second sentence, from a parser whose texts are not translated


class Pupil(NamedTuple):
    """A learner that a member of the class taught, or a table that a member sent."""

    name: str
    href: str
    learner: str  # title of the learner, "" for a judged table
    games: int | None
    beaten: dict[str, float]  # seat -> chance that the best responder wins
    blunders: dict[int, BlunderChance]  # see `find_blunder_chances`


class PupilRow(NamedTuple):
    """A row of the table of a class."""

    name: str
    href: str
    learner: str
    games: int | None
    # chance that the best responder beats it as X and as O, in percent
    beaten: list[str]
    errors: list[
        str
    ]  # percent of errors on each compared board; "" if the board was never reached


class Blunder(NamedTuple):
    """A board on which many of a class blunder."""

    board: SmallBoard  # the right moves have a star, the others a cross
    number: int  # number of the board in the table, from 1
    pupils: int  # number of learners that blunder there
    share: str  # percent: mean probability of a blunder there, over all learners of the class


class ClassPage(Page, frozen=True):
    """The plan, the worksheet, and the table of the pasted links."""

    template: ClassVar = "teach/class.html"

    game: Game
    typed: str = ""
    pupils: tuple[Pupil, ...] = ()
    faults: tuple[Fault, ...] = ()  # one for each line without a learner

    @cached_property
    def _boards(self) -> list[int]:
        """The boards with the most blunders of the class in its games, the worst first."""
        total: dict[int, float] = {}
        for pupil in self.pupils:
            for board, chance in pupil.blunders.items():
                total[board] = total.get(board, 0.0) + chance.in_game
        return sorted(total, key=lambda board: (-total[board], board))[:BOARDS]

    @property
    def rows(self) -> list[PupilRow]:
        """The table, in the order of the lines."""
        return [
            PupilRow(
                pupil.name,
                pupil.href,
                pupil.learner,
                pupil.games,
                [
                    format_percent(pupil.beaten[seat], 0)
                    if seat in pupil.beaten
                    else "–"
                    for seat in SEATS
                ],
                [
                    format_percent(chance, 0) if chance >= FREQUENT else ""
                    for chance in (
                        pupil.blunders.get(board, NO_BLUNDER).on_board
                        for board in self._boards
                    )
                ],
            )
            for pupil in self.pupils
        ]

    @property
    def blunders(self) -> list[Blunder]:
        """The boards on which the class blunders most."""
        return [
            Blunder(
                draw_blunder(self.game, board),
                number,
                sum(
                    pupil.blunders.get(board, NO_BLUNDER).on_board >= FREQUENT
                    for pupil in self.pupils
                ),
                format_percent(
                    sum(
                        pupil.blunders.get(board, NO_BLUNDER).on_board
                        for pupil in self.pupils
                    )
                    / len(self.pupils),
                    0,
                ),
            )
            for number, board in enumerate(self._boards, 1)
        ]

    @property
    def exercise_board(self) -> SmallBoard:
        """The board of the worksheet: X in two opposite corners, O in the centre."""
        return draw_small_board(self.game, find_exercise(self.game), {})

    @property
    def frames(self) -> list[tuple[str, str]]:
        """The title and the HTML of each frame for a page of the school."""
        host = request.host_url.rstrip("/")
        return [
            (gettext(title), build_iframe(host, url, gettext(title), "100%", height))
            for title, url, height in FRAMES
        ]


def find_exercise(game: Game) -> int:
    """Return the position of the worksheet's exercise."""
    corner = 0
    centre = game.cells // 2
    last = game.cells - 1
    position = 0
    for cell in (corner, centre, last):
        position = int(game.successor[position, cell])
    return position


def draw_blunder(game: Game, board: int) -> SmallBoard:
    """Draw a board with a star on the right moves and a cross on the others."""
    right = current_site().right[board]
    signs = {
        cell: "right" if right[cell] else "blunder"
        for cell in range(game.cells)
        if game.legal[board, cell]
    }
    return draw_small_board(game, board, signs)


@bp.get(urls.CLASSROOM)
def show_class_page() -> Response:
    """Show the plan, the worksheet and the form."""
    return render_page(ClassPage(current_site().game))


@bp.post(urls.CLASSROOM)
def compare_class() -> Response:
    """Show the table of the links in the form; nothing of it is stored."""
    typed = read_form()
    pupils, faults = read_links(typed)
    page = ClassPage(current_site().game, typed, tuple(pupils), tuple(faults))
    response = render_page(page)
    response.headers["Cache-Control"] = "no-store"
    return response


def read_form() -> str:
    """Return the text of the form.

    Raises RequestEntityTooLarge for more than 1 MB and BadRequest for a form without links.
    """
    if request.mimetype != FORM:
        raise BadRequest(gettext("There are no links in this request."))
    _, fields = receive_form()
    typed = fields.get("links", "")
    if len(typed.encode()) > LARGEST:
        raise RequestEntityTooLarge
    if not typed.strip():
        raise BadRequest(gettext("There are no links in this request."))
    return typed


def read_links(typed: str) -> tuple[list[Pupil], list[Fault]]:
    """Return the learners of the lines, and the reason for each line without a learner."""
    pupils = list[Pupil]()
    faults = list[Fault]()
    lines = [(n, line.strip()) for n, line in enumerate(typed.splitlines(), 1)]
    for number, line in [each for each in lines if each[1]]:
        if len(pupils) == MAX_LINKS:
            sentence = gettext(
                "From line %(line)s on: a class has %(most)s links at most.",
                line=number,
                most=MAX_LINKS,
            )
            faults.append(Fault(sentence))
            break
        try:
            pupils.append(read_link(number, line))
        except LinkError as error:
            sentence = gettext("Line %(line)s: %(fault)s", line=number, fault=error)
            faults.append(Fault(sentence, error.english))
    return pupils, faults


def read_link(number: int, line: str) -> Pupil:
    """Return the learner of a line: a link, after a name or alone.

    Raises LinkError if there is none.
    """
    found = LINK.search(line)
    if not found:
        raise LinkError(gettext("there is no link to /teach or /judge."))
    name = line[: found.start()].strip(" :,;\t") or gettext(
        "Line %(line)s", line=number
    )
    kind, rest = found.groups()
    return read_table(name, rest) if kind == "judge?" else read_learner(name, rest)


def read_learner(name: str, rest: str) -> Pupil:
    """Return the learner of a link to /teach; raises LinkError if its games are not possible."""
    recipe_name = unquote(re.split(r"[?#]", rest)[0])
    cut = find_cut(recipe_name)
    if cut:
        raise LinkError(gettext("this link was cut off when it was copied."))
    try:
        parse_learner(recipe_name)
    except RecipeError as error:
        sentence = gettext("this learner cannot be taught.")
        raise LinkError(sentence, f"{error}.") from None
    recipe, course = replay_course(recipe_name)
    if isinstance(course, Refusal) and course.is_cut:
        raise LinkError(gettext("this link was cut off when it was copied."))
    if isinstance(course, Refusal):
        sentence = gettext("these games cannot have been played.")
        raise LinkError(sentence, f"{course.sentence}.")
    if not course.lessons:
        raise LinkError(gettext("this learner has not played a game yet."))
    last = course.lessons[-1]
    seats = SEATS if getattr(recipe, "seat", "both") == "both" else [recipe.seat]  # type: ignore[attr-defined]
    return Pupil(
        name,
        urls.teach(course.recipe),
        format_learner_title(recipe),
        sum(bool(lesson.record) for lesson in course.lessons),
        {seat: last.beaten[seat] for seat in seats},
        course.blunders,
    )


def read_table(name: str, rest: str) -> Pupil:
    """Return the judged table of a link to /judge; raises LinkError if its moves are invalid."""
    found = CODE.search(rest)
    if not found:
        raise LinkError(gettext("this link to /judge has no moves."))
    site = current_site()
    moves = MOVES + found[1]
    try:
        site.canonicalize(moves)
    except HTTPException as error:
        sentence = gettext("the moves of this link cannot be read.")
        raise LinkError(sentence, error.description or error.name) from None
    policy = site.policies[moves]
    beaten = {
        seat: float(
            find_best_response(site.game, policy, -side).chances[
                0, 2 if side > 0 else 0
            ]
        )
        for seat, side in SEATS.items()
    }
    return Pupil(
        name,
        urls.judge(moves),
        "",
        None,
        beaten,
        find_blunder_chances(site.game, policy),
    )
