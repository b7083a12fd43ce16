"""The goals of a person who teaches a learner.

The first goals, which a few games reach, are about the games played so far. The exact goals are
facts about the learner's play, such as "Unbeatable as X". A lesson is a game with the person, or a
practice.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from app.recipes.taught import Lesson
from app.web.translation import gettext_noop

LAST_GAME_COUNT = 5
UNLOST_GAMES_OF_GOAL = 3
# A goal in an earlier game would be luck.
FIRST_COUNTED_GAME = 3
MIN_UNLEARNED = 3

# A function from the lessons so far to whether a goal is reached.
GoalTest = Callable[[Sequence[Lesson]], bool]
# The keys are milestones of `Lesson`.
EXACT_GOALS = {
    "rows": gettext_noop("Always completes a row when it can"),
    "blocks": gettext_noop("Always blocks a row of its opponent"),
    "random": gettext_noop("Never loses to random moves as X"),
    "x": gettext_noop("Unbeatable as X"),
    "o": gettext_noop("Unbeatable as O"),
    "both": gettext_noop("Unbeatable as X and as O"),
}


def list_last_results(
    lessons: Sequence[Lesson], game_count: int = LAST_GAME_COUNT
) -> list[str]:
    return [lesson.result for lesson in lessons if lesson.record][-game_count:]


def compute_unlearned_shares(lessons: Sequence[Lesson]) -> list[float]:
    """Return how much of its mistakes the learner has unlearned, before and after each lesson.

    A mistake is a move that lost a game. It counts 1 if the learner no longer makes it, and 0 if
    the move is as likely as before, or is still to come. The share is the mean over all mistakes.
    """
    shares = [0.0]
    for lesson in lessons:
        chances = lesson.losing_move_chances
        unlearned = [max(0.0, 1 - now / first) for first, now in chances if first]
        shares.append(sum(unlearned) / max(1, len(lessons[-1].losing_move_chances)))
    return shares


def has_unlearned(share: float, lessons: Sequence[Lesson]) -> bool:
    """Return whether the learner has made MIN_UNLEARNED mistakes and unlearned this share of them."""
    mistake_count = len(lessons[-1].losing_move_chances)
    return (
        mistake_count >= MIN_UNLEARNED
        and compute_unlearned_shares(lessons)[-1] >= share
    )


def has_lost_no_recent_game(lessons: Sequence[Lesson]) -> bool:
    last = list_last_results(lessons, UNLOST_GAMES_OF_GOAL)
    is_game = bool(lessons[-1].record)
    return is_game and len(last) == UNLOST_GAMES_OF_GOAL and "loss" not in last


FIRST_GOALS: dict[str, GoalTest] = {
    gettext_noop("Makes its old mistakes a quarter less often"): partial(
        has_unlearned, 0.25
    ),
    gettext_noop("Makes its old mistakes half as often"): partial(has_unlearned, 0.5),
    gettext_noop("No loss in three games in a row"): has_lost_no_recent_game,
}


def list_first_goals(lessons: Sequence[Lesson]) -> Iterator[tuple[str, int]]:
    """Yield (goal in English, number of the lesson that reached it or 0).

    No goal is reached before game FIRST_COUNTED_GAME.
    """
    games = accumulate(bool(lesson.record) for lesson in lessons)
    counted = [
        number for number, count in enumerate(games, 1) if count >= FIRST_COUNTED_GAME
    ]
    for text, holds in FIRST_GOALS.items():
        yield text, next((n for n in counted if holds(lessons[:n])), 0)


def list_exact_goals(
    lessons: Sequence[Lesson], seats: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """Yield (goal in English, number of the lesson since which it is reached or 0).

    Goals about "x" or "o" are left out if the learner does not play it.
    """
    other = {"x": {"o", "both"}, "o": {"random", "x", "both"}}
    left_out = other[seats[0]] if len(seats) == 1 else set()
    for key, text in EXACT_GOALS.items():
        if key in left_out:
            continue
        since = 0
        for number, lesson in enumerate(lessons, 1):
            since = (since or number) if key in lesson.milestones else 0
        yield text, since
