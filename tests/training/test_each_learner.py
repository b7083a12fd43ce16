"""Properties of each learner that follow from its definition, besides its reference implementation."""

from itertools import accumulate, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.recipes import SHIPPED, Recipe, name_recipe, parse_recipe
from app.reference import build_rules
from app.textbook.league import MEMBERS, Player, play_league_game
from app.textbook.rng import Random
from app.tictactoe.beads import count_beads
from app.tictactoe.game import Game, X
from app.tictactoe.policy import (
    compute_optimal_q,
    first_empty_policy,
    greedy_policy,
)
from app.tictactoe.report import compute_chances, find_blunders, find_lost_game
from app.tictactoe.tasks import solve_task
from app.tictactoe.views import convert_view, scale_values_of_movers
from training.learners import learn
from training.learners.league import (
    LEARNER_RECIPES,
    choose_by_powers,
)
from training.learners.pairs import decay_rate
from training.learners.phases import Progress


def end_of(game: Game, recipe: str | Recipe) -> Progress:
    *_, end = learn(game, parse_recipe(recipe) if isinstance(recipe, str) else recipe)
    return end


def exact(game: Game, recipe: str) -> np.ndarray:
    """Return the exact values of the training task of a recipe."""
    task = parse_recipe(recipe).build_training_task()
    assert task is not None
    return solve_task(game, task)


# Sarsa, expected Sarsa, Monte Carlo and afterstates: their values after many games.


def test_what_explores_for_ever_is_worth_less(game: Game) -> None:
    """Against random play, a random move of one's own never helps."""
    asked, best = exact(game, "sarsa,epsilon=0.3"), exact(game, "q-learning,epsilon=0.3")
    assert (asked <= best + 1e-12)[game.legal].all()
    assert (asked < best - 0.01)[game.legal].any()
    assert exact(game, "sarsa,epsilon=0.3,epsilon_drop=0.1") == pytest.approx(best, nan_ok=True)


@pytest.mark.parametrize("slug", ["sarsa", "expected-sarsa"])
def test_an_on_policy_value_is_that_of_its_own_play_and_not_of_the_best(
    game: Game, slug: str
) -> None:
    """With much exploration the two values differ a lot, and many games show which one is learned."""
    recipe = f"{slug},vs=fixed,epsilon=0.5,alpha=0.02,start=empty,games=400000"
    end = end_of(game, recipe)
    own, best = exact(game, recipe), exact(game, "q-learning,vs=fixed")
    apart = game.legal & (end.visits > 300) & (np.abs(own - best) > 0.2)
    assert apart.sum() > 10
    off = [np.abs(end.q - asked)[apart].mean() for asked in (own, best)]
    assert off[0] < off[1] / 3


@pytest.mark.parametrize(
    "settings", ["", ",vs=both,start=empty", ",vs=self,start=every,epsilon=0.5"]
)
def test_sarsa_lambda_without_traces_is_sarsa_bit_for_bit(game: Game, settings: str) -> None:
    ends = [
        end_of(game, f"{slug},games=3000{settings}") for slug in ("sarsa", "sarsa-lambda,lambda=0")
    ]
    assert len({(end.updates, end.q.tobytes(), end.visits.tobytes()) for end in ends}) == 1


def test_monte_carlo_comes_to_what_its_own_play_is_worth(game: Game) -> None:
    """In positions with two empty cells the move and the reply end the game."""
    recipe = "monte-carlo,vs=random,games=1000000"
    end, own = end_of(game, recipe), exact(game, recipe)
    last = np.flatnonzero(game.legal.sum(axis=1) == 2)
    often = end.visits[last] > 100
    assert often.sum() > 500
    assert np.abs(end.q - own)[last][often].max() < 0.5
    assert np.abs(end.q - own)[last][often].mean() < 0.05


def test_all_that_is_learned_from_random_play_is_its_chance_to_win(game: Game) -> None:
    """Exercise 1.4: with constant exploration the values are those of random moves."""
    recipe = "td-afterstates,symmetric=yes,learn_from=all,epsilon=1,alpha=0.01,games=400000,draw=0"
    end, own = end_of(game, recipe), exact(game, recipe)
    early = game.legal[: game.ply_start[2]]
    off = np.abs(end.q - own)[: game.ply_start[2]][early]
    assert off.mean() < 0.03


# Q-learning backward over finished games, Q-learning in self-play, and tree search.


@pytest.mark.parametrize("length", [14_000, 10, 7, 1_234])
def test_epsilon_falls_after_every_tenth_of_the_games_but_not_below_0(length: int) -> None:
    for played in range(length):
        tenths = 10 * played // length
        wanted = pytest.approx(max(0, 7 - tenths) / 10, abs=1e-15)
        assert decay_rate(0.7, 0.1, played, length) == wanted
    assert decay_rate(0.7, 0.1, length - 1, length) >= 0


def test_the_end_of_a_game_is_worth_to_each_seat_what_the_card_says(game: Game) -> None:
    recipe = parse_recipe("self-play,alpha=1,games=20000")
    end = end_of(game, recipe)
    after = game.successor.clip(0)
    over = game.legal & (after >= game.decisions) & (end.visits > 0)
    outcome = convert_view(game, game.outcome[(after - game.decisions).clip(0)])
    worth = recipe.get_reward_scale()
    assert worth
    mover = game.to_move[game.pair_decision]
    scaled = game.spread_pairs(scale_values_of_movers(mover, end.q[game.legal], worth))
    np.testing.assert_array_equal(scaled[over], outcome[over])


