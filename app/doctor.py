"""Find the wrong line in a tic-tac-toe learner.  This one file needs nothing but Python.

Copy it into your project and call it in your training loop, after the line that changes a value:

    from doctor import Doctor
    doctor = Doctor()
    ...
    doctor.update(board, move, reward, next_board, done, before, after)
    ...
    print(doctor.diagnose())

`board` is the board before the learner's move, and `move` is the square of this move, 0 to 8.
`next_board` is the board whose value your update uses.  In games against an opponent this is the
board after the opponent's answer; in self-play it is the board right after the move.  At the end of
a game it is the final board.  `done` says whether the game is over.  `before` and `after` are the
value of the move before and after your update.  If your learner updates a whole game at its end,
call `update` once for each of these updates, in the same order.

If your table has values of boards instead of moves, your update changes the value of the board that
`move` makes from `board`.  `next_board` is again the board whose value your update uses.

There is a second way, without `before`, `done` and a call at each update: let the doctor watch your
table (a dict or a numpy array), and tell it when a game is over.  Your learner must then use the
table that `watch` returns.

    doctor = Doctor()
    q = doctor.watch(q)                     # keys: (board, move), or board for values of boards
    q = doctor.watch(q, to_board)           # other keys: to_board(state, move) gives (board, move)
    ...
    doctor.game_over(board)                 # the final board

The doctor then assumes a reward of -1 for a loss, 0 for a draw and 1 for a win.  If your rewards are
different, name them: Doctor(rewards=(0, 0.5, 1)).

A program in any other language can write the seven arguments of `update` to a file, as columns of
CSV or as one JSON object a line:

    python doctor.py trace.csv            # which rule was followed, or which line is wrong
    python doctor.py trace.jsonl --json
    python doctor.py table.csv            # a finished table: this shows symptoms only

The exit status is 0 if nothing was found, 1 if something was found, and 2 if the file cannot be read.

How it works.  Most updates have the form  after - before = alpha (r - before) + alpha gamma V.
This equation is linear in two unknown numbers, alpha and alpha gamma.  V is the value of the next
board: every learning rule defines it in its own way, and so does every fault (a typical bug).  The
doctor rebuilds the table from the rows, computes V by each definition, and finds the two unknown
numbers by least squares.  With the right definition, only rounding errors are left.
"""

import argparse
import copy
import csv
import io
import itertools
import json
import math
import operator
import re
import struct
import sys
from collections import Counter
from functools import cache
from typing import NamedTuple

TRACE_COLUMNS = ("board", "move", "reward", "next_board", "done", "before", "after")
WINNING_LINES = [
    tuple(map(int, line))
    for line in ("012", "345", "678", "036", "147", "258", "048", "246")
]
OTHER_PLAYER = {"X": "O", "O": "X"}
# Only this many rows are kept in memory, so that a trace can have any length.
CHUNK_ROWS = 4000
# The next row of a game is searched among this many rows.
MAX_ROW_GAP = 10
MIN_ROWS = 50
# NaN, because a result that depends on an unknown number is NaN, too.
UNKNOWN = math.nan


class TraceError(ValueError):
    """Raised for a trace that cannot be read; the message names the row and the reason."""


# Part 1 has the learning rules of the textbook, and the classic faults with their explanations.


class Rule(NamedTuple):
    """A learning rule of the textbook, with the numbers that its update multiplies by gamma.

    Most rules have one such number, the value of the next board.
    """

    title: str
    # compute_next_values(example, gamma) returns the numbers that the update multiplies by gamma.
    compute_next_values: callable
    source: str


def discount_rewards(rewards, gamma):
    """Return r1 + gamma r2 + gamma^2 r3 + ... for successive rewards."""
    # With a wrong rule, least squares can find any gamma. Its powers must stay finite.
    gamma = max(-2.0, min(gamma, 2.0))
    return sum(reward * gamma**k for k, reward in enumerate(rewards))


RESULTS = ("win", "draw", "loss")
BOOK_TITLE = "Sutton & Barto (2018)"
RULES = {
    "q-learning": Rule(
        "Q-learning", lambda e, _: (e.best,), f"{BOOK_TITLE}, equation 6.8"
    ),
    "tried": Rule(
        "Q-learning, maximum over tried moves only",
        lambda e, _: (e.tried_value,),
        f"{BOOK_TITLE}, equation 6.8",
    ),
    "sarsa": Rule(
        "Sarsa", lambda e, _: (e.played_value,), f"{BOOK_TITLE}, equation 6.7"
    ),
    "monte-carlo": Rule(
        "Monte Carlo",
        lambda e, gamma: (discount_rewards(e.later_rewards, gamma),),
        f"{BOOK_TITLE}, section 5.4",
    ),
    # Epsilon decides how much the best and the mean value count, and no row tells epsilon. So least
    # squares finds a factor for each of the two values.
    "expected-sarsa": Rule(
        "expected Sarsa", lambda e, _: (e.best, e.mean), f"{BOOK_TITLE}, equation 6.9"
    ),
    # No row tells the preset values of a win, a draw and a loss, so least squares finds them, too.
    "preset": Rule(
        "TD(0), finished boards preset",
        lambda e, _: (e.played_value, *(float(e.row.result == one) for one in RESULTS)),
        f"{BOOK_TITLE}, sections 1.5 and 6.1",
    ),
    "returns": Rule(
        "Monte Carlo, with the return in the column reward",
        lambda e, _: (0.0,),
        f"{BOOK_TITLE}, section 5.4",
    ),
}


class Fault(NamedTuple):
    """A classic fault: a bug that many learners have.

    The report fills the template `sentence` with the numbers of the row that shows the fault.
    `hidden_question` completes "This trace cannot show whether ...". A report says this if the
    right rule and the fault give the same values.
    """

    title: str
    sentence: str
    effect: str
    source: str
    hidden_question: str = None


FAULTS = {
    "terminal": Fault(
        "the value of a finished board is added",
        "this game was over, and the update still added {gamma} times {next:+.4g} from the "
        "finished board",
        "Results are blurred by a number that no game ever corrects: lost games can look open.",
        "Q of a finished board is 0: Sutton & Barto (2018), section 6.5, the box of Q-learning",
        "the value of a finished board is added (it is 0 so far)",
    ),
    "answer": Fault(
        "the next board is taken before the opponent's answer",
        "the next board {next_board} is the one before the opponent's answer, where the learner "
        "never moves",
        "No value of a later position reaches an earlier one: it learns last moves and no plans.",
        "the next state is the one in which the agent acts again: Sutton & Barto (2018), "
        "sections 3.1 and 6.5",
    ),
    "sign": Fault(
        "the opponent's best move is counted as one's own",
        "the opponent moves on {next_board}, and its best value {next:+.4g} was added: it has to "
        "be subtracted",
        "A position that is good for the opponent looks good: it walks into threats.",
        "what one side gains the other side loses: Littman (1994); Sutton & Barto (2018), "
        "equation 6.8 for the update",
        "the opponent's value is added or subtracted (it is 0 so far)",
    ),
    "occupied": Fault(
        "occupied squares take part in the maximum",
        "every free square of {next_board} has a value below {next:+.4g}, which is the value of an "
        "occupied one",
        "No lost position is worth less than an untouched square, so losses are not seen coming.",
        "the maximum is over the actions that are possible in the next state: Sutton & Barto "
        "(2018), section 3.1 and equation 6.8",
        "occupied squares take part in the maximum (a free one is worth as much so far)",
    ),
    "loser": Fault(
        "the loser's last move is never updated",
        "the game ends after this row with the opponent's win, and no row follows that learns "
        "from it; in {count} games so, and no lost game was ever learned",
        "It never learns what loses: values do not fall below a draw, and threats are not blocked.",
        "an episode lasts until its final state, with the reward of that state: Sutton & Barto "
        "(2018), sections 3.3 and 6.5",
    ),
    "sides": Fault(
        "both seats share a value without changing sides",
        "O's rewards are those of X, and O still takes the maximum, which is the best for X",
        "One side learns to help the other: O plays into X's lines.",
        "one side takes the maximum, the other one the minimum: Littman (1994)",
        "O takes the maximum or the minimum (they are equal so far)",
    ),
    "reward": Fault(
        "a reward is missing, has the wrong sign, or credits the opponent's win",
        "the game ended with a {result} for {mover}, and the reward was {reward:+g}",
        "It learns to reach a result that it has to avoid, or nothing.",
        "the reward tells the agent what it has to achieve: Sutton & Barto (2018), section 3.2",
        "the reward has the right sign (it is 0 so far)",
    ),
    "late": Fault(
        "the reward of a game is given to an update of the next game",
        "the game of update {number} ended with a {result} and had no reward: its {reward:+g} came "
        "here, with a move of the next game; so after {count} games",
        "The first moves of games get the results of other games, and the last moves get none.",
        "the reward follows the action that it is for: Sutton & Barto (2018), section 3.1",
    ),
    "in-place": Fault(
        "the recorded board already contains the move",
        "square {move} of the board {board} is already taken by the move that is recorded for it: "
        "the list was changed before it was recorded",
        "Values are stored under boards on which the learner never has to move, so it plays as if "
        "it had learned nothing.",
        "the value that changes is that of the state before the action: Sutton & Barto (2018), "
        "equation 6.8",
    ),
    "exploration": Fault(
        "it explores never or always, or takes the first of equal moves",
        # `list_faults_of_exploration` chooses one of several sentences.
        "",
        "What is never tried is never learned; what is only tried at random is never used.",
        "epsilon-greedy, with ties broken at random: Sutton & Barto (2018), sections 2.2 and 5.4",
    ),
    "step": Fault(
        "the step size, the discount or the rounding is wrong",
        "the reward {reward:+g} was multiplied by gamma too",
        "Values end elsewhere than the rule has them, or stop moving.",
        "the step size is above 0 and at most 1, and the first reward is not discounted: Sutton & "
        "Barto (2018), equations 2.5 and 3.8",
        "the reward is multiplied by gamma too (gamma is 1, or not determined)",
    ),
}
# A target with this fault has no entry in FAULTS, so the report is "No rule is recognised".
UNLISTED_FAULT = "unlisted"


# Part 2 has the targets with which the updates are compared: right targets, and targets with a fault.
# A target has a function of `e`, the Example of an update, and `v`, the numbers that gamma multiplies
# in the rule.  The function returns the columns of the equation that least squares solves.  Alpha
# multiplies the first column, and alpha gamma multiplies the others.


def make_columns(e, v):
    return (e.reward - e.before, *v)


def value_finished_boards(value):
    """Return the `columns` function of a target; finished boards have the value `value(e)`."""
    return lambda e, v: make_columns(e, (value(e),) * len(v) if e.row.is_over else v)


def include_occupied(e, v):
    if e.row.is_over or math.isnan(e.untried_value):
        return make_columns(e, v)
    # If the opponent moves next, the values are negated, so the opponent's best value is the lowest.
    highest = max if e.sign > 0 else min
    return make_columns(e, (highest(v[0], e.untried_value),))


class Target(NamedTuple):
    """A target of an update, right or with a fault, and the learning rules that may have it.

    `is_tried(setup, examples)` says whether to try the target on a learner, from its LearnerSetup
    and its first Examples. `sentence` describes the fault if the sentence in FAULTS does not fit.
    """

    rules: tuple
    columns: callable = make_columns
    fault: str = None
    is_tried: callable = lambda setup, examples: True
    sentence: str = None


