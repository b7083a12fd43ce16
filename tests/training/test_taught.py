"""Learners taught by people: the games are a part of the recipe and determine the agent."""

import re
from random import Random as Dice

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.recipes import Recipe, name_recipe, parse_recipe
from app.recipes.parameters import TaughtMoveError, list_taught_games
from app.recipes.taught import (
    Course,
    add_practice,
    remove_last_lesson,
)
from app.tictactoe.game import GAME, Game
from app.tictactoe.notation import format_position, replay_record
from app.tictactoe.policy import policy_from_values
from tests.tictactoe.reference import SIGN, Policy, Rules, in_floats, mover, place
from training.cli import main
from training.learners import learn
from training.run import train
from training.taught import PupilCache, build_progress

LEARNERS = [
    "menace",
    "menace,seat=x,plays=greedy,seed=5",
    "q-table,epsilon=0.2,epsilon_drop=0",
    "double-q,epsilon=0.2,epsilon_drop=0,ties=random",
    "q-learning,start=empty,seat=o",
    "sarsa,start=empty",
    "expected-sarsa,start=empty",
    "monte-carlo,start=empty",
    "td-afterstates,symmetric=yes",
    "self-play",
    "league",
    "league,observing=yes,symmetric=yes",
    "sarsa-lambda,start=empty",
]

# These differ most in what a learner keeps between two games.
DIFFERENT = (
    "menace,seat=x,plays=greedy,seed=5",
    "league",
    "sarsa-lambda,start=empty",
)
PAPER = "menace,seat=x,opening=centre,paper=yes"  # a machine of paper boxes


@pytest.fixture
def pupils(game: Game) -> PupilCache:
    return PupilCache()


def taught(pupils: PupilCache, recipe: Recipe, dice: Dice, games: int) -> list[Course]:
    """Return the courses that a person sees after each of some random games."""
    courses, now = list[Course](), ""
    while len(courses) < games:
        course = pupils.build_course(recipe, now)
        if course.has_unfinished_game:
            free = np.flatnonzero(GAME.legal[replay_record(GAME, course.record)[-1]])
            now += str(dice.choice(free.tolist()))
        else:
            courses.append(course)
            recipe, now = parse_recipe(course.recipe), ""
    return courses


def practice(recipe: Recipe) -> str:
    return "self" if recipe.slug == "self-play" else "random"


@pytest.mark.parametrize(
    "text",
    [
        text if text in DIFFERENT else pytest.param(text, marks=pytest.mark.long)
        for text in LEARNERS
    ],
)
def test_every_prefix_is_the_agent_of_before(game: Game, pupils: PupilCache, text: str) -> None:
    """Also with practice; and a cached learner equals a learner that learns all games again."""
    dice, start = Dice(7), parse_recipe(text)
    courses = taught(pupils, start, dice, 2)
    practised = pupils.build_course(
        add_practice(parse_recipe(courses[-1].recipe), practice(start), 10)
    )
    courses += [practised, *taught(pupils, parse_recipe(practised.recipe), dice, 2)]
    recipe = parse_recipe(courses[-1].recipe)
    for number, course in reversed([*enumerate(courses, 1)]):
        assert course.lessons == courses[-1].lessons[:number]
        afresh = PupilCache().build_course(parse_recipe(course.recipe))
        assert (afresh.lessons, afresh.losing_games) == (course.lessons, course.losing_games)
        assert parse_recipe(course.recipe) == recipe
        recipe = remove_last_lesson(recipe)
    assert recipe == start


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(LEARNERS), st.integers(0, 9999), st.randoms(use_true_random=False))
def test_any_legal_moves_are_a_recipe_that_is_trained_to_what_was_seen(
    game: Game, pupils: PupilCache, text: str, seed: int, dice: Dice
) -> None:
    course = taught(pupils, parse_recipe(text).with_seed(seed), dice, 3)[-1]
    recipe = parse_recipe(course.recipe)
    assert name_recipe(recipe) == course.recipe
    *_, end = learn(game, recipe, lambda updates: updates + 1)
    decisions = [s for s in replay_record(game, course.record) if s < game.decisions]
    expected = [[None if np.isnan(one) else one for one in row] for row in end.q[decisions]]
    assert course.values == expected
    assert end.games == 3
    assert end.updates == sum(
        len(one.updates) + one.opponent_update_count for one in course.lessons
    )
    position = replay_record(game, course.lessons[-1].record)[-1]
    assert game.is_over(position)
    assert set(list_taught_games(recipe)[-1]) < set(course.lessons[-1].record)


@pytest.mark.long
def test_taught_learners_are_judged_as_the_reference_judges_them(game: Game) -> None:
    """After each of the first three games, one learner for each rule of play."""
    rules, dice, pupils = Rules(), Dice(11), PupilCache()
    boards = [format_position(game, s) for s in range(game.decisions)]
    blunders = {board: rules.blunder_cells(board) for board in rules.decisions}
    uniform = in_floats(rules.uniform())
    starts = [parse_recipe(text).with_seed(at) for at, text in enumerate(LEARNERS[::2])]
    reached = set[str]()
    for course in (course for start in starts for course in taught(pupils, start, dice, 3)):
        recipe, lesson = parse_recipe(course.recipe), course.lessons[-1]
        *_, end = learn(game, recipe, lambda updates: 10**9)
        rows = policy_from_values(end.q, recipe.plays).tolist()
        play: Policy = {
            board: {cell: chance for cell, chance in enumerate(row) if chance > 0}
            for board, row in zip(boards, rows, strict=True)
        }
        met = {seat: rules.met(play, seat) for seat in SIGN}
        for seat, other in (("X", "O"), ("O", "X")):
            _, chances = rules.best_response(play, other)
            won = chances[rules.boards[0]][0 if other == "X" else 2]
            assert lesson.loss_chances[seat.lower()] == pytest.approx(float(won), abs=1e-9)
            proved = all(rules.solved[b] != (SIGN[other], 0) for b in met[seat])
            assert (seat.lower() in lesson.milestones) == proved
            assert (course.losing_games[seat.lower()] is None) == proved
        assert lesson.blunder_count == sum(not blunders[b].isdisjoint(play[b]) for b in blunders)
        asked = {board for seat in SIGN for board in met[seat] if rules.is_to_move(seat, board)}
        assert ("rows" in lesson.milestones) == all(completes(rules, play, b) for b in asked)
        assert ("blocks" in lesson.milestones) == all(blocks(rules, play, b) for b in asked)
        at_random = rules.chances(play, uniform)[rules.boards[0]]
        assert ("random" in lesson.milestones) == (at_random[2] == 0)
        reached |= set(lesson.milestones)
    assert "rows" in reached


