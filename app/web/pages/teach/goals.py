"""Goals for a teacher: first goals that a few games reach, then exact goals about all games."""

from collections.abc import Callable, Iterator, Sequence

from app.recipes.taught import Lesson
from app.tictactoe.game import SEATS, Game
from app.tictactoe.notation import parse_record, replay_record
from app.web.translation import gettext_noop

STREAK_LENGTH = 3  # number of draws in a row

# a function from the game and the lessons so far to whether a near goal is reached
GoalTest = Callable[[Game, Sequence[Lesson]], bool]
# milestone of a lesson -> text of the goal
EXACT_GOALS = {
    "rows": gettext_noop("Always completes a row when it can"),
    "blocks": gettext_noop("Always blocks a row of its opponent"),
    "random": gettext_noop("Never loses to random moves as X"),
    "x": gettext_noop("Unbeatable as X"),
    "o": gettext_noop("Unbeatable as O"),
    "both": gettext_noop("Unbeatable as X and as O"),
}


def has_refilled(_: Game, lessons: Sequence[Lesson]) -> bool:
    """Return whether a box ran empty in the last lesson."""
    return lessons[-1].refill_count > 0


def has_blocked(game: Game, lessons: Sequence[Lesson]) -> bool:
    """Return whether the learner blocked a row of its teacher in the last game."""
    last = lessons[-1]
    if not last.record:
        return False
    cells = parse_record(game, last.record)
    positions = replay_record(game, last.record)
    return any(
        cells[ply] in list_winning_cells(game, positions[ply], -mover)
        and not list_winning_cells(game, positions[ply], mover)
        for ply, mover in list_own_plies(last)
    )


def has_drawn(_: Game, lessons: Sequence[Lesson]) -> bool:
    """Return whether the last game was a draw."""
    return lessons[-1].result == "draw"


def has_avoided_opening(game: Game, lessons: Sequence[Lesson]) -> bool:
    """Return whether the last game began differently from an earlier lost game.

    Both games have the same board before the learner's first move, up to symmetry.
    """
    last = lessons[-1]
    if not last.record:
        return False
    board, move = find_first_boards(game, last)
    for one in lessons[:-1]:
        if one.result == "loss" and one.seat == last.seat:
            lost_board, lost_move = find_first_boards(game, one)
            if lost_board == board and lost_move != move:
                return True
    return False


def has_drawn_in_a_row(_: Game, lessons: Sequence[Lesson]) -> bool:
    """Return whether the last games with the teacher were all draws."""
    results = [lesson.result for lesson in lessons if lesson.record]
    is_game = bool(lessons[-1].record)
    return is_game and results[-STREAK_LENGTH:] == ["draw"] * STREAK_LENGTH


NEAR_GOALS: dict[str, GoalTest] = {
    gettext_noop("One of its boxes became empty"): has_refilled,
    gettext_noop("It blocked one of your rows"): has_blocked,
    gettext_noop("It avoided a losing first move"): has_avoided_opening,
    gettext_noop("The first draw"): has_drawn,
    gettext_noop("Three draws in a row"): has_drawn_in_a_row,
}


def list_near_goals(
    game: Game, lessons: Sequence[Lesson], has_boxes: bool
) -> Iterator[tuple[str, int]]:
    """Yield each first goal, not translated, with the number of the lesson that reached it, 0 for none.

    A learner without boxes has no goal about boxes.
    """
    for text, holds in NEAR_GOALS.items():
        if has_boxes or holds is not has_refilled:
            numbers = range(1, len(lessons) + 1)
            yield text, next((n for n in numbers if holds(game, lessons[:n])), 0)


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


def list_own_plies(lesson: Lesson) -> Iterator[tuple[int, int]]:
    """Yield the plies of the learner's moves in a game, and its side, +1 X or -1 O."""
    first = "XO".index(lesson.seat)
    for ply in range(first, len(lesson.record), 2):
        yield ply, SEATS[lesson.seat.lower()]


def list_winning_cells(game: Game, position: int, player: int) -> list[int]:
    """Return the empty cells with which a player, +1 X or -1 O, would complete a row."""
    board = game.board[position]
    rows = board[game.lines]
    nearly = (rows == player).sum(axis=1) == game.in_a_row - 1
    return [
        cell for row in game.lines[nearly].tolist() for cell in row if not board[cell]
    ]


def find_first_boards(game: Game, lesson: Lesson) -> tuple[int, int]:
    """Return the boards before and after the learner's first move in a game, up to symmetry."""
    positions = replay_record(game, lesson.record)
    first = "XO".index(lesson.seat)
    before, after = game.symmetry_class[positions[first : first + 2]].tolist()
    return before, after
