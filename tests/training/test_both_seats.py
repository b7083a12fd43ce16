"""Q-learning and double Q-learning that go back over finished games, on afterstates."""

from collections.abc import Mapping
from functools import cache
from itertools import islice

import numpy as np
import pytest

from app.tictactoe.game import Game
from training.both_seats import Rules, lowered
from training.double_q import double_q
from training.q_table import q_table
from training.reference import both_seats as reference
from training.reference.both_seats import standing
from training.reference.plain import legal_cells, move, unfinished_boards

ALGORITHMS = [q_table, double_q]
RULES = {"alpha": 0.4, "gamma": 1.0, "epsilon": 0.7, "epsilon_drop": 0.1}
REWARDS = {"loss": -1.0, "draw": 0.0, "win": 1.0}
SETTINGS = RULES | REWARDS
DRAW_1 = RULES | {"loss": 0.0, "draw": 1.0, "win": 1.0}
OTHER = SETTINGS | {"gamma": 0.9, "epsilon": 0.05, "epsilon_drop": 0.2, "draw": -0.25}


def after_every_game(updates: int) -> int:
    return updates + 1


def trained(algorithm, game, opponents, seed=0, stop=10**9, **settings):
    settings = SETTINGS | settings
    rng = np.random.default_rng(seed)
    *_, end = algorithm(game, rng, lambda updates: stop, opponents=opponents, **settings)
    return end


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("settings", [SETTINGS, DRAW_1, OTHER])
@pytest.mark.parametrize(
    "opponents", [{"random": 60}, {"minimax-random": 60}, {"random": 25, "minimax-random": 33}]
)
def test_the_compiled_learner_is_the_plain_one(game: Game, algorithm, settings, opponents) -> None:
    settings = {"opponents": opponents, **settings}
    plain = getattr(reference, algorithm.__name__)(np.random.default_rng(7), **settings)
    compiled = algorithm(game, np.random.default_rng(7), after_every_game, **settings)
    values, visits = dict.fromkeys(made_by_pair(), 0.0), dict.fromkeys(made_by_pair(), 0)
    done = 0
    for progress in compiled:
        for (board, cell), value in islice(plain, progress.updates - done):
            made = standing(move(board, cell))
            values[made] = value
            visits[made] += 1
        done = progress.updates
        np.testing.assert_array_equal(progress.q, spread(game, values).astype(np.float32))
        np.testing.assert_array_equal(progress.visits, np.nan_to_num(spread(game, visits)))
    assert next(plain, None) is None
    assert progress.games == 2 * sum(opponents.values())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("opponent", ["random", "fixed", "t-hand", "minimax", "strongest"])
def test_tables_are_symmetric(game: Game, algorithm, opponent) -> None:
    """Even if the opponent is not."""
    end = trained(algorithm, game, {opponent: 500})
    for image, cells in zip(game.image, game.symmetry, strict=True):
        seen = image[: game.decisions]
        np.testing.assert_array_equal(end.q[seen], end.q[:, cells])
        np.testing.assert_array_equal(end.visits[seen], end.visits[:, cells])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_visits_of_the_classes_add_up_to_the_updates(game: Game, algorithm) -> None:
    end = trained(algorithm, game, {"random": 500})
    _, one_each = np.unique(game.symmetry_class[game.successor[game.legal]], return_index=True)
    assert len(one_each) == 764
    assert end.visits[game.legal][one_each].sum() == end.updates


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_last_move_teaches_the_result_at_once(game: Game, algorithm) -> None:
    """Both tables, if there are two: the average of them is the whole reward."""
    once = {"alpha": 1.0, "loss": -3.0, "draw": 0.5, "win": 2.0}
    learner = algorithm(
        game,
        np.random.default_rng(0),
        after_every_game,
        opponents={"random": 100},
        **SETTINGS | once,
    )
    before = next(learner)
    for progress in learner:
        moves = game.legal & (progress.visits > before.visits)
        plies = (game.board[: game.decisions] != 0).sum(axis=1)
        last = moves & (plies == plies[moves.any(axis=1)].max())[:, None]
        assert set(progress.q[last]) < {-3.0, 0.5, 2.0}
        before = progress


def test_double_q_learns_an_earlier_move_in_one_table_at_a_time(game: Game) -> None:
    """Half of the way in the average, where one table would go all of it."""
    once = {"alpha": 1.0, "epsilon": 0.0, "loss": -4.0, "draw": -4.0, "win": 4.0}
    ends = [trained(algorithm, game, {"random": 2}, **once) for algorithm in ALGORITHMS]
    assert set(ends[0].q[game.legal]) <= {-4.0, 0.0, 4.0}
    assert set(ends[1].q[game.legal]) & {-2.0, 2.0, -1.0, 1.0, -3.0, 3.0}


@pytest.mark.parametrize("length", [7_000, 10, 7, 1_234])
def test_epsilon_falls_after_every_tenth_of_the_games_but_not_below_0(length: int) -> None:
    rules = Rules(**SETTINGS)
    for played in range(length):
        tenths = 10 * played // length
        assert lowered(rules, played, length) == pytest.approx(max(0, 7 - tenths) / 10, abs=1e-15)
    assert lowered(rules, length - 1, length) >= 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"alpha": 1.5}, "alpha lies within 0 and 1, not 1.5"),
        ({"gamma": -0.1}, "gamma lies within 0 and 1, not -0.1"),
        ({"epsilon": float("nan")}, "epsilon lies within 0 and 1, not nan"),
        ({"epsilon_drop": -0.1}, "epsilon_drop lies within 0 and 1, not -0.1"),
        ({"draw": 1.5}, "rewards rise from loss to draw to win, not -1.0, 1.5, 1.0"),
        ({"loss": 1.0, "draw": 1.0}, "rewards rise from loss to draw to win, not 1.0, 1.0, 1.0"),
        ({"win": float("nan")}, "rewards rise from loss to draw to win, not -1.0, 0.0, nan"),
    ],
)
def test_rules_that_make_no_sense_are_refused(game: Game, algorithm, setting, sentence) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        trained(algorithm, game, {"random": 1}, **setting)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_unknown_opponent_is_refused_before_anything_is_learned(game: Game, algorithm) -> None:
    with pytest.raises(ValueError, match="no opponent 'nobody' here, only random, fixed, t-hand"):
        next(
            algorithm(
                game,
                np.random.default_rng(0),
                after_every_game,
                opponents={"random": 1, "nobody": 1},
                **SETTINGS,
            )
        )


@cache
def made_by_pair() -> list[str]:
    """What each legal pair makes; boards are numbered in the same order as decisions are."""
    return [standing(move(board, c)) for board in unfinished_boards() for c in legal_cells(board)]


def spread(game: Game, values: Mapping[str, float]) -> np.ndarray:
    """The values of what moves make as a table, [D, cells]."""
    table = np.full(game.legal.shape, np.nan)
    table[game.legal] = [values[made] for made in made_by_pair()]
    return table


def test_one_board_stands_for_all_its_images() -> None:
    assert len(set(made_by_pair())) == 764
    assert standing("X........") == standing("........X") == standing("..X......")
    assert standing("XO.......") != standing("X...O....")
    assert set(map(standing, made_by_pair())) == set(made_by_pair())
