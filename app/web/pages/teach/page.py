"""The page /teach: a visitor plays with a learner, and sees which values change."""

import re
from collections.abc import Iterator
from functools import partial

import segno
import werkzeug
from flask import Response, redirect, request
from werkzeug.exceptions import BadRequest
from werkzeug.http import generate_etag

from app.recipes import Recipe, RecipeError, name_recipe
from app.recipes.algorithms import League, Menace, QTable
from app.recipes.on_demand import MAX_UPDATES
from app.recipes.shipped import AGENT_IDS_BY_RECIPE, SHIPPED
from app.recipes.taught import (
    Course,
    Lesson,
    Refusal,
    add_practice,
    keep_first_games,
    remove_all_games,
    remove_last_lesson,
)
from app.tictactoe.notation import MARKS
from app.web.comparison import Comparison, SourceSnapshot
from app.web.formatting import (
    capitalize_first_letter,
    format_percent,
)
from app.web.links.compare import compare_url
from app.web.links.teach import (
    TEACH_PREVIEW_ROUTE,
    TEACH_QR_ROUTE,
    TEACH_RECIPE_ROUTE,
    TEACH_ROUTE,
    paper_url,
    teach_game_url,
    teach_url,
)
from app.web.match import build_parameter_error, read_integer
from app.web.navigation import PageBlueprint
from app.web.pages.parts.export import build_png_response, export_learner
from app.web.pages.teach.goals import (
    compute_unlearned_shares,
    list_exact_goals,
    list_first_goals,
    list_last_results,
)
from app.web.pages.teach.learners import (
    DEFAULT_LEARNER,
    LEARNERS,
    find_truncated_link,
    format_learner_title,
    replay_course,
)
from app.web.pages.teach.progress import (
    describe_strength,
    list_changes,
    list_lost_games,
    name_lessons,
)
from app.web.pages.teach.taught_boards import (
    choose_touched_boards,
    describe_touched_board,
)
from app.web.pages.teach.taught_game import TaughtGame
from app.web.pictures.boards import plot_board_preview
from app.web.pictures.curves import render_share_chart
from app.web.rendering import (
    Variables,
    allow_revalidation,
    get_url_in_iframe,
    redirect_after_form,
    render_page,
)
from app.web.routes import Destination
from app.web.translation import gettext, gettext_noop, mark_english

bp = PageBlueprint("teach", __name__)
bp.add_menu_page("Teach", "teach", gettext_noop("Teach"), TEACH_ROUTE.url)
# a "." and the cells of the person's moves in an unfinished game; after a move the "." may be left
# out
UNFINISHED_PATTERN = re.compile(r"\.[0-9a-z]*|[0-9a-z]+")
PRACTICE_GAMES = 100
MAX_RECENT_GAMES = 10
PRACTICE_TITLES = {
    "random": gettext_noop("Against random moves"),
    "t-hand": gettext_noop("Against T-hand, a program that wins or blocks when it can"),
    "self": gettext_noop("Against itself"),
    "league": gettext_noop("Against other learners (its league)"),
}
# A league counts rounds instead of games. The values are the games in a round, by opponent.
GAMES_PER_ROUND = {"random": 2, "league": 10}
TRUNCATED_TEXT = gettext_noop(
    "This link was cut off when it was copied: it has %(whole)s of %(games)s games."
)
RESULT_WORDS = {
    "win": gettext_noop("won"),
    "draw": gettext_noop("drawn"),
    "loss": gettext_noop("lost"),
    "practice": gettext_noop("practice"),
}


# Phones cannot read larger QR codes.
MAX_QR_CHARACTERS = 600
SVG_TAG_WITH_NAMESPACE = '<svg xmlns="http://www.w3.org/2000/svg"'


def render_course(
    course: Course, chosen_lesson: int = 0, unfinished_moves: str = ""
) -> Response:
    """Show a learner, its lessons, and the game that the visitor plays with it.

    `chosen_lesson` counts from 1; 0 is the last lesson.
    """
    game = TaughtGame(course, chosen_lesson, unfinished_moves)
    return render_page(
        "teach/teach.html",
        fragment=("game",),
        course=course,
        **describe_game(game),
        **describe_lessons(game),
        **describe_goals(game),
        **describe_links(game),
    )


