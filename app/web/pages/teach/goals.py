"""Goals for a teacher: first goals that a few games reach, then exact goals about all games."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate

from app.recipes.taught import Lesson
from app.web.translation import gettext_noop

RECENT_GAMES = 5  # number of last games whose results are shown
STREAK_LENGTH = 3  # how many games in a row without a loss reach a goal
FIRST_COUNTED_GAME = 3  # reaching a goal in an earlier game is luck
MIN_MISTAKES = 3  # minimum number of mistakes for a goal about them

# a function that tells from the games so far whether one of the first goals is reached
GoalTest = Callable[[Sequence[Lesson]], bool]
# the texts of goals that are exact facts about the learner's play, by name of the fact
EXACT_GOALS = {
    "rows": gettext_noop("Always completes a row when it can"),
    "blocks": gettext_noop("Always blocks a row of its opponent"),
    "random": gettext_noop("Never loses to random moves as X"),
    "x": gettext_noop("Unbeatable as X"),
    "o": gettext_noop("Unbeatable as O"),
    "both": gettext_noop("Unbeatable as X and as O"),
}


def list_last_results(
    lessons: Sequence[Lesson], game_count: int = RECENT_GAMES
) -> list[str]:
    """Return the results of the last games with the teacher; practice lessons do not count."""
    return [lesson.result for lesson in lessons if lesson.record][-game_count:]


def compute_unlearned_shares(lessons: Sequence[Lesson]) -> list[float]:
    """Return before and after each lesson how much of its mistakes the learner has unlearned.

    A mistake is a move that lost it a game. The share is 1 if the learner plays none of its
    mistakes any more, and 0 if it plays all of them as often as before the game in which it first
    did; a mistake that it has not made yet counts as 0.
    """
    shares = [0.0]
    for lesson in lessons:
        chances = lesson.losing_move_chances
        unlearned = [max(0.0, 1 - now / first) for first, now in chances if first]
        shares.append(sum(unlearned) / max(1, len(lessons[-1].losing_move_chances)))
    return shares


def has_unlearned(share: float, lessons: Sequence[Lesson]) -> bool:
    """Return whether the learner has unlearned this share of its mistakes, MIN_MISTAKES or more."""
    mistake_count = len(lessons[-1].losing_move_chances)
    return (
        mistake_count >= MIN_MISTAKES and compute_unlearned_shares(lessons)[-1] >= share
    )


def has_held_in_a_row(lessons: Sequence[Lesson]) -> bool:
    """Return whether the learner lost none of the last games with its teacher."""
    last = list_last_results(lessons, STREAK_LENGTH)
    is_game = bool(lessons[-1].record)
    return is_game and len(last) == STREAK_LENGTH and "loss" not in last


NEAR_GOALS: dict[str, GoalTest] = {
    gettext_noop("Mistakes unlearned: a quarter"): partial(has_unlearned, 0.25),
    gettext_noop("Mistakes unlearned: half"): partial(has_unlearned, 0.5),
    gettext_noop("No loss in three games in a row"): has_held_in_a_row,
}


def list_near_goals(lessons: Sequence[Lesson]) -> Iterator[tuple[str, int]]:
    """Yield each near goal in English, with the number of the game that reached the goal, 0 if none did.

    A learner without boxes has no goal about boxes. Goals count from FIRST_COUNTED_GAME on.
    """
    games = accumulate(bool(lesson.record) for lesson in lessons)
    counted = [
        number for number, count in enumerate(games, 1) if count >= FIRST_COUNTED_GAME
    ]
    for text, holds in NEAR_GOALS.items():
        yield text, next((n for n in counted if holds(lessons[:n])), 0)


def list_exact_goals(
    lessons: Sequence[Lesson], seats: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """Yield each exact goal with the lesson since which it has held, 0 for none.

    A learner that plays only one of the `seats` has no goals about the other seat.
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
