"""The deep Q-network as a learner: epochs, seeds, results, and rejected parameters."""

from pathlib import Path

import numpy as np
import pytest

from app.recipes import parse_recipe
from app.recipes.algorithms import Dqn
from app.textbook.rules import TicTacToe
from app.tictactoe.agents import load_agent
from app.tictactoe.game import Game, O, X, build_game
from app.tictactoe.notation import format_position
from app.tictactoe.policy import first_empty_policy, t_hand_policy, uniform_policy
from training import learners
from training.learners.phases import Epoch, Progress
from training.networks import dqn
from training.networks.dqn import (
    NO_NEXT_STATE,
    MoveArrays,
    compute_epoch_shares,
    compute_targets,
    extract_moves,
    play_games,
    sample_moves,
)
from training.run import find_next_checkpoint

MODELS = Path(__file__).parents[2] / "models"

# One small layer: most of the time goes into compiling the steps of each network.
SMALL = "games=10,step_size=0.001,steps=20,batch=8,layers=1,width=70"
BRIEF = f"{SMALL},epsilon=0.5,memory=100"


def learn(game: Game, settings: str = "vs=t-hand,epochs=3", brief: str = BRIEF) -> list[Progress]:
    """Train three epochs, unless the parameters differ."""
    return list(learners.learn(game, parse_recipe(f"dqn,{settings},{brief}"), find_next_checkpoint))


@pytest.fixture(scope="module")
def seen(game: Game) -> list[Progress]:
    return learn(game)


@pytest.mark.long
def test_a_seed_decides_everything(game: Game, seen: list[Progress]) -> None:
    assert contents(learn(game)) == contents(seen)
    assert contents(learn(game, "vs=t-hand,epochs=3,seed=1")) != contents(seen)


@pytest.mark.long
def test_it_learns_to_beat_a_player_who_never_wavers() -> None:
    """Two in a row on five cells: X always beats the first-empty player with two right moves."""
    brief = BRIEF.replace("steps=20", "steps=40").removesuffix(",memory=100")
    *_, end = learn(build_game(1, 5, 2), "vs=fixed,epochs=25,epsilon_last=0", brief)
    assert end.epoch is not None
    assert end.epoch.won[0] == 1


@pytest.mark.long
def test_the_shipped_network_begins_as_its_recipe_still_does(game: Game) -> None:
    """The last digits are equal only on the same kind of processor."""
    shipped = load_agent(MODELS, game, "dqn-vs-random")
    seen = learners.learn(game, parse_recipe(shipped.card.recipe), find_next_checkpoint)
    for snapshot, progress in zip((0, 1), seen, strict=False):
        assert progress.updates == shipped.snapshot_updates[snapshot]
        expected = shipped.history.get_values(snapshot)
        np.testing.assert_allclose(progress.q[game.legal], expected, rtol=1e-3, atol=1e-4)


def test_without_them_it_chooses_taken_cells_and_loses_by_that(
    game: Game, seen: list[Progress]
) -> None:
    """An untrained network plays an illegal move in most games of five plies and more."""
    usual, seen = seen, learn(game, "vs=t-hand,epochs=3,guard_rails=no")
    first = epochs(seen)[0]
    for seat in (0, 1):
        assert 0 < first.forfeited[seat] <= first.lost[seat]
    assert 0 < first.illegal_share_in_games < 1
    assert (np.isnan(seen[-1].q) == ~game.legal).all()
    assert not seen[-1].visits[~game.legal].any()
    # Everything else is the same: the networks begin equal and end different.
    assert seen[0].q.tobytes() == usual[0].q.tobytes()
    assert seen[-1].q.tobytes() != usual[-1].q.tobytes()


@pytest.mark.long
def test_separate_networks_learn_from_their_own_seat_only(game: Game) -> None:
    """If the number of steps is odd, X's network gets one more: here it gets the only one."""
    recipe = parse_recipe(f"dqn,epochs=2,networks=separate,{SMALL.replace('steps=20', 'steps=1')}")
    assert isinstance(recipe, Dqn)
    remembered: dict[int, set[int]] = {X: set(), O: set()}  # the players to move in a buffer

    def record(trainee: dqn.NetworkTrainee, moves: MoveArrays) -> None:
        """Look at the buffer as the last epoch left it, and at the moves that are learned now."""
        (seat,) = trainee.seats
        for decisions in (trainee.replay_buffer.decision, moves.decision):
            remembered[seat] |= {*game.to_move[decisions].ravel().tolist()}

    before, _, after = dqn.learn(game, recipe, find_next_checkpoint, record)
    for seat, same in ((X, False), (O, True)):
        here = game.to_move == seat
        assert (before.q[here].tobytes() == after.q[here].tobytes()) == same
        assert remembered[seat] == {seat}
    assert after.updates == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "variant",
    [
        "encoding=flat",
        "encoding=bits,convolution=yes",
        "error=squared",
        "outputs=all",
    ],
)
def test_every_variant_ends_as_a_table(game: Game, variant: str) -> None:
    before, after = learn(game, f"epochs=1,{variant}", SMALL)
    assert np.isfinite(after.q[game.legal]).all()
    assert np.isnan(after.q[~game.legal]).all()
    assert (before.q[game.legal] != after.q[game.legal]).mean() > 0.99


def epochs(seen: list[Progress]) -> list[Epoch]:
    return [progress.epoch for progress in seen if progress.epoch]


