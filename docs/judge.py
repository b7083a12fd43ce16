"""Judge a tic-tac-toe agent exactly: one file that needs only numpy.  Copy it into your project.

    from judge import judge
    print(judge(lambda board, player: max(q[board], key=q[board].get)))

`play(board, player)` returns a cell, 0 to 8, or a list of cells that it plays with equal chances.
`board` is a tuple of nine numbers in reading order (1 is X, -1 is O, 0 is empty), and `player` is
the player to move, 1 or -1.

As a grade, one sentence and an exit status (0 passed, 1 failed, 2 could not be judged):

    python judge.py my_agent:play --require unbeatable
    python judge.py my_agent:play --seat x --at-most 20 blunders --against random --win 95 --json
"""

import argparse
import base64
import contextlib
import importlib
import inspect
import itertools
import json
import math
import operator
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import numpy as np

LINES = [
    (0, 1, 2),
    (3, 4, 5),
    (6, 7, 8),
    (0, 3, 6),
    (1, 4, 7),
    (2, 5, 8),
    (0, 4, 8),
    (2, 4, 6),
]
EMPTY_BOARD = (0,) * 9
SEATS = {"x": 1, "o": -1}
# Every board is asked in 2 to 20 rounds, in order to find agents that choose at random.
# After the second round, no round starts when a quarter of the agent's time is over.
ROUNDS = 20
TIME_OF_ROUNDS = 1 / 4
LONGEST_QUOTE = 200  # maximum length of a quoted object, in characters


class UnjudgedError(ValueError):
    """The agent cannot be judged.  The message gives the position and the reason."""


# The rules.


def list_positions():
    """List the positions of the game.

    Returns a list with the boards of each ply (0 to 8) that are not finished, in the order of
    their base-3 numbers, and a dict from finished boards to the winner: 1, -1, or 0 for a draw.
    """
    plies, winners, boards = [], {}, {EMPTY_BOARD}
    for ply in range(10):
        unfinished, successors = [], set()
        for board in sorted(boards, key=lambda board: [stone % 3 for stone in board]):
            winner = find_winner(board)
            if winner or ply == 9:
                winners[board] = winner
            else:
                unfinished.append(board)
                successors.update(play_cell(board, cell) for cell in free_cells(board))
        plies.append(unfinished)
        boards = successors
    return plies[:9], winners


def find_winner(board):
    """Return the player with three in a row, 1 or -1, or 0 if there is none."""
    for i, j, k in LINES:
        if board[i] == board[j] == board[k] != 0:
            return board[i]
    return 0


def free_cells(board):
    """List the empty cells of a board."""
    return [cell for cell in range(9) if board[cell] == 0]


def player_to_move(board):
    """Return the player to move: 1 for X, -1 for O."""
    return -1 if sum(board) else 1


def play_cell(board, cell):
    """Return the board after the player to move takes a cell."""
    return (*board[:cell], player_to_move(board), *board[cell + 1 :])


# The exact judgement.


def judge(play, site="http://127.0.0.1:8000"):
    """Judge an agent exactly; returns a dict that JSON can hold.

    For each seat, "x" and "o": the chances of a win, a draw and a loss against random moves and
    against the strongest opponent of this agent, and the cells of a game that the agent loses, or
    None if no opponent can beat it.  `blunders` counts the positions, of 4,520, in which a move of
    the agent lowers the minimax value.  `nash_conv` is the sum of what the strongest opponents
    gain in both seats.  `link` is the URL of a page on `site` that shows the judgement.
    Raises UnjudgedError if the agent fails or returns an illegal move.
    """
    plies, winners = list_positions()
    boards = [board for ply in plies for board in ply]
    moves = {board: ask_moves(play, board) for board in boards}
    losing_games, against_random, against_strongest = {}, {}, {}
    for seat, player in SEATS.items():
        losing_games[seat] = find_losing_game(plies, winners, moves, player)
        against_random[seat] = evaluate_against_random(plies, winners, moves, player)
        against_strongest[seat] = evaluate_against_strongest(
            plies, winners, moves, player
        )
    return {
        "blunders": count_blunders(plies, winners, moves),
        "nash_conv": sum(loss - win for win, _, loss in against_strongest.values()),
        "unbeatable_as": [
            seat.upper() for seat, game in losing_games.items() if game is None
        ],
        "losing_games": losing_games,
        "against_random": against_random,
        "against_strongest": against_strongest,
        "link": f"{site}/judge?moves={encode_moves(moves)}",
    }


