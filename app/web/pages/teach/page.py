"""The page /teach: a visitor plays with a learner and sees the values that each game changes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import segno
from flask import Response, redirect, request
from markupsafe import Markup
from werkzeug.exceptions import BadRequest
from werkzeug.http import generate_etag
from werkzeug.wrappers import Response as AnyResponse

from app.recipes import Recipe, RecipeError, name_recipe, parse_recipe
from app.recipes.algorithms import League, Menace
from app.recipes.games import OPPOSITE_RESULTS
from app.recipes.on_demand import MAX_UPDATES
from app.recipes.shipped import IDS_BY_RECIPE, SHIPPED
from app.recipes.taught import (
    Course,
    Lesson,
    Refusal,
    TouchedBoard,
    ValueChange,
    add_practice,
    keep_first_games,
    remove_all_games,
    remove_last_lesson,
)
from app.tictactoe.boxes import Box, find_box
from app.tictactoe.game import SEATS, O, X, get_mover
from app.tictactoe.notation import DIGITS, MARKS, parse_record, replay_record
from app.tictactoe.policy import policy_from_values
from app.tictactoe.views import compute_colour_level, scale_values
from app.web.algorithms import get_opponent_name
from app.web.comparison import Comparison, SourceSnapshot
from app.web.formatting import (
    capitalize_first_letter,
    format_count,
    format_percent,
    format_signed,
    name_square,
    spell_bead_count,
)
from app.web.links.compare import compare_url
from app.web.links.play import play_url
from app.web.links.teach import (
    TEACH,
    TEACH_PREVIEW,
    TEACH_QR,
    TEACH_RECIPE,
    paper_url,
    teach_game_url,
    teach_url,
    unfinished_game_url,
)
from app.web.match import (
    MatchState,
    build_match_against_person,
    build_value_error,
    read_integer,
    replay_match,
)
from app.web.move_values import EMPTY_NOTE, HEAT_STEPS, MoveValues, build_move_values
from app.web.navigation import PageBlueprint
from app.web.pages.parts.export import build_png_response, export_learner
from app.web.pages.teach.goals import (
    list_exact_goals,
    list_last_results,
    list_near_goals,
)
from app.web.pages.teach.last_move import (
    draw_box_move,
    draw_value_move,
)
from app.web.pages.teach.learners import (
    DEFAULT_LEARNER,
    LEARNERS,
    find_truncated_link,
    format_learner_title,
    get_first_cell,
    replay_course,
)
from app.web.pictures.boards import (
    BoardPicture,
    draw_board_preview,
    draw_changed_board,
    lay_out_board,
)
from app.web.pictures.curves import draw_share_chart
from app.web.rendering import (
    allow_revalidation,
    get_url_in_frame,
    redirect_after_form,
    render_page,
)
from app.web.routes import Destination
from app.web.site_data import get_current_site
from app.web.translation import (
    gettext,
    gettext_noop,
    localize_number,
    mark_english,
    ngettext,
)

bp = PageBlueprint("teach", __name__)
bp.add_room("Teach", "teach", gettext_noop("Teach a program"), TEACH.url)
# matches the cells of an unfinished game; "." before the first move
UNFINISHED_PATTERN = re.compile(r"\.[0-9a-z]*|[0-9a-z]+")
PRACTICE_GAMES = 100  # number of games of one practice
FEW_GAMES = 3
SEAT_INKS = ("accent ", "ink dashed ")  # CSS classes of the curves of both seats
PRACTICE_TITLES = {
    "random": gettext_noop("Against random moves"),
    "t-hand": gettext_noop("Against T-hand, a program that wins or blocks when it can"),
    "self": gettext_noop("Against itself"),
    "league": gettext_noop("Against other learners (its league)"),
}
# A league counts its practice in rounds: opponent -> number of games in one round.
GAMES_PER_ROUND = {"random": 2, "league": 10}
TRUNCATED_TEXT = gettext_noop(
    "This link was cut off when it was copied: it has %(whole)s of %(games)s games."
)
# result of a lesson for the learner -> word for the result
RESULT_WORDS = {
    "win": gettext_noop("won"),
    "draw": gettext_noop("drawn"),
    "loss": gettext_noop("lost"),
    "practice": gettext_noop("practice"),
}


# maximum number of characters in a QR code; phones cannot read larger codes
MAX_QR_CHARACTERS = 600
SVG_START = '<svg xmlns="http://www.w3.org/2000/svg"'
BEAD_HEAT = HEAT_STEPS // 2  # colour of a change of beads, a step of the scale
MAX_FLYING_BEADS = 5  # maximum number of beads in the animation of a change


@dataclass(frozen=True)
class TaughtGame:
    """The game on the board: the unfinished game, or the end of the lesson that is shown.

    A lesson is a game with the person, or the practice between two of these games.
    """

    course: Course
    chosen_lesson: int = 0  # the lesson to show, from 1; 0 for the last
    # cells that the visitor has played in the unfinished game
    unfinished_moves: str = ""

    @property
    def shown_lesson(self) -> int:
        """The number of the lesson shown, from 1; 0 before the first."""
        return self.chosen_lesson or len(self.course.lessons)

    @cached_property
    def recipe(self) -> Recipe:
        return parse_recipe(self.course.recipe)

    @property
    def lesson(self) -> Lesson | None:
        """The lesson shown; None before the first."""
        return self.course.lessons[self.shown_lesson - 1] if self.shown_lesson else None

    @property
    def finished_lesson(self) -> Lesson | None:
        """The lesson whose end the board shows; None during an unfinished game."""
        return None if self.course.has_unfinished_game else self.lesson

    @property
    def earlier_lesson(self) -> Lesson | None:
        """The lesson whose end the board shows, if it is not the last lesson; else None."""
        is_earlier = self.shown_lesson < len(self.course.lessons)
        return self.finished_lesson if is_earlier else None

    @property
    def seat(self) -> str:
        """The seat of the learner, "X" or "O"."""
        lesson = self.finished_lesson
        return lesson.seat if lesson and lesson.seat else self.course.seat

    @cached_property
    def state(self) -> MatchState:
        earlier = self.earlier_lesson
        record = earlier.record if earlier else self.course.record
        side = X if self.seat == "X" else O
        return replay_match(
            build_match_against_person(name_recipe(self.recipe), side, record),
            get_current_site(),
        )

    @property
    def result(self) -> str:
        """The result of the game for the person: "win", "draw" or "loss"; "" while it goes on."""
        lesson = self.finished_lesson
        return OPPOSITE_RESULTS.get(lesson.result, "") if lesson else ""

    @property
    def is_paper_machine(self) -> bool:
        """Whether the learner is a machine of paper boxes: people draw its beads and enter its moves."""
        return isinstance(self.recipe, Menace) and self.recipe.paper

    @cached_property
    def next_box(self) -> Box | None:
        """The paper box from which a person draws the next bead; None if no bead is drawn now."""
        if not self.is_paper_machine or self.state.is_over:
            return None
        return _find_paper_box(self.recipe, self.state.position)

    @property
    def game_count(self) -> int:
        """The number of games that the person has played with the learner."""
        return sum(bool(lesson.record) for lesson in self.course.lessons)

    @property
    def learner_title(self) -> str:
        """The learner's title and its number of games; "" before the first game."""
        if not self.game_count:
            return ""
        return ngettext(
            "%(title)s after %(count)s game",
            "%(title)s after %(count)s games",
            self.game_count,
            title=format_learner_title(self.recipe),
        )

    def lay_out_board(self) -> BoardPicture:
        """Return the board of the game, coloured by the learner's values.

        After the end of the game the colours are the learner's values for its last decision.  The
        board of an earlier lesson has no colours.
        """
        state = self.state
        course = self.course
        notes = [EMPTY_NOTE] * state.site.game.cells
        if self.earlier_lesson:
            return lay_out_board(state, None, None, notes=notes)
        last = len(course.values) - 1
        values = None
        if course.values:
            values = _evaluate_moves(state, course, self.recipe, last)

        def link(cell: int) -> str:
            if self.next_box and not course.values[last][cell]:
                return ""  # the box has no bead of this cell
            return unfinished_game_url(self.unfinished_moves + DIGITS[cell])

        build_url = None if state.is_over else link
        return lay_out_board(state, values, build_url, notes=notes)


