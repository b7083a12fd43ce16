"""Four learners that meet one another and two players that never learn."""

from itertools import permutations

import numpy as np
import pytest

from app.recipes import SHIPPED, name, parse
from app.tictactoe.game import Game, connect
from app.tictactoe.policy import first_empty, greedy
from app.tictactoe.report import chances_against
from training.learners import learn
from training.learners.league import (
    LEARNERS,
    MEMBERS,
    RANDOM,
    board_of,
    minds_of,
    own_place,
    play,
    view_of,
)
from training.learners.phases import Progress
from training.learners.randomness import stream
from training.plain.boards import to_move, unfinished_boards
from training.plain.league import Player, seen
from training.plain.league import play as play_plainly
from training.plain.randomness import Random

GOOD = LEARNERS["observing"]


def played(game: Game, learner: str, rounds: int, settings: str = "") -> Progress:
    """Show a learner after so many rounds."""
    recipe = parse(f"{name(LEARNERS[learner])},rounds={rounds},seed=4{settings}")
    *_, end = learn(game, recipe, lambda updates: updates + 1)
    return end


def test_whoever_is_shown_it_is_the_same_league(game: Game) -> None:
    """One league in plain Python has the tables of all four."""
    players = {one: Player(game, way, way) for one, way in LEARNERS.items()}
    rng = Random(4)
    for _ in range(5):
        for meeting in permutations(MEMBERS, 2):
            assert all(play_plainly(game, meeting, players, rng, None))
    for one, player in players.items():
        end = played(game, one, 5)
        expected = [player.q[pair] for pair in own_names(game, player.way.symmetric)]
        np.testing.assert_array_equal(end.q[game.legal], np.array(expected, np.float32))


def own_names(game: Game, symmetric: bool) -> list[tuple[str, int]]:
    """Say what the plain league calls each legal pair, for the one who is to move there."""
    boards = unfinished_boards(game)
    return [
        seen(game, boards[s], cell, to_move(boards[s]), symmetric)
        for s, cell in np.argwhere(game.legal).tolist()
    ]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("vs", "opponents"), [("league", 5), ("fixed", 1), ("fixed+random", 2)])
def test_it_meets_everybody_in_both_seats(game: Game, learner, vs: str, opponents: int) -> None:
    assert played(game, learner, 3, f",vs={vs}").games == 2 * 3 * opponents


@pytest.mark.parametrize("board", [(3, 3, 3), (2, 3, 3)], ids=["3x3", "2x3"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_tables_are_symmetric_where_the_learner_is(board, learner: str) -> None:
    game = connect(*board)
    end = played(game, learner, 40)
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
    end = played(game, learner, 100)
    q = end.q[game.legal]
    assert -10 < q.min() < -5
    assert 10 < q.max() < 10 + LEARNERS[learner].gamma * 10


def test_a_finished_board_is_worth_its_reward_in_all_its_entries(game: Game) -> None:
    views = [view_of(game, 1), view_of(game, 8)]
    begins = np.array([0, views[0].entries], np.int32)
    board = board_of(game, views, begins, GOOD.worth())
    minds = minds_of([GOOD, LEARNERS["symmetric"]], views)
    meetings = np.array([[0, RANDOM], [RANDOM, 0], [1, 0], [0, 1]])
    play(stream(4), board, minds, meetings, 0, None, 0, 2000, 10**6, 0, 0)
    for learner in range(2):
        for view, sign in enumerate((1, -1)):
            rows = board.row[learner, view, game.decisions :, None] + np.arange(game.cells)
            reward = np.choose(sign * game.outcome + 1, [-10.0, 3.0, 10.0])
            reached = (minds.q[rows] != 0).any(axis=1)
            assert {-10.0, 3.0, 10.0} == {*reward[reached].tolist()}
            assert (minds.q[rows] == np.where(reached, reward, 0)[:, None]).all()


def test_every_move_is_an_update(game: Game) -> None:
    end = played(game, "q-learning-player", 1, ",vs=random")
    assert end.games == 2
    assert 10 <= end.updates <= 18


def test_one_stage_is_an_update_for_each_move_of_its_own(game: Game) -> None:
    end = played(game, "q-learning-player", 1, ",vs=random,stages=one")
    assert end.games == 2
    assert 5 <= end.updates <= 9


@pytest.mark.parametrize("learner", LEARNERS)
def test_against_fixed_the_shipped_ones_win_as_x_and_lose_as_o(game: Game, learner: str) -> None:
    """In every game, but for the symmetric one, which loses half as O: `found` says so."""
    *_, end = learn(game, SHIPPED[learner].recipe, lambda updates: 10**12)
    as_x, as_o = (chances_against(game, first_empty(game), greedy(end.q), s) for s in (1, -1))
    assert as_x == (1, 0, 0)
    assert as_o == ((0.5, 0, 0.5) if learner == "symmetric" else (0, 0, 1))


def test_the_shipped_ones_are_of_one_league() -> None:
    recipes = {learner: SHIPPED[learner].recipe for learner in LEARNERS}
    assert len({recipe.seed for recipe in recipes.values()}) == 1
    for learner, recipe in recipes.items():
        assert recipe.with_seed(0) == LEARNERS[learner]
        assert own_place(LEARNERS[learner]) == learner


def test_the_table_of_learners_is_that_of_the_league() -> None:
    slow, fast = (0.7, 0.001, 0.001, 100.0), (0.65, 0.01, 0.01, 10.0)
    assert [
        (one.gamma, one.k_start, one.k_step, one.k_limit, one.observing, one.symmetric)
        for one in LEARNERS.values()
    ] == [
        (*slow, False, False),
        (*slow, True, False),
        (*fast, False, True),
        (*fast, True, True),
    ]
    assert all((one.win, one.draw, one.loss) == (10, 3, -10) for one in LEARNERS.values())
    assert (*LEARNERS, "fixed", "random") == MEMBERS