def contents(seen: list[Progress]) -> list[tuple[bytes, bytes, Epoch | None]]:
    return [(progress.q.tobytes(), progress.visits.tobytes(), progress.epoch) for progress in seen]


# The games of the deep Q-learner and its replay buffer, compared with the same games on boards as text.


GAMES = 200
REWARDS = (-5.0, -2.0, -0.1, 1.0)  # rewards of an illegal move, a loss, a draw, a win


@pytest.mark.parametrize("seat", [X, O])
def test_moves_are_those_of_the_games_told_slowly(game: Game, seat: int) -> None:
    games = play_games(
        game, np.random.default_rng(5), uniform_policy(game), t_hand_policy(game), GAMES
    )
    told = [tell(game, games.cell[:, n].tolist(), seat) for n in range(GAMES)]
    expected = [made for moves, _ in told for made in moves]
    listed = zip(
        *(column.tolist() for column in extract_moves(game, games, seat, REWARDS, -0.1)),
        strict=True,
    )
    found = [
        (text(game, s), cell, round(reward, 6), text(game, after))
        for s, cell, reward, after in listed
    ]
    assert sorted(found) == sorted(expected)
    assert {reward for _, _, reward, _ in found} == {1.0, -2.0, -0.1}
    share = compute_epoch_shares(game, games, seat)
    assert share.won == np.mean([result == seat for _, result in told])
    assert share.lost == np.mean([result == -seat for _, result in told])
    assert share.forfeited == 0


@pytest.mark.parametrize("seat", [X, O])
def test_a_taken_cell_ends_the_game_and_costs_what_it_costs(game: Game, seat: int) -> None:
    """A player that always plays the centre can play it once, or never if the opponent starts there."""
    centre = np.zeros_like(uniform_policy(game))
    centre[:, 4] = 1
    first = np.where(game.legal[:, 4:5], centre, first_empty_policy(game))
    x, o = (centre, first) if seat == X else (first, centre)
    games = play_games(game, np.random.default_rng(7), x, o, 2)
    moves = extract_moves(game, games, seat, REWARDS, -0.1)
    pairs = zip(moves.decision.tolist(), moves.cell.tolist(), strict=True)
    told = [(format_position(game, s), cell) for s, cell in pairs]
    if seat == X:
        assert told == [(".........", 4)] * 2 + [("O...X....", 4)] * 2
        np.testing.assert_allclose(moves.reward, [-0.1, -0.1, -5, -5])
    else:
        assert told == [("....X....", 4)] * 2
        np.testing.assert_allclose(moves.reward, [-5, -5])
    assert moves.next_decision[-2:].tolist() == [NO_NEXT_STATE, NO_NEXT_STATE]
    assert compute_epoch_shares(game, games, seat) == (0, 1, 1)


def test_any_move_of_the_memory_may_be_drawn_and_stays_whole() -> None:
    drawn = sample_moves(numbered(3, 8), np.random.default_rng(8), (100, 2))
    assert drawn.cell.shape == (100, 2)
    assert set(drawn.decision.ravel().tolist()) == {3, 4, 5, 6, 7}
    np.testing.assert_array_equal(drawn.cell, drawn.decision + 100)
    np.testing.assert_array_equal(drawn.reward, drawn.decision)
    np.testing.assert_array_equal(drawn.next_decision, drawn.decision + 200)


def test_targets_are_those_of_plain_python(game: Game) -> None:
    rng = np.random.default_rng(4)
    moves = extract_moves(
        game,
        play_games(game, rng, uniform_policy(game), t_hand_policy(game), GAMES),
        X,
        REWARDS,
        -0.1,
    )
    q = np.where(game.legal, rng.normal(size=game.legal.shape), np.nan).astype(np.float32)
    expected = []
    for reward, after in zip(moves.reward.tolist(), moves.next_decision.tolist(), strict=True):
        options = [] if after == NO_NEXT_STATE else q[after, game.legal[after]].tolist()
        expected.append(reward + 0.9 * max(options, default=0.0))
    assert {after == NO_NEXT_STATE for after in moves.next_decision.tolist()} == {True, False}
    np.testing.assert_allclose(compute_targets(q, moves, 0.9), expected, rtol=1e-5, atol=1e-6)


def numbered(start: int, stop: int) -> MoveArrays:
    numbers = np.arange(start, stop, dtype=np.int32)
    return MoveArrays(numbers, numbers + 100, numbers.astype(np.float32), numbers + 200)


def text(game: Game, s: int) -> str:
    return "" if s == NO_NEXT_STATE else format_position(game, s)


def tell(game: Game, cells: list[int], seat: int) -> tuple[list[tuple[str, int, float, str]], int]:
    """Replay a game as text; return the moves of this seat with their rewards, and the winner."""
    rules, board, trail = TicTacToe(), "." * 9, []
    for cell in cells:
        if rules.is_over(board):
            break
        assert cell in rules.legal_moves(board)
        trail.append((board, cell))
        board = rules.make_move(board, cell)
    winner = rules.result(board, "X")
    ending = {seat: 1.0, -seat: -2.0, 0: -0.1}[winner]
    told = []
    for number in range(0 if seat == X else 1, len(trail), 2):
        after = trail[number + 2][0] if number + 2 < len(trail) else ""
        told.append((*trail[number], -0.1 if after else ending, after))
    return told, winner
