"""The example updates on pages: equal to real training runs bit for bit, with consistent numbers."""

import math

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from app.project import ROOT
from app.recipes.games import BLUNDERS_FOLDER, UPDATES_FOLDER, TrainingUpdate, UpdateExample
from app.reference import build_rules
from app.tictactoe.game import Game
from training.blunder_updates import (
    RECORDED_AGENTS,
    build_blunder_updates,
    encode_blunder_updates,
    list_blunders,
)
from training.learners import learn
from training.updates import (
    EXAMPLE_PLACES,
    EXAMPLE_SLUGS,
    build_examples,
    choose_places,
    encode_examples,
    find_trained_recipe,
    record_examples,
)

MODELS = ROOT / "models"
WHOLE_GAMES = ("monte-carlo", "menace", "champion")  # without a next state
LINES = ("012", "345", "678", "036", "147", "258", "048", "246")
RANGES = [(lower, upper) for lower in (-1, 0, 1) for upper in (-1, 0, 1) if lower <= upper]
BOUNDS = {lower + (upper - lower) / 4: (lower, upper) for lower, upper in RANGES}


def won_by(board: str) -> str:
    """Return the player with a line on a board, "" if there is none."""
    rows = [{board[int(cell)] for cell in line} for line in LINES]
    return next((mark for mark in "XO" if {mark} in rows), "")


def stored(slug: str) -> list[UpdateExample]:
    text = (MODELS / UPDATES_FOLDER / f"{slug}.json").read_bytes()
    return msgspec.json.decode(text, type=list[UpdateExample])


@pytest.mark.long
@pytest.mark.parametrize("slug", EXAMPLE_SLUGS)
def test_the_stored_updates_are_those_of_the_trainings(slug: str) -> None:
    assert (
        encode_examples(build_examples(slug))
        == (MODELS / UPDATES_FOLDER / f"{slug}.json").read_bytes()
    )


def test_an_algorithm_without_chosen_examples_shows_an_update_that_moves_its_value() -> None:
    (example,) = record_examples("sarsa", choose_places("sarsa").values()).values()
    changes = [abs(update.new - update.old) for update in example.updates]
    assert changes[example.shown_index] == max(changes) > 0


def train_until(game: Game, agent: str, updates: int) -> dict[str, NDArray[np.float32]]:
    """Return the values of each board after a number of updates of the compiled learner."""
    progress = learn(game, find_trained_recipe(agent), lambda _: updates)
    after = next(one for one in progress if one.updates >= updates)
    assert after.updates == updates
    return dict(zip(build_rules(game).unfinished_boards(), after.q, strict=True))


# Learners with entries that moves of several boards share, or several moves of a board.
SHARED = ("q-table", "double-q", "td-afterstates", "champion", "menace", "league")
SHARED_ON_A_BOARD = tuple(slug for slug in SHARED if slug != "td-afterstates")


GAMES = [slug for slug in EXAMPLE_PLACES if slug not in ("q-iteration", "mcts")]


@pytest.mark.parametrize("slug", GAMES)
def test_the_values_of_an_example_are_those_of_the_compiled_training(game: Game, slug: str) -> None:
    """The value after each update, and the values of the other moves of the last board."""
    for example in stored(slug):
        updates = example.earlier_updates + len(example.updates)
        values = train_until(game, EXAMPLE_PLACES[slug][0], updates)
        last = example.updates[-1]
        final = {example.moves[change.move_index]: change for change in example.updates}
        for turn, change in final.items():
            if change is last or slug not in SHARED:  # a later update may change a shared entry
                assert values[turn.board][turn.cell] == np.float32(change.new)
        board = example.moves[last.move_index].board
        for cell, value in enumerate(last.values):
            if board[cell] != ".":
                assert value is None
                assert np.isnan(values[board][cell])
            elif cell != example.moves[last.move_index].cell and slug not in SHARED_ON_A_BOARD:
                assert values[board][cell] == np.float32(value or 0.0)


def test_the_values_of_sweeps_and_simulations_are_those_of_the_compiled_training(
    game: Game,
) -> None:
    """An update of Q-iteration is counted in its sweep; each position has a tree of its own."""
    for example in stored("q-iteration"):
        updates = (example.game_number - 1) * int(game.legal.sum()) + example.earlier_updates + 1
        turn, change = example.moves[0], example.updates[0]
        values = train_until(game, "q-iteration", updates)
        assert values[turn.board][turn.cell] == np.float32(change.new)
    for example in stored("mcts"):
        values = train_until(game, "mcts", example.game_number * game.decisions)
        root = example.moves[0]
        (change,) = (change for change in example.updates if change.move_index == 0)
        assert values[root.board][root.cell] == np.float32(change.new)


