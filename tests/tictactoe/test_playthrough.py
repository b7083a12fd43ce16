"""One game, position by position, as a golden file to read: tests/golden/playthrough.txt.

The file shows the results of the code.  After an intended change, update the file with
`UPDATE_GOLDEN=1 python -m pytest tests/tictactoe/test_playthrough.py` and read the difference.

"""

import os
from pathlib import Path

import numpy as np

from app.tictactoe.game import Game
from app.tictactoe.notation import format_position, replay_record
from app.tictactoe.policy import find_best_moves
from app.tictactoe.values import Solution, solve_game

GOLDEN = Path(__file__).parents[1] / "golden" / "playthrough.txt"
RECORD = "4086215"  # X forgets to block, O forgets to win, X wins
WINNER = {1: "X wins", 0: "a draw", -1: "O wins"}
MOVER = {1: "X", -1: "O"}


def board_of(game: Game, position: int) -> list[str]:
    text = format_position(game, position)
    return [" ".join(text[i : i + game.columns]) for i in range(0, game.cells, game.columns)]


def ending(solution: Solution, position: int) -> str:
    result = WINNER[int(solution.values[position])]
    plies = int(solution.plies_to_end[position])
    return f"{result} in {plies}" if plies else f"{result} at once"


def moves(game: Game, solution: Solution, position: int, played: int) -> list[str]:
    keeping = find_best_moves(game)[position]
    lines = []
    for cell in np.flatnonzero(game.legal[position]).tolist():
        after = int(game.successor[position, cell])
        kept = " " if keeping[cell] else "?"
        is_played = "  <- played" if cell == played else ""
        lines.append(f"  {cell}{kept} {ending(solution, after)}{is_played}")
    return lines


def playthrough(game: Game, record: str) -> str:
    solution = solve_game(game)
    lines = [
        f"The game {record}, position by position.",
        "",
        "Under each board: its number and code, how it ends if both play as well as possible and",
        "after how many plies, and so for the position after each legal move; ? is a blunder.",
    ]
    for ply, position in enumerate(replay_record(game, record)):
        lines += ["", f"ply {ply}, record {record[:ply] or '(empty)'}"]
        lines += [f"  {row}" for row in board_of(game, position)]
        lines += [f"position {position}, code {game.code[position]}"]
        if position < game.decisions:
            lines += [f"{MOVER[int(game.to_move[position])]} to move; {ending(solution, position)}"]
            lines += moves(game, solution, position, int(record[ply]))
        else:
            lines += [f"over: {WINNER[int(game.outcome[position - game.decisions])]}"]
    return "\n".join(lines) + "\n"


def test_the_playthrough_is_as_written(game: Game):
    found = playthrough(game, RECORD)
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert GOLDEN.exists(), f"{GOLDEN} is missing: see the first lines of this test"
    assert found == GOLDEN.read_text()
