"""The games of the deep Q-learner and its memory, against the same games told on boards as text."""

import numpy as np
import pytest

from app.tictactoe.game import Game, O, X
from app.tictactoe.notation import position_text
from app.tictactoe.policy import first_empty, t_hand, uniform
from training.networks.games import (
    OVER,
    Moves,
    draw,
    moves_of,
    nothing,
    play,
    remember,
    sample,
    shares,
    targets,
)
from training.plain.boards import is_over, legal_cells, move, result

GAMES = 200
REWARDS = (-5.0, -2.0, -0.1, 1.0)  # of a illegal move, a loss, a draw, a win


@pytest.mark.parametrize("seat", [X, O])
def test_moves_are_those_of_the_games_told_slowly(game: Game, seat: int) -> None:
    games = play(game, np.random.default_rng(5), uniform(game), t_hand(game), GAMES)
    told = [tell(game, games.cell[:, n].tolist(), seat) for n in range(GAMES)]
    expected = [made for moves, _ in told for made in moves]
    listed = zip(
        *(column.tolist() for column in moves_of(game, games, seat, REWARDS, -0.1)), strict=True
    )
    found = [
        (text(game, s), cell, round(reward, 6), text(game, after))
        for s, cell, reward, after in listed
    ]
    assert sorted(found) == sorted(expected)
    assert {reward for _, _, reward, _ in found} == {1.0, -2.0, -0.1}
    share = shares(game, games, seat)
    assert share.won == np.mean([result == seat for _, result in told])
    assert share.lost == np.mean([result == -seat for _, result in told])
    assert share.forfeited == 0


def test_it_draws_as_often_as_it_should() -> None:
    chances = np.array([[0.0, 0.25, 0.0, 0.75, 0.0]])
    drawn = draw(np.random.default_rng(6), np.repeat(chances, 100_000, axis=0))
    np.testing.assert_allclose(np.bincount(drawn, minlength=5) / 100_000, chances[0], atol=0.01)


def test_two_that_never_waver_always_play_the_same_game(game: Game) -> None:
    games = play(game, np.random.default_rng(7), first_empty(game), first_empty(game), 3)
    assert games.cell.T.tolist() == [[0, 1, 2, 3, 4, 5, 6, 0, 0]] * 3
    assert shares(game, games, X) == (1, 0, 0)
    assert shares(game, games, O) == (0, 1, 0)


@pytest.mark.parametrize("seat", [X, O])
def test_a_taken_cell_ends_the_game_and_costs_what_it_costs(game: Game, seat: int) -> None:
    """Somebody who always wants the centre has it once, or never: the opponent begins there."""
    centre = np.zeros_like(uniform(game))
    centre[:, 4] = 1
    first = np.where(game.legal[:, 4:5], centre, first_empty(game))
    x, o = (centre, first) if seat == X else (first, centre)
    games = play(game, np.random.default_rng(7), x, o, 2)
    moves = moves_of(game, games, seat, REWARDS, -0.1)
    pairs = zip(moves.decision.tolist(), moves.cell.tolist(), strict=True)
    told = [(position_text(game, s), cell) for s, cell in pairs]
    if seat == X:
        assert told == [(".........", 4)] * 2 + [("O...X....", 4)] * 2
        np.testing.assert_allclose(moves.reward, [-0.1, -0.1, -5, -5])
    else:
        assert told == [("....X....", 4)] * 2
        np.testing.assert_allclose(moves.reward, [-5, -5])
    assert moves.after[-2:].tolist() == [OVER, OVER]
    assert shares(game, games, seat) == (0, 1, 1)


def test_the_memory_forgets_the_oldest() -> None:
    memory = remember(nothing(), [numbered(0, 3), numbered(3, 4)], 5)
    assert memory.decision.tolist() == [0, 1, 2, 3]
    memory = remember(memory, [numbered(4, 8)], 5)
    assert memory.decision.tolist() == [3, 4, 5, 6, 7]


def test_any_move_of_the_memory_may_be_drawn_and_stays_whole() -> None:
    drawn = sample(numbered(3, 8), np.random.default_rng(8), (100, 2))
    assert drawn.cell.shape == (100, 2)
    assert set(drawn.decision.ravel().tolist()) == {3, 4, 5, 6, 7}
    np.testing.assert_array_equal(drawn.cell, drawn.decision + 100)
    np.testing.assert_array_equal(drawn.reward, drawn.decision)
    np.testing.assert_array_equal(drawn.after, drawn.decision + 200)


def test_targets_are_those_of_plain_python(game: Game) -> None:
    rng = np.random.default_rng(4)
    moves = moves_of(game, play(game, rng, uniform(game), t_hand(game), GAMES), X, REWARDS, -0.1)
    q = np.where(game.legal, rng.normal(size=game.legal.shape), np.nan).astype(np.float32)
    expected = []
    for reward, after in zip(moves.reward.tolist(), moves.after.tolist(), strict=True):
        options = [] if after == OVER else q[after, game.legal[after]].tolist()
        expected.append(reward + 0.9 * max(options, default=0.0))
    assert {after == OVER for after in moves.after.tolist()} == {True, False}
    np.testing.assert_allclose(targets(q, moves, 0.9), expected, rtol=1e-5, atol=1e-6)


def numbered(start: int, stop: int) -> Moves:
    numbers = np.arange(start, stop, dtype=np.int32)
    return Moves(numbers, numbers + 100, numbers.astype(np.float32), numbers + 200)


def text(game: Game, s: int) -> str:
    return "" if s == OVER else position_text(game, s)


def tell(game: Game, cells: list[int], seat: int) -> tuple[list[tuple[str, int, float, str]], int]:
    """Play a game again on text: the moves in this seat with their rewards, and who won."""
    board, trail = "." * 9, []
    for cell in cells:
        if is_over(game, board):
            break
        assert cell in legal_cells(board)
        trail.append((board, cell))
        board = move(board, cell)
    winner = result(game, board, "X")
    ending = {seat: 1.0, -seat: -2.0, 0: -0.1}[winner]
    told = []
    for number in range(0 if seat == X else 1, len(trail), 2):
        after = trail[number + 2][0] if number + 2 < len(trail) else ""
        told.append((*trail[number], -0.1 if after else ending, after))
    return told, winner
