"""The goals of a teacher: teaching reaches them, and a machine that learns nothing does not."""

from functools import cache

import numpy as np
import pytest

from app.recipes import parse_recipe
from app.recipes.taught import Lesson
from app.tictactoe.game import GAME
from app.tictactoe.notation import DIGITS, replay_record
from app.tictactoe.policy import BASELINES
from app.web.pages.teach.goals import (
    compute_unlearned_shares,
    list_exact_goals,
    list_first_goals,
)
from app.web.pages.teach.learners import FIRST_COURSES
from training.first_courses import build_first_courses
from training.taught import PupilCache

GAMES = 10
# Its moves are drawn at random, and no game changes a value.
LEARNS_NOTHING = "q-table,ties=random,alpha=0,epsilon=0,epsilon_drop=0,seed="
LEARNS = "q-table,ties=random,alpha=0.9,epsilon=0,epsilon_drop=0,seed="


@cache
def teach(recipe_name: str) -> list[Lesson]:
    """Return the lessons of ten games against a person who plays as well as possible."""
    pupils = PupilCache()
    recipe, good = recipe_name, BASELINES["strongest"].build_policy(GAME)
    for _ in range(GAMES):
        cells = ""
        while (course := pupils.build_course(parse_recipe(recipe), cells)).has_unfinished_game:
            position = replay_record(GAME, course.record)[-1]
            cells += DIGITS[int(np.argmax(good[position]))]
        recipe = course.recipe
    return course.lessons


def list_reached(lessons: list[Lesson]) -> list[str]:
    goals = [*list_first_goals(lessons), *list_exact_goals(lessons, ["x", "o"])]
    return [text for text, number in goals if number]


@pytest.mark.parametrize("seed", range(2))
def test_only_a_machine_that_learns_reaches_goals(seed: int) -> None:
    """With 100 seeds, 100 such machines reach no goal in ten games."""
    assert not list_reached(teach(f"{LEARNS_NOTHING}{seed}"))
    assert list_reached(teach(f"{LEARNS}{seed}"))


def test_goals_count_from_the_third_game() -> None:
    lessons = teach(f"{LEARNS}0")
    late = [lessons[-1]] * 3  # a lesson after which a goal is reached
    assert not any(number for _, number in list_first_goals(late[:2]))
    assert 3 in [number for _, number in list_first_goals(late)]


def test_a_learner_unlearns_its_mistakes_step_by_step() -> None:
    """The curve begins before any mistake, and a machine that learns nothing stays at 0."""
    shares = compute_unlearned_shares(teach("menace"))
    assert shares[0] == 0
    assert len(shares) == GAMES + 1
    assert 0.25 < shares[-1] < 1
    assert compute_unlearned_shares(teach(f"{LEARNS_NOTHING}0")) == [0.0] * (GAMES + 1)


def test_a_learner_that_plays_one_seat_has_no_goals_about_the_other() -> None:
    assert len([*list_exact_goals([], ["x", "o"])]) == 6
    assert [text for text, _ in list_exact_goals([], ["x"])][-1] == "Unbeatable as X"
    assert [text for text, _ in list_exact_goals([], ["o"])][-1] == "Unbeatable as O"


def test_the_stored_first_courses_are_those_of_the_learners() -> None:
    """The first visit shows them without a training."""
    assert build_first_courses() == FIRST_COURSES
