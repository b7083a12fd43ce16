"""Q-learning that goes back over finished games, with one table or two."""

import numpy as np
import pytest

from app.recipes import parse
from app.tictactoe.game import Game
from app.tictactoe.policy import policy_of
from training.learners import learn
from training.learners.classes import Classes, afterstate_classes, pair_classes
from training.learners.pairs import lowered
from training.plain.boards import legal_cells, move, standing, standing_pair, unfinished_boards

SLUGS = ["q-table", "double-q"]
KEYS = ["pair", "afterstate"]


def trained(game: Game, name: str):
    *_, end = learn(game, parse(name), lambda updates: 10**9)
    return end


def classes_of(game: Game, key: str) -> Classes:
    return pair_classes(game) if key == "pair" else afterstate_classes(game)


@pytest.mark.parametrize("key", KEYS)
def test_pairs_share_a_value_exactly_where_they_are_the_same(game: Game, key: str) -> None:
    pairs = [(board, cell) for board in unfinished_boards(game) for cell in legal_cells(board)]
    named = [standing_pair(game, *p) if key == "pair" else standing(game, move(*p)) for p in pairs]
    together = {*zip(classes_of(game, key).of.tolist(), named, strict=True)}
    assert len(together) == len({one for one, _ in together}) == len({one for _, one in together})


def test_one_board_stands_for_all_its_images(game: Game) -> None:
    corners = {standing(game, corner) for corner in ("X........", "........X", "..X......")}
    assert len(corners) == 1
    assert standing(game, "XO.......") != standing(game, "X...O....")
    assert standing_pair(game, "X........", 8) == standing_pair(game, "..X......", 6)
    assert standing_pair(game, "X........", 8) != standing_pair(game, "X........", 6)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_last_move_teaches_the_result_at_once(game: Game, slug: str) -> None:
    """Both tables, if there are two: the average of them is the whole reward."""
    recipe = parse(f"{slug},alpha=1,loss=-3,draw=0.5,win=2,games=200")
    learner = learn(game, recipe, lambda updates: updates + 1)
    before = next(learner)
    for progress in learner:
        moves = game.legal & (progress.visits > before.visits)
        plies = (game.board[: game.decisions] != 0).sum(axis=1)
        last = moves & (plies == plies[moves.any(axis=1)].max())[:, None]
        assert set(progress.q[last]) < {-3.0, 0.5, 2.0}
        before = progress


def test_double_q_learns_an_earlier_move_in_one_table_at_a_time(game: Game) -> None:
    """Half of the way in the average, where one table would go all of it."""
    once = "alpha=1,epsilon=0,loss=-4,draw=-4,win=4,games=8"
    one, two = (trained(game, f"{slug},{once}") for slug in SLUGS)
    assert set(one.q[game.legal]) <= {-4.0, 0.0, 4.0}
    assert set(two.q[game.legal]) & {-2.0, 2.0, -1.0, 1.0, -3.0, 3.0}


@pytest.mark.parametrize("length", [14_000, 10, 7, 1_234])
def test_epsilon_falls_after_every_tenth_of_the_games_but_not_below_0(length: int) -> None:
    for played in range(length):
        tenths = 10 * played // length
        assert lowered(0.7, 0.1, played, length) == pytest.approx(
            max(0, 7 - tenths) / 10, abs=1e-15
        )
    assert lowered(0.7, 0.1, length - 1, length) >= 0


def test_a_won_game_of_three_moves_is_worth_less_the_earlier_the_move(game: Game) -> None:
    """The worked example of the article: 0.9, 0.81, 0.73 where nothing was known before."""
    for seed in range(100):
        recipe = parse(f"q-table,vs=fixed,seat=x,alpha=0.9,games=1,seed={seed}")
        *_, end = learn(game, recipe, lambda updates: 10**9)
        values = np.unique(end.q[end.visits > 0])
        if end.updates == 3 and values.min() > 0:
            np.testing.assert_allclose(values, [0.729, 0.81, 0.9], rtol=1e-6)
            return
    raise AssertionError("no game of three moves was won")


def test_running_sums_leave_the_range_of_the_rewards(game: Game) -> None:
    end = trained(game, "q-table,update=sum")
    assert np.nanmax(end.q) > 2


def test_the_first_best_move_is_always_the_same(game: Game) -> None:
    """Against an opponent who never wavers, without exploration: one game, again and again."""
    end = trained(
        game,
        "q-table,vs=fixed,seat=x,epsilon=0,epsilon_drop=0,games=30,initial=0.5,win=0.6,draw=0.5,loss=0.4",
    )
    assert end.visits[0].max() >= 30
    policy = policy_of(end.q, "first")
    assert (policy.max(axis=1) == 1).all()
