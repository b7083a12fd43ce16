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
CHUNK_ROWS = 4000  # So many rows are studied together and kept in memory.
MAX_GAP = 10  # In a trace, two successive rows of a game have at most this distance.
MIN_ROWS = 50  # A diagnosis needs at least this many rows.
# It stands for a number that the rows do not tell; what is computed with it is unknown, too.
UNKNOWN = math.nan


class TraceError(ValueError):
    """Raised for a trace that cannot be read; the message names the row and the reason."""


# Part 1 has the learning rules of the textbook, and the classic faults with their explanations.


class Rule(NamedTuple):
    """A learning rule of the textbook, which says what number gamma multiplies.

    Most rules have one such number, V. If a rule has several, V is a weighted sum of them.
    """

    title: str
    next_values: callable  # a function of an Example and gamma, which returns what gamma multiplies
    source: str


def discount_rewards(rewards, gamma):
    """Return the discounted sum of some rewards.

    When a wrong rule is tried, gamma can be any number. It is limited to -2 to 2, so that its
    powers stay finite.
    """
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
        lambda e, _: (e.tried,),
        f"{BOOK_TITLE}, equation 6.8",
    ),
    "sarsa": Rule("Sarsa", lambda e, _: (e.played,), f"{BOOK_TITLE}, equation 6.7"),
    "monte-carlo": Rule(
        "Monte Carlo",
        lambda e, gamma: (discount_rewards(e.later_rewards, gamma),),
        f"{BOOK_TITLE}, section 5.4",
    ),
    # The weights of the best and of the mean value depend on epsilon, which is not in the rows.
    # So least squares finds a factor for each of the two.
    "expected-sarsa": Rule(
        "expected Sarsa", lambda e, _: (e.best, e.mean), f"{BOOK_TITLE}, equation 6.9"
    ),
    # The rows do not tell the preset values of a win, a draw and a loss, so least squares finds
    # these three numbers, too.
    "preset": Rule(
        "TD(0), finished boards preset",
        lambda e, _: (e.played, *(float(e.row.result == one) for one in RESULTS)),
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

    Its sentence is a template, filled with the numbers of the row that shows the fault.
    """

    title: str
    sentence: str
    effect: str
    source: str
    # what to say of a trace that may have the fault, because its values would be the same
    hidden: str = None


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
        # `list_faults_of_exploration` has several sentences for this fault.
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
# For a fault without an entry the doctor answers "No rule is recognised".
UNLISTED_FAULT = "unlisted"


# Part 2 has the targets that the updates are compared with: right ones, and ones with a fault.
# A target is a function of `e` and `v`.  `e` is the Example of an update; its numbers are in the view
# of the player who moved.  `v` are the numbers that gamma multiplies in the rule.  The function
# returns the columns for least squares: alpha multiplies the first, alpha gamma the others.


def make_columns(e, v):
    return (e.reward - e.before, *v)


def value_finished_boards(value):
    """Return a target in which a finished board has the value `value(e)` instead of 0."""
    return lambda e, v: make_columns(e, (value(e),) * len(v) if e.row.is_over else v)


def include_occupied(e, v):
    if e.row.is_over or math.isnan(e.untried_value):
        return make_columns(e, v)
    # If the opponent moves next, the values have changed their sign already, so the best is lowest.
    highest = max if e.sign > 0 else min
    return make_columns(e, (highest(v[0], e.untried_value),))


class Target(NamedTuple):
    """The target of updates, right or with a fault, and the learning rules to combine with it."""

    rules: tuple
    columns: callable = make_columns
    fault: str = None
    # a function that tells from the LearnerSetup and the first Examples whether to try the target
    is_tried: callable = lambda setup, examples: True
    sentence: str = None  # It replaces the sentence of the fault.


def has_late_rewards(_, examples):
    return any(e.reward and not e.row.is_over for e in examples)


def has_early_ends(_, examples):
    """Return whether the opponent could still move, with a known value, in a row with done=1."""
    return any(not math.isnan(e.end) for e in examples)


EARLY_END_SENTENCE = (
    "done is 1 in this row, and the update still added {gamma} times {next:+.4g}, the value that "
    "the opponent has on {next_board}"
)
BOOTSTRAPPED_RULES = ("q-learning", "tried", "sarsa", "expected-sarsa")
# If two targets explain the same rows, the first one is reported.
TARGETS = [
    Target(("q-learning",)),
    # This fault stands before Sarsa, because without exploration Sarsa has the same values.
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
        value_finished_boards(lambda e: 0.0 if e.row.result else e.end),
        "terminal",
        has_early_ends,
        EARLY_END_SENTENCE,
    ),
    Target(
        ("q-learning", "sarsa"),
        value_finished_boards(lambda e: 0.0 if e.row.result else -e.end),
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
        is_tried=lambda setup, _: setup.setting == "self-play",
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


def list_images(board):
    """Return the eight rotations and reflections of a board."""
    images = [board, "".join(board[i] for i in (2, 1, 0, 5, 4, 3, 8, 7, 6))]
    for i in range(6):
        images.append("".join(images[i][j] for j in (6, 3, 0, 7, 4, 1, 8, 5, 2)))
    return images


def show_board(board):
    """Return a board as text with a slash between the rows, as in X.O/.../..."""
    return f"{board[:3]}/{board[3:6]}/{board[6:]}"


TABLE_KINDS = (
    "moves",
    "afterstates",
    "moves up to symmetry",
    "afterstates up to symmetry",
)


@cache
def find_entry(kind, board, move, mover):
    """Return the key of a move's value in a table of this kind, one of TABLE_KINDS."""
    if kind == "moves":
        return board, move
    mark = mover.lower() if kind == "moves up to symmetry" else mover
    after = put_mark(board, move, mark)
    return min(list_images(after)) if "symmetry" in kind else after


@cache
def list_entries(kind, board, mover, has_occupied=False):
    """Return the keys of all moves on a board; `has_occupied` includes moves on occupied squares."""
    moves = range(9) if has_occupied else list_free_squares(board)
    return [find_entry(kind, board, move, mover) for move in moves]


# Part 4 reads and checks rows, the updates of the student's program.


class Row(NamedTuple):
    """A recorded update, and what its boards tell about it."""

    number: int  # counted from 1 in the trace
    board: str  # nine characters: X, O or "." for an empty square
    move: int
    reward: float
    next_board: str
    done: bool
    before: float
    after: float
    mover: str  # the player of the move, "X" or "O"
    is_in_place: bool  # whether the square of the move was already taken
    is_before_answer: bool  # whether the next board is the board after the move itself
    # "" if next_board follows from board, "symmetric" if a rotation or reflection of it follows,
    # "stale" if done is 1 but next_board lacks the move
    oddity: str
    result: str  # "win", "draw" or "loss" for the mover; None if the game goes on
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
    """Return the squares of a board, given in any form, as texts."""
    item = item.tolist() if hasattr(item, "tolist") else item
    if isinstance(item, (list, tuple)):
        return [sign for part in item for sign in list_signs(part)]
    if not isinstance(item, str):
        return [f"{item:g}" if isinstance(item, float) else str(item)]
    # The text is a square, a row or the whole board.
    if len(item) in (0, 1, 3, 9):
        return list(item) or [""]
    return [a or b or c for a, b, c in TOKEN_PATTERN.findall(item)]


def read_move(item):
    """Return the square, 0 to 8, that a move names; a pair is a row and a column."""
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


def read_row(number, board, move, reward, next_board, done, before, after, is_merged):
    """Return a row of the trace, checked; raises TraceError, with its number, if it is wrong.

    `is_merged` says whether earlier rows have shown that the learner merges symmetric boards.
    """
    try:
        board, move = read_board(board), read_move(move)
        next_board = read_board(next_board)
        truth = DONE_WORDS.get(str(done).strip().lower())
        if truth is None:
            raise TraceError(f"done is {quote_item(done)}: write 0 or 1")
        step = read_step(board, move, next_board, truth, is_merged)
        _, is_in_place, is_before_answer, oddity, result = step
        is_early = is_in_place or is_before_answer or oddity == "stale"
        if truth and not result and not is_early:
            raise TraceError(
                f"done is 1, but on {show_board(next_board)} the game goes on"
            )
        reward = read_number(reward, "reward")
        before, after = read_number(before, "before"), read_number(after, "after")
    except TraceError as error:
        raise TraceError(f"Row {number}: {error}.") from None
    columns = number, board, move, reward, next_board, truth, before, after
    return Row(*columns, *step, is_over=bool(result) or truth)


@cache
def read_step(board, move, next_board, done, is_merged):
    """Return (mover, is_in_place, is_before_answer, oddity, result) of the step to the next board.

    If the learner merges symmetric boards, a rotation or reflection of the next board may follow
    instead. Raises TraceError if these cannot be two boards of one game.
    """
    error, found = None, []
    for image in list_images(next_board):
        try:
            mover, is_in_place, is_early, result = read_following(board, move, image)
        except TraceError as reason:
            error = error or reason
            continue
        oddity = "symmetric" if image != next_board else ""
        found.append((mover, is_in_place, is_early, oddity, result))
        if mover == find_mover(board) or not (oddity or is_merged):
            return found[-1]
    if found:
        return found[0]
    is_stale = done and board[move] == "." and next_board[move] == "."
    if is_stale and not find_winner(board):
        return find_mover(board), False, False, "stale", None
    raise error


def read_following(board, move, next_board):
    """Return (mover, is_in_place, is_before_answer, result) of the step to this next board."""
    is_in_place = board[move] != "."
    mover = find_mover(board) if is_in_place else next_board[move]
    shown, shown_next = show_board(board), show_board(next_board)
    if mover == ".":
        raise TraceError(
            f"the move is square {move}, and that square of next_board {shown_next} is empty"
        )
    for name, one in (("board", board), ("next_board", next_board)):
        if abs(one.count("X") - one.count("O")) > 1:
            raise TraceError(
                f"{name} {show_board(one)} is impossible: count its X and O"
            )
    if find_winner(board) and not is_in_place:
        raise TraceError(f"board {shown} is already finished, so no move follows")
    if any(old not in (".", new) for old, new in zip(board, next_board)):
        raise TraceError(f"next_board {shown_next} does not follow from board {shown}")
    if board.count(".") - next_board.count(".") > 3 and not is_in_place:
        raise TraceError(
            f"next_board {shown_next} is more than a move and an answer later"
        )
    result = find_winner(next_board)
    if result in OTHER_PLAYER:
        result = "win" if result == mover else "loss"
    return mover, is_in_place, next_board == put_mark(board, move, mover), result


def quote_item(item):
    text = repr(item)
    return text if len(text) <= 60 else f"{text[:60]}..."


# Part 5 finds which row follows each row in its game.


def link_rows(rows, is_backward):
    """Return, for each row, the index of the row that moves on its next board, None if there is none.

    Only the next rows are searched, or the previous ones if games are updated backward.
    """
    successors, waiting = [None] * len(rows), {}
    for i, row in enumerate(rows):
        if is_backward:
            if i and row.board.count(".") < rows[i - 1].board.count("."):
                waiting.clear()  # From here on the rows belong to another game.
            j = waiting.get(row.next_board, -MAX_GAP - 1)
            if i - j <= MAX_GAP and not row.is_over:
                successors[i] = j
            waiting[row.board] = i
        else:
            j = waiting.pop(row.board, -MAX_GAP - 1)
            if i - j <= MAX_GAP:
                successors[j] = i
            if not row.is_over:
                waiting[row.next_board] = i
    return successors


def list_later_rewards(rows, successors, setup):
    """Return, for each row, the rewards that follow in its game, in the view of the row's player."""
    later_rewards = [[] if row.is_over else [UNKNOWN] for row in rows]
    order = range(len(rows)) if setup.is_backward else reversed(range(len(rows)))
    for i in order:
        row, j = rows[i], successors[i]
        if not row.is_over and j is not None:
            sign = 1 if rows[j].mover == row.mover else -1
            first = setup.flip(rows[j].mover) * rows[j].reward
            later_rewards[i] = [sign * reward for reward in (first, *later_rewards[j])]
    return later_rewards


# Part 6 rebuilds the table from the rows.


class LearnerSetup(NamedTuple):
    """What the first rows of a trace tell about the learner that wrote it."""

    kind: str  # the kind of the table, one of TABLE_KINDS
    is_backward: bool  # whether each game is updated from its last move to its first
    setting: str  # "opponent", "self-play" or "answer", from `find_setting`
    is_x_view: bool  # whether all values and rewards are in X's view
    initial: dict  # the initial value of each player's moves
    # whether finished boards have their reward as value from the beginning
    has_final_values: bool
    plays_occupied: bool  # whether moves on occupied squares are played
    win: float
    draw: float
    precision: float  # the rounding error of the numbers in the rows

    def flip(self, mover):
        """Return the factor, 1 or -1, that turns a value in the rows into the mover's view."""
        return -1 if self.is_x_view and mover == "O" else 1


class Example(NamedTuple):
    """An update with every number that a learning rule could use, in the mover's view.

    `best`, `worst`, `mean` and `total` summarise the values of the moves on the next board.
    """

    row: Row
    reward: float
    before: float
    change: float  # by how much the update changed the value
    best: float
    worst: float
    mean: float
    total: float
    played: float  # the value of the move that was played on the next board
    # the highest value of the next board's moves that were updated before; 0 without any
    tried: float
    end: float  # the opponent's best value on the next board, if done=1 comes too early
    untried_value: float  # the initial value of a move on the next board
    later_rewards: list  # the rewards that follow, to the end of the game
    choices: list  # the values of all moves on the board
    visits: int  # how many updates the value has had, this one included
    sign: int  # -1 if the opponent moves on the next board, else 1
    next_mover: str


def find_highest(values):
    """Return the highest value, UNKNOWN if a value is unknown or if there is none."""
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
            return self.setup.draw if winner == "draw" else self.setup.win
        return self.setup.initial[mover]

    def list_values(self, board, mover, has_occupied=False):
        """Return the values of a player's moves on a board, in the player's view."""
        keys = list_entries(self.setup.kind, board, mover, has_occupied)
        return [self.find_value(key, mover) for key in keys]

    def value_move(self, board, move, mover):
        return self.find_value(find_entry(self.setup.kind, board, move, mover), mover)

    def list_next_values(self, row, mover):
        """Return the values of the moves on the next board of a row."""
        board = row.next_board
        if row.is_over:
            return [0.0]
        if row.board.count(".") - board.count(".") < 3:
            return self.list_values(board, mover, self.setup.plays_occupied)
        # In a table of boards, the next board is the one after the same player's next move.
        later_moves = [
            square
            for square in list_free_squares(row.board)
            if board[square] == row.mover and square != row.move
        ]
        return [
            self.value_move(put_mark(board, square, "."), square, row.mover)
            for square in later_moves[:1]
        ]

    def make_example(self, row, successor, later_rewards):
        """Return the Example of a row, with the table as it was before the row's update.

        `successor` is the row that moves on the next board; `later_rewards` come after it.
        """
        setup, mover, sign, known = self.setup, row.mover, 1, self.values
        if setup.setting == "self-play":
            mover, sign = OTHER_PLAYER[mover], -1
        flip = setup.flip(row.mover)
        values = self.list_next_values(row, mover)
        if not values or math.isnan(sum(values)):
            values = [UNKNOWN]
        tried = played = 0.0
        end, untried_value = UNKNOWN, setup.initial[mover]
        if not row.is_over:
            keys = list_entries(setup.kind, row.next_board, mover)
            tried = max((known[key] for key in keys if key in known), default=0.0)
            played = UNKNOWN
            if successor:
                played = self.value_move(successor.board, successor.move, mover)
        # An illegal move ended the game.
        elif row.is_in_place:
            untried_value = find_highest(self.list_values(row.next_board, mover, True))
        elif not row.result and row.oddity != "stale":
            end = find_highest(
                self.list_values(row.next_board, OTHER_PLAYER[row.mover])
            )
        key = find_entry(setup.kind, row.board, row.move, row.mover)
        return Example(
            row=row,
            reward=flip * row.reward,
            before=flip * row.before,
            change=flip * (row.after - row.before),
            best=sign * max(values),
            worst=sign * min(values),
            mean=sign * sum(values) / len(values),
            total=sign * sum(values),
            played=sign * played,
            tried=sign * tried,
            end=end,
            untried_value=sign * untried_value,
            later_rewards=later_rewards,
            choices=self.list_values(row.board, row.mover),
            visits=self.visits[key] + 1,
            sign=sign,
            next_mover=mover,
        )

    def record(self, row):
        setup, flip = self.setup, self.setup.flip(row.mover)
        key = find_entry(setup.kind, row.board, row.move, row.mover)
        old = self.values.get(key)
        if old is not None and abs(old - flip * row.before) > 2 * setup.precision:
            self.mismatches += 1
            if self.first_mismatch is None:
                self.first_mismatch = row, flip * old, self.numbers[key]
        self.values[key] = flip * row.after
        self.visits[key] += 1
        self.numbers[key] = row.number


def find_precision(rows):
    """Return the rounding error of the numbers in the rows, found from their digits.

    Numbers with fewer than four digits after the point count as exact.
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
    # If all numbers fit 32-bit floats exactly, the learner computed with 32-bit floats.
    return (3e-7 if floats == numbers else 1e-10) * scale


def find_setting(rows, successors):
    """Return what the next boards of the rows are: "opponent", "self-play" or "answer".

    "opponent": the next board has the opponent's answer. "self-play": it does not, because the
    answer is a move of the learner and has a row of its own. "answer" is a fault: the next board
    has no answer, and there is no row of the answer either.
    """
    links = [
        (row.is_before_answer, link is not None)
        for row, link in zip(rows, successors)
        if not row.is_over and not row.is_in_place
    ]
    early = [is_linked for is_before_answer, is_linked in links if is_before_answer]
    if 2 * len(early) <= len(links):
        return "opponent"
    return "self-play" if 2 * sum(early) > len(early) else "answer"


def find_initial(rows, setup):
    """Return the initial value of each player's moves, UNKNOWN if they have different ones."""
    firsts, values = {}, {"X": Counter(), "O": Counter()}
    for row in rows:
        key = find_entry(setup.kind, row.board, row.move, row.mover)
        if firsts.setdefault(key, row) is row:
            values[row.mover][setup.flip(row.mover) * row.before] += 1
    initial = {}
    for player in "XO":
        counts = values[player] or values[OTHER_PLAYER[player]]
        value, number = counts.most_common(1)[0]
        initial[player] = value if number >= 0.98 * sum(counts.values()) else UNKNOWN
    return initial


def find_kinds(rows, setup):
    """Return the kinds of tables, of TABLE_KINDS, that agree with the rows, best first.

    A row agrees if its `before` is what the last update of the same value left.
    """
    counts = {}
    for kind in TABLE_KINDS:
        replay = Replay(setup._replace(kind=kind))
        for row in rows:
            replay.record(row)
        counts[kind] = replay.mismatches
    fewest = max(len(rows) / 1000, min(counts.values()))
    return sorted((k for k in TABLE_KINDS if counts[k] <= fewest), key=counts.get)


def find_setups(rows, rewards, is_x_view):
    """Return a LearnerSetup for each kind of table that agrees with the first rows of a trace."""
    forward, backward = link_rows(rows, False), link_rows(rows, True)
    is_backward = backward.count(None) < forward.count(None)
    finished = {row.result: row.reward for row in rows if row.result}
    records_wins = any(row.is_before_answer and row.result == "win" for row in rows)
    setup = LearnerSetup(
        kind=TABLE_KINDS[0],
        is_backward=is_backward,
        setting=find_setting(rows, backward if is_backward else forward),
        is_x_view=is_x_view,
        initial={},
        has_final_values=False,
        plays_occupied=any(row.is_in_place for row in rows),
        win=finished.get("win", rewards[2]),
        draw=finished.get("draw", rewards[1]),
        precision=find_precision(rows),
    )
    setups = [setup._replace(kind=kind) for kind in find_kinds(rows, setup)]
    return [
        setup._replace(
            initial=find_initial(rows, setup),
            has_final_values="afterstates" in setup.kind and not records_wins,
        )
        for setup in setups
    ]


# Part 7 has the method of least squares.


def compute_dot_product(row, other):
    return sum(map(operator.mul, row, other))


def solve_least_squares(rows, changes):
    """Return a factor for each column, so that the weighted sums come closest to the changes.

    A factor is 0 if the rows do not determine it. A second round removes rounding errors.
    """
    factors = [0.0] * len(rows[0])
    columns = list(zip(*rows))
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
    """The step size and the discount that explain some rows best, found by least squares."""

    factors: list  # alpha, then the factor of each next value, which is alpha gamma
    alpha: float
    gamma: float  # None if alpha is 0, because the discount is then not determined
    is_possible: bool  # whether no factor is clearly negative
    # whether the updates add the next value without subtracting the old one
    keeps_old_value: bool


def fit_equations(equations, size):
    """Return the step size and the discount that fit some equations best.

    The first factor is alpha; the other factors (up to `size`, if given) add up to alpha gamma.
    """
    rows, changes = zip(*((one.columns, one.change) for one in equations))
    factors = solve_least_squares(rows, changes)
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
    """An update as a linear equation: its change is the sum of all factors times their columns."""

    example: Example
    columns: tuple
    change: float
    scale: float  # SCALES explains by what the columns and the change were multiplied

    def is_missed_by(self, fit, precision):
        rest = self.change - compute_dot_product(fit.factors, self.columns)
        return abs(rest) > 3 * precision * self.scale


def list_misses(equations, fit, precision):
    """Return the updates that a Fit does not explain, which are all if the Fit is impossible or None."""
    is_possible = fit is not None and fit.is_possible
    return [
        one.example
        for one in equations
        if not is_possible or one.is_missed_by(fit, precision)
    ]


def improve_guess(guesses):
    """Return a better guess for the gamma of Monte Carlo, by the secant method.

    A guess is a pair: the gamma that was assumed, and the gamma that least squares found with it.
    In the solution both are equal.
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
# For each kind of step size, what to multiply an update by so that all get the same step size.
STEP_SCALES = {
    "constant": lambda e: 1,
    "1/n": lambda e: e.visits,
    "1/(n+1)": lambda e: e.visits + 1,
    FULL_LAST_STEP: lambda e: 1,
    FALLING_STEP: None,  # The function `find_steps` finds the multiplier.
}
MIN_VISIT_UPDATES = 12  # So many updates show the step size for a number of visits.
# Rows are not split further than this to find where alpha or gamma changes.
MIN_SEGMENT_ROWS = 32
# If no hypothesis explains all rows, so many of them show which ones come closest.
SAMPLE_ROWS = 256


class Hypothesis:
    """A learning rule with a right or faulty target, and how many rows it explains so far."""

    def __init__(self, rule, target, step="constant"):
        self.rule, self.target, self.step = rule, target, step
        self.fault, self.scale = target.fault, STEP_SCALES[step]
        self.fit = self.first_fit = None
        self.explained = self.unexplained = self.segments = 0
        # It is added to the cost if so many factors explain any rows.
        self.penalty = 0
        self.first_unexplained = None
        self.lowest_alpha = 0.0
        self.steps = {}  # the step size for each number of visits, if it falls with them
        self.gammas = []  # the discounts found; rows without next values show none
        # The first Example whose next value was not used, because gamma is 0.
        self.unused = None
        # The first row that shows the fault, the value that a right update gives, and the Fit.
        self.evidence = None

    def find_steps(self, examples, precision):
        """Find the step size for each number of visits; return whether more visits lower it."""
        groups, single = {}, Hypothesis(self.rule, self.target)
        for e in examples:
            groups.setdefault(e.visits, []).append(e)
        for number, group in sorted(groups.items()):
            fit, equations = single.solve(group)
            if not fit or len(group) < MIN_VISIT_UPDATES or fit.alpha < 1e-4:
                continue
            if fit.alpha > 1 + 1e-6 or list_misses(equations, fit, precision):
                return False
            self.steps[number] = fit.alpha
        steps = list(self.steps.values())
        if 1 not in self.steps or len(steps) < 3 or steps[0] <= steps[-1] + 1e-6:
            return False
        self.scale = lambda e: steps[0] / self.steps.get(e.visits, UNKNOWN)
        known = sum(len(groups[number]) for number in self.steps)
        is_falling = all(a >= b - 1e-6 for a, b in zip(steps, steps[1:]))
        return is_falling and 2 * known > len(examples)

    def find_columns(self, e, gamma, columns=None):
        """Return the numbers by which alpha and alpha gamma are multiplied in an update's equation."""
        values = RULES[self.rule].next_values(e, gamma)
        return (columns or self.target.columns)(e, values)

    def list_equations(self, examples, gamma):
        """Return the equations of these updates; those with unknown numbers are left out."""
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
        """Return the best Fit of some updates, None if no equation is known, and the equations."""
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
        """Return the best Fit of some updates, and the updates that it does not explain.

        To save time, a few updates are tried first: if no Fit explains them, none explains all.
        """
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

    def study(self, examples, precision):
        """Explain more rows, with the old step size if possible, else with a new or a changing one."""
        fit, misses = self.fit, examples
        if fit:
            equations = self.list_equations(examples, fit.gamma or 1.0)
            misses = list_misses(equations, fit, precision)
        if misses:
            fit, misses = self.explain(examples, precision)
            if misses and len(examples) > MIN_SEGMENT_ROWS:
                half = len(examples) // 2
                self.study(examples[:half], precision)
                self.study(examples[half:], precision)
                return
            if misses:
                misses = self.list_misses_of_drift(examples, precision)
            self.segments += 1
        self.accept(examples, fit, misses, precision)

    def list_misses_of_drift(self, examples, precision):
        """Return the updates that no steadily changing step size explains within 1%."""
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
        # A clearly negative gamma explains nothing.
        is_negative = sum(factors[1:size]) < -0.2 * abs(factors[0])
        for one, row in zip(equations, rows):
            terms = list(map(operator.mul, factors, row))
            error = 0.01 * sum(map(abs, terms)) + 3 * precision * one.scale
            if is_negative or abs(one.change - sum(terms)) > error:
                misses.append(one.example)
        return misses

    def accept(self, examples, fit, misses, precision):
        """Count the explained rows, and store the first row that shows the fault."""
        # Without a Fit, all equations of these rows have an unknown number.
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
        for e in examples if not self.is_shown else ():
            value = RULES[self.rule].next_values(e, 1.0)[0]
            is_used = abs(fit.gamma or 0.0) > 1e-6 or e.row.is_over
            if self.unused is None and not is_used and abs(value) > 0:
                self.unused = e
            right, found = self.predict(e, make_columns), e.before + e.change
            is_right = not abs(right - found) > 5 * precision + 1e-6 * abs(found)
            is_known = not math.isnan(self.predict(e, self.target.columns))
            if self.fault and not self.evidence and is_known and not is_right:
                self.evidence = e, right, fit

    @property
    def is_shown(self):
        """Whether a row that shows the fault and a row with an unused value are both found."""
        return self.unused and (self.evidence or not self.fault)

    @property
    def is_credible(self):
        """Whether alpha and gamma are plausible; alpha may change during the training."""
        first, last = self.first_fit, self.fit
        if last.keeps_old_value or self.lowest_alpha < -1e-3:
            return False
        if self.step == FALLING_STEP and (last.gamma or 0.0) > 1 + 1e-3:
            return False
        is_same = abs(first.alpha - last.alpha) < 1e-3 * abs(last.alpha)
        # If alpha is the same at the start and at the end, a right rule would have one Fit for all rows.
        return self.segments < 2 or not is_same

    @property
    def ignores_next(self):
        """Whether gamma is 0 in all rows, although some next boards have values."""
        return bool(self.unused) and not self.gammas

    @property
    def cost(self):
        """The number of unexplained rows, plus a few rows for every change of alpha."""
        changes = MIN_SEGMENT_ROWS / 4 * max(0, self.segments - 1)
        return self.unexplained + self.penalty + changes


def choose_evenly(examples):
    """Return at most 25 of the updates, with even gaps between them."""
    return examples[:: 1 + len(examples) // 25]


def list_hypotheses(examples, setup, step="constant"):
    """Return all hypotheses that may be true, in the order of TARGETS."""
    if setup.setting == "answer":
        return [Hypothesis("q-learning", TARGETS[0], step)]
    return [
        Hypothesis(rule, target, step)
        for target in TARGETS
        if target.is_tried(setup, examples)
        for rule in target.rules
    ]


def list_exact_hypotheses(examples, setup):
    """Return the hypotheses that explain all updates with one kind of step size, the first in SCALES."""
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
                one.accept(examples, fit, [], setup.precision)
                good.append(one)
        if good:
            return good
    return []


def list_close_hypotheses(examples, setup):
    """Return the four hypotheses that come closest if the step size may change."""
    order = list_hypotheses(examples, setup)
    for one in order:
        one.study(examples[-SAMPLE_ROWS:], setup.precision)
    closest = sorted((one for one in order if one.fit), key=lambda one: one.cost)[:4]
    hypotheses = [Hypothesis(one.rule, one.target) for one in order if one in closest]
    for one in hypotheses:
        one.study(examples, setup.precision)
        if one.rule in ("expected-sarsa", "preset") and one.segments > 1:
            # With so many factors, every rule would fit a small part of the rows.
            one.penalty = len(examples)
    return [one for one in hypotheses if one.fit]


def find_rounding(examples, setup):
    """Return (digits, a row) if a right rule explains the values when they are rounded, else None."""
    numbers = [repr(e.row.after) for e in examples]
    if any("e" in number for number in numbers):
        return None
    digits = max(len(number.partition(".")[2].rstrip("0")) for number in numbers)
    # `explain` accepts errors of three times the precision, hence the division by 3 below.
    right = [one for one in list_hypotheses(examples, setup) if not one.fault]
    if digits > 3 or all(one.explain(examples, 10.0**-digits / 3)[1] for one in right):
        return None
    stuck = [
        e for e in examples if not e.change and e.row.is_over and e.reward != e.before
    ]
    return digits, (stuck or examples)[0].row


# Part 9 finds out about exploration from the moves that were played.


def count_choice(values, index):
    """Count for one move: whether it is a best move, and whether it is the first of several.

    `values` are the values of all moves, and `index` is the index of the played one.
    """
    highest, size = max(values), len(values)
    number, is_best = values.count(highest), values[index] == highest
    counts = Counter()
    if number < size:
        chance = 1 - number / size  # A random move is no best move with this chance.
        counts.update(moves=1, others=not is_best, chance=chance)
        counts["variance"] = chance * (1 - chance)
    if number > 1 and is_best:
        is_first = values.index(highest) == index
        counts.update(ties=1, firsts=is_first, tie_chance=1 / number)
    return counts


def find_epsilon(counts):
    """Return the estimated share of random moves, None if there are too few choices."""
    return counts["others"] / counts["chance"] if counts["chance"] >= 10 else None


def is_random(counts):
    """Return whether best moves were played only as often as by chance."""
    error = math.sqrt(counts["variance"]) / counts["chance"]
    return error <= 0.02 and find_epsilon(counts) >= 1 - 3 * error


def takes_first(counts):
    """Return whether the first of several best moves was always played, too often for chance."""
    return counts["firsts"] == counts["ties"] > counts["tie_chance"] + 8


# Part 10 is the doctor.

# What to tell the user about the facts that `Doctor.note` counts.
SENTENCE_BY_FACT = {
    "early end": "next_board is not the final board in {count:,} rows with done=1: that these games are "
    "over is taken from done alone.",
    "symmetric": "Symmetric boards are merged: a next board follows its board only up to symmetry.",
    "undone": "done is 0 in {count:,} rows in which the game is over.",
    "in place": "{count:,} moves are on occupied squares, the first in row {row}: allow only free ones.",
}


class Doctor:
    """Collects the updates of a training, and finds the learning rule or the fault behind them.

    `rewards` are the rewards for a loss, a draw and a win, in this order. With `self_play` both
    players should learn, so a trace with the moves of only one player is a fault.
    """

    def __init__(self, rewards=(-1, 0, 1), self_play=False):
        self.rewards, self.self_play = rewards, self_play
        # The values that a watched table got in this game, and a second doctor for self-play, which
        # reads the next boards differently, as `game_over` explains.
        self.writes, self.other = [], None
        self.replay, self.hypotheses, self.choices = None, [], []
        # The result of `find_rounding`: to how many digits the values were rounded, and a row.
        self.rounding = None
        self.clear()

    def clear(self):
        self.number = 0  # how many rows were recorded
        # The rows in memory, of which those before the index `start` are studied already.
        self.rows, self.start = [], 0
        self.counts = Counter()  # how many rows show each fact
        self.firsts = {}  # the first row that shows each fact
        self.results = {}  # the first row with each (mover, result, reward)
        # The last row, if it ended a won or lost game and its reward was 0.
        self.unpaid = None

    def update(self, board, move, reward, next_board, done, before, after):
        """Record one update of the learner's table; the module's docstring explains the arguments.

        Raises TraceError, naming the row, if the arguments cannot come from a game.
        """
        self.number += 1
        columns = board, move, reward, next_board, done, before, after
        is_merged = self.counts["symmetric"] > 0
        row = read_row(self.number, *columns, is_merged)
        self.rows.append(row)
        self.count_row(row)
        if row.oddity == "symmetric" and not is_merged and not self.replay:
            # This row shows that the learner merges symmetric boards, so all rows are read again.
            rows = self.rows
            self.clear()
            self.counts["symmetric"] = 1
            for row in rows:
                self.update(*row[1:8])
            self.counts["symmetric"] -= 1
        if len(self.rows) - self.start >= CHUNK_ROWS + MAX_GAP:
            self.study_rows(len(self.rows) - MAX_GAP)

    def watch(self, table, to_board=None, initial=0.0):
        """Return the table, a dict or a numpy array, in a form that records its changes.

        `to_board` turns a key (or the indices of an array) into (board, move), or into a board if
        the table has values of boards. Leave it out if the keys already look like this. `initial`
        is the value that your learner uses for a key that is not in the table.
        """

        def tell(keys, old, value):
            is_number = isinstance(value, (int, float)) or hasattr(value, "item")
            if not is_number or getattr(value, "shape", ()):
                return  # It is a board's whole row, which the learner writes when it first sees it.
            if len(keys) == 1 and isinstance(keys[0], tuple) and len(keys[0]) != 9:
                keys = keys[0]
            board, move = split_key(to_board(*keys) if to_board else keys)
            before = initial if old is None else float(old)
            self.writes.append(
                TableWrite(board, move, before, float(value), old is None)
            )

        return watch_table(table, tell, ())

    def game_over(self, board, rewards=None):
        """Record the changes that a game made in the watched table; `board` is the final board.

        `rewards` are the rewards for a loss, a draw and a win, if they differ from the doctor's. In
        self-play the update may use the board right after the move or the one after the answer. A
        second doctor tries the other possibility.
        """
        final, writes, self.writes = read_board(board), self.writes, []
        if not find_winner(final):
            raise TraceError(f"on {show_board(final)} the game goes on")
        if not self.other and len({find_mover(one.board) for one in writes}) > 1:
            self.other = Doctor(self.rewards, self.self_play)
        game = writes, final, rewards or self.rewards
        for row in list_game_rows(*game, is_own=True):
            self.update(*row)
        for row in list_game_rows(*game, is_own=False) if self.other else ():
            self.other.update(*row)

    def note(self, fact, row, is_true=True):
        if is_true:
            self.counts[fact] += 1
            self.firsts.setdefault(fact, row)

    def count_row(self, row):
        """Count what a row tells by itself, and whether the last game ended without a reward."""
        self.note(f"moves of {row.mover}", row)
        self.note(f"changes of {row.mover}", row, row.after != row.before)
        self.note("reward", row, row.reward != 0)
        self.note("symmetric", row, row.oddity == "symmetric")
        self.note("in place", row, row.is_in_place)
        is_end = row.result and not row.is_in_place
        self.note("early end", row, row.done and not (row.result or row.is_in_place))
        self.note("undone", row, is_end and not row.done)
        self.note(f"results of {row.mover}", row, is_end and row.reward != row.before)
        # The last game may have ended without its reward.  Then this row may repeat the last move,
        # now with the reward, or it may be a move of the next game, which gets the reward too late.
        last, self.unpaid = self.unpaid, None
        if last and not (row.result and row[1:3] == last[1:3]):
            self.note("unpaid", last)
            is_late = row.reward and (row.reward > 0) == (last.result == "win")
            self.note("late", (last, row), is_late)
            self.count_result(last)
        if is_end and (row.result == "draw" or row.reward):
            self.count_result(row)
        elif is_end:
            self.unpaid = row

    def count_result(self, row):
        if len(self.results) < 100:
            self.results.setdefault((row.mover, row.result, row.reward), row)

    def diagnose(self):
        """Return what the rows so far show; you can record more rows and call it again.

        Raises TraceError if there are too few rows, or if they are not from one learner.
        """
        if self.number < MIN_ROWS:
            raise TraceError(
                f"There are {self.number} rows, and {MIN_ROWS} are needed at least."
            )
        doctor = copy.deepcopy(self, {id(row): row for row in self.rows})
        doctor.study_rows(len(doctor.rows))
        if doctor.unpaid:
            doctor.count_result(doctor.unpaid)
        if self.other and not doctor.is_recognised:
            return self.other.diagnose()
        return next(doctor.list_faults(), None) or doctor.describe_rule()

    @property
    def is_mostly_in_place(self):
        return 2 * self.counts["in place"] > self.number

    def study_rows(self, stop):
        """Study the rows in memory up to the index `stop`, and delete all but the last few."""
        if self.is_mostly_in_place or self.start >= stop:
            self.rows, self.start = self.rows[-MAX_GAP:], min(MAX_GAP, len(self.rows))
            return
        if self.replay is None:
            examples = self.study_first_rows(stop)
        else:
            examples = self.make_examples(stop)
            for hypothesis in self.hypotheses:
                hypothesis.study(examples, self.setup.precision)
        self.count_choices(examples)
        self.count_ends(stop)
        kept = max(0, stop - MAX_GAP)
        self.rows, self.start = self.rows[kept:], stop - kept

    def study_first_rows(self, stop):
        """Choose the kind of table and the hypotheses by the first rows; return the rows' Examples."""
        views = [self.has_rewards_of_x()]
        # Without rewards (in tables of boards they can be preset values), try both views.
        if not self.counts["reward"]:
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
            self.rounding = find_rounding(examples, self.setup)
        if self.rounding:
            self.hypotheses = []
        elif not self.hypotheses:
            self.hypotheses = list_close_hypotheses(examples, self.setup)
        return examples

    def make_examples(self, stop):
        """Rebuild the table, and return an Example for each row up to the index `stop`."""
        rows, examples = self.rows, []
        successors = link_rows(rows, self.setup.is_backward)
        later_rewards = list_later_rewards(rows, successors, self.setup)
        for i in range(self.start, stop):
            successor = None if successors[i] is None else rows[successors[i]]
            examples.append(
                self.replay.make_example(rows[i], successor, later_rewards[i])
            )
            self.replay.record(rows[i])
        return examples

    def count_ends(self, stop):
        """Count the rows up to `stop` that do not end their game, and those without a next row."""
        successors = link_rows(self.rows, self.setup.is_backward)
        for i in range(self.start, stop):
            row, is_open = self.rows[i], not self.rows[i].is_over
            is_last = successors[i] is None and i < len(self.rows) - MAX_GAP
            self.note("open", row, is_open)
            self.note("before answer", row, is_open and row.is_before_answer)
            self.note("cut", row, is_open and is_last)

    def count_choices(self, examples):
        """Count how often best moves were played, separately for successive parts of the rows."""
        part = max(1, min(400, len(examples) // 10))
        for i, e in enumerate(examples):
            if i % part == 0:
                self.choices.append(Counter())
            if not e.row.is_in_place and not math.isnan(sum(e.choices)):
                index = list_free_squares(e.row.board).index(e.row.move)
                self.choices[-1].update(count_choice(e.choices, index))

    def sum_choices(self):
        """Return how often best moves were played; nothing if the learner compares only tried moves.

        Then the best move of the table may not be the best one to the learner.
        """
        is_known = not self.best or self.best.rule != "tried"
        return sum(self.choices, Counter()) if is_known else Counter()

    def list_rewards(self, seat, result):
        return [key[2] for key in self.results if key[:2] == (seat, result)]

    def has_rewards_of_x(self):
        """Return whether all rewards are in X's view: negative if O wins, positive if X wins."""
        return is_rising(
            self.list_rewards("X", "loss"), self.list_rewards("X", "win")
        ) and is_rising(self.list_rewards("O", "win"), self.list_rewards("O", "loss"))

    @property
    def setup(self):
        return self.replay.setup

    @property
    def best(self):
        """The hypothesis that explains most rows; of equal ones, the first with gamma above 0."""
        return min(
            self.hypotheses, key=lambda one: (one.cost, one.ignores_next), default=None
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
        return self.setup.setting == "self-play"

    def find_first_change(self):
        """Return an early row that ended a game and changed a value, if there is one."""
        rows = sorted(self.results.values(), key=lambda row: row.number)
        changed = (row for row in rows if row.before != row.after)
        return next(changed, (rows or self.rows)[0])

    def list_faults(self):
        """Yield the Diagnosis of each fault that is found; only the first one is reported.

        Raises TraceError if a value before an update is not what the last update of it left.
        """
        counts, firsts, replay = self.counts, self.firsts, self.replay
        if self.is_mostly_in_place:
            yield self.report_fault("in-place", firsts["in place"])
        if not counts["changes of X"] and not counts["changes of O"]:
            yield from self.list_faults_of_no_change()
        yield from self.list_faults_of_rewards()
        if replay.mismatches > max(2, self.number / 200):
            row, left, number = replay.first_mismatch
            raise TraceError(
                f"Row {row.number}: before is {row.before:.6g}, but row {number} left "
                f"{left * self.setup.flip(row.mover):.6g} for this move: rows are missing or out of "
                f"order, there is more than one table, or an update changes more values than its own "
                f"({replay.mismatches} such rows)."
            )
        if self.setup.setting == "answer":
            yield self.report_fault("answer", firsts["before answer"])
        yield from self.list_faults_of_seats()
        if self.rounding:
            digits, row = self.rounding
            sentence = (
                f"no value has more than {digits} digits after the point: the table rounds them, "
                "and small steps are lost (if only the file is rounded, write all digits)"
            )
            yield self.report_fault("step", row, sentence)
        if self.is_recognised:
            yield from self.list_faults_of_target()
            yield from self.list_faults_of_step()
        has_losses = any(result == "loss" for _, result, _ in self.results)
        is_cut = counts["cut"] > 2 and not has_losses and not counts["early end"]
        if is_cut and not self.is_self_play:
            yield self.report_fault("loser", firsts["cut"], count=counts["cut"])
        if not self.is_recognised:
            yield self.report_closest_rule()
        yield from self.list_faults_of_exploration()

    def list_faults_of_no_change(self):
        results = self.results.values()
        facts = {"results of X", "results of O"} & {*self.firsts}
        if facts:
            # The comparison of rows is that of their numbers, so this is the earliest row.
            row = min(self.firsts[fact] for fact in facts)
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
        counts = self.counts
        is_preset = self.is_recognised and self.best.rule == "preset"
        if self.setup.is_x_view or is_preset or not counts["reward"]:
            return
        if counts["late"] > max(4, 0.9 * counts["unpaid"]):
            last, row = self.firsts["late"]
            numbers = {"number": last.number, "result": last.result}
            yield self.report_fault("late", row, count=counts["late"], **numbers)
        for row in sorted(self.results.values(), key=lambda row: row.number):
            least = min(self.list_rewards(row.mover, "win"), default=None)
            is_paid = row.reward > 0 if least is None else row.reward >= least
            is_bad_win = row.result == "win" and row.reward < 0
            if is_bad_win or (row.result == "loss" and is_paid):
                yield self.report_fault("reward", row)

    def list_faults_of_seats(self):
        """Yield a Diagnosis if only one player learns in self-play."""
        for seat in "XO":
            is_missing = not self.counts[f"moves of {seat}"]
            is_idle = not self.counts[f"changes of {seat}"] and not is_missing
            is_idle &= self.counts[f"results of {seat}"] > 0
            if is_idle or (is_missing and self.self_play):
                sentence = f"no update changes a value of {seat}: in self-play both seats have to learn"
                yield self.report_fault("sides", self.find_first_change(), sentence)

    def list_faults_of_target(self):
        best = self.best
        if best.fault and best.evidence:
            e, right, fit = best.evidence
            right *= self.setup.flip(e.row.mover)
            gamma = "gamma" if fit.gamma is None else f"{fit.gamma:.3g}"
            next_value = best.find_columns(e, fit.gamma or 1.0)[1]
            next_value *= e.sign if best.fault == "occupied" else 1
            numbers = {"next": next_value, "gamma": gamma}
            yield self.report_fault(
                best.fault, e.row, best.target.sentence, right, **numbers
            )

    def list_faults_of_step(self):
        """Yield a Diagnosis for a step size or a discount above 1, and for a discount of 0."""
        best, row = self.best, self.find_first_change()
        if best.step != "constant":
            return
        if best.ignores_next and best.rule in BOOTSTRAPPED_RULES:
            e = best.unused
            sentence = (
                "the best value of {next_board} is {next:+.4g}, and this update, like all others, "
                "uses nothing of it: gamma is 0, or the value is looked up under another board or "
                "in another table than it is kept in"
            )
            yield self.report_fault("step", e.row, sentence, next=e.best * e.sign)
        for name, number in (("alpha", best.fit.alpha), ("gamma", best.fit.gamma)):
            # Unless alpha is constant, another rule may be behind the rows.
            is_constant = best.segments < 2 and not best.unexplained
            if is_constant and (number or 0.0) > 1 + 1e-4:
                sentence = f"{name} is {number:.4g}, which is above 1"
                yield self.report_fault("step", row, sentence)

    def report_closest_rule(self):
        """Return a Diagnosis with the closest rule and the first row that it does not explain."""
        best, shown = self.best, {}
        sentence = "The values of this trace do not determine a rule."
        if best and best.first_unexplained:
            shown = describe_row(best.first_unexplained.row)
            rows = best.explained + best.unexplained
            sentence = (
                f"The closest one, {self.name_rule()}, explains {best.explained:,} of {rows:,} rows. "
                "Compare the first of the others with your update."
            )
        return Diagnosis(1, "No rule is recognised", sentence, self.number, **shown)

    def list_faults_of_exploration(self):
        total = self.sum_choices()
        if total["chance"] < 100 or self.counts["cut"] > self.counts["open"] / 20:
            return
        late = sum(self.choices[-max(1, len(self.choices) // 4) :], Counter())
        # If the initial values are as high as the best reward, a greedy agent explores by itself.
        highest = max((reward for _, _, reward in self.results), default=1)
        is_optimistic = any(
            value >= highest > 0 for value in self.setup.initial.values()
        )
        detail = None
        if is_random(total) and (find_epsilon(late) or 0) > 0.85:
            detail = "every move is random to the end: epsilon never falls"
        elif find_epsilon(total) < 0.02 and takes_first(total):
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
            yield self.report_fault("exploration", self.find_first_change(), detail)

    def report_fault(self, fault, row, sentence=None, right=None, **numbers):
        """Return the Diagnosis of a fault and the first row that shows it.

        The fields of the row and the `numbers` can be inserted into the sentence.
        """
        entry, fields = FAULTS[fault], describe_row(row, right)
        if self.is_recognised:
            fields |= {"rule": self.name_rule(), **describe_fits(self.best)}
        numbers = row._asdict() | {
            "board": show_board(row.board),
            "next_board": show_board(row.next_board),
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
            rows=self.number,
            notes=[*self.list_reward_notes()] if self.replay else [],
            **fields,
        )

    def name_rule(self):
        """Return the name of the best rule, the setting and the kind of table, in words."""
        setup = self.setup
        words = [RULES[self.best.rule].title]
        if setup.kind.startswith("afterstates") and self.best.rule != "monte-carlo":
            words = ["TD(0)"]
        if self.is_self_play:
            words.append("negamax self-play")
        if setup.is_x_view:
            words.append("values in X's view")
        if setup.kind != "moves":
            words.append(f"table of {setup.kind}")
        return ", ".join(words)

    def describe_rule(self):
        """Return the Diagnosis of a trace in which no fault was found."""
        best = self.best
        rule = self.name_rule()
        equal = [one for one in self.hypotheses if one.cost <= best.cost]
        not_excluded = [
            fault for fault in FAULTS if fault in {one.fault for one in equal}
        ]
        updates = f"All {self.number:,} updates"
        if best.unexplained:
            updates = f"All but {best.unexplained:,} of {self.number:,} updates"
        return Diagnosis(
            status=0,
            title="Nothing found",
            sentence=f"{updates} follow {rule}.",
            source=RULES[best.rule].source,
            rows=self.number,
            rule=rule,
            notes=[*self.list_notes(equal, not_excluded)],
            not_excluded=not_excluded,
            **describe_fits(best),
        )

    def list_notes(self, equal, not_excluded):
        """Yield remarks on things that are not faults.

        `equal` are the hypotheses that explain as many rows as the best one.
        """
        counts = self.counts
        # If epsilon is 0, expected Sarsa is the same as the best rule, so it is not worth a remark.
        known = self.best.rule, "expected-sarsa"
        rules = {one.rule for one in equal if not one.fault and one.rule not in known}
        if rules:
            others = " and ".join(sorted(RULES[rule].title for rule in rules))
            yield f"{others} would explain this trace as well."
        if any(one.fault == UNLISTED_FAULT for one in equal):
            yield "This trace cannot show whether the maximum of the next values or their sum is taken."
        if not_excluded:
            reasons = ", or whether ".join(FAULTS[one].hidden for one in not_excluded)
            yield f"Nothing is wrong yet, but this trace cannot show whether {reasons}."
        yield from self.list_reward_notes()
        for seat, other in OTHER_PLAYER.items():
            if not counts[f"moves of {other}"]:
                yield f"Only {seat} learns here."
        for fact, sentence in SENTENCE_BY_FACT.items():
            if counts[fact]:
                yield sentence.format(count=counts[fact], row=self.firsts[fact].number)
        total = self.sum_choices()
        epsilon = find_epsilon(total)
        if epsilon is not None:
            yield f"About {100 * min(1, epsilon):.0f}% of the moves are random."
        if total["ties"] >= 20 and takes_first(total):
            yield "Of equal moves it always takes the first: exploration has to make up for it."

    def list_reward_notes(self):
        """Yield remarks on rewards that are allowed but unusual."""
        if self.setup.is_x_view:
            return
        paid = {"win": set(), "draw": set(), "loss": set()}
        for _, result, reward in self.results:
            paid[result].add(reward)
        if paid["loss"] and paid["loss"] == paid["draw"]:
            yield "A lost game has the reward of a drawn one, so nothing keeps it from losing."
        for result, rewards in paid.items():
            if len(rewards) > 1:
                numbers = " and ".join(f"{reward:+g}" for reward in sorted(rewards)[:3])
                yield f"A {result} has different rewards: {numbers}."

    def greedy_moves(self, board, player):
        """Return the squares of the best moves in the rebuilt table, as judge.py expects them."""
        text = "".join(".XO"[stone] for stone in board)
        values = self.replay.list_values(text, "X" if player == 1 else "O")
        values = [0.0 if math.isnan(value) else value for value in values]
        moves = zip(list_free_squares(text), values)
        return [move for move, value in moves if value == max(values)]


def is_rising(lower, higher):
    """Return whether all numbers in `lower` are below all in `higher`; an empty list means [0]."""
    if lower and higher:
        return max(lower) < min(higher)
    below, above = max(lower, default=-1), min(higher, default=1)
    return bool(lower or higher) and below < 0 < above


# Part 11 is the result.


class Diagnosis(NamedTuple):
    """What the doctor found; `print` shows it as text, and `to_dict` returns it for JSON."""

    status: int  # the exit status: 0 nothing found, 1 something found
    title: str
    sentence: str
    rows: int  # how many rows were read
    fault: str = None  # which fault it is, a key of FAULTS
    row: int = None  # the number of the first row that shows the fault
    board: str = None
    move: int = None
    found: float = None  # the value after this row's update
    right: float = None  # the value after an update by the rule
    effect: str = None
    source: str = None
    rule: str = None
    alpha: float = None
    alpha_at_the_end: float = None
    gamma: float = None
    notes: tuple = ()
    not_excluded: tuple = ()  # faults that the trace may have, because they would change no value
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
    shown = {"row": row.number, "board": show_board(row.board), "move": row.move}
    return {**shown, "found": row.after, "right": right}


def describe_fits(hypothesis):
    """Return what a Diagnosis tells about alpha, its changes, and gamma."""
    first, last = hypothesis.first_fit.alpha, hypothesis.fit.alpha
    gammas = sorted(hypothesis.gammas)
    gamma = gammas[len(gammas) // 2] if gammas else None
    fields = {"alpha": first, "gamma": 0.0 if hypothesis.ignores_next else gamma}
    if hypothesis.step == FULL_LAST_STEP:
        fields["alpha"] = f"{first:.4g}, and 1 for the last move of a game"
    elif hypothesis.step == FALLING_STEP:
        steps = [f"{step:.4g}" for step in list(hypothesis.steps.values())[:3]]
        fields["alpha"] = f"{FALLING_STEP}: {', '.join(steps)}, ..."
    elif hypothesis.step != "constant":
        fields["alpha"] = hypothesis.step
    elif abs(first - last) > 1e-3 * abs(first):
        fields["alpha_at_the_end"] = last
    return fields


# Part 12 watches a table, for programs that lack `before` or `done` where they change a value.


class TableWrite(NamedTuple):
    """A value that the student's program wrote into its table."""

    board: str
    move: int  # None in a table with values of boards
    before: float
    after: float
    is_new: bool  # whether the table had no value there


def split_key(key):
    """Return the board and the move that a key of a watched table names; the move may be None."""
    if isinstance(key, (list, tuple)) and len(key) == 1:
        key = key[0]  # A dict has one key; an array may have several indices.
    if isinstance(key, (list, tuple)) and len(key) == 2:
        return read_board(key[0]), read_move(key[1])
    if isinstance(key, int) or (isinstance(key, tuple) and len(key) == 3):
        raise TraceError(
            f"{quote_item(key)} is no board: give `watch` a function `to_board` from such keys to boards"
        )
    return read_board(key), None


def watch_table(table, tell, prefix):
    """Return a table that calls `tell(keys, old value, new value)` whenever a value is written.

    Tables inside this table do the same; `prefix` are the keys that lead to such a table.
    """
    kind = make_watched_kind(type(table))
    if hasattr(table, "view"):
        watched = table.view(kind)
    elif hasattr(table, "default_factory"):
        watched = kind(table.default_factory, table)
    else:
        watched = kind(table)
    watched.tell, watched.prefix = tell, prefix
    return watched


@cache
def make_watched_kind(kind):
    """Return a subclass of dict, defaultdict, list or numpy array that reports its changes."""

    class WatchedTable(kind):
        tell = prefix = None

        def __getitem__(self, key):
            inner, keys = super().__getitem__(key), (*self.prefix, key)
            if hasattr(inner, "prefix"):
                inner.tell, inner.prefix = self.tell, keys
            elif isinstance(inner, (dict, list)) or getattr(inner, "shape", ()):
                inner = watch_table(inner, self.tell, keys)
                super().__setitem__(key, inner)
            return inner

        def __setitem__(self, key, value):
            is_dict = isinstance(self, dict)
            old = super().get(key) if is_dict else super().__getitem__(key)
            super().__setitem__(key, value)
            # A whole row of an array is no single value, so it is not reported.
            if not getattr(old, "shape", ()):
                self.tell((*self.prefix, key), old, value)

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
    """Return the arguments of `Doctor.update` for the values that a game wrote, in their order.

    With `is_own`, the next board is the one on which the same player moves again; otherwise it is
    the board right after the move. Raises TraceError if the values do not belong to one game.
    """
    repeated = Counter(write.board for write in writes if write.move is not None)
    writes = [w for w in writes if not (w.is_new and repeated[w.board] > 1)]
    steps = [find_step(write, writes) for write in writes]
    for board, _ in steps:
        if any(sign not in (".", last) for sign, last in zip(board, final)):
            raise TraceError(
                f"the game that ends on {show_board(final)} changes a value of {show_board(board)}, "
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


def find_step(write, writes):
    """Return the board and the move whose value was written.

    If it is the value of a board, this is the move that led to the board.
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
            f"how {show_board(board)} was reached is not clear: the values of the boards after each "
            "move of the learner have to be written in every game"
        )
    return put_mark(board, moves[0], "."), moves[0]


# Part 13 finds symptoms in a finished table.

NO_VALUE = ("", "nan", "none", "null")


def list_symptoms(table):
    """Return sentences on what is suspicious in a table, given as {board: {move: value}}.

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
            f"{show_board(board)} with {value[board, move]:+.4g}."
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
            f"value 0, such as square {move} of {show_board(board)}."
        )
    seats = set(map(find_mover, table))
    for seat in sorted({"X", "O"} - seats, reverse=True):
        symptoms.append(f"There is no board on which {seat} moves.")
    return symptoms


def loses_at_once(board, move):
    """Return whether the game goes on after a move and the opponent can then win at once."""
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
                if len(cells) == 2 or str(cell).strip().lower() not in NO_VALUE:
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

    If the file is a finished table, yield lists instead of dicts.
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
    """Yield (row number, {column: value}) for lines of JSON, or the rows of a table in one object."""
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
    """Read the lines of a file, a trace or a table; return a Doctor with them, and a Diagnosis."""
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
        return doctor, doctor.diagnose() if doctor.number else examine_table(table)
    except UnicodeError:
        sentence = "The file is no text in UTF-8."
    except RecursionError:
        sentence = "The file has too many brackets in brackets."
    except (TraceError, OSError, csv.Error) as error:
        sentence = str(error)
    return doctor, Diagnosis(2, "Not read", sentence, doctor.number)


def examine_text(text, self_play=False, max_rows=None):
    """Return the Diagnosis for the first rows of a text: a trace or a finished table."""
    return examine_lines(io.StringIO(text, newline=""), self_play, max_rows)[1]


def is_trace(text):
    first = text.lstrip()[:1000].partition("\n")[0].lower()
    names = set(re.findall(r"\w+", first))
    return {"before", "after"} <= names and bool({"board", "state"} & names)


def grade_table(doctor):
    """Return a sentence with judge.py's results for the rebuilt table, None without judge.py."""
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
    """Examine the file that the command line names, and return the exit status."""
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
    if asked.grade and diagnosis.status < 2 and doctor.number:
        doctor.study_rows(len(doctor.rows))
        diagnosis = diagnosis._replace(grade=grade_table(doctor))
    print(json.dumps(diagnosis.to_dict()) if asked.json else diagnosis)
    return diagnosis.status


if __name__ == "__main__":
    sys.exit(main())