def has_late_rewards(_, examples):
    return any(e.reward and not e.row.is_over for e in examples)


def has_early_ends(_, examples):
    """Return whether some row has done=1 although the opponent can still move."""
    return any(not math.isnan(e.early_end_value) for e in examples)


EARLY_END_SENTENCE = (
    "done is 1 in this row, and the update still added {gamma} times {next:+.4g}, the value that "
    "the opponent has on {next_board}"
)
BOOTSTRAPPED_RULES = ("q-learning", "tried", "sarsa", "expected-sarsa")
# The order matters: if two targets explain the same rows, the first one is reported.
TARGETS = [
    Target(("q-learning",)),
    # Without exploration Sarsa has the same values as this fault, so the fault comes first.
    Target(
        ("q-learning",),
        lambda e, v: make_columns(e, (e.worst if e.next_mover == "O" else e.best,)),
        "sides",
        is_tried=lambda setup, _: setup.is_x_view,
    ),
    Target(("tried", "sarsa", "monte-carlo", "expected-sarsa")),
    Target(
        ("preset",), is_tried=lambda _, examples: not any(e.reward for e in examples)
    ),
    Target(("returns",), is_tried=has_late_rewards),
    Target(
        ("q-learning", "sarsa"),
        value_finished_boards(lambda e: e.untried_value),
        "terminal",
    ),
    Target(
        ("q-learning", "sarsa"), value_finished_boards(lambda e: e.reward), "terminal"
    ),
    Target(
        ("q-learning", "sarsa"),
        value_finished_boards(lambda e: 0.0 if e.row.result else e.early_end_value),
        "terminal",
        has_early_ends,
        EARLY_END_SENTENCE,
    ),
    Target(
        ("q-learning", "sarsa"),
        value_finished_boards(lambda e: 0.0 if e.row.result else -e.early_end_value),
        "terminal",
        has_early_ends,
        EARLY_END_SENTENCE,
    ),
    Target(("q-learning",), include_occupied, "occupied"),
    Target(
        ("q-learning", "tried"),
        lambda e, v: make_columns(e, v if e.row.is_over else (e.total,)),
        UNLISTED_FAULT,
    ),
    Target(
        (*BOOTSTRAPPED_RULES, "monte-carlo"),
        lambda e, v: (-e.before, *(e.reward + value for value in v)),
        "step",
    ),
    Target(
        (*BOOTSTRAPPED_RULES, "monte-carlo"),
        lambda e, v: make_columns(e, (-value for value in v)),
        "sign",
        is_tried=lambda setup, _: setup.training_mode == "self-play",
    ),
    Target(
        BOOTSTRAPPED_RULES,
        lambda e, v: (-e.reward - e.before, *v),
        "reward",
        sentence="the update used the reward {reward:+g} with the other sign",
    ),
]


# Part 3 has the game and the keys of the table.


@cache
def find_winner(board):
    """Return "X" or "O" for three in a row, "draw" for a full board, None for an open game."""
    for i, j, k in WINNING_LINES:
        if board[i] == board[j] == board[k] != ".":
            return board[i]
    return None if "." in board else "draw"


def find_mover(board):
    return "X" if board.count("X") == board.count("O") else "O"


@cache
def list_free_squares(board):
    return [square for square in range(9) if board[square] == "."]


def put_mark(board, square, mark):
    return board[:square] + mark + board[square + 1 :]


def list_symmetric_boards(board):
    images = [board, "".join(board[i] for i in (2, 1, 0, 5, 4, 3, 8, 7, 6))]
    for i in range(6):
        images.append("".join(images[i][j] for j in (6, 3, 0, 7, 4, 1, 8, 5, 2)))
    return images


def format_board(board):
    """Return a board as text with a slash between the rows, as in X.O/.../..."""
    return f"{board[:3]}/{board[3:6]}/{board[6:]}"


TABLE_KINDS = (
    "moves",
    "afterstates",
    "moves up to symmetry",
    "afterstates up to symmetry",
)


@cache
def make_key(table_kind, board, move, mover):
    """Return the key of a move in a table of this kind, such as (board, move)."""
    if table_kind == "moves":
        return board, move
    mark = mover.lower() if table_kind == "moves up to symmetry" else mover
    after = put_mark(board, move, mark)
    return min(list_symmetric_boards(after)) if "symmetry" in table_kind else after


@cache
def list_keys(table_kind, board, mover, has_occupied=False):
    """Return the keys of all moves on a board; `has_occupied` adds moves on occupied squares."""
    moves = range(9) if has_occupied else list_free_squares(board)
    return [make_key(table_kind, board, move, mover) for move in moves]


# Part 4 reads and checks rows, the updates of the student's program.


class Row(NamedTuple):
    """A recorded update, and facts about its two boards.

    The rows of a trace are numbered from 1. A board has nine characters: X, O, or "." for an empty
    square. The mover is "X" or "O", and the result is "win", "draw" or "loss" for the mover, None
    while the game goes on. `is_taken` is true if the square of the move is occupied on the board,
    and `is_before_answer` if the next board is the one right after the move. `oddity` is "" if the
    next board follows from the board, "symmetric" if only a rotation or reflection of it follows,
    and "stale" if done is 1 but the next board lacks the move.
    """

    number: int
    board: str
    move: int
    reward: float
    next_board: str
    done: bool
    before: float
    after: float
    mover: str
    is_taken: bool
    is_before_answer: bool
    oddity: str
    result: str
    is_over: bool


SIGN_MARKS = {
    sign: mark
    for mark, signs in (
        ("X", "X x 1 1.0 +1"),
        ("O", "O o -1 -1.0 2 2.0"),
        (".", ". _ - * # ? 0 0.0 None E e"),
    )
    for sign in signs.split()
} | {" ": ".", "": "."}
TOKEN_PATTERN = re.compile(
    r"'([^']*)'|\"([^\"]*)\"|([-+]?\d+(?:\.\d*)?|None|[A-Za-z._*#?-])"
)
DONE_WORDS = {
    "1": True,
    "1.0": True,
    "true": True,
    "0": False,
    "0.0": False,
    "false": False,
}


def read_board(item):
    """Return a board, given as a text, a list, a list of rows or an array, as nine characters.

    X may be written as X, x or 1, and O as O, o, -1 or 2. Raises TraceError if `item` is no board.
    """
    if isinstance(item, str) and len(item) == 9 and not item.strip(".XO"):
        return item
    signs = "".join(SIGN_MARKS.get(sign, "!") for sign in list_signs(item))
    if len(signs) != 9 or "!" in signs:
        raise TraceError(
            f"{quote_item(item)} is no board: write its nine squares, as in X.O......"
        )
    return signs


def list_signs(item):
    item = item.tolist() if hasattr(item, "tolist") else item
    if isinstance(item, (list, tuple)):
        return [sign for part in item for sign in list_signs(part)]
    if not isinstance(item, str):
        return [f"{item:g}" if isinstance(item, float) else str(item)]
    # A text of this length is a square, a row or the whole board, with one character a square.
    if len(item) in (0, 1, 3, 9):
        return list(item) or [""]
    return [a or b or c for a, b, c in TOKEN_PATTERN.findall(item)]


def read_move(item):
    """Return the square, 0 to 8, of a move that is given as a number or as a row and a column."""
    numbers = item.tolist() if hasattr(item, "tolist") else item
    if isinstance(item, str):
        is_numbers = re.fullmatch(r"[\s\d.,()\[\]-]+", item)
        numbers = re.findall(r"-?\d+(?:\.\d*)?", item) if is_numbers else []
    try:
        numbers = list(map(float, numbers))
    except (TypeError, ValueError):
        numbers = [numbers] if isinstance(numbers, (int, float)) else []
    move = 3 * numbers[0] + numbers[1] if len(numbers) == 2 else (*numbers, -1)[0]
    if len(numbers) > 2 or move not in range(9):
        raise TraceError(f"{quote_item(item)} is no move: a move is a square, 0 to 8")
    return int(move)


def read_number(item, name):
    try:
        number = float(item)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise TraceError(f"{name} is {quote_item(item)}, which is no number")
    return number


def read_row(
    number, board, move, reward, next_board, done, before, after, merges_symmetric
):
    """Return a checked row of the trace; raises TraceError, with the row's number, for a wrong one.

    `merges_symmetric` says whether earlier rows show that the learner merges symmetric boards.
    """
    try:
        board, move = read_board(board), read_move(move)
        next_board = read_board(next_board)
        truth = DONE_WORDS.get(str(done).strip().lower())
        if truth is None:
            raise TraceError(f"done is {quote_item(done)}: write 0 or 1")
        step = read_step(board, move, next_board, truth, merges_symmetric)
        _, is_taken, is_before_answer, oddity, result = step
        is_early = is_taken or is_before_answer or oddity == "stale"
        if truth and not result and not is_early:
            raise TraceError(
                f"done is 1, but on {format_board(next_board)} the game goes on"
            )
        reward = read_number(reward, "reward")
        before, after = read_number(before, "before"), read_number(after, "after")
    except TraceError as error:
        raise TraceError(f"Row {number}: {error}.") from None
    columns = number, board, move, reward, next_board, truth, before, after
    return Row(*columns, *step, is_over=bool(result) or truth)


@cache
def read_step(board, move, next_board, done, merges_symmetric):
    """Return the fields mover, is_taken, is_before_answer, oddity and result of a Row.

    The next board may be rotated or reflected, as in learners that merge symmetric boards. Raises
    TraceError if it is no later board of the same game even then.
    """
    error, found = None, []
    for image in list_symmetric_boards(next_board):
        try:
            mover, is_taken, is_early, result = read_exact_step(board, move, image)
        except TraceError as reason:
            error = error or reason
            continue
        oddity = "symmetric" if image != next_board else ""
        found.append((mover, is_taken, is_early, oddity, result))
        # A learner that merges symmetric boards may have rotated a board that also follows
        # unrotated.
        if mover == find_mover(board) or not (oddity or merges_symmetric):
            return found[-1]
    if found:
        return found[0]
    is_stale = done and board[move] == "." and next_board[move] == "."
    if is_stale and not find_winner(board):
        return find_mover(board), False, False, "stale", None
    raise error


def read_exact_step(board, move, next_board):
    """Return the fields mover, is_taken, is_before_answer and result of a Row.

    Here the next board is taken as it is; `read_step` also tries its rotations and reflections.
    Raises TraceError if the next board does not follow from the board.
    """
    is_taken = board[move] != "."
    mover = find_mover(board) if is_taken else next_board[move]
    shown, shown_next = format_board(board), format_board(next_board)
    if mover == ".":
        raise TraceError(
            f"the move is square {move}, and that square of next_board {shown_next} is empty"
        )
    for name, one in (("board", board), ("next_board", next_board)):
        if abs(one.count("X") - one.count("O")) > 1:
            raise TraceError(
                f"{name} {format_board(one)} is impossible: count its X and O"
            )
    if find_winner(board) and not is_taken:
        raise TraceError(f"board {shown} is already finished, so no move follows")
    if any(old not in (".", new) for old, new in zip(board, next_board)):
        raise TraceError(f"next_board {shown_next} does not follow from board {shown}")
    if board.count(".") - next_board.count(".") > 3 and not is_taken:
        raise TraceError(
            f"next_board {shown_next} is more than a move and an answer later"
        )
    result = find_winner(next_board)
    if result in OTHER_PLAYER:
        result = "win" if result == mover else "loss"
    return mover, is_taken, next_board == put_mark(board, move, mover), result