def describe_game(game: TaughtGame) -> Variables:
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
    }


def describe_lessons(game: TaughtGame) -> Variables:
    course = game.course
    recipe = game.recipe
    lesson = game.lesson
    lessons = course.lessons
    shown = game.shown_lesson
    results = [one.result or "practice" for one in lessons]
    is_last = shown == len(lessons)
    unlearned = compute_unlearned_shares(lessons)
    recent = list_last_results(lessons, MAX_RECENT_GAMES)
    return {
        "shown_lesson": shown,
        "lesson": lesson,
        "lesson_name": name_lessons(lessons)[shown - 1] if lesson else "",
        "paid_beads": _get_paid_beads(recipe, lesson) if lesson else 0,
        "changes": list_changes(game, lesson) if lesson else [],
        # A paper machine puts the beads of symmetric squares on one of them.
        "shares_symmetric_values": not game.is_paper_machine
        and (
            isinstance(recipe, Menace | QTable) or getattr(recipe, "symmetric", False)
        ),
        "lesson_results": results,
        "result_words": [gettext(RESULT_WORDS[result]) for result in results],
        "previous_lesson_url": teach_game_url(shown - 1) if shown > 1 else "",
        "next_lesson_url": "" if is_last else teach_game_url(shown + 1),
        "taught_boards": [
            describe_touched_board(recipe, board, game.game_count)
            for board in choose_touched_boards(course, lesson)
        ],
        "progress_chart": render_share_chart(unlearned),
        "unlearned_percent": format_percent(unlearned[-1], 1),
        "mistake_count": len(lessons[-1].losing_move_chances) if lessons else 0,
        "unlost_game_count": len(recent) - recent.count("loss"),
        "recent_count": len(recent),
        "strength_text": describe_strength(lessons, game.seats) if lessons else "",
        "lost_game_links": [*list_lost_games(course, game.seats)],
    }


def _get_paid_beads(recipe: Recipe, lesson: Lesson) -> int:
    """Return how many beads each move of a game gains; 0 for practice and for other learners."""
    if not isinstance(recipe, Menace) or not lesson.record:
        return 0
    return {"win": recipe.win, "draw": recipe.draw, "loss": recipe.loss}[lesson.result]


def describe_goals(game: TaughtGame) -> Variables:
    """Return the goals, with the name of the lesson that reached each of them or "".

    An exact goal has the lesson since which it holds.
    """
    lessons = game.course.lessons
    labels = ["", *name_lessons(lessons)]
    near = [*list_first_goals(lessons)]
    exact = [*list_exact_goals(lessons, game.seats)]
    next_goals = [gettext(text) for text, number in (*near, *exact) if not number]
    return {
        "next_goal": next_goals[0] if next_goals else "",
        "first_goals": [(gettext(text), labels[number]) for text, number in near],
        "exact_goals": [(gettext(text), labels[number]) for text, number in exact],
        "games_to_milestones": _count_games_to_milestones(lessons),
    }