X_SCORE = np.array([1.0, 0.0, -1.0])  # the score of X for "X wins", "draw", "O wins"


def solve(plies, winners, choose):
    """Compute the chances of "X wins", "draw", "O wins" from every board, last boards first.

    `choose(board, cells, options)` returns the chances after a move on the board, where
    `options[i]` are the chances after `cells[i]`.
    """
    chances = {board: np.eye(3)[1 - winner] for board, winner in winners.items()}
    for boards in reversed(plies):
        for board in boards:
            cells = free_cells(board)
            options = np.array([chances[play_cell(board, cell)] for cell in cells])
            chances[board] = choose(board, cells, options)
    return chances


def count_blunders(plies, winners, moves):
    """Count the positions where the agent plays a move that lowers the minimax value."""

    def choose_best(board, cells, options):
        return options[np.argmax(options @ X_SCORE * player_to_move(board))]

    value = {
        board: ends @ X_SCORE
        for board, ends in solve(plies, winners, choose_best).items()
    }
    return sum(
        any(value[play_cell(board, cell)] != value[board] for cell in cells)
        for board, cells in moves.items()
    )


def evaluate_against_random(plies, winners, moves, player):
    """Return the agent's chances of a win, a draw and a loss against random moves."""

    def choose_equally(board, cells, options):
        played = moves[board] if player_to_move(board) == player else cells
        return options[[cells.index(cell) for cell in played]].mean(axis=0)

    return convert_view(player, solve(plies, winners, choose_equally)[EMPTY_BOARD])


def evaluate_against_strongest(plies, winners, moves, player):
    """Return the agent's chances of a win, a draw and a loss against its strongest opponent.

    Ties between opponents are broken by the fewest losses.
    """
    opponent = -player
    losses = np.array([1.0, 0.0, 0.0])[::player]

    def choose_against(board, cells, options):
        if player_to_move(board) == player:
            return options[[cells.index(cell) for cell in moves[board]]].mean(axis=0)
        gains = np.round(options @ X_SCORE * opponent, 9).tolist()
        loss_chances = np.round(options @ losses, 9).tolist()
        return options[
            max(range(len(cells)), key=lambda i: (gains[i], -loss_chances[i]))
        ]

    return convert_view(player, solve(plies, winners, choose_against)[EMPTY_BOARD])


def convert_view(player, chances):
    """Convert the chances of "X wins", "draw", "O wins" to a player's win, draw and loss."""
    return chances[::player].tolist()


def find_losing_game(plies, winners, moves, player):
    """Follow every line of play; returns the cells of the shortest game that the agent loses.

    Ties: the first game by its cells.  Returns None if no opponent can beat the agent in this
    seat.
    """
    games = {EMPTY_BOARD: []}
    for ply in plies:
        for board in sorted(games.keys() & set(ply), key=games.__getitem__):
            cells = (
                moves[board] if player_to_move(board) == player else free_cells(board)
            )
            for cell in cells:
                games.setdefault(play_cell(board, cell), [*games[board], cell])
    lost = [game for board, game in games.items() if winners.get(board) == -player]
    return min(lost, key=lambda game: (len(game), game), default=None)