def quote_item(item):
    text = repr(item)
    return text if len(text) <= 60 else f"{text[:60]}..."


# Part 5 finds which row follows each row in its game.


def find_successors(rows, is_backward):
    """Return for each row the index of the row that begins with its next board, or None.

    `is_backward` says that the learner updates a game from its last move to its first.
    """
    successors, waiting = [None] * len(rows), {}
    for i, row in enumerate(rows):
        if is_backward:
            if i and row.board.count(".") < rows[i - 1].board.count("."):
                # A board with more stones than the one before begins another game.
                waiting.clear()
            j = waiting.get(row.next_board, -MAX_ROW_GAP - 1)
            if i - j <= MAX_ROW_GAP and not row.is_over:
                successors[i] = j
            waiting[row.board] = i
        else:
            j = waiting.pop(row.board, -MAX_ROW_GAP - 1)
            if i - j <= MAX_ROW_GAP:
                successors[j] = i
            if not row.is_over:
                waiting[row.next_board] = i
    return successors


def list_later_rewards(rows, successors, setup):
    """Return for each row the rewards of the later rows in its game, for the row's mover."""
    later_rewards = [[] if row.is_over else [UNKNOWN] for row in rows]
    order = range(len(rows)) if setup.is_backward else reversed(range(len(rows)))
    for i in order:
        row, j = rows[i], successors[i]
        if not row.is_over and j is not None:
            sign = 1 if rows[j].mover == row.mover else -1
            first = setup.get_view_sign(rows[j].mover) * rows[j].reward
            later_rewards[i] = [sign * reward for reward in (first, *later_rewards[j])]
    return later_rewards


# Part 6 rebuilds the table from the rows.


class LearnerSetup(NamedTuple):
    """Facts about a learner that the first rows of its trace show.

    `training_mode` is a result of `find_training_mode`, and `table_kind` is one of TABLE_KINDS.
    `is_backward` says whether a game is updated from its last move to its first, and `is_x_view`
    whether all values and rewards are in X's view. `initial_values` has the initial value of each
    player's moves. With `has_final_values`, finished boards are in the table from the beginning,
    with their reward as value. `precision` is the rounding error of the values in the rows.
    """

    table_kind: str
    is_backward: bool
    training_mode: str
    is_x_view: bool
    initial_values: dict
    has_final_values: bool
    plays_occupied: bool
    win_reward: float
    draw_reward: float
    precision: float

    def get_view_sign(self, mover):
        """Return 1 if the values are the mover's own, and -1 if they are the opponent's."""
        return -1 if self.is_x_view and mover == "O" else 1


class Example(NamedTuple):
    """An update with every number that a learning rule could use, as values for the row's mover.

    `best`, `worst`, `mean` and `total` summarise the moves on the next board. `played_value` is the
    value of the move that was played there, and `tried_value` is the best value of a move there
    that was updated before, or 0. `untried_value` is the initial value of a move there.
    `early_end_value` is the opponent's best value there, if done=1 comes too early.

    `move_values` has a value for each legal move on the row's board. `visits` counts the updates of
    the row's value, this one included. `sign` is -1 if the opponent moves on the next board, else
    1.
    """

    row: Row
    reward: float
    before: float
    change: float
    best: float
    worst: float
    mean: float
    total: float
    played_value: float
    tried_value: float
    early_end_value: float
    untried_value: float
    later_rewards: list
    move_values: list
    visits: int
    sign: int
    next_mover: str


def find_highest(values):
    """Return the highest value, or UNKNOWN without values or with an unknown one."""
    return UNKNOWN if math.isnan(sum(values)) else max(values, default=UNKNOWN)


class Replay:
    """The learner's table, rebuilt row by row from the values in the trace."""

    def __init__(self, setup):
        self.setup = setup
        self.values, self.visits, self.numbers = {}, Counter(), {}
        self.mismatches, self.first_mismatch = 0, None

    def find_value(self, key, mover):
        if key in self.values:
            return self.values[key]
        winner = find_winner(key) if self.setup.has_final_values else None
        if winner:
            return self.setup.draw_reward if winner == "draw" else self.setup.win_reward
        return self.setup.initial_values[mover]

    def list_values(self, board, mover, has_occupied=False):
        """Return the values of a player's moves on a board, in this player's view."""
        keys = list_keys(self.setup.table_kind, board, mover, has_occupied)
        return [self.find_value(key, mover) for key in keys]

    def find_move_value(self, board, move, mover):
        return self.find_value(
            make_key(self.setup.table_kind, board, move, mover), mover
        )

    def list_next_values(self, row, mover):
        board = row.next_board
        if row.is_over:
            return [0.0]
        if row.board.count(".") - board.count(".") < 3:
            return self.list_values(board, mover, self.setup.plays_occupied)
        # With a move, an answer and another move, the table has values of boards, and the next board
        # already contains the only move whose value the update can use.
        later_moves = [
            square
            for square in list_free_squares(row.board)
            if board[square] == row.mover and square != row.move
        ]
        return [
            self.find_move_value(put_mark(board, square, "."), square, row.mover)
            for square in later_moves[:1]
        ]

    def make_example(self, row, successor, later_rewards):
        """Return the Example of a row, by the values before the row's update.

        The board of the row `successor` is the next board of this row.
        """
        setup, mover, sign, known = self.setup, row.mover, 1, self.values
        if setup.training_mode == "self-play":
            mover, sign = OTHER_PLAYER[mover], -1
        view_sign = setup.get_view_sign(row.mover)
        values = self.list_next_values(row, mover)
        if not values or math.isnan(sum(values)):
            values = [UNKNOWN]
        tried = played = 0.0
        end, untried_value = UNKNOWN, setup.initial_values[mover]
        if not row.is_over:
            keys = list_keys(setup.table_kind, row.next_board, mover)
            tried = max((known[key] for key in keys if key in known), default=0.0)
            played = UNKNOWN
            if successor:
                played = self.find_move_value(successor.board, successor.move, mover)
        elif row.is_taken:
            # An illegal move ended the game, so the moves on the next board still have values.
            untried_value = find_highest(self.list_values(row.next_board, mover, True))
        elif not row.result and row.oddity != "stale":
            end = find_highest(
                self.list_values(row.next_board, OTHER_PLAYER[row.mover])
            )
        key = make_key(setup.table_kind, row.board, row.move, row.mover)
        return Example(
            row=row,
            reward=view_sign * row.reward,
            before=view_sign * row.before,
            change=view_sign * (row.after - row.before),
            best=sign * max(values),
            worst=sign * min(values),
            mean=sign * sum(values) / len(values),
            total=sign * sum(values),
            played_value=sign * played,
            tried_value=sign * tried,
            early_end_value=end,
            untried_value=sign * untried_value,
            later_rewards=later_rewards,
            move_values=self.list_values(row.board, row.mover),
            visits=self.visits[key] + 1,
            sign=sign,
            next_mover=mover,
        )

    def record(self, row):
        setup, view_sign = self.setup, self.setup.get_view_sign(row.mover)
        key = make_key(setup.table_kind, row.board, row.move, row.mover)
        old = self.values.get(key)
        if old is not None and abs(old - view_sign * row.before) > 2 * setup.precision:
            self.mismatches += 1
            if self.first_mismatch is None:
                self.first_mismatch = row, view_sign * old, self.numbers[key]
        self.values[key] = view_sign * row.after
        self.visits[key] += 1
        self.numbers[key] = row.number


def find_precision(rows):
    """Return the rounding error of the values in the rows.

    Values with four to eight digits after the point count as rounded to these digits. All others
    have only the errors of floating-point numbers.
    """
    numbers = [number for row in rows for number in (row.before, row.after)]
    scale = max(1.0, *map(abs, numbers))
    texts = list(map(repr, set(numbers)))
    digits = max(len(text.partition(".")[2]) for text in texts)
    if 4 <= digits <= 8 and not any("e" in text for text in texts):
        return 10.0**-digits
    try:
        floats = [struct.unpack("f", struct.pack("f", number))[0] for number in numbers]
    except OverflowError:
        floats = []
    # If every number is exactly a 32-bit float, the learner computed with 32-bit floats.
    return (3e-7 if floats == numbers else 1e-10) * scale


def find_training_mode(rows, successors):
    """Return the mode of the training: "opponent", "self-play" or "answer".

    In the mode "opponent" most next boards contain the opponent's answer. In "self-play" they do
    not, because the answer is a move of the learner and has a row of its own. "answer" is a fault:
    the next boards contain no answer, and the answers have no rows either.
    """
    links = [
        (row.is_before_answer, link is not None)
        for row, link in zip(rows, successors)
        if not row.is_over and not row.is_taken
    ]
    early = [is_linked for is_before_answer, is_linked in links if is_before_answer]
    if 2 * len(early) <= len(links):
        return "opponent"
    return "self-play" if 2 * sum(early) > len(early) else "answer"


def find_initial_values(rows, setup):
    """Return {player: the initial value of the player's moves}.

    It is UNKNOWN if fewer than 98% of the moves begin with the same value.
    """
    firsts, values = {}, {"X": Counter(), "O": Counter()}
    for row in rows:
        key = make_key(setup.table_kind, row.board, row.move, row.mover)
        if firsts.setdefault(key, row) is row:
            values[row.mover][setup.get_view_sign(row.mover) * row.before] += 1
    initial = {}
    for player in "XO":
        counts = values[player] or values[OTHER_PLAYER[player]]
        value, number = counts.most_common(1)[0]
        initial[player] = value if number >= 0.98 * sum(counts.values()) else UNKNOWN
    return initial


def find_table_kinds(rows, setup):
    """Return the TABLE_KINDS with the fewest contradictions in the rows, best first.

    A row contradicts a kind of table if its `before` differs from the value that the last update of
    the same key stored.
    """
    counts = {}
    for kind in TABLE_KINDS:
        replay = Replay(setup._replace(table_kind=kind))
        for row in rows:
            replay.record(row)
        counts[kind] = replay.mismatches
    fewest = max(len(rows) / 1000, min(counts.values()))
    return sorted((k for k in TABLE_KINDS if counts[k] <= fewest), key=counts.get)


def find_setups(rows, rewards, is_x_view):
    """Return a LearnerSetup for each possible kind of table, the most likely one first."""
    forward, backward = find_successors(rows, False), find_successors(rows, True)
    is_backward = backward.count(None) < forward.count(None)
    finished = {row.result: row.reward for row in rows if row.result}
    records_wins = any(row.is_before_answer and row.result == "win" for row in rows)
    setup = LearnerSetup(
        table_kind=TABLE_KINDS[0],
        is_backward=is_backward,
        training_mode=find_training_mode(rows, backward if is_backward else forward),
        is_x_view=is_x_view,
        initial_values={},
        has_final_values=False,
        plays_occupied=any(row.is_taken for row in rows),
        win_reward=finished.get("win", rewards[2]),
        draw_reward=finished.get("draw", rewards[1]),
        precision=find_precision(rows),
    )
    setups = [setup._replace(table_kind=kind) for kind in find_table_kinds(rows, setup)]
    return [
        setup._replace(
            initial_values=find_initial_values(rows, setup),
            has_final_values="afterstates" in setup.table_kind and not records_wins,
        )
        for setup in setups
    ]


# Part 7 has the method of least squares.