def describe_links(game: TaughtGame) -> Variables:
    name = game.course.recipe
    short_name = _shorten_name(name)
    recipe = game.recipe
    take_back_url = restart_url = usual_training_url = ""
    if game.course.lessons:
        before = remove_last_lesson(recipe)
        other = remove_all_games(recipe).with_seed(recipe.seed + 1)
        take_back_url = get_url_in_iframe(teach_url(name_recipe(before)))
        restart_url = get_url_in_iframe(teach_url(name_recipe(other)))
        usual_training_url = _build_usual_url(recipe)
    is_qr_code = len(_build_link(name)) <= MAX_QR_CHARACTERS
    paper = paper_url(machine_recipe=name) if game.is_paper_machine else ""
    practice = [] if game.is_paper_machine else [*_list_practice_links(recipe)]
    learners = [
        Destination(
            gettext(title),
            get_url_in_iframe(teach_url(_shorten_name(text))),
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
        "qr_code_url": TEACH_QR_ROUTE.url(name) if is_qr_code else "",
        "preview_url": TEACH_PREVIEW_ROUTE.url(name),
    }


@bp.get(TEACH_ROUTE)
@bp.get(TEACH_RECIPE_ROUTE)
@bp.get(TEACH_ROUTE.for_iframe, endpoint="framed")
@bp.get(TEACH_RECIPE_ROUTE.for_iframe, endpoint="framed")
def show_learner(learner: str = "") -> werkzeug.Response:
    now = request.args.get("now", "")
    game = request.args.get("game", "")
    if now and not UNFINISHED_PATTERN.fullmatch(now):
        raise build_parameter_error(
            "now", now, gettext("the numbers of the squares that you played")
        )
    if cut := find_truncated_link(learner):
        games, whole, complete_recipe = cut
        reason = gettext(TRUNCATED_TEXT, whole=whole, games=games)
        return _render_refusal(reason, complete_recipe, is_link_truncated=True)
    recipe, course = replay_course(learner or DEFAULT_LEARNER, now)
    if learner not in ("", name_recipe(recipe)):
        canonical = TEACH_RECIPE_ROUTE.url(name_recipe(recipe), now=now, game=game)
        return redirect(get_url_in_iframe(canonical), 301)
    if isinstance(course, Refusal):
        return render_course_refusal(recipe, course)
    # When the game ends, it becomes a part of the recipe, and so of the URL.
    if course.recipe != name_recipe(recipe):
        return redirect_after_form(
            get_url_in_iframe(teach_url(course.recipe)), partial(render_course, course)
        )
    last = len(course.lessons)
    shown = read_integer("game", game, 1, last) if game and last else last
    return render_course(course, shown, now.strip("."))


def render_course_refusal(recipe: Recipe, refusal: Refusal) -> Response:
    """Show why the games of a recipe cannot be replayed.

    Raises BadRequest if no game of the recipe is the reason.
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
    kept = Destination(
        format_learner_title(complete_recipe),
        get_url_in_iframe(teach_url(name_recipe(complete_recipe))),
    )
    return render_page(
        "teach/refused.html",
        reason=reason,
        complete_learner=kept,
        is_link_truncated=is_link_truncated,
    )


@bp.get(TEACH_PREVIEW_ROUTE)
def download_preview(name: str) -> Response:
    _, course = replay_course(name)
    if isinstance(course, Refusal):
        sentence = f"{capitalize_first_letter(course.reason)}."
        raise BadRequest(mark_english(sentence))
    game = TaughtGame(course)
    words = game.learner_title or gettext(
        "%(title)s: teach it tic-tac-toe", title=format_learner_title(game.recipe)
    )
    return build_png_response(plot_board_preview(game.lay_out_board(), words))


@bp.get(TEACH_QR_ROUTE)
def download_qr_code(name: str) -> Response:
    link = _build_link(name)
    if len(link) > MAX_QR_CHARACTERS:
        raise BadRequest(gettext("This link is too long for a QR code."))
    svg = segno.make(link, error="l", micro=False).svg_inline(
        border=3, light="#fff", omitsize=True
    )
    response = Response(
        svg.replace("<svg", SVG_TAG_WITH_NAMESPACE, 1), mimetype="image/svg+xml"
    )
    return allow_revalidation(response, generate_etag(response.data))


def _build_link(recipe: str) -> str:
    return request.host_url.rstrip("/") + teach_url(_shorten_name(recipe))


def _shorten_name(recipe: str) -> str:
    return "" if recipe == DEFAULT_LEARNER else recipe


def _count_games_to_milestones(lessons: list[Lesson]) -> dict[str, int]:
    games_by_milestone: dict[str, int] = {}
    games = 0
    for lesson in lessons:
        games += bool(lesson.record)
        for key in lesson.milestones:
            games_by_milestone.setdefault(key, games)
    return games_by_milestone


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
            gettext(against), get_url_in_iframe(teach_url(longer)), games_there
        )


def _build_usual_url(recipe: Recipe) -> str:
    start = remove_all_games(recipe)
    usual = AGENT_IDS_BY_RECIPE.get(name_recipe(start), name_recipe(start))
    if usual not in SHIPPED and start.compute_max_updates() > MAX_UPDATES:
        return ""
    return compare_url(
        Comparison("", (SourceSnapshot(name_recipe(recipe)), SourceSnapshot(usual)))
    )
