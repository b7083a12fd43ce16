"""Judge a tic-tac-toe agent exactly: one file, nothing but numpy; copy it into your project.

    from judge import judge
    print(judge(lambda board, player: max(q[board], key=q[board].get)))

`play(board, player)` gives a move 0-8, or several that it plays with equal chances; `board` is a
tuple of nine numbers in reading order, 1 X, -1 O, 0 empty, and `player` is 1 or -1.

As a grade, one sentence and an exit status, 0 passed, 1 failed, 2 could not be judged:

    python judge.py my_agent:play --require unbeatable
    python judge.py my_agent:play --seat x --at-most 20 blunders --against random --win 95 --json
"""

import argparse
import base64
import importlib
import json
import os
import signal
import sys
import time

import numpy as np

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def positions():
    """List the unfinished boards of each ply by base-3 number, and of the others who won."""
    plies, results, ply = [], {}, {(0,) * 9}
    for move in range(10):
        here = sorted(ply, key=lambda board: [stone % 3 for stone in board])
        won = {b: b[i] for b in here for i, j, k in LINES if b[i] == b[j] == b[k] != 0}
        results |= {b: won.get(b, 0) for b in here if b in won or move == 9}
        plies.append([b for b in here if b not in results])
        ply = {after(b, c) for b in plies[-1] for c in range(9) if not b[c]}
    return plies[:9], results


def after(board, cell):
    """Return the board after a move."""
    return (*board[:cell], mover(board), *board[cell + 1 :])


def mover(board):
    """Return who is to move: 1 X, -1 O."""
    return -1 if sum(board) else 1


def backward(plies, results, best, chances):
    """Work out the chances of every board: X wins, draw, O wins.

    `best[player]` says how a side that chooses weighs these three, and by what it chooses among
    equals; a side without it plays the cells of `chances(board)`, each as often.
    """
    ends = {board: np.eye(3)[1 - won] for board, won in results.items()}
    for board in (board for ply in reversed(plies) for board in ply):
        player = mover(board)
        moves = [cell for cell in range(9) if not board[cell]]
        options = np.array([ends[after(board, cell)] for cell in moves])
        if player in best:
            keys = [
                tuple(np.round([key @ option for key in best[player]], 9)) for option in options
            ]
            ends[board] = options[max(range(len(moves)), key=keys.__getitem__)]
        else:
            ends[board] = np.mean([ends[after(board, cell)] for cell in chances(board)], axis=0)
    return ends