def render_course(
    course: Course, chosen_lesson: int = 0, unfinished_moves: str = ""
) -> Response:
    """Show a learner with its lessons, and the game that the visitor plays with it."""
    game = TaughtGame(course, chosen_lesson, unfinished_moves)
    return render_page(
        "teach/teach.html",
        fragment=("game",),
        course=course,
        spell_bead_count=spell_bead_count,
        **describe_game(game),
        **describe_lessons(game),
        **describe_goals(game),
        **describe_links(game),
    )


def describe_game(game: TaughtGame) -> dict[str, Any]:
    """Return what the template reads about the learner and the game on the board."""
    lessons = game.course.lessons
    return {
        "title": format_learner_title(game.recipe),
        "taught_title": game.learner_title,
        "seat": game.seat,
        "has_beads": isinstance(game.recipe, Menace),
        "is_paper_machine": game.is_paper_machine,
        "game_count": game.game_count,
        "practice_count": sum(lesson.games for lesson in lessons if not lesson.record),
        "finished_lesson": game.finished_lesson,
        "mover": MARKS[game.state.match.player_to_move],
        "next_box": game.next_box,
        "game_result": game.result,
        "board": game.lay_out_board(),
        "last_move_picture": _picture_last_move(game),
    }


def _picture_last_move(game: TaughtGame) -> dict[str, Any] | None:
    """Return the learner's last move in the unfinished game; None before that move."""
    course = game.course
    state = game.state
    plies = range("XO".index(game.seat), len(course.record), 2)
    if game.finished_lesson or not plies:
        return None
    ply = plies[-1]
    place = (state.site.game, state.positions[ply], state.played_cells[ply])
    if isinstance(game.recipe, Menace):
        return draw_box_move(*place, course.values[ply], game.recipe)
    return draw_value_move(*place, _evaluate_moves(state, course, game.recipe, ply))


