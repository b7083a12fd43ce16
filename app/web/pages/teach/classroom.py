"""The page for a class: a lesson plan, a worksheet, and a table that compares the class's learners.

Pupils send the links of their learners to one person, who pastes them all. The links are not
stored.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

from flask import request
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    RequestEntityTooLarge,
    ServiceUnavailable,
)
from werkzeug.wrappers import Response

from app.reading import MAX_LINE_LENGTH, ClassLine, read_class_lines
from app.recipes import RecipeError
from app.recipes.taught import Refusal
from app.tictactoe.blunder_boards import BlunderChance, find_blunder_chances
from app.tictactoe.game import GAME, SEATS
from app.tictactoe.values import find_best_response
from app.web.formatting import format_percent
from app.web.links.how import how_url
from app.web.links.judge import judge_url
from app.web.links.puzzle import PUZZLE_TODAY_ROUTE
from app.web.links.teach import CLASSROOM_ROUTE, TEACH_ROUTE, teach_url
from app.web.navigation import PageBlueprint
from app.web.pages.parts.export import build_iframe
from app.web.pages.parts.sent_table import FORM_MIMETYPE, limit_receiving, receive_form
from app.web.pages.teach.goals import (
    list_exact_goals,
    list_first_goals,
    list_last_results,
)
from app.web.pages.teach.learners import (
    find_truncated_link,
    format_learner_title,
    parse_learner,
    replay_course,
)
from app.web.pictures.boards import SmallBoard, plot_small_board
from app.web.rendering import Variables, render_page
from app.web.routes import iframe_url
from app.web.service.reading import read_in_process
from app.web.site_data import MOVES_PREFIX, get_current_site
from app.web.translation import gettext, gettext_noop, mark_english

bp = PageBlueprint("classroom", __name__)
bp.add_menu_page("Teach", "class", gettext_noop("Lesson plan"), CLASSROOM_ROUTE.url)

MAX_LINES = 60
MAX_FORM_BYTES = 1 << 18
MAX_BLUNDER_BOARDS = 5
NO_BLUNDER = BlunderChance(0.0, 0.0)
# A blunder that is less likely than this is not in the table.
MIN_SHOWN_CHANCE = 0.01
MOVES_PATTERN = re.compile(r"(?:^|&)moves=([A-Za-z0-9_-]+)")
CLASS_IFRAMES = (
    (gettext_noop("Teach a program tic-tac-toe"), iframe_url(TEACH_ROUTE.url()), 740),
    (gettext_noop("Puzzle of the day"), iframe_url(PUZZLE_TODAY_ROUTE.url()), 560),
    (
        gettext_noop("A step of the lesson"),
        iframe_url(how_url("learning")),
        700,
    ),
)


class LinkError(ValueError):
    """Raised for a pasted line without a usable link; the message is in the page's language.

    `english` has details that exist only in English, or is "".
    """

    def __init__(self, sentence: str, english_sentence: str = "") -> None:
        super().__init__(sentence)
        self.english = english_sentence


class Pupil(NamedTuple):
    """A pupil's work: a learner that the pupil taught, or a table of moves."""

    name: str
    href: str
    # "" for a table of moves
    learner_title: str
    game_count: int | None
    # seat -> probability that the best responder wins
    loss_chances: dict[str, float]
    # position -> probability of a blunder there
    blunder_chances: dict[int, BlunderChance]
    # how many of the last LAST_GAME_COUNT games it did not lose; None for a table of moves
    unlost_game_count: int | None = None
    # None for a table of moves
    goal_count: int | None = None


def _get_blunder_chance(pupil: Pupil, position: int) -> float:
    return pupil.blunder_chances.get(position, NO_BLUNDER).chance_on_board


