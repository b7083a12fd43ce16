"""Four learners that meet one another and two players that never learn."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from app.tictactoe.game import Game, connect
from app.tictactoe.policy import first_empty, greedy
from app.tictactoe.report import chances_against
from training.environment import Progress
from training.league import league
from training.league_games import board_of, minds_of, play
from training.members import LEARNERS, MEMBERS, RANDOM, Learner
from training.owners_view import view_of
from training.recipes import RECIPES
from training.reference import league as reference
from training.run import learn

EVERYBODY = [*MEMBERS]
GOOD = LEARNERS["observing"]
QUICK_K = {"k_start": 0.5, "k_step": 0.1, "k_limit": 3.0}  # at its limit after 25 updates


def settings(learner: str, members: list[str], rounds: int, **changes: Any) -> dict[str, Any]:
    opponents = {name: rounds for name in members if name != learner}
    return {"learner": learner, "opponents": opponents, **asdict(LEARNERS[learner]), **changes}


def played(game: Game, seed: int = 4, **kwargs: Any) -> Iterator[Progress]:
    """Show a learner after each game that it learns from."""
    return league(game, np.random.default_rng(seed), lambda updates: updates + 1, **kwargs)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    ("members", "rounds", "changes"),
    [
        (EVERYBODY, 30, {}),
        (EVERYBODY, 10, QUICK_K),
        (["fixed"], 100, {"gamma": 1.0}),
        (["random"], 100, QUICK_K),
        (["symmetric", "observing", "q-learning-player"], 30, QUICK_K | {"gamma": 0.0}),
    ],
    ids=["all", "all, quick", "fixed", "random, quick", "no baseline"],
)
def test_the_compiled_league_is_the_plain_one(
    game: Game, learner: str, members: list[str], rounds: int, changes: dict[str, Any]
) -> None:
    kwargs = settings(learner, members, rounds, **changes)
    plain = reference.league(np.random.default_rng(4), **kwargs)
    names = own_names(game, symmetric=kwargs["symmetric"])
    q: dict[object, float] = {}
    visits: dict[object, int] = {}
    updates = 0
    for number, progress in enumerate(played(game, **kwargs)):
        while updates < progress.updates:
            pair, q[pair] = next(plain)
            visits[pair] = visits.get(pair, 0) + 1
            updates += 1
        if number % 20 == 0 or progress.done == 1:
            expected = np.array([q.get(name, 0) for name in names], np.float32)
            np.testing.assert_array_equal(progress.q[game.legal], expected)
            counted = [visits.get(name, 0) for name in names]
            np.testing.assert_array_equal(progress.visits[game.legal], counted)
    assert progress.done == 1
    assert next(plain, None) is None
    assert progress.games == 2 * rounds * len(kwargs["opponents"])


def test_whoever_is_shown_it_is_the_same_league(game: Game) -> None:
    """One league in plain Python has the tables of all four."""
    players = {name: reference.Player(way) for name, way in LEARNERS.items()}
    rng = np.random.default_rng(4)
    for _ in range(5):
        for meeting in permutations(MEMBERS, 2):
            assert all(reference.play(meeting, players, rng))
    for name, player in players.items():
        *_, end = played(game, **settings(name, EVERYBODY, 5))
        expected = [player.q[pair] for pair in own_names(game, player.way.symmetric)]
        np.testing.assert_array_equal(end.q[game.legal], np.array(expected, np.float32))


def own_names(game: Game, symmetric: bool) -> list[tuple[str, int]]:
    """Say what the plain league calls each legal pair, for the one who is to move there."""
    boards = ["".join(".XO"[stone] for stone in board) for board in game.board[: game.decisions]]
    return [
        reference.seen(boards[s], cell, "XO"[int(game.to_move[s] < 0)], symmetric)
        for s, cell in np.argwhere(game.legal).tolist()
    ]


@pytest.mark.parametrize("board", [(3, 3, 3), (2, 3, 3)], ids=["3x3", "2x3"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_tables_are_symmetric_where_the_learner_is(board, learner: str) -> None:
    game = connect(*board)
    *_, end = played(game, **settings(learner, EVERYBODY, 40))
    same = [
        np.array_equal(table[image[: game.decisions]], table[:, cells], equal_nan=True)
        for table in (end.q, end.visits)
        for image, cells in zip(game.image, game.symmetry, strict=True)
    ]
    assert all(same) == LEARNERS[learner].symmetric


@pytest.mark.parametrize("learner", LEARNERS)
def test_values_lie_between_a_loss_and_a_win_that_is_counted_twice(
    game: Game, learner: str
) -> None:
    *_, end = played(game, **settings(learner, EVERYBODY, 100))
    q = end.q[game.legal]
    assert -10 < q.min() < -5
    assert 10 < q.max() < 10 + LEARNERS[learner].gamma * 10


def test_a_finished_board_is_worth_its_reward_in_all_its_entries(game: Game) -> None:
    views = [view_of(game, 1), view_of(game, 8)]
    begins = np.array([0, views[0].entries], np.int32)
    board, minds = board_of(game, views, begins), minds_of([GOOD, LEARNERS["symmetric"]], views)
    meetings = np.array([[0, RANDOM], [RANDOM, 0], [1, 0], [0, 1]])
    play(np.random.default_rng(4), board, minds, meetings, 0, 2000, 10**6, 0)
    for learner in range(2):
        for view, sign in enumerate((1, -1)):
            rows = board.row[learner, view, game.decisions :, None] + np.arange(game.cells)
            reward = np.choose(sign * game.outcome + 1, [-10.0, 3.0, 10.0])
            reached = (minds.q[rows] != 0).any(axis=1)
            assert {-10.0, 3.0, 10.0} == {*reward[reached].tolist()}
            assert (minds.q[rows] == np.where(reached, reward, 0)[:, None]).all()


def test_every_move_is_an_update(game: Game) -> None:
    *_, end = played(game, **settings("q-learning-player", ["random"], 1))
    assert end.games == 2
    assert 10 <= end.updates <= 18


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_shipped_ones_beat_fixed_as_x_in_every_game(game: Game, learner: str) -> None:
    recipe = RECIPES[learner]
    *_, end = learn(recipe, game, recipe.seed, lambda progress: None)
    assert chances_against(game, first_empty(game), greedy(end.q), 1) == (1, 0, 0)


def test_the_shipped_ones_are_of_one_league() -> None:
    recipes = [RECIPES[learner] for learner in LEARNERS]
    assert len({recipe.seed for recipe in recipes}) == 1
    assert len({rounds for recipe in recipes for rounds in recipe.opponents.values()}) == 1
    for recipe in recipes:
        assert {recipe.id, *recipe.opponents} == set(MEMBERS)
        assert recipe.parameters == {"learner": recipe.id, **asdict(LEARNERS[recipe.id])}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"gamma": 1.5}, "gamma lies within 0 and 1, not 1.5"),
        ({"gamma": float("nan")}, "gamma lies within 0 and 1, not nan"),
        ({"k_start": 0.0}, "not from 0.0 by 0.001 to 100.0"),
        ({"k_start": float("nan")}, "not from nan by"),
        ({"k_start": 101.0}, "k rises from k_start, above 0, to k_limit, not from 101.0 by"),
        ({"k_step": -1.0}, "not from 0.001 by -1.0 to 100.0"),
        ({"k_limit": float("inf")}, "not from 0.001 by 0.001 to inf"),
    ],
)
def test_a_learner_that_cannot_be_meant_is_refused(change, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(GOOD, **change)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"learner": "nobody"}, "no learner 'nobody' here, only q-learning-player, observing"),
        ({"learner": "fixed"}, "no learner 'fixed' here"),
        ({"opponents": {"minimax": 5}}, "observing cannot meet 'minimax', only others of"),
        ({"opponents": {"observing": 5}}, "observing cannot meet 'observing'"),
        ({"opponents": {"fixed": 5, "random": 6}}, r"equally many rounds against all, not \[5, 6"),
        ({"opponents": {}}, r"equally many rounds against all, not \[\]"),
        ({"k_limit": 0.0}, "k rises"),
    ],
)
def test_a_league_that_cannot_be_played_is_refused(game: Game, change, sentence: str) -> None:
    kwargs = settings("observing", EVERYBODY, 1) | change
    with pytest.raises(ValueError, match=sentence):
        next(played(game, **kwargs))


def test_the_table_of_learners_is_that_of_the_league() -> None:
    slow, fast = (0.7, 0.001, 0.001, 100.0), (0.65, 0.01, 0.01, 10.0)
    assert [how(learner) for learner in LEARNERS.values()] == [
        (*slow, False, False),
        (*slow, True, False),
        (*fast, False, True),
        (*fast, True, True),
    ]


def how(learner: Learner) -> tuple[float, ...]:
    return tuple(asdict(learner).values())