def describe_lessons(game: TaughtGame) -> dict[str, Any]:
    """Return what the template reads about the lessons, and about the lesson that is shown."""
    course = game.course
    recipe = game.recipe
    lesson = game.lesson
    lessons = course.lessons
    shown = game.shown_lesson
    results = [one.result or "practice" for one in lessons]
    is_last = shown == len(lessons)
    values = {
        "shown_lesson": shown,
        "lesson": lesson,
        "paid_beads": 0,
        "lesson_name": "",
        "value_changes": [],
        "strength_text": "",
        "blunder_count": "",
        "lesson_results": results,
        "result_words": [gettext(RESULT_WORDS[result]) for result in results],
        "previous_lesson_url": teach_game_url(shown - 1) if shown > 1 else "",
        "next_lesson_url": "" if is_last else teach_game_url(shown + 1),
        "taught_boards": [
            _picture_touched_board(recipe, board) for board in course.touched_boards
        ],
        "strength_chart": _draw_strength(lessons, list_played_seats(recipe)),
        "lost_game_links": [*_list_lost_games(course, list_played_seats(recipe))],
    }
    if lesson is None:
        return values
    changes = [_draw_value_change(recipe, lesson, one) for one in lesson.updates]
    return values | {
        "lesson_name": _name_lessons(lessons)[shown - 1],
        "paid_beads": _get_paid_beads(recipe, lesson),
        "value_changes": [
            one for one in changes if one["box_name"] or not game.is_paper_machine
        ],
        "strength_text": _describe_strength(lessons[:shown], list_played_seats(recipe)),
        "blunder_count": format_count(lesson.blunder_count),
    }


