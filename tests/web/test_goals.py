"""The easy goals of a teacher, with games written down here."""

import pytest

from app.recipes.taught import Lesson
from app.tictactoe.game import tic_tac_toe
from app.web.pages.teach.goals import NEAR_GOALS, list_exact_goals, list_near_goals

GAME = tic_tac_toe()
RESULTS = {"w": "win", "d": "draw", "l": "loss"}


def lesson(game: str, refills: int = 0) -> Lesson:
    """Return a lesson by the learner's seat, the record and the result, as in "X405386l"."""
    seat, record, result = game[:1], game[1:-1], RESULTS.get(game[-1:], "")
    return Lesson(
        opponent="you" if record else "random",
        games=1,
        seat=seat,
        record=record,
        result=result,
        updates=[],
        opponent_update_count=0,
        loss_chances={"x": 1.0, "o": 1.0},
        blunder_count=0,
        milestones=[],
        refill_count=refills,
    )


def reached(*games: str, refills: int = 0, has_boxes: bool = True) -> dict[str, int]:
    lessons = [lesson(game, refills) for game in games]
    return dict(list_near_goals(GAME, lessons, has_boxes))


LOST, DRAWN = "X405386l", "X408217356d"


@pytest.mark.parametrize(
    ("goal", "games", "number"),
    [
        ("The first draw", [LOST, DRAWN], 2),
        ("The first draw", [LOST], 0),
        ("Three draws in a row", [DRAWN, DRAWN, LOST, DRAWN, DRAWN, DRAWN], 6),
        ("Three draws in a row", [DRAWN, DRAWN, "", DRAWN], 4),
        # In the drawn game X blocks the top row and then the left column.
        ("It blocked one of your rows", [LOST, DRAWN], 2),
        # O blocks the row of X in the centre.
        ("It blocked one of your rows", ["O401762538d"], 1),
        ("It avoided a losing first move", [LOST, DRAWN], 0),
        ("It avoided a losing first move", [LOST, "X01428w"], 2),
        ("It avoided a losing first move", [LOST, "O01428l", "X0142538w"], 3),
        # Another corner is the same opening.
        ("It avoided a losing first move", ["X041236l", "X84736w"], 0),
    ],
)
def test_when_a_goal_is_reached_first(goal: str, games: list[str], number: int) -> None:
    assert goal in NEAR_GOALS
    assert reached(*games)[goal] == number


def test_only_a_learner_with_boxes_has_a_goal_about_them() -> None:
    assert reached(LOST, refills=1)["One of its boxes became empty"] == 1
    assert reached(LOST)["One of its boxes became empty"] == 0
    assert "One of its boxes became empty" not in reached(LOST, has_boxes=False)


def test_a_learner_that_plays_one_seat_has_no_goals_about_the_other() -> None:
    assert len([*list_exact_goals([], ["x", "o"])]) == 6
    assert [text for text, _ in list_exact_goals([], ["x"])][-1] == "Unbeatable as X"
    assert [text for text, _ in list_exact_goals([], ["o"])][-1] == "Unbeatable as O"