def compute_dot_product(row, other):
    return sum(map(operator.mul, row, other))


def solve_least_squares(rows, changes):
    """Return the factors of the columns that fit the changes best.

    The factor of a column is 0 if the rows do not determine it.
    """
    factors = [0.0] * len(rows[0])
    columns = list(zip(*rows))
    # The second pass removes the rounding errors of the first one.
    for _ in range(2):
        rest = [
            change - compute_dot_product(factors, row)
            for row, change in zip(rows, changes)
        ]
        correction = solve_normal_equations(columns, rest)
        factors = list(map(operator.add, factors, correction))
    return factors


def solve_normal_equations(columns, changes):
    size = len(columns)
    matrix = [
        [compute_dot_product(one, other) for other in (*columns, changes)]
        for one in columns
    ]
    smallest = 1e-12 * max(1e-12, *(matrix[i][i] for i in range(size)))
    pivots = []
    for i in range(size):
        if matrix[i][i] <= smallest:
            continue
        pivots.append(i)
        for j in range(size):
            if j != i:
                factor = matrix[j][i] / matrix[i][i]
                matrix[j] = [a - factor * b for a, b in zip(matrix[j], matrix[i])]
    return [matrix[i][size] / matrix[i][i] if i in pivots else 0.0 for i in range(size)]


class Fit(NamedTuple):
    """The step size alpha and the discount gamma that fit some updates best, by least squares.

    `factors` solves the linear equations; its first number is alpha. gamma is None if alpha is 0. A
    Fit is impossible if one of its factors is clearly negative. `keeps_old_value` means that the
    update adds the next value without subtracting the old value.
    """

    factors: list
    alpha: float
    gamma: float
    is_possible: bool
    keeps_old_value: bool


def fit_equations(equations, size):
    """Return the Fit of some equations, whose first `size` factors determine alpha and gamma."""
    rows, changes = zip(*((one.columns, one.change) for one in equations))
    factors = solve_least_squares(rows, changes)
    # All later factors are preset values of finished boards. If a rule has several next values,
    # their factors add up to alpha gamma.
    alpha, *others = factors[:size]
    gamma = sum(others) / alpha if alpha else None
    return Fit(
        factors=factors,
        alpha=alpha,
        gamma=gamma,
        is_possible=min(alpha, *others, gamma or 0.0) > -1e-3,
        keeps_old_value=alpha < 1e-6 and any(factor > 1e-6 for factor in others),
    )


class Equation(NamedTuple):
    """An update as a linear equation: the factors of a Fit times `columns` add up to `change`.

    Both sides are multiplied by `scale`, which makes updates of different step sizes comparable.
    """

    example: Example
    columns: tuple
    change: float
    scale: float

    def is_missed_by(self, fit, precision):
        rest = self.change - compute_dot_product(fit.factors, self.columns)
        return abs(rest) > 3 * precision * self.scale


def list_misses(equations, fit, precision):
    """Return the updates that a Fit does not explain; an impossible Fit explains none."""
    is_possible = fit is not None and fit.is_possible
    return [
        one.example
        for one in equations
        if not is_possible or one.is_missed_by(fit, precision)
    ]


def improve_guess(guesses):
    """Return a better guess for the gamma of Monte Carlo, by the secant method.

    A guess is an assumed gamma, and the gamma that least squares found with it. In the solution the
    two gammas are equal.
    """
    if len(guesses) < 2:
        return guesses[-1][1]
    (x0, y0), (x1, y1) = guesses[-2:]
    slope = (y1 - x1) - (y0 - x0)
    guess = x1 - (y1 - x1) * (x1 - x0) / slope if slope else y1
    return guess if 0 <= guess <= 2 else y1


# Part 8 tries hypotheses.

FULL_LAST_STEP = "constant, but 1 for the last move of a game"
FALLING_STEP = "falling with the visits of the move"
# If the step size of an update is 1/n, the update times n has a constant step size, which least
# squares can find.  These are the multipliers for several kinds of step sizes.
STEP_SCALES = {
    "constant": lambda e: 1,
    "1/n": lambda e: e.visits,
    "1/(n+1)": lambda e: e.visits + 1,
    FULL_LAST_STEP: lambda e: 1,
    # Nothing is known about this multiplier before `find_steps` compares updates.
    FALLING_STEP: None,
}
# Fewer updates do not show the step size for a number of visits.
MIN_VISIT_UPDATES = 12
# Alpha or gamma may change at any row. Rows are halved to find where, but not into smaller parts.
MIN_SEGMENT_ROWS = 32
# Studying all rows with every hypothesis would take too long, so this many rows choose the best four.
SAMPLE_ROWS = 256


class Hypothesis:
    """A learning rule with a right or faulty target, and the number of rows that it explains."""

    def __init__(self, rule, target, step="constant"):
        self.rule, self.target, self.step = rule, target, step
        self.fault, self.scale = target.fault, STEP_SCALES[step]
        self.fit = self.first_fit = None
        self.explained = self.unexplained = self.segments = 0
        self.penalty = 0
        self.first_unexplained = None
        self.lowest_alpha = 0.0
        self.alpha_by_visits = {}
        self.gammas = []
        self.first_with_unused_value = None
        # The first Example that shows the fault, the value after a right update, and the Fit.
        self.evidence = None

    def find_steps(self, examples, precision):
        """Find alpha for each number of visits; return whether alpha falls as the visits grow."""
        groups, single = {}, Hypothesis(self.rule, self.target)
        for e in examples:
            groups.setdefault(e.visits, []).append(e)
        for number, group in sorted(groups.items()):
            fit, equations = single.solve(group)
            if not fit or len(group) < MIN_VISIT_UPDATES or fit.alpha < 1e-4:
                continue
            if fit.alpha > 1 + 1e-6 or list_misses(equations, fit, precision):
                return False
            self.alpha_by_visits[number] = fit.alpha
        steps = list(self.alpha_by_visits.values())
        if (
            1 not in self.alpha_by_visits
            or len(steps) < 3
            or steps[0] <= steps[-1] + 1e-6
        ):
            return False
        self.scale = lambda e: steps[0] / self.alpha_by_visits.get(e.visits, UNKNOWN)
        known = sum(len(groups[number]) for number in self.alpha_by_visits)
        is_falling = all(a >= b - 1e-6 for a, b in zip(steps, steps[1:]))
        return is_falling and 2 * known > len(examples)

    def find_columns(self, e, gamma, columns=None):
        """Return the columns of an update's equation, by `columns` or by the target's function."""
        values = RULES[self.rule].compute_next_values(e, gamma)
        return (columns or self.target.columns)(e, values)

    def list_equations(self, examples, gamma):
        """Return the equations of the updates in which all numbers are known."""
        equations = []
        for e in examples:
            columns = self.find_columns(e, gamma)
            change, scale = e.change, self.scale(e)
            if math.isnan(sum(columns) * scale):
                continue
            if self.step == FULL_LAST_STEP and e.row.is_over:
                columns, change = (0.0,) * len(columns), change - (e.reward - e.before)
            equations.append(Equation(e, columns, change * scale, scale))
        return equations

    def solve(self, examples):
        """Return the best Fit of some updates, or None, and their equations."""
        gamma, guesses = 1.0 if self.fit is None else self.fit.gamma or 1.0, []
        for _ in range(12):
            equations = self.list_equations(examples, gamma)
            if not equations:
                return None, equations
            fit = fit_equations(equations, 2 if self.rule == "preset" else None)
            if self.rule != "monte-carlo" or fit.gamma is None:
                break
            guesses.append((gamma, fit.gamma))
            if abs(fit.gamma - gamma) < 1e-13:
                break
            gamma = improve_guess(guesses)
        return fit, equations

    def explain(self, examples, precision):
        """Return the best Fit of some updates, and the updates that it does not explain."""
        # To save time, a few updates are tried first.
        few = examples
        if len(examples) > MIN_ROWS:
            changed = [e for e in examples if e.change]
            few = choose_evenly(examples) + choose_evenly(changed)
        fit, equations = self.solve(few)
        misses = list_misses(equations, fit, precision)
        if len(few) < len(examples) and not (fit and misses):
            fit, equations = self.solve(examples)
            misses = list_misses(equations, fit, precision)
        return fit, misses

    def predict(self, e, columns):
        gamma = self.fit.gamma if self.fit.gamma is not None else 1.0
        step = compute_dot_product(
            self.fit.factors, self.find_columns(e, gamma, columns)
        )
        return e.before + step / self.scale(e)

    def explain_more(self, examples, precision):
        """Explain the next updates; alpha and gamma may have changed since the last ones."""
        fit, misses = self.fit, examples
        if fit:
            equations = self.list_equations(examples, fit.gamma or 1.0)
            misses = list_misses(equations, fit, precision)
        if misses:
            fit, misses = self.explain(examples, precision)
            if misses and len(examples) > MIN_SEGMENT_ROWS:
                # Alpha or gamma changed within these updates, so each half is studied by itself.
                half = len(examples) // 2
                self.explain_more(examples[:half], precision)
                self.explain_more(examples[half:], precision)
                return
            if misses:
                misses = self.list_misses_with_drift(examples, precision)
            self.segments += 1
        self.count_explained(examples, fit, misses, precision)

    def list_misses_with_drift(self, examples, precision):
        """Return the updates that are missed by more than 1% even if alpha changes linearly."""
        gamma = self.fit.gamma if self.fit and self.fit.gamma else 1.0
        equations, misses = self.list_equations(examples, gamma), []
        if not equations:
            return []
        rows = [
            (*one.columns, *(i / len(equations) * x for x in one.columns))
            for i, one in enumerate(equations)
        ]
        factors = solve_least_squares(rows, [one.change for one in equations])
        size = len(factors) // 2
        # With a negative gamma the equations can fit by chance, but no learner has one.
        is_negative = sum(factors[1:size]) < -0.2 * abs(factors[0])
        for one, row in zip(equations, rows):
            terms = list(map(operator.mul, factors, row))
            error = 0.01 * sum(map(abs, terms)) + 3 * precision * one.scale
            if is_negative or abs(one.change - sum(terms)) > error:
                misses.append(one.example)
        return misses

    def count_explained(self, examples, fit, misses, precision):
        """Count the explained and the missed updates, and store examples of both for the report."""
        # There is no Fit if every update has an unknown number, and then none can be counted.
        if fit is None:
            return
        self.fit, self.first_fit = fit, self.first_fit or fit
        self.lowest_alpha = min(self.lowest_alpha, fit.alpha)
        if abs(fit.gamma or 0.0) > 1e-6 and len(self.gammas) < 1000:
            self.gammas.append(fit.gamma)
        self.explained += len(examples) - len(misses)
        self.unexplained += len(misses)
        if misses and self.first_unexplained is None:
            self.first_unexplained = misses[0]
        for e in examples if not self.has_evidence else ():
            value = RULES[self.rule].compute_next_values(e, 1.0)[0]
            is_used = abs(fit.gamma or 0.0) > 1e-6 or e.row.is_over
            if self.first_with_unused_value is None and not is_used and abs(value) > 0:
                self.first_with_unused_value = e
            right, found = self.predict(e, make_columns), e.before + e.change
            is_right = not abs(right - found) > 5 * precision + 1e-6 * abs(found)
            is_known = not math.isnan(self.predict(e, self.target.columns))
            if self.fault and not self.evidence and is_known and not is_right:
                self.evidence = e, right, fit

    @property
    def has_evidence(self):
        """Whether the updates that a report shows have been found."""
        return self.first_with_unused_value and (self.evidence or not self.fault)

    @property
    def is_credible(self):
        """Whether alpha and gamma are plausible; alpha may change during the training."""
        first, last = self.first_fit, self.fit
        if last.keeps_old_value or self.lowest_alpha < -1e-3:
            return False
        if self.step == FALLING_STEP and (last.gamma or 0.0) > 1 + 1e-3:
            return False
        is_same = abs(first.alpha - last.alpha) < 1e-3 * abs(last.alpha)
        # If alpha ends as it began, a right rule would have needed only one Fit.
        return self.segments < 2 or not is_same

    @property
    def ignores_next(self):
        """Whether gamma is 0 in all rows, although some next boards have values other than 0."""
        return bool(self.first_with_unused_value) and not self.gammas

    @property
    def misfit(self):
        """How badly the hypothesis explains the updates: the lower, the better."""
        # Each new alpha counts like eight unexplained updates.
        changes = MIN_SEGMENT_ROWS / 4 * max(0, self.segments - 1)
        return self.unexplained + self.penalty + changes