def encode_moves(moves):
    """Encode the moves for a URL: one bit for each legal move, 1 if the agent plays it."""
    bits = "".join(
        "1" if cell in cells else "0"
        for board, cells in moves.items()
        for cell in free_cells(board)
    )
    size = -(-len(bits) // 8)
    code = int(bits.ljust(8 * size, "0"), 2).to_bytes(size, "big")
    return base64.urlsafe_b64encode(code).decode().rstrip("=")


# One question to an agent.


def ask_moves(play, board):
    """Ask an agent for its moves on a board; returns a sorted list of cells.

    Raises UnjudgedError if the agent fails, even by `sys.exit()`, or returns no legal moves.
    """
    try:
        answer = play(board, player_to_move(board))
        moves = list(itertools.islice(answer, 10)) if is_iterable(answer) else [answer]
    except BaseException as error:
        raise UnjudgedError(f"{describe(board)}: {explain(error)}") from error
    reason = find_fault(board, answer, moves)
    if reason:
        raise UnjudgedError(f"{describe(board)}: {reason}{find_definition(play)}")
    return sorted(map(int, moves))


def find_fault(board, answer, moves):
    """Return the reason why an answer is not a list of legal moves, or None if it is valid."""
    shown = quote(answer)
    if answer is None:
        return "it returns None, not a cell"
    if isinstance(answer, tuple):
        return (
            f"it returns the tuple {shown}, which may be a row and a column: "
            "return a cell, 3 * row + column, or a list of cells"
        )
    if not all(map(is_whole_number, moves)):
        return f"it plays {shown}, which is no cell: a cell is a whole number, 0 to 8"
    if not moves or not all(cell in range(9) and board[cell] == 0 for cell in moves):
        return f"it plays {shown}, which is no free square"
    if len(set(map(int, moves))) < len(moves):
        return f"it plays {shown}, which names a cell twice: is it a row and a column?"
    return None


def is_iterable(answer):
    """Return whether an answer has items, like a list or an array."""
    try:
        iter(answer)
    except TypeError:
        return False
    return True


def is_whole_number(cell):
    """Return whether a cell is an integer of Python, numpy or another library; 4.0 is not."""
    try:
        operator.index(cell)
    except TypeError:
        return False
    return not isinstance(cell, bool)


def describe(board):
    """Return a position in words, as in "in X../.../..., O to move"."""
    signs = "".join(".XO"[stone] for stone in board)
    return f"in {signs[:3]}/{signs[3:6]}/{signs[6:]}, {'.XO'[player_to_move(board)]} to move"


def explain(error):
    """Return a text on an exception, with the file and the line in the student's code."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"SyntaxError: {error.msg}{name_line(error.filename, error.lineno)}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if is_students_file(frame.filename)
    ]
    return quote(error) + (
        name_line(frames[-1].filename, frames[-1].lineno) if frames else ""
    )


def is_students_file(filename):
    """Return whether a file is student code: not this file, not Python's, not an installed package's."""
    libraries = (os.path.dirname(os.__file__), "<frozen")
    is_installed = "site-packages" in filename or "dist-packages" in filename
    is_this_file = filename == is_students_file.__code__.co_filename
    return not (is_installed or is_this_file or filename.startswith(libraries))


def find_definition(play):
    """Return the file and the line in which an agent is defined, "" if it has none."""
    function = inspect.unwrap(play)
    method = type(function).__call__  # the definition of an object that can be called
    code = getattr(function, "__code__", None) or getattr(method, "__code__", None)
    return name_line(code.co_filename, code.co_firstlineno) if code else ""


def name_line(filename, line):
    """Return a file and a line as the end of a sentence."""
    return f" ({os.path.basename(filename)}, line {line})"


def quote(item):
    """Return an object of the student as a short text."""
    try:
        text = repr(item)
    except Exception:  # a student's __repr__, or a huge integer, may fail
        text = f"a {type(item).__name__}"
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


# All questions to an agent, repeated.


def ask_in_rounds(play, boards, seconds):
    """Yield the agent's moves on every board, repeated in 2 to ROUNDS rounds.

    Raises UnjudgedError if the agent fails, or takes more than these seconds in all.
    """
    start = time.monotonic()
    for round_number in range(ROUNDS):
        for board in boards:
            is_slow = time.monotonic() - start > seconds * TIME_OF_ROUNDS
            if round_number >= 2 and is_slow:
                return
            moves = ask_moves(play, board)
            if time.monotonic() - start > seconds:
                raise UnjudgedError(f"{describe(board)}: {time_is_over(seconds)}")
            yield moves


def collect_answers(boards, answers):
    """Return a dict from boards to moves; `answers` has the moves on every board, round by round.

    Raises UnjudgedError if two answers on the same board differ: the agent chooses at random, and
    its chances are unknown.
    """
    moves = {}
    for board, answer in zip(itertools.cycle(boards), answers):
        first_answer = moves.setdefault(board, answer)
        if answer != first_answer:
            raise UnjudgedError(
                f"{describe(board)}: it plays {first_answer}, then {answer}: "
                "return all moves that it plays with equal chances"
            )
    return moves


def check_answers(play, seconds=60):
    """Collect the answers of a function in this process; returns a function that repeats them.

    Raises UnjudgedError if the agent fails, chooses at random or takes more than these seconds.
    Use it for agents in a notebook.  An agent that calls `os._exit()` ends your process;
    `judge_module` runs an agent of a module in a separate process.
    """
    boards = [board for ply in list_positions()[0] for board in ply]
    with limit_time(seconds):
        moves = collect_answers(boards, ask_in_rounds(play, boards, seconds))
    return lambda board, player: moves[board]


@contextlib.contextmanager
def limit_time(seconds):
    """Raise TimeoutError inside the block after some seconds, if the system supports it."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    if not (is_main_thread and hasattr(signal, "setitimer")):  # Windows has none
        yield
        return

    def stop(*_):
        raise TimeoutError(time_is_over(seconds))

    old_handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except TimeoutError as error:
        raise UnjudgedError(str(error)) from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old_handler)