def render_class(
    typed_links: str = "",
    pupils: Sequence[Pupil] = (),
    line_faults: Sequence[tuple[str, str]] = (),
    is_busy: bool = False,
) -> Response:
    """Show the lesson plan and the form or, after links were pasted, also the table of pupils.

    `line_faults` has a sentence for each unusable line, and details in English. `is_busy` says that
    the server had no time to read the links.
    """
    host = request.host_url.rstrip("/")
    boards = find_frequent_blunders(pupils)
    return render_page(
        "teach/class.html",
        typed_links=typed_links,
        pupils=pupils,
        line_faults=line_faults,
        is_busy=is_busy,
        rows=[_build_row(pupil, boards) for pupil in pupils],
        blunders=[_build_blunder(pupils, board) for board in boards],
        exercise_board=plot_small_board(find_exercise_position(), {}),
        titled_iframes=[
            (gettext(title), build_iframe(host, url, gettext(title), "100%", height))
            for title, url, height in CLASS_IFRAMES
        ],
    )


def find_frequent_blunders(pupils: Sequence[Pupil]) -> list[int]:
    """Return the positions in which the learners blunder most often, the worst first."""
    chances: dict[int, float] = defaultdict(float)
    for pupil in pupils:
        for board, chance in pupil.blunder_chances.items():
            chances[board] += chance.chance_in_game
    ranked = sorted(chances, key=lambda board: (-chances[board], board))
    return ranked[:MAX_BLUNDER_BOARDS]


def _build_row(pupil: Pupil, boards: Sequence[int]) -> Variables:
    losses = pupil.loss_chances
    chances = [_get_blunder_chance(pupil, board) for board in boards]
    return {
        "pupil": pupil,
        "loss_percents": [
            format_percent(losses[seat], 0) if seat in losses else "–" for seat in SEATS
        ],
        "blunder_percents": [
            format_percent(chance, 0) if chance >= MIN_SHOWN_CHANCE else ""
            for chance in chances
        ],
    }


def _build_blunder(pupils: Sequence[Pupil], board: int) -> Variables:
    every = [_get_blunder_chance(pupil, board) for pupil in pupils]
    frequent = [chance for chance in every if chance >= MIN_SHOWN_CHANCE]
    chances = frequent or every
    return {
        "board": plot_blunder(board),
        "pupil_count": len(frequent),
        "mean_chance": format_percent(sum(chances) / len(chances), 0),
    }


def find_exercise_position() -> int:
    corner = 0
    centre = GAME.cells // 2
    last = GAME.cells - 1
    position = 0
    for cell in (corner, centre, last):
        position = int(GAME.successor[position, cell])
    return position


def plot_blunder(position: int) -> SmallBoard:
    """Return a board with a star on each right move and a cross on each blunder."""
    right = get_current_site().is_move_correct[position]
    signs = {
        cell: "right" if right[cell] else "blunder"
        for cell in range(GAME.cells)
        if GAME.legal[position, cell]
    }
    return plot_small_board(position, signs)


@bp.get(CLASSROOM_ROUTE)
def show_class_page() -> Response:
    return render_class()


@bp.post(CLASSROOM_ROUTE)
def compare_class() -> Response:
    typed = read_typed_links()
    try:
        pupils, faults = read_links(typed)
    except ServiceUnavailable as busy:
        response = render_class(typed, is_busy=True)
        # An error page would lose the pasted text, and so would an automatic reload, which is a
        # GET.
        response.status_code = ServiceUnavailable.code
        response.headers["Retry-After"] = str(busy.retry_after)
    else:
        response = render_class(typed, pupils, faults)
    response.headers["Cache-Control"] = "no-store"
    return response


def read_typed_links() -> str:
    """Return the pasted text.

    Raises RequestEntityTooLarge above MAX_FORM_BYTES, and BadRequest for a form without links.
    """
    if request.mimetype != FORM_MIMETYPE:
        raise BadRequest(gettext("There are no links in this request."))
    try:
        with limit_receiving():
            _, fields = receive_form(MAX_FORM_BYTES)
    except RequestEntityTooLarge:
        sentence = gettext(
            "The links of a class have at most %(size)s KB.",
            size=MAX_FORM_BYTES // 1024,
        )
        raise RequestEntityTooLarge(sentence) from None
    typed = fields.get("links", "")
    if not typed.strip():
        raise BadRequest(gettext("There are no links in this request."))
    return typed