def list_played_seats(recipe: Recipe) -> list[str]:
    """Return the seats in which a learner plays: "x", "o" or both."""
    seat = getattr(recipe, "seat", "both")
    return [*SEATS] if seat == "both" else [seat]


def _draw_strength(lessons: list[Lesson], played_seats: list[str]) -> Markup:
    """Draw how strong the learner was after each lesson.

    The curves are the games it did not lose against the person, its losses against the best
    responder in each seat, and its share of decisions with a blunder.
    """
    held = [
        _count_held_share(lessons[:number]) for number in range(1, len(lessons) + 1)
    ]
    total = get_current_site().game.decisions
    lines = [
        (ink, [one.loss_chances[seat] for one in lessons])
        for ink, seat in zip(SEAT_INKS, played_seats, strict=False)
    ]
    blunders = [one.blunder_count / total for one in lessons]
    return draw_share_chart([("win ", held), *lines, ("soft dotted ", blunders)])


def describe_goals(game: TaughtGame) -> dict[str, Any]:
    """Return what the template reads about the goals of the challenge.

    A first goal comes with the lesson that reached it, an exact goal with the lesson since which it
    holds; "" if there is none.
    """
    lessons = game.course.lessons
    seats = list_played_seats(game.recipe)
    labels = ["", *_name_lessons(lessons)]
    near = list_near_goals(lessons, isinstance(game.recipe, Menace))
    exact = list_exact_goals(lessons, seats)
    return {
        "played_seats": seats,
        "near_goals": [(gettext(text), labels[number]) for text, number in near],
        "exact_goals": [(gettext(text), labels[number]) for text, number in exact],
        "games_to_milestones": _count_games_to_milestones(lessons),
    }


def describe_links(game: TaughtGame) -> dict[str, Any]:
    name = game.course.recipe
    short_name = _shorten_name(name)
    recipe = game.recipe
    take_back_url = restart_url = usual_training_url = ""
    if game.course.lessons:
        before = remove_last_lesson(recipe)
        other = remove_all_games(recipe).with_seed(recipe.seed + 1)
        take_back_url = get_url_in_frame(teach_url(name_recipe(before)))
        restart_url = get_url_in_frame(teach_url(name_recipe(other)))
        usual_training_url = _build_usual_url(recipe)
    is_qr_code = len(_build_link(name)) <= MAX_QR_CHARACTERS
    paper = paper_url(machine_recipe=name) if game.is_paper_machine else ""
    practice = [] if game.is_paper_machine else [*_list_practice_links(recipe)]
    learners = [
        Destination(
            gettext(title),
            get_url_in_frame(teach_url(_shorten_name(text))),
            gettext(line),
        )
        for text, (title, line) in LEARNERS.items()
    ]
    return {
        "page_url": teach_url(short_name, unfinished_moves=game.unfinished_moves),
        "take_back_url": take_back_url,
        "restart_url": restart_url,
        "usual_training_url": usual_training_url,
        "paper_url": paper,
        "practice_links": practice,
        "learner_links": learners,
        "export": export_learner(short_name),
        "qr_code_url": TEACH_QR.url(name) if is_qr_code else "",
        "preview_url": TEACH_PREVIEW.url(name),
    }


@bp.get(TEACH)
@bp.get(TEACH_RECIPE)
@bp.get(TEACH.framed, endpoint="framed")
@bp.get(TEACH_RECIPE.framed, endpoint="framed")
def show_learner(learner: str = "") -> AnyResponse:
    """Show a learner, with its unfinished game or its last game."""
    now = request.args.get("now", "")
    game = request.args.get("game", "")
    if now and not UNFINISHED_PATTERN.fullmatch(now):
        raise build_value_error(
            "now", now, gettext("the numbers of the squares that you played")
        )
    if cut := find_truncated_link(learner):
        games, whole, complete_recipe = cut
        reason = gettext(TRUNCATED_TEXT, whole=whole, games=games)
        return _render_refusal(reason, complete_recipe, is_link_truncated=True)
    recipe, course = replay_course(learner or DEFAULT_LEARNER, now)
    if learner not in ("", name_recipe(recipe)):
        canonical = TEACH_RECIPE.url(name_recipe(recipe), now=now, game=game)
        return redirect(get_url_in_frame(canonical), 301)
    if isinstance(course, Refusal):
        return render_course_refusal(recipe, course)
    # A finished game becomes a part of the recipe, so the URL changes.
    if course.recipe != name_recipe(recipe):
        return redirect_after_form(
            get_url_in_frame(teach_url(course.recipe)), partial(render_course, course)
        )
    last = len(course.lessons)
    shown = read_integer("game", game, 1, last) if game and last else last
    return render_course(course, shown, now.strip("."))


