"""What a learner has learned from its lessons, in words."""

from collections.abc import Iterator, Sequence

import numpy as np

from app.recipes.taught import Course, Lesson
from app.tictactoe.game import GAME, SEATS, get_mover
from app.tictactoe.notation import parse_record, replay_record
from app.tictactoe.views import scale_values
from app.web.algorithms import get_opponent_name
from app.web.formatting import format_percent, format_signed, name_square
from app.web.links.play import play_url
from app.web.match import build_match_against_person
from app.web.pages.teach.taught_game import TaughtGame
from app.web.routes import Destination
from app.web.site_data import get_current_site
from app.web.translation import gettext, gettext_noop, localize_number

MIN_UNLOST_GAMES = 3
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def name_lessons(lessons: Sequence[Lesson]) -> list[str]:
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


def list_changes(game: TaughtGame, lesson: Lesson) -> list[str]:
    """Return the values that a lesson changed, in order, such as "bottom right 4 → 3".

    On paper a change begins with the number of its box, and values without a box are left out.
    """
    rules = GAME
    cells = parse_record(rules, lesson.record)
    positions = replay_record(rules, lesson.record)
    changes = []
    for ply, *values in lesson.updates:
        box = game.find_paper_box(positions[ply])
        old, new = _format_values(game, ply, values)
        if old == new or (game.is_paper_machine and not box):
            continue
        change = (
            f"{name_square(cells[ply])} {old}{NO_BREAK_SPACE}→{NO_BREAK_SPACE}{new}"
        )
        if box:
            change = gettext(
                "box %(number)s: %(change)s", number=box.number, change=change
            )
        changes.append(change)
    return changes


def _format_values(game: TaughtGame, ply: int, values: Sequence[float]) -> list[str]:
    scale = game.recipe.get_reward_scale()
    if scale is None:
        return [localize_number(f"{beads:g}") for beads in values]
    shown = scale_values(np.array(values), scale, get_mover(ply))
    return [format_signed(value) for value in shown.tolist()]


def describe_strength(lessons: Sequence[Lesson], played_seats: Sequence[str]) -> str:
    lesson = lessons[-1]
    unlost = 0
    for one in reversed([one for one in lessons if one.record]):
        if one.result == "loss":
            break
        unlost += 1
    only = ""
    if unlost >= MIN_UNLOST_GAMES and "both" not in lesson.milestones:
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


def list_lost_games(
    course: Course, played_seats: Sequence[str]
) -> Iterator[Destination]:
    """Yield a link to a game that the learner loses as X, and one as O, if it can lose."""
    for seat, record in course.losing_games.items() if course.lessons else ():
        if record is not None and seat in played_seats:
            match = build_match_against_person(course.recipe, SEATS[seat], record)
            how = gettext("Show a lost game as %(mark)s", mark=seat.upper())
            yield Destination(how, play_url(match))