def stored_mistakes(agent: str) -> dict[str, list[UpdateExample]]:
    text = (MODELS / UPDATES_FOLDER / BLUNDERS_FOLDER / f"{agent}.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, list[UpdateExample]])


@pytest.mark.long
def test_the_stored_mistakes_are_those_of_the_training() -> None:
    """For the agent with a short training; the next test checks another agent."""
    text = (MODELS / UPDATES_FOLDER / BLUNDERS_FOLDER / "double-q.json").read_bytes()
    assert encode_blunder_updates(build_blunder_updates("double-q", MODELS)) == text


def test_every_agent_of_the_list_has_its_mistakes() -> None:
    assert {
        path.stem for path in (MODELS / UPDATES_FOLDER / BLUNDERS_FOLDER).glob("*.json")
    } == set(RECORDED_AGENTS)
    for agent in RECORDED_AGENTS:
        listed = {blunder.name for blunder in list_blunders(agent, MODELS)}
        assert set(stored_mistakes(agent)) <= listed
        for mistake, first in stored_mistakes(agent).values():
            assert (mistake.kind, first.kind) == ("mistake", "first")
            change = mistake.updates[mistake.shown_index]
            assert change.old != change.new
            assert first.earlier_updates <= mistake.earlier_updates


@pytest.mark.parametrize("agent", ["q-table-draw-1", "q-learning-1", "sarsa"])
def test_since_its_update_the_compiled_learner_prefers_the_blunder(game: Game, agent: str) -> None:
    found = sorted(stored_mistakes(agent).items(), key=lambda item: item[1][0].earlier_updates)
    for key, (mistake, _) in found[:2]:
        board, cell = key.split()
        ends = {
            mistake.earlier_updates: False,
            mistake.earlier_updates + len(mistake.updates): True,
        }
        for updates, preferred in ends.items():  # before the game with the update, and after it
            row = train_until(game, agent, updates)[board]
            assert (np.flatnonzero(row == np.nanmax(row)).tolist() == [int(cell)]) == preferred


def next_value(slug: str, change: TrainingUpdate) -> float:
    """Return the value of the next state, computed in another way than by the learner."""
    if not change.next_values:
        return 0.0
    known = [value for value in change.next_values if value is not None]
    match slug:
        case "sarsa" | "sarsa-lambda" | "td-afterstates":
            assert change.next_cell is not None
            value = change.next_values[change.next_cell]
            assert value is not None
            return value
        case "expected-sarsa":
            return 0.9 * max(known) + 0.1 * math.fsum(known) / len(known)
        case "league":
            return max(0.0, *known)
    return max(known)


@pytest.mark.parametrize("slug", [slug for slug in GAMES if slug not in WHOLE_GAMES])
def test_target_and_new_value_follow_from_the_stored_numbers(slug: str) -> None:
    recipe = find_trained_recipe(EXAMPLE_PLACES[slug][0])
    gamma = getattr(recipe, "gamma", 1.0) * (-1 if slug == "self-play" else 1)
    for example in stored(slug):
        for change in example.updates:
            turn = example.moves[change.move_index]
            assert change.values[turn.cell] == change.old
            if not change.next_board:  # an earlier move, by the error of the last one
                assert change.target is not None
                assert change.step_size is not None
                made = change.old + change.step_size * (change.target - change.old)
                assert math.isclose(change.new, made, abs_tol=1e-12)
                continue
            followed = next_value(slug, change)
            if slug == "league" and change.next_value and not change.next_values:
                # after its first visit, a finished board has its reward as value
                followed = change.reward
            if slug != "double-q":  # its boards show the average of both tables
                assert math.isclose(change.next_value, followed, abs_tol=1e-12)
            assert change.target is not None
            assert change.step_size is not None
            target = change.reward + gamma * change.next_value
            assert math.isclose(change.target, target, abs_tol=1e-12)
            old, new = change.in_table or (change.old, change.new)
            made = old + change.step_size * (target - old)
            assert math.isclose(new, made, abs_tol=1e-12)
            if change.in_table:
                assert math.isclose(change.new - change.old, (new - old) / 2, abs_tol=1e-12)


def test_a_return_is_the_discounted_reward_of_its_game() -> None:
    for example in stored("monte-carlo"):
        winner = won_by(example.final_board)
        reward = 0 if not winner else 1 if winner == example.moves[0].mark else -1
        for later, change in enumerate(example.updates):
            assert change.target is not None
            assert math.isclose(change.target, 0.9**later * reward, abs_tol=1e-12)
            made = change.old + (change.target - change.old) / change.update_count
            assert math.isclose(change.new, made, abs_tol=1e-12)


def test_beads_are_paid_alike() -> None:
    paid = {"won": 3, "drawn": 1, "lost": -1}
    for example in stored("menace"):
        for change in example.updates:
            assert change.new == max(0, change.old + paid[example.kind])


def test_a_simulated_result_is_averaged_in_along_its_path() -> None:
    for example in stored("mcts"):
        for change in example.updates:
            winner, mark = won_by(example.final_board), example.moves[change.move_index].mark
            assert change.target == (0 if not winner else 1 if winner == mark else -1)
            made = change.old + (change.target - change.old) / change.update_count
            assert math.isclose(change.new, made, abs_tol=1e-12)


def test_the_bounds_of_a_move_are_those_of_its_answers() -> None:
    for example in stored("champion"):
        for change in example.updates:
            lower, upper = BOUNDS[change.new]
            if change.next_values:
                known = [BOUNDS[value] for value in change.next_values if value is not None]
                assert lower == -max(most for _, most in known)
                assert upper == -max(least for least, _ in known)
            else:
                assert lower == upper


def test_the_targets_of_a_minibatch_are_those_of_its_target_network() -> None:
    """A step of Adam makes most errors in a minibatch smaller, so most outputs move to their targets."""
    (example,) = stored("dqn")
    nearer = 0
    for change in example.updates:
        known = [value for value in change.next_values if value is not None]
        followed = max(known, default=0.0)
        assert change.next_value == pytest.approx(followed, abs=1e-6)
        assert change.target == pytest.approx(change.reward + 0.9 * followed, abs=1e-5)
        turn = example.moves[change.move_index]
        assert change.values[turn.cell] == pytest.approx(change.old)
        assert change.target is not None
        nearer += abs(change.target - change.new) < abs(change.target - change.old)
    assert nearer > len(example.updates) / 2