def render_course_refusal(recipe: Recipe, refusal: Refusal) -> Response:
    """Return the page for a recipe whose games cannot be replayed.

    Raises BadRequest if no move of a game is the reason.
    """
    if refusal.game_number is None:
        raise BadRequest(
            gettext(
                "This learner cannot be taught: %(why)s.",
                why=mark_english(refusal.reason),
            )
        )
    whole = refusal.game_number - 1
    sentence = f"{capitalize_first_letter(refusal.reason)}."
    if refusal.is_link_truncated:
        sentence = gettext(TRUNCATED_TEXT, whole=whole, games=refusal.game_number)
    return _render_refusal(
        sentence, keep_first_games(recipe, whole), refusal.is_link_truncated
    )


def _render_refusal(
    reason: str, complete_recipe: Recipe, is_link_truncated: bool
) -> Response:
    """Return the page for games that cannot be replayed, with a link to the learner before them."""
    kept = Destination(
        format_learner_title(complete_recipe),
        get_url_in_frame(teach_url(name_recipe(complete_recipe))),
    )
    return render_page(
        "teach/refused.html",
        reason=reason,
        complete_learner=kept,
        is_link_truncated=is_link_truncated,
    )


@bp.get(TEACH_PREVIEW)
def download_preview(name: str) -> Response:
    """Return the preview picture of a link to a learner, as PNG."""
    _, course = replay_course(name)
    if isinstance(course, Refusal):
        sentence = f"{capitalize_first_letter(course.reason)}."
        raise BadRequest(mark_english(sentence))
    game = TaughtGame(course)
    words = game.learner_title or gettext(
        "%(title)s: teach it tic-tac-toe", title=format_learner_title(game.recipe)
    )
    return build_png_response(draw_board_preview(game.lay_out_board(), words))


@bp.get(TEACH_QR)
def download_qr_code(name: str) -> Response:
    """Return the QR code of the link to a learner, as SVG."""
    link = _build_link(name)
    if len(link) > MAX_QR_CHARACTERS:
        raise BadRequest(gettext("This link is too long for a QR code."))
    svg = segno.make(link, error="l", micro=False).svg_inline(
        border=3, light="#fff", omitsize=True
    )
    response = Response(svg.replace("<svg", SVG_START, 1), mimetype="image/svg+xml")
    return allow_revalidation(response, generate_etag(response.data))


def _build_link(recipe: str) -> str:
    return request.host_url.rstrip("/") + teach_url(_shorten_name(recipe))


def _shorten_name(recipe: str) -> str:
    """Return the name of a learner in its URL: "" for the first learner of the list."""
    return "" if recipe == DEFAULT_LEARNER else recipe


def _evaluate_moves(
    state: MatchState, course: Course, recipe: Recipe, ply: int
) -> MoveValues:
    """Return the values of a learner for its moves before a ply of its game."""
    position = state.positions[ply]
    known = course.is_value_known[ply]
    return _evaluate_board(position, recipe, course.values[ply], known)


