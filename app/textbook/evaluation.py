"""Train an agent, print the value of every move, and play test games against random moves."""

import struct
import sys
from collections import Counter

from app.textbook.exploration import pick
from app.textbook.loop import Update

TEST_GAMES = 1_000


def main(game, learner, turns, rng):
    updates = 0
    for turn in turns:
        before = updates
        updates += sum(type(event) is Update for event in learner.play(turn, rng))
        if updates // 100_000 > before // 100_000:
            print(f"{turn.earlier_turns + 1} turns, {updates} updates", file=sys.stderr)
    print(f"{updates} updates in all", file=sys.stderr)
    write_table(game, learner.value)
    for seat in "XO":
        results = Counter(
            play_random(game, learner, seat, rng) for _ in range(TEST_GAMES)
        )
        won, drawn, lost = (
            f"{results[result] / TEST_GAMES:.1%}" for result in (1, 0, -1)
        )
        print(
            f"as {seat} against random moves, {TEST_GAMES} games: {won} won, {drawn} drawn, {lost} lost",
            file=sys.stderr,
        )


def write_table(game, value):
    """Print Q(s, a) of every legal move as CSV, in the view of the player who moves."""
    print("position,cell,q")
    for board in game.unfinished_boards():
        for cell in game.legal_moves(board):
            print(f"{board},{cell},{format_float32(value(board, cell))}")


def format_float32(number):
    """Return the shortest text that identifies a number as a 32-bit float."""
    bits = struct.pack("f", number)
    (number,) = struct.unpack("f", bits)
    candidates = (float(f"{number:.{digits}g}") for digits in range(1, 10))
    return next(short for short in candidates if struct.pack("f", short) == bits)


def play_random(game, learner, seat, rng):
    """Play a game against random moves, and return the learner's result: 1 won, 0 drawn, -1 lost."""
    board = game.empty
    while not game.is_over(board):
        if game.player_to_move(board) == seat:
            cell = learner.choose(board, rng)
        else:
            cell = pick(game.legal_moves(board), rng.random())
        board = game.make_move(board, cell)
    return game.result(board, seat)