def rows(rules: Rules, board: str, mark: str) -> set[int]:
    """Return the cells with which a player completes a row."""
    free = [cell for cell, one in enumerate(board) if one == "."]
    return {cell for cell in free if rules.has_line(place(board, cell, mark), mark)}


def completes(rules: Rules, play: Policy, board: str) -> bool:
    """Return whether a policy always completes a row if it can."""
    own = rows(rules, board, mover(board))
    return not own or own.issuperset(play[board])


def blocks(rules: Rules, play: Policy, board: str) -> bool:
    """Return whether a policy blocks the opponent's only row if it has none itself."""
    own, others = (rows(rules, board, mark) for mark in (mover(board), "XO"[mover(board) == "X"]))
    return bool(own) or len(others) != 1 or others.issuperset(play[board])


@pytest.mark.parametrize(
    ("games", "sentence"),
    [
        ("{0}.{taken}", "taught: move 1 of game 2 is cell {taken}, which is taken"),
        ("{0}{more}", "taught: move {next} of game 1 comes after the end of the game"),
        ("{short}.{0}", "taught: move {last} of game 1 is missing: the game is not over"),
    ],
)
def test_what_cannot_have_been_played_is_refused_with_game_and_move(
    game: Game, pupils: PupilCache, games: str, sentence: str
) -> None:
    course = taught(pupils, parse_recipe("menace,seat=x"), Dice(2), 1)[0]
    (cells,) = list_taught_games(parse_recipe(course.recipe))
    begun = pupils.build_course(parse_recipe(course.recipe), "")
    words = {
        "taken": begun.record[0],
        "more": next(cell for cell in "012345678" if cell not in cells),
        "short": cells[:-1],
        "next": len(cells) + 1,
        "last": len(cells),
    }
    text = games.format(cells, **words)
    recipe = parse_recipe(f"menace,vs=you:{text.count('.') + 1},seat=x,taught={text}")
    said = sentence.format(cells, **words)
    with pytest.raises(TaughtMoveError, match=f"^{said}$"):
        pupils.build_course(recipe)
    with pytest.raises(TaughtMoveError, match=f"^{said}$"):
        train("taught", recipe, game, lambda progress: None)
    result = CliRunner().invoke(main, ["train", name_recipe(recipe)])
    assert result.exit_code == 1
    assert said in result.output


@pytest.mark.long
def test_a_seed_with_which_the_games_cannot_have_been_played_is_refused() -> None:
    text = "menace,vs=you,games=1,seat=x,taught=0123"  # the first three are a row
    result = CliRunner().invoke(main, ["seeds", text, "--seeds", "2", "--jobs", "2"])
    assert result.exit_code == 1
    assert re.search("Error: with one of these seeds taught: move . of game 1 ", result.output)


def test_one_game_more_costs_one_game(pupils: PupilCache) -> None:
    """With a cached learner only the last game is played; the cached learner does not change."""
    courses = taught(pupils, parse_recipe("menace"), Dice(6), 3)
    kept = pupils.get_pupil(parse_recipe(courses[1].recipe))
    before = build_progress(kept).q
    pupils.cache.pop(next(key for key in pupils.cache if len(key[1]) == 3))
    again = pupils.get_pupil(parse_recipe(courses[2].recipe))
    assert again is not kept
    assert again.lessons[0] is kept.lessons[0]
    np.testing.assert_array_equal(build_progress(kept).q, before)
    assert not np.array_equal(build_progress(again).q, before, equal_nan=True)


def test_a_learner_that_always_loses_loses_with_chance_1(pupils: PupilCache) -> None:
    """The sum of its chances is 0.9999999999999999, which a page would show as >99%."""
    recipe = parse_recipe(
        "q-table,vs=you,ties=random,alpha=0.9,epsilon=0,epsilon_drop=0,games=6,"
        "taught=458.43810.763.57034.651.3761"
    )
    course = pupils.build_course(recipe, None)
    assert isinstance(course, Course)
    assert course.lessons[-1].loss_chances["o"] == 1


def on_paper(*games: str) -> Recipe:
    return parse_recipe(
        f"{PAPER},vs=you:{len(games)},taught={'.'.join(games)}".replace(":1,", ",games=1,")
    )


@pytest.mark.parametrize(
    ("games", "fault"),
    [
        (["40538"], "move 6 of game 1 is missing"),
        (["405386", "04152"], "move 1 of game 2 has no bead left"),
        (["405386", "4053867"], "move 7 of game 2 comes after the end"),
    ],
)
def test_a_game_on_paper_that_cannot_have_been_played(
    pupils: PupilCache, games: list[str], fault: str
) -> None:
    with pytest.raises(TaughtMoveError, match=fault):
        pupils.build_course(on_paper(*games))