def time_is_over(seconds):
    """Return a sentence: the time limit is exceeded."""
    return f"more than {seconds:g} seconds are over"


# An agent in a separate process, which only plays and writes the moves into a file.
# This process judges the moves, so an agent cannot change its grade.


def judge_module(agent, seconds=60, site="http://127.0.0.1:8000"):
    """Judge the agent MODULE:FUNCTION in a separate process; returns the result of `judge`.

    The module is looked for in the current folder first.  Raises UnjudgedError if the module
    cannot be imported, if the agent fails, chooses at random or ends its process, and if import and
    answers together take more than `seconds`.
    """
    boards = [board for ply in list_positions()[0] for board in ply]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "answers")
        ending = run_agent(agent, file, seconds)
        with open(file, encoding="utf-8") as lines:
            moves = collect_answers(boards, read_answers(lines.read(), boards, ending))
    return judge(lambda board, player: moves[board], site)


def run_agent(agent, file, seconds):
    """Run this file in a new process that writes the agent's answers; returns why it ended, as text."""
    open(file, "w").close()
    options = ["--seconds", str(seconds), "--write-answers", file]
    command = [sys.executable, os.path.abspath(__file__), agent, *options]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        try:
            # The process writes its first line when it has imported numpy: the agent's time starts.
            process.stdout.readline()
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return time_is_over(seconds)
        finally:
            process.kill()
    return f"it ends its process, with status {status}"


def write_answers(agent, file, seconds):
    """Write an agent's answers into a file, one per line, and end the process.

    The lines are "imported", the cells of every answer, and "done" or the reason after a "!".
    """
    print("ready", flush=True)
    os.dup2(2, 1)  # prints of the agent go to the standard error
    del sys.argv[1:]  # the agent's module must not read our arguments
    boards = [board for ply in list_positions()[0] for board in ply]
    with open(
        file, "w", buffering=1, encoding="utf-8", errors="backslashreplace"
    ) as lines:
        try:
            play = import_agent(agent)
            lines.write("imported\n")
            for moves in ask_in_rounds(play, boards, seconds):
                lines.write("".join(map(str, moves)) + "\n")
            lines.write("done\n")
        except UnjudgedError as error:
            reason = str(error).replace("\n", " ")
            lines.write(f"!{reason}\n")
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    os._exit(0)  # also ends threads and windows that the agent left open


def import_agent(agent):
    """Import MODULE:FUNCTION; raises UnjudgedError if it cannot be imported."""
    module, _, function = agent.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        play = getattr(importlib.import_module(module), function)
    except BaseException as error:
        raise UnjudgedError(f"it cannot be imported: {explain(error)}") from error
    if not callable(play):
        raise UnjudgedError(f"{function} is {quote(play)}, which is no function")
    return play


def read_answers(text, boards, ending):
    """Return the answers that `write_answers` wrote, each a list of cells.

    Raises UnjudgedError with the agent's fault.  If the agent's process ended early, the fault is
    `ending`, with the position of the unanswered question.
    """
    *lines, _unfinished_line = text.split("\n")
    if lines and lines[-1].startswith("!"):
        raise UnjudgedError(lines[-1][1:])
    if not lines:
        raise UnjudgedError(f"while it is imported: {ending}")
    answers = [
        [int(cell) for cell in line if cell in "012345678"] for line in lines[1:-1]
    ]
    if lines[-1] != "done" or len(answers) < 2 * len(boards):
        board = boards[(len(lines) - 1) % len(boards)]
        raise UnjudgedError(f"{describe(board)}: {ending}")
    return answers


