"""The commands that repeat a training with many seeds."""

import threading

import numpy as np
import pytest
from click.testing import CliRunner, Result

from app.recipes import parse_recipe
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import greedy_policy
from app.tictactoe.report import find_blunders, find_lost_game
from training import cli
from training.learners import learn
from training.measures import END_MEASURE, EXACT_PROOF_MEASURE
from training.run import train
from training.seeds import measure_seed, measure_seeds

CHAMPION, Q_TABLE = parse_recipe("champion"), parse_recipe("q-table")


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(cli.main, arguments)
    assert result.exit_code == 0, result.output
    return result


def square(seed: int) -> tuple[int, int]:
    """Return the square, and the number of threads of the process that computes it."""
    return seed * seed, threading.active_count()


def games_needed(seed: int) -> tuple[int, int]:
    """Return the number of games until the champion is unbeatable, and without a blunder."""
    proof = measure_seed(EXACT_PROOF_MEASURE, CHAMPION, seed)
    assert proof.games_to_proof
    assert proof.games_to_faultless
    return proof.games_to_proof, proof.played_games


@pytest.mark.long
def test_the_champion_needs_few_games() -> None:
    """The goal is a median of 700; over seeds 0 to 999 it is 170."""
    unbeatable, faultless = zip(*map(games_needed, range(5)), strict=True)
    assert np.median(unbeatable) < 180
    assert max(unbeatable) < 200
    assert max(faultless) < 280


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_first_game_after_which_nobody_can_beat_it(game: Game, seed: int) -> None:
    unbeatable, faultless = games_needed(seed)
    for progress in learn(game, CHAMPION.with_seed(seed), lambda updates: updates + 1):
        policy = greedy_policy(progress.q)
        if progress.games <= unbeatable:
            proved = all(find_lost_game(game, policy, seat) is None for seat in (X, O))
            assert proved == (progress.games == unbeatable)
    assert progress.games == faultless
    assert not find_blunders(game, policy).any()


def test_seeds_judges_what_each_seed_makes_of_an_agent(game: Game) -> None:
    printed = call("seeds", "q-table", "--seeds", "3", "--jobs", "1").stdout
    agents = [
        train("q-table", Q_TABLE.with_seed(seed), game, lambda progress: None) for seed in range(3)
    ]
    wins = sorted(
        100 * agent.card.figures.outcome_chances_by_baseline["random"].o[-1][0] for agent in agents
    )
    row = next(line for line in printed.splitlines() if line.startswith("as O, wins against Rand"))
    assert row.split()[-5::2] == [f"{share:.2f}" for share in wins]
    runs = [measure_seed(END_MEASURE, Q_TABLE, seed) for seed in range(3)]
    both = sum(run.is_unbeatable.x == run.is_unbeatable.o == [True] for run in runs)
    assert f"unbeatable in both seats: {both} of 3" in printed


@pytest.mark.long
def test_several_processes_measure_the_same_as_one_and_start_no_more_and_more_threads() -> None:
    squares, threads = zip(*measure_seeds(square, range(200), 2), strict=True)
    alone, _ = zip(*measure_seeds(square, range(200), 1), strict=True)
    assert squares == alone == tuple(seed * seed for seed in range(200))
    assert len(set(threads)) == 1