def _evaluate_board(
    position: int,
    recipe: Recipe,
    cell_values: list[float | None],
    is_updated: list[bool],
) -> MoveValues:
    """Return a learner's values for its moves in a position; the lists have an entry by cell."""
    site = get_current_site()
    game = site.game
    values = np.array(cell_values, np.float64)  # None becomes NaN
    known = np.array(is_updated)
    if recipe.knows_final_values:
        known |= game.successor[position] >= game.decisions
    if (
        recipe.get_reward_scale() is None
    ):  # the beads of a box are known without an update
        known |= np.isfinite(values)
    return build_move_values(
        site,
        position,
        name_recipe(recipe),
        source_values=values,
        is_known=known,
        policy=policy_from_values(values, recipe.plays),
        reward_scale=recipe.get_reward_scale(),
        play_rule=recipe.plays,
        unknown_text=gettext("not tried yet"),
    )


def _picture_touched_board(recipe: Recipe, touched: TouchedBoard) -> dict[str, Any]:
    """Return a board as it was before the first game and as it is now.

    Each square has a mark, a text and a colour.
    """
    stages = (
        (touched.old_values, [False] * len(touched.is_updated)),
        (touched.new_values, touched.is_updated),
    )
    before, now = (
        _list_squares(_evaluate_board(touched.position, recipe, values, known))
        for values, known in stages
    )
    if isinstance(recipe, Menace):
        # More beads are green, fewer are red.
        changes = zip(touched.old_values, touched.new_values, strict=True)
        gains = [int(np.sign((new or 0) - (old or 0))) for old, new in changes]
        before = [square | {"heat": None} for square in before]
        now = [
            square | {"heat": BEAD_HEAT * gain if gain else None}
            for square, gain in zip(now, gains, strict=True)
        ]
    ply = int(get_current_site().game.ply[touched.position])
    words = gettext("Move %(number)s", number=ply + 1)
    games = ngettext("%(count)s game", "%(count)s games", touched.game_count)
    return {"title": f"{words} ({games})", "before": before, "now": now}


def _list_squares(values: MoveValues) -> list[dict[str, Any]]:
    squares = []
    stones = get_current_site().game.board[values.position].tolist()
    for cell, stone in enumerate(stones):
        mark, text, heat = MARKS[stone] if stone else "", "", None
        if not stone:
            text = "–"
            if values.is_known[cell]:
                text, heat = values.value_texts[cell], values.heats[cell]
        squares.append({"mark": mark, "value_text": text, "heat": heat})
    return squares


def _name_lessons(lessons: list[Lesson]) -> list[str]:
    labels = []
    games = 0
    for lesson in lessons:
        games += bool(lesson.record)
        who = get_opponent_name(get_current_site(), lesson.opponent)
        labels.append(
            gettext("game %(number)s", number=games)
            if lesson.record
            else gettext(
                "%(number)s games against %(opponent)s",
                number=lesson.games,
                opponent=who,
            )
        )
    return labels


def _get_paid_beads(recipe: Recipe, lesson: Lesson) -> int:
    """Return the beads that a game adds for each move of MENACE; 0 for practice and other learners."""
    if not isinstance(recipe, Menace) or not lesson.record:
        return 0
    return {"win": recipe.win, "draw": recipe.draw, "loss": recipe.loss}[lesson.result]


def _draw_value_change(
    recipe: Recipe, lesson: Lesson, value_change: ValueChange
) -> dict[str, Any]:
    """Return a value that a lesson changed: its board, its texts, and the beads to animate."""
    game = get_current_site().game
    ply = value_change.move_index
    cell = parse_record(game, lesson.record)[ply]
    position = replay_record(game, lesson.record)[ply]
    move = gettext("Move %(ply)s, %(square)s", ply=ply + 1, square=name_square(cell))
    reward_scale = recipe.get_reward_scale()
    if reward_scale is not None:
        scaled = scale_values(
            np.array([value_change.old_value, value_change.new_value]),
            reward_scale,
            get_mover(ply),
        )
        heats = compute_colour_level(scaled, HEAT_STEPS).astype(int).tolist()
        old, new = (format_signed(value) for value in scaled.tolist())
        return {
            "board": draw_changed_board(game, position, cell, *heats),
            "move_text": move,
            "old_text": old,
            "new_text": new,
            "box_name": "",
            "flying_beads": range(0),
        }
    gain = round(value_change.new_value - value_change.old_value)
    box = _find_paper_box(recipe, position)
    heat = int(np.sign(gain)) * BEAD_HEAT
    return {
        "board": draw_changed_board(game, position, cell, 0, heat),
        "move_text": move,
        "old_text": localize_number(f"{value_change.old_value:g}"),
        "new_text": spell_bead_count(value_change.new_value),
        "bead_number": cell + 1,
        "flying_beads": range(min(abs(gain), MAX_FLYING_BEADS)),
        "is_gain": gain > 0,
        "box_name": gettext("Box %(number)s", number=box.number) if box else "",
    }