# The grade.


def list_failures(found, seats, require=None, at_most=None, against="random", win=None):
    """List, as texts, the requirements that an agent misses; `found` is a result of `judge`."""
    missed = []
    for seat in seats if require else ():
        if found["losing_games"][seat]:
            game = " ".join(map(str, found["losing_games"][seat]))
            missed.append(f"it can be beaten as {seat.upper()}, in the game {game}")
    if at_most is not None and found["blunders"] > at_most:
        missed.append(
            f"it blunders in {found['blunders']} positions, not in at most {at_most}"
        )
    for seat in seats if win is not None else ():
        wins = 100 * found[f"against_{against}"][seat][0]
        if wins < win - 1e-9:
            missed.append(
                f"as {seat.upper()} it wins {wins:.4g}% against {against}, not at least {win:g}%"
            )
    return missed


def parse_arguments():
    """Read the command line; ends the program with status 2 if it is wrong."""
    parser = argparse.ArgumentParser(
        description="Judge a tic-tac-toe agent exactly, as a grade: exit status 0 if it passes, "
        "1 if it fails, 2 if it cannot be judged."
    )
    add = parser.add_argument
    add(
        "agent",
        metavar="MODULE:FUNCTION",
        help="given board and player, it returns its moves",
    )
    add(
        "--require", choices=["unbeatable"], help="no opponent can beat it; the default"
    )
    add(
        "--at-most",
        nargs=2,
        metavar=("N", "blunders"),
        help="it blunders in at most N positions",
    )
    add(
        "--against",
        choices=["random", "strongest"],
        default="random",
        help="opponent of --win",
    )
    add(
        "--win",
        type=float,
        metavar="PERCENT",
        help="it wins at least this share of its games",
    )
    add(
        "--seat",
        choices=["x", "o"],
        help="in this seat only; by default in each of both",
    )
    add(
        "--seconds",
        type=float,
        default=60,
        help="limit for import and all moves; default 60",
    )
    add("--json", action="store_true", help="print all figures as JSON")
    # This argument is for the agent's process only: see `run_agent`.
    add("--write-answers", metavar="FILE", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    module, _, function = asked.agent.partition(":")
    if not (module and function):
        parser.error(
            f"the agent is MODULE:FUNCTION, as in my_agent:play, not {asked.agent!r}"
        )
    if asked.at_most and not (
        asked.at_most[0].isdecimal() and asked.at_most[1] == "blunders"
    ):
        words = " ".join(asked.at_most)
        parser.error(f"--at-most is followed by a number and 'blunders', not {words!r}")
    if asked.win is not None and not 0 <= asked.win <= 100:
        parser.error("--win is a number from 0 to 100")
    if not (asked.seconds > 0 and math.isfinite(asked.seconds)):
        parser.error("--seconds is a number above 0")
    return asked


def main():
    """Grade the agent that the command line names; returns the exit status."""
    sys.stdout.reconfigure(
        errors="backslashreplace"
    )  # messages may quote any character
    asked = parse_arguments()
    if asked.write_answers:
        write_answers(asked.agent, asked.write_answers, asked.seconds)
    require = asked.require or (not asked.at_most and asked.win is None)
    at_most = int(asked.at_most[0]) if asked.at_most else None
    try:
        found = judge_module(asked.agent, asked.seconds)
    except (UnjudgedError, KeyboardInterrupt) as error:
        reason = str(error) or "it was interrupted"
        status, report = 2, {"passed": None, "sentence": f"Not judged: {reason}."}
    else:
        seats = asked.seat or "xo"
        missed = list_failures(found, seats, require, at_most, asked.against, asked.win)
        sentence = f"Failed: {'; '.join(missed)}." if missed else "Passed."
        status, report = (
            int(bool(missed)),
            {"passed": not missed, "sentence": sentence, **found},
        )
    print(json.dumps(report) if asked.json else report["sentence"])
    return status


if __name__ == "__main__":
    sys.exit(main())