def choose_evenly(examples):
    return examples[:: 1 + len(examples) // 25]


def list_hypotheses(examples, setup, step="constant"):
    """Return the hypotheses that may be true, in the order of TARGETS."""
    if setup.training_mode == "answer":
        return [Hypothesis("q-learning", TARGETS[0], step)]
    return [
        Hypothesis(rule, target, step)
        for target in TARGETS
        if target.is_tried(setup, examples)
        for rule in target.rules
    ]


def list_exact_hypotheses(examples, setup):
    """Return the hypotheses that explain all updates.

    The kinds of step sizes in STEP_SCALES are tried one by one, until one has such hypotheses.
    """
    for step in STEP_SCALES:
        good = []
        for one in list_hypotheses(examples, setup, step):
            is_known = step != FALLING_STEP or not one.fault
            if step == FALLING_STEP and is_known:
                is_known = one.find_steps(examples, setup.precision)
            fit, misses = (
                one.explain(examples, setup.precision) if is_known else (None, [])
            )
            if fit and not misses:
                one.segments = 1
                one.count_explained(examples, fit, [], setup.precision)
                good.append(one)
        if good:
            return good
    return []


def list_close_hypotheses(examples, setup):
    """Return the four hypotheses with the fewest unexplained updates, if alpha may change."""
    order = list_hypotheses(examples, setup)
    for one in order:
        one.explain_more(examples[-SAMPLE_ROWS:], setup.precision)
    closest = sorted((one for one in order if one.fit), key=lambda one: one.misfit)[:4]
    hypotheses = [Hypothesis(one.rule, one.target) for one in order if one in closest]
    for one in hypotheses:
        one.explain_more(examples, setup.precision)
        if one.rule in ("expected-sarsa", "preset") and one.segments > 1:
            # These two rules have so many factors that they fit any small part of the rows.
            one.penalty = len(examples)
    return [one for one in hypotheses if one.fit]


def find_rounded_digits(examples, setup):
    """Return (digits after the point, example row) if rounding explains the values, else None."""
    numbers = [repr(e.row.after) for e in examples]
    if any("e" in number for number in numbers):
        return None
    digits = max(len(number.partition(".")[2].rstrip("0")) for number in numbers)
    # `explain` accepts errors up to three times the precision, so the last digit is divided by 3.
    right = [one for one in list_hypotheses(examples, setup) if not one.fault]
    if digits > 3 or all(one.explain(examples, 10.0**-digits / 3)[1] for one in right):
        return None
    # The best example is a row in which rounding kept a value from changing.
    stuck = [
        e for e in examples if not e.change and e.row.is_over and e.reward != e.before
    ]
    return digits, (stuck or examples)[0].row


# Part 9 finds out about exploration from the moves that were played.


def count_choice(values, index):
    """Return counts that compare a played move with a random one.

    `values` are the values of all legal moves, and `index` is the index of the played move.
    `others` is 1 if the move is not the best, and `chance` is the probability of this for a random
    move. `firsts` is 1 if the move is the first of several best moves; for a random one of these
    moves, the probability is `tie_chance`.
    """
    highest, size = max(values), len(values)
    number, is_best = values.count(highest), values[index] == highest
    counts = Counter()
    if number < size:
        chance = 1 - number / size
        counts.update(moves=1, others=not is_best, chance=chance)
        counts["variance"] = chance * (1 - chance)
    if number > 1 and is_best:
        is_first = values.index(highest) == index
        counts.update(ties=1, firsts=is_first, tie_chance=1 / number)
    return counts


def estimate_epsilon(counts):
    """Return the estimated share of random moves, or None with too few choices."""
    return counts["others"] / counts["chance"] if counts["chance"] >= 10 else None


def plays_randomly(counts):
    """Return whether the best moves were played no more often than by random moves."""
    error = math.sqrt(counts["variance"]) / counts["chance"]
    return error <= 0.02 and estimate_epsilon(counts) >= 1 - 3 * error


def always_takes_first(counts):
    """Return whether the first of several best moves was always played, and not by chance."""
    return counts["firsts"] == counts["ties"] > counts["tie_chance"] + 8


# Part 10 is the doctor.

NOTES_BY_FACT = {
    "early end": "next_board is not the final board in {count:,} rows with done=1: that these games are "
    "over is taken from done alone.",
    "symmetric": "Symmetric boards are merged: a next board follows its board only up to symmetry.",
    "undone": "done is 0 in {count:,} rows in which the game is over.",
    "in place": "{count:,} moves are on occupied squares, the first in row {row}: allow only free ones.",
}


class Doctor:
    """Collects the updates of a training, and finds the learning rule or the fault behind them.

    The `rewards` are for a loss, a draw and a win. With `self_play` both players should learn, so a
    trace with the moves of only one player has a fault.
    """

    def __init__(self, rewards=(-1, 0, 1), self_play=False):
        self.rewards, self.self_play = rewards, self_play
        # In self-play, a watched table does not show which next boards the learner uses.  A second
        # doctor tries the other possibility, as `game_over` explains.
        self.table_writes, self.second_doctor = [], None
        self.replay, self.hypotheses, self.choice_counts = None, [], []
        self.rounded_digits_and_row = None
        self.clear()

    def clear(self):
        self.row_count = 0
        # The last rows that were studied stay in memory, because a successor may come later.
        self.rows, self.studied_count = [], 0
        self.count_by_fact = Counter()
        self.first_row_by_fact = {}
        self.row_by_result = {}
        # A row that ended a won or lost game with the reward 0, until the next row explains it.
        self.unrewarded_row = None

    def update(self, board, move, reward, next_board, done, before, after):
        """Record one update of the learner's table; the module's docstring explains the arguments.

        Raises TraceError, naming the row, if the arguments cannot come from a game.
        """
        self.row_count += 1
        columns = board, move, reward, next_board, done, before, after
        merges_symmetric = self.count_by_fact["symmetric"] > 0
        row = read_row(self.row_count, *columns, merges_symmetric)
        self.rows.append(row)
        self.count_facts(row)
        if row.oddity == "symmetric" and not merges_symmetric and not self.replay:
            # Only this row shows that the learner merges symmetric boards, so read all rows again.
            rows = self.rows
            self.clear()
            self.count_by_fact["symmetric"] = 1
            for row in rows:
                self.update(*row[1:8])
            self.count_by_fact["symmetric"] -= 1
        if len(self.rows) - self.studied_count >= CHUNK_ROWS + MAX_ROW_GAP:
            self.study_rows(len(self.rows) - MAX_ROW_GAP)

    def watch(self, table, to_board=None, initial=0.0):
        """Return the table, a dict or a numpy array, in a form that records its changes.

        `to_board` turns a key (or the indices of an array) into (board, move), or into a board if
        the table has values of boards. Leave it out if the keys already look like this. `initial`
        is the value that your learner uses for a key that is not in the table.
        """

        def on_write(keys, old, value):
            is_number = isinstance(value, (int, float)) or hasattr(value, "item")
            if not is_number or getattr(value, "shape", ()):
                # A learner that sees a board for the first time may store all its values at once.
                return
            if len(keys) == 1 and isinstance(keys[0], tuple) and len(keys[0]) != 9:
                keys = keys[0]
            board, move = read_key(to_board(*keys) if to_board else keys)
            before = initial if old is None else float(old)
            self.table_writes.append(
                TableWrite(board, move, before, float(value), old is None)
            )

        return watch_table(table, on_write, ())

    def game_over(self, board, rewards=None):
        """Record the changes that a game made in the watched table; `board` is the final board.

        The `rewards` are for a loss, a draw and a win, if they differ from the doctor's rewards.
        """
        final, writes, self.table_writes = read_board(board), self.table_writes, []
        if not find_winner(final):
            raise TraceError(f"on {format_board(final)} the game goes on")
        # In self-play, the learner may use the value of the board right after its move or of the
        # board after the answer. The table does not show which, so a second doctor records the
        # updates with the board right after the move.
        if (
            not self.second_doctor
            and len({find_mover(one.board) for one in writes}) > 1
        ):
            self.second_doctor = Doctor(self.rewards, self.self_play)
        game = writes, final, rewards or self.rewards
        for row in list_game_rows(*game, is_own=True):
            self.update(*row)
        for row in list_game_rows(*game, is_own=False) if self.second_doctor else ():
            self.second_doctor.update(*row)

    def count_fact(self, fact, row, is_true=True):
        if is_true:
            self.count_by_fact[fact] += 1
            self.first_row_by_fact.setdefault(fact, row)

    def count_facts(self, row):
        """Count the facts that a row shows, such as an early end or a late reward."""
        self.count_fact(f"moves of {row.mover}", row)
        self.count_fact(f"changes of {row.mover}", row, row.after != row.before)
        self.count_fact("reward", row, row.reward != 0)
        self.count_fact("symmetric", row, row.oddity == "symmetric")
        self.count_fact("in place", row, row.is_taken)
        is_end = row.result and not row.is_taken
        self.count_fact("early end", row, row.done and not (row.result or row.is_taken))
        self.count_fact("undone", row, is_end and not row.done)
        self.count_fact(
            f"results of {row.mover}", row, is_end and row.reward != row.before
        )
        # If the last game ended without its reward, this row may repeat the last move with the reward.
        # It may also be a move of the next game, which gets the reward too late.
        last, self.unrewarded_row = self.unrewarded_row, None
        if last and not (row.result and row[1:3] == last[1:3]):
            self.count_fact("unpaid", last)
            is_late = row.reward and (row.reward > 0) == (last.result == "win")
            self.count_fact("late", (last, row), is_late)
            self.count_result(last)
        if is_end and (row.result == "draw" or row.reward):
            self.count_result(row)
        elif is_end:
            self.unrewarded_row = row

    def count_result(self, row):
        if len(self.row_by_result) < 100:
            self.row_by_result.setdefault((row.mover, row.result, row.reward), row)

    def diagnose(self):
        """Return the Diagnosis of the rows so far; you can record more rows and call it again.

        Raises TraceError if there are too few rows, or if they do not come from one learner.
        """
        if self.row_count < MIN_ROWS:
            raise TraceError(
                f"There are {self.row_count} rows, and {MIN_ROWS} are needed at least."
            )
        doctor = copy.deepcopy(self, {id(row): row for row in self.rows})
        doctor.study_rows(len(doctor.rows))
        if doctor.unrewarded_row:
            doctor.count_result(doctor.unrewarded_row)
        if self.second_doctor and not doctor.is_recognised:
            return self.second_doctor.diagnose()
        return next(doctor.list_faults(), None) or doctor.describe_rule()

    @property
    def is_mostly_in_place(self):
        return 2 * self.count_by_fact["in place"] > self.row_count

    def study_rows(self, stop):
        """Study the rows before the index `stop`, and keep only the last few of them in memory."""
        if self.is_mostly_in_place or self.studied_count >= stop:
            self.rows, self.studied_count = (
                self.rows[-MAX_ROW_GAP:],
                min(MAX_ROW_GAP, len(self.rows)),
            )
            return
        if self.replay is None:
            examples = self.study_first_rows(stop)
        else:
            examples = self.make_examples(stop)
            for hypothesis in self.hypotheses:
                hypothesis.explain_more(examples, self.setup.precision)
        self.count_choices(examples)
        self.count_open_rows(stop)
        kept = max(0, stop - MAX_ROW_GAP)
        self.rows, self.studied_count = self.rows[kept:], stop - kept

    def study_first_rows(self, stop):
        """Find the LearnerSetup and the hypotheses by the first rows; return their Examples."""
        views = [self.has_rewards_of_x()]
        # Only rewards show whether all values are in X's view. If finished boards have preset values
        # in place of rewards, try both possibilities.
        if not self.count_by_fact["reward"]:
            views = [False, True]
        setups = [
            one for view in views for one in find_setups(self.rows, self.rewards, view)
        ]
        faulty = None
        for setup in setups if len(setups) == 1 else (*setups, setups[0]):
            self.replay = Replay(setup)
            examples = self.make_examples(stop)
            self.hypotheses = list_exact_hypotheses(examples, setup)
            if any(not one.fault for one in self.hypotheses):
                break
            if self.hypotheses and faulty is None:
                faulty = self.replay, examples, self.hypotheses
        if not self.hypotheses and faulty:
            self.replay, examples, self.hypotheses = faulty
        if all(one.fault for one in self.hypotheses):
            self.rounded_digits_and_row = find_rounded_digits(examples, self.setup)
        if self.rounded_digits_and_row:
            self.hypotheses = []
        elif not self.hypotheses:
            self.hypotheses = list_close_hypotheses(examples, self.setup)
        return examples

    def make_examples(self, stop):
        """Add the rows before the index `stop` to the rebuilt table; return their Examples."""
        rows, examples = self.rows, []
        successors = find_successors(rows, self.setup.is_backward)
        later_rewards = list_later_rewards(rows, successors, self.setup)
        for i in range(self.studied_count, stop):
            successor = None if successors[i] is None else rows[successors[i]]
            examples.append(
                self.replay.make_example(rows[i], successor, later_rewards[i])
            )
            self.replay.record(rows[i])
        return examples

    def count_open_rows(self, stop):
        """Count the rows of unfinished games, and the rows among them that no row follows."""
        successors = find_successors(self.rows, self.setup.is_backward)
        for i in range(self.studied_count, stop):
            row, is_open = self.rows[i], not self.rows[i].is_over
            is_last = successors[i] is None and i < len(self.rows) - MAX_ROW_GAP
            self.count_fact("open", row, is_open)
            self.count_fact("before answer", row, is_open and row.is_before_answer)
            self.count_fact("cut", row, is_open and is_last)

    def count_choices(self, examples):
        """Count how often best moves were played, in successive parts of at most 400 rows."""
        part = max(1, min(400, len(examples) // 10))
        for i, e in enumerate(examples):
            if i % part == 0:
                self.choice_counts.append(Counter())
            if not e.row.is_taken and not math.isnan(sum(e.move_values)):
                index = list_free_squares(e.row.board).index(e.row.move)
                self.choice_counts[-1].update(count_choice(e.move_values, index))

    def sum_choices(self):
        """Return how often best moves were played in all rows; it is empty if this is unknown."""
        # A learner that compares only tried moves can have another best move than the rebuilt
        # table.
        is_known = not self.best or self.best.rule != "tried"
        return sum(self.choice_counts, Counter()) if is_known else Counter()

    def list_rewards(self, seat, result):
        return [key[2] for key in self.row_by_result if key[:2] == (seat, result)]

    def has_rewards_of_x(self):
        return are_all_below(
            self.list_rewards("X", "loss"), self.list_rewards("X", "win")
        ) and are_all_below(
            self.list_rewards("O", "win"), self.list_rewards("O", "loss")
        )

    @property
    def setup(self):
        return self.replay.setup

    @property
    def best(self):
        """The hypothesis that explains the updates best."""
        return min(
            self.hypotheses,
            key=lambda one: (one.misfit, one.ignores_next),
            default=None,
        )

    @property
    def is_recognised(self):
        """Whether the best hypothesis is plausible, and misses at most one row in four thousand."""
        best = self.best
        if (
            not best
            or not best.fit
            or not best.is_credible
            or best.fault == UNLISTED_FAULT
        ):
            return False
        rows = best.explained + best.unexplained
        return best.unexplained + best.penalty <= rows / 4000

    @property
    def is_self_play(self):
        return self.setup.training_mode == "self-play"

    def find_example_row(self):
        """Return an early row, if possible one that ended a game and changed a value."""
        rows = sorted(self.row_by_result.values(), key=lambda row: row.number)
        changed = (row for row in rows if row.before != row.after)
        return next(changed, (rows or self.rows)[0])

    def list_faults(self):
        """Yield a Diagnosis for each fault; `diagnose` returns the first one.

        Raises TraceError if a value before an update differs from the value after the last update
        of the same key.
        """
        counts, firsts, replay = self.count_by_fact, self.first_row_by_fact, self.replay
        if self.is_mostly_in_place:
            yield self.report_fault("in-place", firsts["in place"])
        if not counts["changes of X"] and not counts["changes of O"]:
            yield from self.list_faults_of_no_change()
        yield from self.list_faults_of_rewards()
        if replay.mismatches > max(2, self.row_count / 200):
            row, left, number = replay.first_mismatch
            raise TraceError(
                f"Row {row.number}: before is {row.before:.6g}, but row {number} left "
                f"{left * self.setup.get_view_sign(row.mover):.6g} for this move: rows are "
                "missing or out of order, there is more than one table, or an update changes "
                "more values than its own "
                f"({replay.mismatches} such rows)."
            )
        if self.setup.training_mode == "answer":
            yield self.report_fault("answer", firsts["before answer"])
        yield from self.list_faults_of_seats()
        if self.rounded_digits_and_row:
            digits, row = self.rounded_digits_and_row
            sentence = (
                f"no value has more than {digits} digits after the point: the table rounds them, "
                "and small steps are lost (if only the file is rounded, write all digits)"
            )
            yield self.report_fault("step", row, sentence)
        if self.is_recognised:
            yield from self.list_faults_of_target()
            yield from self.list_faults_of_step()
        has_losses = any(result == "loss" for _, result, _ in self.row_by_result)
        is_cut = counts["cut"] > 2 and not has_losses and not counts["early end"]
        if is_cut and not self.is_self_play:
            yield self.report_fault("loser", firsts["cut"], count=counts["cut"])
        if not self.is_recognised:
            yield self.report_closest_rule()
        yield from self.list_faults_of_exploration()

    def list_faults_of_no_change(self):
        results = self.row_by_result.values()
        facts = {"results of X", "results of O"} & {*self.first_row_by_fact}
        if facts:
            # Rows are compared by their first field, the number, so this is the earliest row.
            row = min(self.first_row_by_fact[fact] for fact in facts)
            sentence = (
                "the reward was {reward:+g} and the value stayed {after:+.4g}: no update of this "
                "trace changes a value, so alpha is 0, or rounding removes every step"
            )
            yield self.report_fault("step", row, sentence)
        for row in results:
            if row.result != "draw":
                sentence = (
                    "the game ended with a {result} for {mover}, and the reward was 0, as in all "
                    "rows: nothing can be learned from it"
                )
                yield self.report_fault("reward", row, sentence)

    def list_faults_of_rewards(self):
        counts = self.count_by_fact
        is_preset = self.is_recognised and self.best.rule == "preset"
        if self.setup.is_x_view or is_preset or not counts["reward"]:
            return
        if counts["late"] > max(4, 0.9 * counts["unpaid"]):
            last, row = self.first_row_by_fact["late"]
            numbers = {"number": last.number, "result": last.result}
            yield self.report_fault("late", row, count=counts["late"], **numbers)
        for row in sorted(self.row_by_result.values(), key=lambda row: row.number):
            least = min(self.list_rewards(row.mover, "win"), default=None)
            is_paid = row.reward > 0 if least is None else row.reward >= least
            is_bad_win = row.result == "win" and row.reward < 0
            if is_bad_win or (row.result == "loss" and is_paid):
                yield self.report_fault("reward", row)

    def list_faults_of_seats(self):
        for seat in "XO":
            is_missing = not self.count_by_fact[f"moves of {seat}"]
            is_idle = not self.count_by_fact[f"changes of {seat}"] and not is_missing
            is_idle &= self.count_by_fact[f"results of {seat}"] > 0
            if is_idle or (is_missing and self.self_play):
                sentence = f"no update changes a value of {seat}: in self-play both seats have to learn"
                yield self.report_fault("sides", self.find_example_row(), sentence)

    def list_faults_of_target(self):
        best = self.best
        if best.fault and best.evidence:
            e, right, fit = best.evidence
            right *= self.setup.get_view_sign(e.row.mover)
            gamma = "gamma" if fit.gamma is None else f"{fit.gamma:.3g}"
            next_value = best.find_columns(e, fit.gamma or 1.0)[1]
            next_value *= e.sign if best.fault == "occupied" else 1
            numbers = {"next": next_value, "gamma": gamma}
            yield self.report_fault(
                best.fault, e.row, best.target.sentence, right, **numbers
            )

    def list_faults_of_step(self):
        best, row = self.best, self.find_example_row()
        if best.step != "constant":
            return
        if best.ignores_next and best.rule in BOOTSTRAPPED_RULES:
            e = best.first_with_unused_value
            sentence = (
                "the best value of {next_board} is {next:+.4g}, and this update, like all others, "
                "uses nothing of it: gamma is 0, or the value is looked up under another board or "
                "in another table than it is kept in"
            )
            yield self.report_fault("step", e.row, sentence, next=e.best * e.sign)
        for name, number in (("alpha", best.fit.alpha), ("gamma", best.fit.gamma)):
            # If alpha seems to change, the rows may follow another rule, and alpha says nothing.
            is_constant = best.segments < 2 and not best.unexplained
            if is_constant and (number or 0.0) > 1 + 1e-4:
                sentence = f"{name} is {number:.4g}, which is above 1"
                yield self.report_fault("step", row, sentence)

    def report_closest_rule(self):
        """Return a Diagnosis that names the closest rule and the first row it does not explain."""
        best, shown = self.best, {}
        sentence = "The values of this trace do not determine a rule."
        if best and best.first_unexplained:
            shown = describe_row(best.first_unexplained.row)
            rows = best.explained + best.unexplained
            sentence = (
                f"The closest one, {self.name_rule()}, explains {best.explained:,} of {rows:,} rows. "
                "Compare the first of the others with your update."
            )
        return Diagnosis(1, "No rule is recognised", sentence, self.row_count, **shown)

    def list_faults_of_exploration(self):
        total = self.sum_choices()
        if (
            total["chance"] < 100
            or self.count_by_fact["cut"] > self.count_by_fact["open"] / 20
        ):
            return
        late = sum(
            self.choice_counts[-max(1, len(self.choice_counts) // 4) :], Counter()
        )
        # If the initial values are as high as the best reward, a greedy agent explores by itself.
        highest = max((reward for _, _, reward in self.row_by_result), default=1)
        is_optimistic = any(
            value >= highest > 0 for value in self.setup.initial_values.values()
        )
        detail = None
        if plays_randomly(total) and (estimate_epsilon(late) or 0) > 0.85:
            detail = "every move is random to the end: epsilon never falls"
        elif estimate_epsilon(total) < 0.02 and always_takes_first(total):
            detail = (
                "it explores almost never, and takes the first of equal moves every time "
                f"({total['ties']} of {total['ties']})"
            )
        elif not total["others"] and not is_optimistic:
            detail = (
                f"epsilon is 0 from the beginning: none of {total['moves']} moves differs from the "
                "best one of the table"
            )
        if detail:
            yield self.report_fault("exploration", self.find_example_row(), detail)

    def report_fault(self, fault, row, sentence=None, right=None, **numbers):
        """Return the Diagnosis of a fault, and of the row that shows it.

        The sentence is a template, filled with the fields of the row and the `numbers`. `right` is
        the value after an update without the fault.
        """
        entry, fields = FAULTS[fault], describe_row(row, right)
        if self.is_recognised:
            fields |= {"rule": self.name_rule(), **describe_fits(self.best)}
        numbers = row._asdict() | {
            "board": format_board(row.board),
            "next_board": format_board(row.next_board),
            **numbers,
        }
        filled = (sentence or entry.sentence).format_map(numbers)
        return Diagnosis(
            status=1,
            fault=fault,
            title=f"Fault: {entry.title}",
            sentence=f"Update {row.number}: {filled}.",
            effect=entry.effect,
            source=entry.source,
            rows=self.row_count,
            notes=[*self.list_reward_notes()] if self.replay else [],
            **fields,
        )

    def name_rule(self):
        setup = self.setup
        words = [RULES[self.best.rule].title]
        if (
            setup.table_kind.startswith("afterstates")
            and self.best.rule != "monte-carlo"
        ):
            words = ["TD(0)"]
        if self.is_self_play:
            words.append("negamax self-play")
        if setup.is_x_view:
            words.append("values in X's view")
        if setup.table_kind != "moves":
            words.append(f"table of {setup.table_kind}")
        return ", ".join(words)

    def describe_rule(self):
        best = self.best
        rule = self.name_rule()
        equally_good = [one for one in self.hypotheses if one.misfit <= best.misfit]
        not_excluded = [
            fault for fault in FAULTS if fault in {one.fault for one in equally_good}
        ]
        updates = f"All {self.row_count:,} updates"
        if best.unexplained:
            updates = f"All but {best.unexplained:,} of {self.row_count:,} updates"
        return Diagnosis(
            status=0,
            title="Nothing found",
            sentence=f"{updates} follow {rule}.",
            source=RULES[best.rule].source,
            rows=self.row_count,
            rule=rule,
            notes=[*self.list_notes(equally_good, not_excluded)],
            not_excluded=not_excluded,
            **describe_fits(best),
        )

    def list_notes(self, equally_good, not_excluded):
        """Yield remarks on a trace that are no faults.

        `equally_good` has the hypotheses that explain the rows as well as the best one.
        `not_excluded` names the faults among them.
        """
        counts = self.count_by_fact
        # Expected Sarsa with epsilon 0 is Q-learning, so it is not named as another possible rule.
        known = self.best.rule, "expected-sarsa"
        rules = {
            one.rule for one in equally_good if not one.fault and one.rule not in known
        }
        if rules:
            others = " and ".join(sorted(RULES[rule].title for rule in rules))
            yield f"{others} would explain this trace as well."
        if any(one.fault == UNLISTED_FAULT for one in equally_good):
            yield "This trace cannot show whether the maximum of the next values or their sum is taken."
        if not_excluded:
            reasons = ", or whether ".join(
                FAULTS[one].hidden_question for one in not_excluded
            )
            yield f"Nothing is wrong yet, but this trace cannot show whether {reasons}."
        yield from self.list_reward_notes()
        for seat, other in OTHER_PLAYER.items():
            if not counts[f"moves of {other}"]:
                yield f"Only {seat} learns here."
        for fact, sentence in NOTES_BY_FACT.items():
            if counts[fact]:
                yield sentence.format(
                    count=counts[fact], row=self.first_row_by_fact[fact].number
                )
        total = self.sum_choices()
        epsilon = estimate_epsilon(total)
        if epsilon is not None:
            yield f"About {100 * min(1, epsilon):.0f}% of the moves are random."
        if total["ties"] >= 20 and always_takes_first(total):
            yield "Of equal moves it always takes the first: exploration has to make up for it."

    def list_reward_notes(self):
        """Yield remarks on unusual rewards."""
        if self.setup.is_x_view:
            return
        paid = {"win": set(), "draw": set(), "loss": set()}
        for _, result, reward in self.row_by_result:
            paid[result].add(reward)
        if paid["loss"] and paid["loss"] == paid["draw"]:
            yield "A lost game has the reward of a drawn one, so nothing keeps it from losing."
        for result, rewards in paid.items():
            if len(rewards) > 1:
                numbers = " and ".join(f"{reward:+g}" for reward in sorted(rewards)[:3])
                yield f"A {result} has different rewards: {numbers}."

    def greedy_moves(self, board, player):
        """Return the squares of the best moves in the rebuilt table; judge.py calls this."""
        text = "".join(".XO"[stone] for stone in board)
        values = self.replay.list_values(text, "X" if player == 1 else "O")
        values = [0.0 if math.isnan(value) else value for value in values]
        moves = zip(list_free_squares(text), values)
        return [move for move, value in moves if value == max(values)]


def are_all_below(lower, higher):
    """Return whether all numbers in `lower` are below all in `higher`."""
    if lower and higher:
        return max(lower) < min(higher)
    # Without numbers in one of the lists, the others are compared with 0.
    below, above = max(lower, default=-1), min(higher, default=1)
    return bool(lower or higher) and below < 0 < above


# Part 11 is the result.


class Diagnosis(NamedTuple):
    """The result of an examination; `print` shows it as text, and `to_dict` returns it for JSON.

    `status` is the exit status of the command, `rows` is the number of rows that were read, and
    `row` is the number of the first row that shows the fault. In this row, `found` is the value
    after the update, and `right` is the value after an update without the fault. `fault` is a key
    of FAULTS. `not_excluded` has the faults that would have changed no value of this trace.
    """

    status: int
    title: str
    sentence: str
    rows: int
    fault: str = None
    row: int = None
    board: str = None
    move: int = None
    found: float = None
    right: float = None
    effect: str = None
    source: str = None
    rule: str = None
    alpha: float = None
    alpha_at_the_end: float = None
    gamma: float = None
    notes: tuple = ()
    not_excluded: tuple = ()
    grade: str = None

    def to_dict(self):
        fields = self._asdict().items()
        return {name: value for name, value in fields if value not in (None, (), [])}

    def __str__(self):
        lines = [f"{self.title}.", self.sentence]
        if self.board and self.status:
            right = "" if self.right is None else f", right: {self.right:+.4g}"
            lines.append(
                f"Board {self.board}, move {self.move}: found {self.found:+.4g}{right}."
            )
        if self.effect:
            lines.append(f"Left like this: {self.effect}")
        if self.rule and self.fault:
            lines.append(f"Apart from this the updates follow {self.rule}.")
        lines += [self.describe_numbers()] if self.alpha is not None else []
        lines += [f"See: {self.source}."] if self.source else []
        lines += [f"Note: {note}" for note in self.notes]
        lines += [self.grade] if self.grade else []
        return "\n".join(lines)

    def describe_numbers(self):
        alpha = self.alpha if isinstance(self.alpha, str) else f"{self.alpha:.4g}"
        if self.alpha_at_the_end is not None:
            alpha += f" at first, {self.alpha_at_the_end:.4g} at the end"
        gamma = "not determined" if self.gamma is None else f"{self.gamma:.4g}"
        return f"alpha {alpha}; gamma {gamma}."


def describe_row(row, right=None):
    shown = {"row": row.number, "board": format_board(row.board), "move": row.move}
    return {**shown, "found": row.after, "right": right}


def describe_fits(hypothesis):
    """Return the fields `alpha`, `alpha_at_the_end` and `gamma` of a Diagnosis."""
    first, last = hypothesis.first_fit.alpha, hypothesis.fit.alpha
    gammas = sorted(hypothesis.gammas)
    gamma = gammas[len(gammas) // 2] if gammas else None
    fields = {"alpha": first, "gamma": 0.0 if hypothesis.ignores_next else gamma}
    if hypothesis.step == FULL_LAST_STEP:
        fields["alpha"] = f"{first:.4g}, and 1 for the last move of a game"
    elif hypothesis.step == FALLING_STEP:
        steps = [
            f"{step:.4g}" for step in list(hypothesis.alpha_by_visits.values())[:3]
        ]
        fields["alpha"] = f"{FALLING_STEP}: {', '.join(steps)}, ..."
    elif hypothesis.step != "constant":
        fields["alpha"] = hypothesis.step
    elif abs(first - last) > 1e-3 * abs(first):
        fields["alpha_at_the_end"] = last
    return fields


# Part 12 watches a table, for programs that lack `before` or `done` where they change a value.


class TableWrite(NamedTuple):
    """A value that the student's program wrote into its table.

    The move is None if the table has values of boards. `is_new` says that the key had no value
    before.
    """

    board: str
    move: int
    before: float
    after: float
    is_new: bool


def read_key(key):
    """Return (board, move) for a key of a table; the move is None in a table of boards."""
    if isinstance(key, (list, tuple)) and len(key) == 1:
        # The key of a dict comes in a tuple, as the indices of an array do.
        key = key[0]
    if isinstance(key, (list, tuple)) and len(key) == 2:
        return read_board(key[0]), read_move(key[1])
    if isinstance(key, int) or (isinstance(key, tuple) and len(key) == 3):
        raise TraceError(
            f"{quote_item(key)} is no board: give `watch` a function `to_board` from such keys to boards"
        )
    return read_board(key), None


def watch_table(table, on_write, prefix):
    """Return a table that calls `on_write(keys, old_value, new_value)` whenever a value is written.

    `prefix` has the keys that lead to this table if it is inside another table.
    """
    watched_class = make_watched_class(type(table))
    if hasattr(table, "view"):
        watched = table.view(watched_class)
    elif hasattr(table, "default_factory"):
        watched = watched_class(table.default_factory, table)
    else:
        watched = watched_class(table)
    watched.on_write, watched.prefix = on_write, prefix
    return watched


@cache
def make_watched_class(table_class):
    """Return a subclass of dict, defaultdict, list or numpy array that reports its changes."""

    class WatchedTable(table_class):
        on_write = prefix = None

        def __getitem__(self, key):
            inner, keys = super().__getitem__(key), (*self.prefix, key)
            if hasattr(inner, "prefix"):
                inner.on_write, inner.prefix = self.on_write, keys
            elif isinstance(inner, (dict, list)) or getattr(inner, "shape", ()):
                inner = watch_table(inner, self.on_write, keys)
                super().__setitem__(key, inner)
            return inner

        def __setitem__(self, key, value):
            is_dict = isinstance(self, dict)
            old = super().get(key) if is_dict else super().__getitem__(key)
            super().__setitem__(key, value)
            # In an array the old value can be a whole row, but only single values are reported.
            if not getattr(old, "shape", ()):
                self.on_write((*self.prefix, key), old, value)

        def get(self, key, default=None):
            return self[key] if key in self else default  # noqa: SIM401 (it is `get`)

        def setdefault(self, key, default=None):
            if key not in self:
                self[key] = default
            return self[key]

        def update(self, *tables, **named):
            for key, value in dict(*tables, **named).items():
                self[key] = value

    return WatchedTable


def list_game_rows(writes, final, rewards, is_own):
    """Return the arguments of `Doctor.update` for each value that was written in a game, in order.

    With `is_own`, the next board is the one on which the same player moves again; otherwise it is
    the board right after the move. Raises TraceError if the values do not belong to one game.
    """
    repeated = Counter(write.board for write in writes if write.move is not None)
    writes = [w for w in writes if not (w.is_new and repeated[w.board] > 1)]
    steps = [find_written_move(write, writes) for write in writes]
    for board, _ in steps:
        if any(sign not in (".", last) for sign, last in zip(board, final)):
            raise TraceError(
                f"the game that ends on {format_board(final)} changes a value of {format_board(board)}, "
                "which is no board of this game: a move of an earlier game is updated again, or an "
                "update changes more values than its own"
            )
    rows = []
    for write, (board, move) in zip(writes, steps):
        mover = find_mover(board)
        later_boards = [one for one, _ in steps if find_mover(one) == mover]
        later_boards = [
            one for one in later_boards if one.count(".") < board.count(".")
        ]
        after = put_mark(board, move, mover)
        next_board = max(later_boards, key=lambda one: one.count("."), default=final)
        if not is_own:
            next_board = after
        done, reward = bool(find_winner(next_board)), 0.0
        if done:
            winner = find_winner(next_board)
            reward = rewards[1 if winner == "draw" else 2 if winner == mover else 0]
        rows.append((board, move, reward, next_board, done, write.before, write.after))
    return rows


def find_written_move(write, writes):
    """Return the board and the move of a written value.

    The value of a board belongs to the move that led to this board.
    """
    if write.move is not None:
        return write.board, write.move
    board = write.board
    mover = "X" if board.count("X") > board.count("O") else "O"
    earlier = [
        one.board for one in writes if one.board.count(mover) < board.count(mover)
    ]
    previous = max(earlier, key=lambda one: one.count(mover), default="." * 9)
    moves = [i for i in range(9) if board[i] == mover != previous[i]]
    if len(moves) != 1:
        raise TraceError(
            f"how {format_board(board)} was reached is not clear: the values of the boards after each "
            "move of the learner have to be written in every game"
        )
    return put_mark(board, moves[0], "."), moves[0]


# Part 13 finds symptoms in a finished table.

MISSING_VALUE_WORDS = ("", "nan", "none", "null")


def list_symptoms(table):
    """Return sentences on suspicious values in a table of the form {board: {move: value}}.

    Symptoms prove nothing; only a trace of the training shows the fault itself.
    """
    pairs = [(board, move) for board in table for move in table[board]]
    value = {pair: table[pair[0]][pair[1]] for pair in pairs}
    if not any(value.values()):
        return ["All values are 0: nothing was learned."]
    symptoms = []
    occupied = [pair for pair in pairs if pair[0][pair[1]] != "." and value[pair]]
    if occupied:
        board, move = occupied[0]
        symptoms.append(
            f"{len(occupied)} occupied squares have values, such as square {move} of "
            f"{format_board(board)} with {value[board, move]:+.4g}."
        )
    free = [pair for pair in pairs if pair[0][pair[1]] == "."]
    if free and min(map(value.get, free)) >= 0:
        symptoms.append(
            "No value is below 0: losses are not learned, or do not travel back."
        )
    careless = [pair for pair in free if loses_at_once(*pair)]
    blind = [pair for pair in careless if value[pair] == 0]
    if 2 * len(blind) > len(careless):
        board, move = blind[0]
        symptoms.append(
            f"{len(blind)} of {len(careless)} moves after which the opponent wins at once have the "
            f"value 0, such as square {move} of {format_board(board)}."
        )
    seats = set(map(find_mover, table))
    for seat in sorted({"X", "O"} - seats, reverse=True):
        symptoms.append(f"There is no board on which {seat} moves.")
    return symptoms


def loses_at_once(board, move):
    """Return whether the opponent can win right after a move."""
    player = find_mover(board)
    after = put_mark(board, move, player)
    if find_winner(after):
        return False
    return any(
        find_winner(put_mark(after, square, OTHER_PLAYER[player]))
        == OTHER_PLAYER[player]
        for square in list_free_squares(after)
    )


def examine_table(rows):
    """Return the Diagnosis of a finished table, given as rows (number, [board, move, value]).

    Instead of a move and its value, a row may have nine values, one for each square.
    """
    table = {}
    for number, (board, *cells) in rows:
        if len(cells) not in (2, 9):
            raise TraceError(
                f"Row {number}: it has {len(cells) + 1} columns: write board, move and value, or a "
                "board and nine values."
            )
        pairs = [cells] if len(cells) == 2 else enumerate(cells)
        try:
            values = table.setdefault(read_board(board), {})
            for move, cell in pairs:
                if (
                    len(cells) == 2
                    or str(cell).strip().lower() not in MISSING_VALUE_WORDS
                ):
                    values[read_move(move)] = read_number(cell, "value")
        except TraceError as error:
            raise TraceError(f"Row {number}: {error}.") from None
    if not table:
        raise TraceError("The file has no rows.")
    symptoms = list_symptoms(table)
    advice = "A table alone proves nothing: record a trace of the training."
    title = "Symptoms" if symptoms else "No symptom found"
    return Diagnosis(
        int(bool(symptoms)), title, " ".join([*symptoms, advice]), len(table)
    )


# Part 14 reads files and the command line.


def read_lines(file):
    """Yield (row number, {column: value}) for each row of a CSV file or of a file of JSON lines.

    Rows of a finished table are lists instead of dicts.
    """
    first = file.readline()
    if first.lstrip()[:1] in ("{", "["):
        yield from read_json_lines(itertools.chain([first], file))
        return
    heading = [name.strip().lower() for name in next(csv.reader([first]), [])]
    is_trace = {"before", "after"} & set(heading)
    missing = [name for name in TRACE_COLUMNS if name not in heading]
    if is_trace and missing:
        raise TraceError(
            f"The heading has no column {missing[0]}: the columns are {','.join(TRACE_COLUMNS)}."
        )
    has_heading = bool({"board", "state"} & set(heading))
    lines = csv.reader(file if has_heading else itertools.chain([first], file))
    for number, cells in enumerate(filter(None, lines), 1):
        if is_trace and len(cells) != len(heading):
            raise TraceError(
                f"Row {number}: it has {len(cells)} columns, and the heading has {len(heading)}."
            )
        yield number, dict(zip(heading, cells)) if is_trace else cells


def read_json_lines(lines):
    """Yield (row number, {column: value}) for each line of JSON.

    A finished table, as one object with boards as keys, gives a list for each of its rows.
    """
    for number, line in enumerate(filter(str.strip, lines), 1):
        try:
            item = json.loads(line)
        except ValueError as error:
            raise TraceError(f"Row {number}: it is no JSON ({error}).") from None
        if isinstance(item, list) and len(item) == len(TRACE_COLUMNS):
            item = dict(zip(TRACE_COLUMNS, item))
        if not item or not isinstance(item, (dict, list)):
            raise TraceError(f"Row {number}: it is neither an object nor a list.")
        if isinstance(item, list) or len(item) <= 7 or "board" in item:
            yield number, item
            continue
        for row, (board, values) in enumerate(item.items(), 1):
            if isinstance(values, dict):
                yield from ((row, [board, *pair]) for pair in values.items())
            elif isinstance(values, list):
                yield row, [board, *values]
            else:
                raise TraceError(
                    f"Row {row}: {quote_item(values)} are no values of a board."
                )
        return


def examine_lines(lines, self_play=False, max_rows=None):
    """Read a trace or a table from lines; return (Doctor, Diagnosis)."""
    doctor, table = Doctor(self_play=self_play), []
    try:
        for number, cells in itertools.islice(read_lines(lines), max_rows):
            if isinstance(cells, list):
                table.append((number, cells))
                continue
            missing = [column for column in TRACE_COLUMNS if column not in cells]
            if missing:
                raise TraceError(f"Row {number}: the column {missing[0]} is missing.")
            doctor.update(*(cells[column] for column in TRACE_COLUMNS))
        return doctor, doctor.diagnose() if doctor.row_count else examine_table(table)
    except UnicodeError:
        sentence = "The file is no text in UTF-8."
    except RecursionError:
        sentence = "The file has too many brackets in brackets."
    except (TraceError, OSError, csv.Error) as error:
        sentence = str(error)
    return doctor, Diagnosis(2, "Not read", sentence, doctor.row_count)


def examine_text(text, self_play=False, max_rows=None):
    """Return the Diagnosis for the first rows of a text: a trace or a finished table."""
    return examine_lines(io.StringIO(text, newline=""), self_play, max_rows)[1]


def is_trace(text):
    first = text.lstrip()[:1000].partition("\n")[0].lower()
    names = set(re.findall(r"\w+", first))
    return {"before", "after"} <= names and bool({"board", "state"} & names)


def grade_table(doctor):
    """Return a sentence with judge.py's results for the rebuilt table, or None without judge.py."""
    try:
        from judge import judge  # noqa: PLC0415 (it needs numpy)
    except ImportError:
        return None
    found = judge(doctor.greedy_moves)
    seats = " and ".join(found["unbeatable_as"]) or "neither seat"
    return (
        f"Grade of the table so far (judge.py): blunders in {found['blunders']:,} of 4,520 "
        f"positions; unbeatable as {seats}."
    )


def main(arguments=None):
    """Examine the file that the command line names; return the exit status."""
    parser = argparse.ArgumentParser(
        description="Find the wrong line of a tic-tac-toe learner from a trace of its updates.",
        epilog=f"A trace has the columns {','.join(TRACE_COLUMNS)}. Exit status: 0 nothing found, 1 "
        "something found, 2 the file cannot be read.",
    )
    parser.add_argument("file", help="a trace, or a finished table")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--self-play", action="store_true", help="both seats learn")
    parser.add_argument("--grade", action="store_true", help="grade with judge.py, too")
    asked = parser.parse_args(arguments)
    try:
        with open(asked.file, encoding="utf-8-sig", newline="") as file:
            doctor, diagnosis = examine_lines(file, asked.self_play)
    except OSError as error:
        sentence = f"{asked.file}: {error.strerror}."
        doctor, diagnosis = Doctor(), Diagnosis(2, "Not read", sentence, 0)
    if asked.grade and diagnosis.status < 2 and doctor.row_count:
        doctor.study_rows(len(doctor.rows))
        diagnosis = diagnosis._replace(grade=grade_table(doctor))
    print(json.dumps(diagnosis.to_dict()) if asked.json else diagnosis)
    return diagnosis.status


if __name__ == "__main__":
    sys.exit(main())