def test_what_self_play_learned_is_the_discounted_truth(game: Game) -> None:
    """Pairs with many visits have the discounted values of optimal play."""
    end, truth = end_of(game, SHIPPED["self-play"].recipe), compute_optimal_q(game)
    often = game.legal & (end.visits > 100)
    assert often.sum() > 2_000
    assert (end.q[often & (truth == 1)] > 0.9**8 - 0.05).all()
    assert (end.q[often & (truth == -1)] < -(0.9**8) + 0.05).all()
    policy = greedy_policy(end.q)
    assert not find_blunders(game, policy).any()
    assert find_lost_game(game, policy, 1) is find_lost_game(game, policy, -1) is None


# The champion: its bounds are always true, and in the end they prove every value.


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_what_it_is_sure_of_is_true(game: Game, seed: int) -> None:
    truth, sure = compute_optimal_q(game), np.zeros(game.legal.shape, np.bool_)
    for progress in learn(game, parse_recipe(f"champion,seed={seed}"), lambda updates: updates + 1):
        now = np.isin(progress.q, [-1, 0, 1])
        assert (progress.q[now] == truth[now]).all()
        assert now[sure].all()
        at_most = np.select([progress.q == -0.75, progress.q == -0.5], [0, 1], 1)
        at_least = np.where(progress.q == 0.25, 0, -1)
        rest = game.legal & ~now
        assert ((at_least <= truth) & (truth <= at_most))[rest].all()
        sure = now


@pytest.mark.parametrize("seed", range(3))
def test_in_the_end_it_knows_everything(game: Game, seed: int) -> None:
    end = end_of(game, f"champion,seed={seed}")
    np.testing.assert_array_equal(end.q, compute_optimal_q(game))
    assert end.visits[game.legal].all()
    assert not find_blunders(game, greedy_policy(end.q)).any()
    assert end.games < 300
    assert end.finished_share == 1


# MENACE's beads: as Michie counted them, and played in proportion.


def test_it_begins_with_as_many_beads_as_michie_says(game: Game) -> None:
    untouched = next(learn(game, parse_recipe("menace,seat=x")))
    held = game.spread_pairs(count_beads(game, untouched.q[game.legal], "proportional"))
    for ply, number in enumerate((4, 4, 3, 3, 2, 2, 1, 1, 1)):
        rows = held[game.ply_start[ply] : [*game.ply_start, game.decisions][ply + 1]]
        assert set(rows[~np.isnan(rows)].tolist()) == {number}
    classes = np.unique(game.symmetry_class[: game.decisions][game.to_move == X])
    assert (classes < game.ply_start[8]).sum() == 304  # the last move of X needs no box


# The league: four learners that meet one another and two players that never learn.


def test_whoever_is_shown_it_is_the_same_league(game: Game) -> None:
    """One league in plain Python has the tables of all four learners."""
    rules = build_rules(game)
    players = {one: Player(rules, way, way) for one, way in LEARNER_RECIPES.items()}
    rng, boards = Random(4), rules.unfinished_boards()
    for _ in range(5):
        for meeting in permutations(MEMBERS, 2):
            assert all(play_league_game(rules, meeting, players, None, rng))
    for one, player in players.items():
        end = end_of(game, f"{name_recipe(LEARNER_RECIPES[one])},rounds=5,seed=4")
        expected = [
            player.q[player.see(boards[s], cell, rules.player_to_move(boards[s]))]
            for s, cell in np.argwhere(game.legal).tolist()
        ]
        np.testing.assert_array_equal(end.q[game.legal], np.array(expected, np.float32))


@pytest.mark.long
@pytest.mark.parametrize("learner", LEARNER_RECIPES)
def test_against_fixed_the_shipped_ones_win_as_x_and_lose_as_o(game: Game, learner: str) -> None:
    """They do in every game, except the symmetric learner, which loses half of its games as O."""
    policy = greedy_policy(end_of(game, SHIPPED[learner].recipe).q)
    as_x, as_o = (compute_chances(game, first_empty_policy(game), policy, s) for s in (1, -1))
    assert as_x == (1, 0, 0)
    assert as_o == ((0.5, 0, 0.5) if learner == "symmetric" else (0, 0, 1))


def chosen(u: float, values: list[float], k: float) -> int:
    """Choose among values that are not in order in the table."""
    q = np.zeros(2 * len(values))
    entries = np.arange(len(q) - 1, 0, -2, dtype=np.int32)
    q[entries] = values
    return choose_by_powers(u, q, k, entries, np.empty(len(values)))


@given(
    u=st.floats(0, 1, exclude_max=True),
    values=st.lists(st.floats(-20, 20), min_size=1, max_size=9),
    k=st.floats(0.001, 100),
)
def test_each_is_chosen_in_proportion_to_its_power_of_k(u, values, k) -> None:
    """The values and k cover the range of the league: rewards of +-10, k from 0.001 to 100."""
    powers = [k**value for value in values]
    ends = list(accumulate(power / sum(powers) for power in powers))
    assume(all(abs(u - end) > 1e-9 for end in ends[:-1]))
    assert chosen(u, values, k) == np.searchsorted(ends[:-1], u, side="right")


@given(
    u=st.floats(0, 1, exclude_max=True),
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9),
    k=st.floats(1e-300, 1e300),
)
def test_no_power_is_too_large_or_too_small(u, values, k) -> None:
    choice = chosen(u, values, k)
    assert 0 <= choice < len(values)
    best = max(values) if k > 1 else min(values)
    # a move that is drawn has a chance above 0
    assert abs((values[choice] - best) * np.log(k)) < 800
