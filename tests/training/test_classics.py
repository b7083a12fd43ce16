"""Sarsa, expected Sarsa, Monte Carlo and afterstates: what is true of each by its definition."""

import numpy as np
import pytest

from app.recipes import Recipe, parse
from app.tictactoe.game import Game
from app.tictactoe.tasks import task_q
from training.learners import learn
from training.learners.phases import Progress


def end_of(game: Game, recipe: Recipe) -> Progress:
    *_, end = learn(game, recipe, lambda updates: 10**12)
    return end


def exact(game: Game, recipe: Recipe) -> np.ndarray:
    task = recipe.task()
    assert task is not None
    return task_q(game, task)


def test_without_exploration_expected_sarsa_is_q_learning(game: Game) -> None:
    settings = "vs=self,epsilon=0,games=20000,seed=3"
    ends = [end_of(game, parse(f"{slug},{settings}")) for slug in ("expected-sarsa", "q-learning")]
    np.testing.assert_array_equal(ends[0].q, ends[1].q)
    np.testing.assert_array_equal(ends[0].visits, ends[1].visits)


def test_all_three_play_the_same_games_while_they_know_nothing(game: Game) -> None:
    """With a step size of 0 nothing is learned, and chance is asked in the same order."""
    slugs = ("q-learning", "sarsa", "expected-sarsa")
    ends = [end_of(game, parse(f"{slug},alpha=0,games=5000")) for slug in slugs]
    for other in ends[1:]:
        np.testing.assert_array_equal(ends[0].visits, other.visits)


def test_what_explores_for_ever_is_worth_less(game: Game) -> None:
    """Against somebody who only ever answers at random, an own random move never helps."""
    asked = exact(game, parse("sarsa,epsilon=0.3"))
    best = exact(game, parse("q-learning,epsilon=0.3"))
    assert (asked <= best + 1e-12)[game.legal].all()
    assert (asked < best - 0.01)[game.legal].any()
    assert exact(game, parse("sarsa,epsilon=0.3,epsilon_drop=0.1")) == pytest.approx(
        best, nan_ok=True
    )


@pytest.mark.parametrize("slug", ["sarsa", "expected-sarsa"])
def test_an_on_policy_value_is_that_of_its_own_play_and_not_of_the_best(
    game: Game, slug: str
) -> None:
    """With so much exploration the two can be far apart, and many games tell which it is."""
    recipe = parse(f"{slug},vs=fixed,epsilon=0.5,alpha=0.02,start=empty,games=400000")
    end = end_of(game, recipe)
    own, best = exact(game, recipe), exact(game, parse("q-learning,vs=fixed"))
    apart = game.legal & (end.visits > 300) & (np.abs(own - best) > 0.2)
    assert apart.sum() > 10
    off = [np.abs(end.q - asked)[apart].mean() for asked in (own, best)]
    assert off[0] < off[1] / 3


def test_the_first_return_replaces_what_a_value_began_with(game: Game) -> None:
    """However it begins: a value that was averaged once is the result of that game."""
    end = end_of(game, parse("monte-carlo,initial=50,gamma=1,games=3000"))
    once = end.visits == 1
    assert once.any()
    assert set(np.unique(end.q[once])) <= {-1.0, 0.0, 1.0}
    assert (end.q[game.legal & (end.visits == 0)] == 50).all()


def test_an_average_of_results_is_a_whole_number_of_them(game: Game) -> None:
    end = end_of(game, parse("monte-carlo,gamma=1,games=30000"))
    sums = (end.q * end.visits)[end.visits > 0]
    np.testing.assert_allclose(sums, sums.round(), atol=1e-3)


def test_exploring_starts_try_every_move_alike(game: Game) -> None:
    """From every position in turn, greedily: then only the first move of a game is any move."""
    shown = [
        end_of(
            game,
            parse(f"monte-carlo,start=every,epsilon=0,exploring_starts={switch},games=90400"),
        )
        for switch in ("yes", "no")
    ]
    tried = [(end.visits > 0)[game.legal].mean() for end in shown]
    assert tried[0] > 0.99
    assert tried[1] < 0.8


def test_monte_carlo_comes_to_what_its_own_play_is_worth(game: Game) -> None:
    """Where two squares are left: its move and the answer end the game."""
    recipe = parse("monte-carlo,vs=random,games=1000000")
    end, own = end_of(game, recipe), exact(game, recipe)
    last = np.flatnonzero(game.legal.sum(axis=1) == 2)
    often = end.visits[last] > 100
    assert often.sum() > 500
    assert np.abs(end.q - own)[last][often].max() < 0.5
    assert np.abs(end.q - own)[last][often].mean() < 0.05


def test_what_ends_the_game_is_known_and_never_learned(game: Game) -> None:
    untouched, *_, end = learn(game, parse("td-afterstates,draw=0.25"), lambda updates: 10**12)
    ends = game.legal & np.isin(game.successor, np.arange(game.decisions, game.positions))
    won = ends & (np.abs(np.append(np.zeros(game.decisions), game.outcome))[game.successor] == 1)
    for table in (untouched.q, end.q):
        assert (table[won] == 1).all()
        assert (table[ends & ~won] == 0.25).all()
    assert (untouched.q[game.legal & ~ends] == 0.5).all()
    assert not end.visits[ends].any()


def test_random_moves_teach_nothing_unless_they_shall(game: Game) -> None:
    """Only random moves: then all that is learned is how the opponent's answers end games."""
    greedy, every = (
        end_of(game, parse(f"td-afterstates,learn_from={which},epsilon=1,games=20000"))
        for which in ("greedy", "all")
    )
    answered = np.zeros(game.decisions, np.bool_)
    for s in range(game.decisions):
        answered[s] = (game.successor[s] >= game.decisions).any()  # who moves there can end it
    learned = np.unique(game.pair_after[greedy.visits[game.legal] > 0])
    assert answered[learned].all()
    assert every.updates > 2 * greedy.updates


def test_all_that_is_learned_from_random_play_is_its_chance_to_win(game: Game) -> None:
    """Exercise 1.4: with exploration for ever these are the values of moving at random."""
    recipe = parse(
        "td-afterstates,symmetric=yes,learn_from=all,epsilon=1,alpha=0.01,games=400000,draw=0"
    )
    end, own = end_of(game, recipe), exact(game, recipe)
    early = game.legal[: game.ply_start[2]]
    off = np.abs(end.q - own)[: game.ply_start[2]][early]
    assert off.mean() < 0.03


def test_a_step_size_that_falls_ends_nearer_to_the_truth(game: Game) -> None:
    settings = "vs=fixed,learn_from=all,epsilon=0.5,alpha=0.5,games=200000,seat=x"
    constant, falling = (
        end_of(game, parse(f"td-afterstates,{settings},alpha_drop={drop}")) for drop in (0, 0.055)
    )
    own = exact(game, parse(f"td-afterstates,{settings}"))
    often = game.legal & (constant.visits > 1000) & (falling.visits > 1000)
    assert often.sum() > 20
    off = [np.abs(end.q - own)[often].mean() for end in (constant, falling)]
    assert off[1] < off[0] / 2
