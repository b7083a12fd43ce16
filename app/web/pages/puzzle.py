"""The puzzles: find the right move in a position, then the agent's blunder."""

from datetime import UTC, datetime, time, timedelta

import werkzeug
from flask import Response, redirect, request
from msgspec.structs import replace

from app.tictactoe.game import GAME
from app.tictactoe.notation import MARKS, parse_record
from app.tictactoe.puzzles import PUZZLES_PER_ROUND
from app.web.facts import check_puzzle_number, list_puzzles
from app.web.formatting import name_square
from app.web.links.play import MATCH_PREVIEW_ROUTE, match_url
from app.web.links.puzzle import (
    PUZZLE_ROUTE,
    PUZZLE_TODAY_ROUTE,
    PUZZLES_ROUTE,
    SCORE_ROUTE,
    puzzle_url,
)
from app.web.links.why import why_url
from app.web.match import Match
from app.web.navigation import PageBlueprint
from app.web.pages.parts.attempt import (
    ANSWER_WORDS,
    count_right_answers,
    count_round_puzzles,
    get_next_number,
    lay_out_attempt,
    list_daily_puzzles,
    parse_answers,
    parse_attempt,
    parse_day,
    parse_friend,
)
from app.web.pages.parts.export import export_daily_puzzles, export_puzzle
from app.web.rendering import get_url_in_iframe, render_page
from app.web.routes import Destination, Route
from app.web.site_data import HUMAN, get_current_site
from app.web.translation import format_day, gettext, gettext_noop

bp = PageBlueprint("puzzle", __name__)
bp.add_menu_page(
    "Puzzles",
    "today",
    gettext_noop("Today"),
    lambda: _link_if_available(PUZZLE_TODAY_ROUTE),
)
bp.add_menu_page(
    "Puzzles",
    "puzzles",
    gettext_noop("All puzzles"),
    lambda: _link_if_available(PUZZLES_ROUTE),
)


def _link_if_available(route: Route) -> str:
    return route.url() if list_puzzles(get_current_site()) else ""


LEVEL_NAMES = (gettext_noop("easy"), gettext_noop("medium"), gettext_noop("hard"))
# as on the page: a crossed, a half and a full circle
ANSWER_SIGNS = "⊗◐◐●"


@bp.get(PUZZLES_ROUTE)
def show_puzzles() -> Response:
    site = get_current_site()
    puzzles = list_puzzles(site)
    numbers_by_agent: dict[str, dict[str, list[int]]] = {
        site.display_titles[name]: {} for name in site.agents
    }
    for number, puzzle in sorted(enumerate(puzzles, 1), key=lambda one: one[1].level):
        level = gettext(LEVEL_NAMES[puzzle.level])
        by_level = numbers_by_agent[site.display_titles[puzzle.agent_id]]
        by_level.setdefault(level, []).append(number)
    return render_page(
        "puzzle/puzzles.html",
        puzzle_count=len(puzzles),
        export=export_daily_puzzles(),
        round_ranges=[
            (first, min(first + PUZZLES_PER_ROUND - 1, len(puzzles)))
            for first in range(1, len(puzzles) + 1, PUZZLES_PER_ROUND)
        ],
        puzzles_by_agent=numbers_by_agent,
    )


@bp.get(PUZZLE_TODAY_ROUTE)
@bp.get(PUZZLE_TODAY_ROUTE.for_iframe, endpoint="framed_today")
def redirect_to_today() -> werkzeug.Response:
    """Redirect to the first puzzle of the day, which begins at midnight UTC."""
    now = datetime.now(UTC)
    numbers = list_daily_puzzles(get_current_site(), now.date())
    check_puzzle_number(numbers[0] if numbers else 1, get_current_site())
    address = puzzle_url(numbers[0], now.date())
    response = redirect(get_url_in_iframe(address))
    midnight = datetime.combine(now.date() + timedelta(1), time(), UTC)
    seconds = int((midnight - now).total_seconds())
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    return response


@bp.get(PUZZLE_ROUTE)
@bp.get(PUZZLE_ROUTE.for_iframe, endpoint="framed")
def show_puzzle(number: int) -> Response:
    site = get_current_site()
    attempt = parse_attempt(number, request.args, site)
    puzzle = attempt.puzzle
    match = Match(puzzle.record, o=HUMAN)
    valued = replace(match, value_source=puzzle.agent_id)
    mover = int(GAME.to_move[puzzle.position])
    sides = (MARKS[-mover], MARKS[mover])
    return render_page(
        "puzzle/puzzle.html",
        fragment=("puzzle",),
        attempt=attempt,
        level_name=gettext(LEVEL_NAMES[puzzle.level]),
        why_url=why_url(valued, puzzle.blunder_cell),
        # The picture for link previews does not give away the solution.
        preview_url=match_url(MATCH_PREVIEW_ROUTE, replace(match, hides_values=True)),
        puzzle_count=len(list_puzzles(site)),
        export=export_puzzle(site, attempt.puzzle_number),
        board=lay_out_attempt(
            attempt,
            lambda cell: (
                attempt.choose_cell(cell).url if attempt.offers_cell(cell) else ""
            ),
        ),
        refutation_links=[
            Destination(name_square(cell), attempt.show_ply(ply).url, sides[ply % 2])
            for ply, cell in enumerate(parse_record(GAME, puzzle.refutation), 1)
        ],
        day_text=format_day(attempt.day) if attempt.day else "",
        round_answers=[ANSWER_WORDS[int(digit)] for digit in attempt.answer_digits],
        known_now=ANSWER_WORDS[attempt.answer_digit] if attempt.shows_solution else "",
        friend_right_count=count_right_answers(attempt.friend_digits),
    )


@bp.get(SCORE_ROUTE)
@bp.get(SCORE_ROUTE.for_iframe, endpoint="framed_score")
def show_score(number: int) -> Response:
    site = get_current_site()
    check_puzzle_number(number, site)
    day = parse_day(request.args.get("day", ""))
    length = count_round_puzzles(site, day)
    answers = parse_answers(request.args.get("answers", ""), range(length, length + 1))
    friend = parse_friend(request.args, length)
    right = count_right_answers(answers)
    share_text = gettext(
        "I found %(right)s of %(total)s answers %(circles)s Can you do better?",
        right=right,
        total=2 * length,
        circles="".join(ANSWER_SIGNS[int(digit)] for digit in answers),
    )
    following = 1 if day else get_next_number(site, number)
    first = (number - PUZZLES_PER_ROUND) % len(list_puzzles(site)) + 1
    if day:
        first = list_daily_puzzles(site, day)[0]
    return render_page(
        "puzzle/score.html",
        last_puzzle_number=number,
        day_in_url=str(day or ""),
        day_text=format_day(day) if day else "",
        answer_digits=answers,
        page_url=SCORE_ROUTE.url(
            number, day=str(day or ""), answers=answers, friend=friend
        ),
        round_answers=[ANSWER_WORDS[int(digit)] for digit in answers],
        right_count=right,
        friend_right_count=count_right_answers(friend) if friend else None,
        share_text=share_text,
        next_round_url=get_url_in_iframe(puzzle_url(following)),
        first_puzzle_url=get_url_in_iframe(puzzle_url(first, day)),
        challenge_url=get_url_in_iframe(puzzle_url(first, day, friend_digits=answers)),
    )