def read_links(typed_links: str) -> tuple[list[Pupil], list[tuple[str, str]]]:
    """Return the pupils, and (sentence, details) for each line that could not be read."""
    pupils = list[Pupil]()
    faults = list[tuple[str, str]]()
    lines, unread_line = read_in_process(read_class_lines, typed_links, MAX_LINES)
    for line in lines:
        try:
            pupils.append(read_line(line))
        except LinkError as error:
            sentence = gettext(
                "Line %(line)s: %(fault)s", line=line.number, fault=error
            )
            faults.append((sentence, error.english))
    if unread_line:
        sentence = gettext(
            "Lines from %(line)s on were not read: a class can have %(most)s lines.",
            line=unread_line,
            most=MAX_LINES,
        )
        faults.append((sentence, ""))
    return pupils, faults


def read_line(line: ClassLine) -> Pupil:
    """Return the pupil in a line, which has a link and perhaps a name before it.

    Raises LinkError if the link is missing or unusable.
    """
    if line.is_too_long:
        raise LinkError(
            gettext("a line has at most %(most)s characters.", most=MAX_LINE_LENGTH)
        )
    if not line.kind:
        raise LinkError(gettext("this line has no link to /teach or /judge."))
    name = line.name or gettext("Line %(line)s", line=line.number)
    if line.kind == "judge?":
        return read_judged_table(name, line.rest)
    return read_learner(name, line.rest)


def read_learner(pupil_name: str, learner_name: str) -> Pupil:
    """Return a pupil from a link to /teach.

    Raises LinkError if the link is incomplete or its games are not possible.
    """
    recipe_name = unquote(re.split(r"[?#]", learner_name)[0])
    if find_truncated_link(recipe_name):
        raise LinkError(gettext("this link was cut off when it was copied."))
    try:
        parse_learner(recipe_name)
    except RecipeError as error:
        sentence = gettext("this learner cannot be taught.")
        raise LinkError(sentence, mark_english(f"{error}.")) from None
    recipe, course = replay_course(recipe_name)
    if isinstance(course, Refusal) and course.is_link_truncated:
        raise LinkError(gettext("this link was cut off when it was copied."))
    if isinstance(course, Refusal):
        sentence = gettext("these games are not possible.")
        raise LinkError(sentence, mark_english(f"{course.reason}."))
    if not course.lessons:
        raise LinkError(gettext("this learner has not played a game yet."))
    last = course.lessons[-1]
    recent = list_last_results(course.lessons)
    seats = SEATS if getattr(recipe, "seat", "both") == "both" else [recipe.seat]  # type: ignore[attr-defined]
    return Pupil(
        pupil_name,
        teach_url(course.recipe),
        format_learner_title(recipe),
        sum(bool(lesson.record) for lesson in course.lessons),
        {seat: last.loss_chances[seat] for seat in seats},
        course.blunder_chances,
        unlost_game_count=len(recent) - recent.count("loss"),
        goal_count=sum(
            bool(since)
            for _, since in (
                *list_first_goals(course.lessons),
                *list_exact_goals(course.lessons, [*seats]),
            )
        ),
    )


def read_judged_table(pupil_name: str, move_code: str) -> Pupil:
    """Return a pupil from a link to /judge; raises LinkError if its moves cannot be read."""
    found = MOVES_PATTERN.search(move_code)
    if not found:
        raise LinkError(gettext("this link to /judge has no moves."))
    site = get_current_site()
    moves = MOVES_PREFIX + found[1]
    try:
        site.canonicalize(moves)
    except HTTPException as error:
        sentence = gettext("the moves of this link cannot be read.")
        raise LinkError(sentence, error.description or error.name) from None
    policy = site.policies[moves]
    beaten = {
        seat: float(
            find_best_response(GAME, policy, -side).outcome_chances[
                0, 2 if side > 0 else 0
            ]
        )
        for seat, side in SEATS.items()
    }
    return Pupil(
        pupil_name,
        judge_url(moves),
        "",
        None,
        beaten,
        find_blunder_chances(GAME, policy),
    )