def judge(play, site="http://127.0.0.1:8000"):
    """Judge an agent; returns a dict.

    Of each seat, "x" and "o": win, draw, loss against random moves and against the strongest
    opponent of this very agent, and a game that it loses there, None if no opponent can beat it.
    `blunders` are positions, of 4,520, in which a move of it lowers the minimax value of the game;
    `nash_conv` is what its strongest opponents gain in both seats; `link` shows all of it, and why.
    Raises ValueError if it plays a move that is none.
    """
    plies, results = positions()
    moves, bits = {}, ""
    for board in (board for ply in plies for board in ply):
        moves[board] = moves_of(play, board)
        bits += "".join("01"[cell in moves[board]] for cell in range(9) if not board[cell])

    score = np.array([1.0, 0.0, -1.0])  # X's view
    best = {1: [score], -1: [-score]}
    truth = {board: ends @ score for board, ends in backward(plies, results, best, None).items()}
    blunders = sum(
        any(truth[after(board, cell)] != truth[board] for cell in cells)
        for board, cells in moves.items()
    )

    empty, random, strongest = (0,) * 9, {}, {}
    for seat, player in (("x", 1), ("o", -1)):

        def chances(board, player=player):
            free = [cell for cell in range(9) if not board[cell]]
            return moves[board] if mover(board) == player else free

        own = slice(None, None, player)  # from its own side: win, draw, loss
        lost = np.array([1.0, 0.0, 0.0])[::player]  # by the other side
        keys = {-player: [-score * player, -lost]}
        random[seat] = backward(plies, results, {}, chances)[empty][own].tolist()
        strongest[seat] = backward(plies, results, keys, chances)[empty][own].tolist()
    code = int(bits + "0" * (-len(bits) % 8), 2).to_bytes((len(bits) + 7) // 8, "big")
    lost = {
        seat: losing_game(plies, results, moves, player) for seat, player in (("x", 1), ("o", -1))
    }
    return {
        "blunders": blunders,
        "nash_conv": sum(loss - win for win, _, loss in strongest.values()),
        "unbeatable_as": [seat.upper() for seat, game in lost.items() if game is None],
        "losing_games": lost,
        "against_random": random,
        "against_strongest": strongest,
        "link": f"{site}/judge?moves={base64.urlsafe_b64encode(code).decode().rstrip('=')}",
    }


def moves_of(play, board):
    """Ask an agent for its moves on a board; raises ValueError if one of them is none."""
    given = play(board, mover(board))
    cells = set(map(int, given)) if np.iterable(given) else {int(given)}
    if not cells or any(cell not in range(9) or board[cell] for cell in cells):
        raise ValueError(f"it plays {given}, which is no free square")
    return sorted(cells)


def losing_game(plies, results, moves, player):
    """Follow every line of play: the cells of a game lost in this seat, None if none is."""
    games = {(0,) * 9: []}
    for ply in plies:
        for board in games.keys() & set(ply):
            own = mover(board) == player
            for cell in moves[board] if own else [cell for cell in range(9) if not board[cell]]:
                games.setdefault(after(board, cell), [*games[board], cell])
    lost = [game for board, game in games.items() if results.get(board) == -player]
    return min(lost, key=lambda game: (len(game), game), default=None)


class UnjudgedError(Exception):
    """The agent cannot be judged: the message says in which position, and why."""


def checked(play, seconds):
    """Return the agent as a function that raises UnjudgedError where it cannot be judged.

    So it is if it fails, takes more seconds than these in all, or answers otherwise when it is
    asked a second time: what an agent drew once says nothing of its chances.
    """
    end, alarm = time.monotonic() + seconds, hasattr(signal, "setitimer")  # Windows has none

    def late(*_):
        raise TimeoutError(f"more than {seconds:g} seconds are over")

    def ask(board, player):
        try:
            if alarm:
                signal.signal(signal.SIGALRM, late)
                signal.setitimer(signal.ITIMER_REAL, max(0.001, end - time.monotonic()))
            first, second = moves_of(play, board), moves_of(play, board)
            if time.monotonic() > end:
                late()
            if first != second:
                wanted = "return all moves that it plays with equal chances"
                raise ValueError(f"it plays {first}, then {second}: {wanted}")
        except Exception as error:
            rows = "/".join("".join(".XO"[stone] for stone in board[i : i + 3]) for i in (0, 3, 6))
            told = str(error) if isinstance(error, (ValueError, TimeoutError)) else repr(error)
            raise UnjudgedError(f"in {rows}, {'.XO'[player]} to move: {told}") from error
        finally:
            if alarm:
                signal.setitimer(signal.ITIMER_REAL, 0)
        return first

    return ask


def failures(found, seats, require=None, at_most=None, against="random", win=None):
    """List in words what of a grade an agent misses, by what `judge` found."""
    missed = []
    for seat in seats if require else ():
        if found["losing_games"][seat]:
            game = " ".join(map(str, found["losing_games"][seat]))
            missed.append(f"it can be beaten as {seat.upper()}, in the game {game}")
    if at_most is not None and found["blunders"] > at_most:
        missed.append(f"it blunders in {found['blunders']} positions, not in at most {at_most}")
    for seat in seats if win is not None else ():
        wins = 100 * found[f"against_{against}"][seat][0]
        if wins < win - 1e-9:
            missed.append(
                f"as {seat.upper()} it wins {wins:.4g}% against {against}, not at least {win:g}%"
            )
    return missed


def main():
    """Grade the agent that the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(
        description="Judge a tic-tac-toe agent exactly, as a grade: exit status 0 if it passes, "
        "1 if it fails, 2 if it cannot be judged."
    )
    add = parser.add_argument
    add("agent", metavar="MODULE:FUNCTION", help="given board and player, it returns its moves")
    add("--require", choices=["unbeatable"], help="no opponent can beat it; if nothing is asked")
    add("--at-most", nargs=2, metavar=("N", "blunders"), help="of 4,520 positions, in so many")
    add("--against", choices=["random", "strongest"], default="random", help="whom --win means")
    add("--win", type=float, metavar="PERCENT", help="wins at least so many percent of its games")
    add("--seat", choices=["x", "o"], help="in this seat alone; else in both, each for itself")
    add("--seconds", type=float, default=60, help="that it may take in all; default 60")
    add("--json", action="store_true", help="print all that was found as JSON")
    asked = parser.parse_args()
    most = asked.at_most
    if most and not (most[0].isdecimal() and most[1] == "blunders"):
        parser.error(f"--at-most is followed by a number and 'blunders', not {' '.join(most)!r}")
    name, _, function = asked.agent.partition(":")
    require = asked.require or (not most and asked.win is None)
    sys.path.insert(0, os.getcwd())
    try:
        play = getattr(importlib.import_module(name), function)
        found = judge(checked(play, asked.seconds))
    except UnjudgedError as error:
        fault = str(error)
    except Exception as error:  # whatever a module does when it is imported
        fault = f"it cannot be imported: {error!r}"
    else:
        at_most = int(most[0]) if most else None
        missed = failures(found, asked.seat or "xo", require, at_most, asked.against, asked.win)
        said = f"Failed: {'; '.join(missed)}." if missed else "Passed."
        report = {"passed": not missed, "sentence": said, **found}
        print(json.dumps(report) if asked.json else said)
        return int(bool(missed))
    said = f"Not judged: {fault}."
    print(json.dumps({"passed": None, "sentence": said}) if asked.json else said)
    return 2


if __name__ == "__main__":
    sys.exit(main())