def _find_paper_box(recipe: Recipe, position: int) -> Box | None:
    """Return the paper box of a position; None if it has none, or if there is no paper machine."""
    if not isinstance(recipe, Menace) or not recipe.paper:
        return None
    game = get_current_site().game
    return find_box(game, position, get_first_cell(game, recipe))


def _count_held_share(lessons: list[Lesson]) -> float:
    results = list_last_results(lessons)
    return 1 - results.count("loss") / max(1, len(results))


def _describe_strength(lessons: list[Lesson], played_seats: list[str]) -> str:
    lesson = lessons[-1]
    unlost = 0
    for one in reversed([one for one in lessons if one.record]):
        if one.result == "loss":
            break
        unlost += 1
    only = ""
    if unlost >= FEW_GAMES and "both" not in lesson.milestones:
        words = gettext_noop(
            "The learner has not lost the last %(number)s games against you, but it learned "
            "only from your moves."
        )
        only = f"{gettext(words, number=unlost)} "
    x, o = (format_percent(lesson.loss_chances[seat], 0) for seat in SEATS)
    words = gettext_noop(
        "Against the strongest opponent it loses %(x)s%% of games as X and %(o)s%% as O."
    )
    if len(played_seats) == 1:
        words = gettext_noop(
            "Against the strongest opponent it loses %(share)s%% of games."
        )
    share = format_percent(lesson.loss_chances[played_seats[0]], 0)
    return only + gettext(words, x=x, o=o, share=share)


def _count_games_to_milestones(lessons: list[Lesson]) -> dict[str, int]:
    """Return for each milestone the number of games with people before it was first reached."""
    games_by_milestone: dict[str, int] = {}
    games = 0
    for lesson in lessons:
        games += bool(lesson.record)
        for key in lesson.milestones:
            games_by_milestone.setdefault(key, games)
    return games_by_milestone


def _list_lost_games(course: Course, played_seats: list[str]) -> Iterator[Destination]:
    for seat, record in course.losing_games.items() if course.lessons else ():
        if record is not None and seat in played_seats:
            match = build_match_against_person(course.recipe, SEATS[seat], record)
            how = gettext("Show a lost game as %(mark)s", mark=seat.upper())
            yield Destination(how, play_url(match))


def _list_practice_links(recipe: Recipe) -> Iterator[Destination]:
    for opponent, against in PRACTICE_TITLES.items():
        games = GAMES_PER_ROUND.get(opponent, 1) if isinstance(recipe, League) else 1
        try:
            longer = name_recipe(
                add_practice(recipe, opponent, PRACTICE_GAMES // games)
            )
        except RecipeError:
            continue
        games_there = gettext("%(number)s games", number=PRACTICE_GAMES)
        yield Destination(
            gettext(against), get_url_in_frame(teach_url(longer)), games_there
        )


def _build_usual_url(recipe: Recipe) -> str:
    """Return the URL that compares a learner with its usual training, "" if that cannot be trained."""
    start = remove_all_games(recipe)
    usual = IDS_BY_RECIPE.get(name_recipe(start), name_recipe(start))
    if usual not in SHIPPED and start.compute_max_updates() > MAX_UPDATES:
        return ""
    return compare_url(
        Comparison("", (SourceSnapshot(name_recipe(recipe)), SourceSnapshot(usual)))
    )
