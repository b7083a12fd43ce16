"""Agents of others, judged on the command line: a table, a link or a function is read and judged.

Of tables this reads the writings of this project and no others: its npz, one JSON and one CSV, as
`FORMS` describes them.  Other writings are read by `static/judge/tables.js`, in the browser.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from operator import attrgetter, index
from pathlib import Path
from traceback import extract_tb

import numpy as np
from numpy.typing import NDArray

from app.recipes import LONGEST
from app.tictactoe.agents import read_q
from app.tictactoe.atlas import atlas, mistakes
from app.tictactoe.causes import causes
from app.tictactoe.game import SEATS, Game
from app.tictactoe.moves_code import ALPHABET, decode, encode, policy_of_choice
from app.tictactoe.notation import MARKS, parse_position, position_text
from app.tictactoe.own_play import OwnPlay
from app.tictactoe.policy import Choice, is_maximum, optimal_q
from app.tictactoe.report import Chances, losing_game, report
from app.tictactoe.views import Worth

FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
LARGEST = 1e300  # of a value: twice as much is still a number
QUOTED = 40  # characters of what is wrong
COLUMNS = ("position", "cell", "q")
# What is right, by what a text of the command line may be: every refusal ends with its line.
FORMS = {
    ".npz": "An npz is an agent's file of this project.",
    ".json": "A JSON file is an object of positions, each with the values of its cells in reading "
    'order for the player to move, null where a cell is taken or its value not known: {"X.O......":'
    " [null, 0.1, null, 0.2, 0.7, 0, 0.3, 0.1, 0.4]}.",
    ".csv": "A CSV file begins with a line that names the columns position, cell and q, as the "
    "site's own does; each further line has the value of a move for the player to move, as in "
    "X.O......,4,0.7.",
    "link": "A link of /judge has its moves after moves=, to its end.",
    "function": "A function, MODULE:FUNCTION, is given the board, a tuple in reading order with 1 "
    "for X, -1 for O and 0, and the player to move, 1 or -1. It returns the number of an empty "
    "cell, counted from 0, or several that it plays with equal chances.",
}
KINDS = {
    "untrained": "never trained",
    "other-side": "values in the other side's view",
    "first-cell": "always one cell on ties",
    "no-block": "never learned to block",
    "images": "one position played in different ways",
    "unreachable": "blunders only where it never comes",
}


@dataclass(frozen=True, eq=False)
class Foreign:
    """How an agent of others plays, and its values, if they are known."""

    choice: Choice  # [D, cells] its moves, played with equal chances
    q: NDArray[np.float64] | None = None  # [D, cells] mover's view, NaN where it has no value


def form_of(text: str) -> str:
    """Return which of `FORMS` a text of the command line has, "" if it has none of them."""
    ending = Path(text).suffix.lower()
    if ending in FORMS:
        return ending
    if "moves=" in text or (len(text) > LONGEST and ALPHABET.fullmatch(text)):
        return "link"
    return "function" if FUNCTION.fullmatch(text) else ""


def judge_foreign(game: Game, text: str, site: str) -> Iterator[str]:
    """Read an agent and tell what is exactly true of its play, line by line.

    `text` has one of `FORMS`.  Raises ValueError, saying what is wrong, where it is and what would
    be right, if what it names cannot be read.
    """
    foreign = read_foreign(game, text)
    if foreign.q is not None:
        valued = int((~np.isnan(foreign.q)).any(axis=1).sum())
        yield (
            f"Values in {valued:,} of {game.decisions:,} positions. It plays a move of the highest "
            "value, any of several, and where it has no value any empty cell."
        )
        yield ""
    yield from _play(game, foreign.choice)
    if foreign.q is not None:
        yield ""
        yield from _values(game, foreign.q)
    yield ""
    yield f"{site}/judge?moves={encode(game, foreign.choice)}"


def read_foreign(game: Game, text: str) -> Foreign:
    """Read a file, a link or a function; raises ValueError as `judge_foreign` does."""
    form = form_of(text)
    try:
        if form == "link":
            return Foreign(decode(game, text.rpartition("moves=")[2]))
        if form == "function":
            return Foreign(_choice_of_function(game, text))
        content = Path(text).read_bytes()
        if form == ".npz":
            q = read_q(game, content).astype(np.float64)
        else:
            entries = _json_entries if form == ".json" else _csv_entries
            q = _q_of_entries(game, entries(game, content.decode("utf-8-sig")))
    except OSError as error:
        raise ValueError(f"{text}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        fault = f"byte {error.start + 1} is no text in UTF-8"
        raise ValueError(f"{text}: {fault}\n{FORMS[form]}") from None
    except ValueError as error:
        where = "the link" if form == "link" else text
        raise ValueError(f"{where}: {error}\n{FORMS[form]}") from None
    known = ~np.isnan(q)
    if not known.any():
        raise ValueError(f"{text}: there is no value in it\n{FORMS[form]}")
    empty = np.where(game.legal, 0.0, np.nan)
    return Foreign(is_maximum(np.where(known.any(axis=1, keepdims=True), q, empty)), q)


# Where it stands, a position, a cell and its value: what a file says of one move.
Entry = tuple[str, str, int, object]


def _json_entries(game: Game, text: str) -> Iterator[Entry]:
    try:
        # Objects come as tuples, which keeps a key that is there twice, and numbers as their texts.
        table = json.loads(
            text, object_pairs_hook=tuple, parse_int=str, parse_float=str, parse_constant=str
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}: this is no JSON: {error.msg}") from None
    except RecursionError:
        raise ValueError("there are too many brackets in brackets") from None
    if not isinstance(table, tuple):
        raise ValueError("this is no object")
    for number, (position, values) in enumerate(table, 1):
        where = f"entry {number}, {_quoted(position)}"
        if not isinstance(values, list) or len(values) != game.cells:
            raise ValueError(f"{where}: there are not {game.cells} values")
        for cell, value in enumerate(values):
            if value is not None:
                yield where, position, cell, value


def _csv_entries(game: Game, text: str) -> Iterator[Entry]:
    lines = csv.DictReader(StringIO(text, newline=""), strict=True)
    cells = {str(cell): cell for cell in range(game.cells)}
    try:
        missing = [column for column in COLUMNS if column not in (lines.fieldnames or [])]
        if missing:
            raise ValueError(f"line 1: there is no column {', '.join(missing)}")
        for line in lines:
            where = f"line {lines.line_num}"
            position, cell, value = ((line[column] or "").strip() for column in COLUMNS)
            if None in line:
                raise ValueError(f"{where}: there are more cells than columns")
            if cell not in cells:
                raise ValueError(f"{where}: {_quoted(cell)} is no cell, 0 to {game.cells - 1}")
            yield where, position, cells[cell], value
    except csv.Error as error:
        raise ValueError(f"line {lines.reader.line_num}: this is no CSV: {error}") from None


def _q_of_entries(game: Game, entries: Iterable[Entry]) -> NDArray[np.float64]:
    q = np.full(game.legal.shape, np.nan)
    for where, text, cell, value in entries:
        try:
            position = parse_position(game, text if len(text) <= QUOTED else f"{text[:QUOTED]}…")
            if position >= game.decisions:
                raise ValueError(f"the game is over in {text!r}")
            if not game.legal[position, cell]:
                raise ValueError(f"cell {cell} is taken in {text!r}")
            if not np.isnan(q[position, cell]):
                raise ValueError(f"cell {cell} of {text!r} has a value already")
            q[position, cell] = _number(value)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return q


def _number(value: object) -> float:
    """Read a value as it is written; raises ValueError if it is no number, or too large a one."""
    try:
        number = float(value) if isinstance(value, str) else np.nan
    except ValueError:
        number = np.nan
    if not abs(number) < LARGEST:  # nor is NaN
        raise ValueError(f"{_quoted(value)} is no value: it has to be a number, at most {LARGEST}")
    return number


def _choice_of_function(game: Game, text: str) -> Choice:
    """Ask a function of a module, as `docs/judge.py` does, what it plays in every decision."""
    module, _, name = text.partition(":")
    try:
        play = attrgetter(name)(import_module(module))
    except (Exception, SystemExit) as error:  # a module may do anything
        raise ValueError(f"{type(error).__name__}: {error}") from None
    choice = np.zeros_like(game.legal)
    for decision in range(game.decisions):
        where = f"in {position_text(game, decision)}"
        try:
            given = play(tuple(game.board[decision].tolist()), int(game.to_move[decision]))
            moves = [*given] if np.iterable(given) else [given]
        except Exception as error:
            frame = extract_tb(error.__traceback__)[-1]
            line = f"{Path(frame.filename).name}, line {frame.lineno}"
            raise ValueError(f"{where}: {type(error).__name__}: {error} ({line})") from None
        try:
            cells = {index(move) for move in moves}
        except TypeError:
            cells = set()
        if not cells or not cells <= set(np.flatnonzero(game.legal[decision]).tolist()):
            raise ValueError(f"{where} it plays {_quoted(moves)}, not an empty cell")
        choice[decision, list(cells)] = True
    return choice


def _quoted(item: object) -> str:
    try:
        text = repr(item)
    except Exception:  # of a class of others, or a number too long to be written
        text = f"a {type(item).__name__}"
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def _play(game: Game, choice: Choice) -> Iterator[str]:
    policy = policy_of_choice(choice)
    table = choice[game.legal].astype(np.float32)
    figures = report(game, table[None], [0], Worth())
    for seat, player in SEATS.items():
        record = losing_game(game, policy, player)
        verdict = "cannot be beaten, proved" if record is None else f"loses the game {record}"
        against = {"random": figures.vs["random"], "its best responder": figures.best_response}
        told = ", ".join(
            f"against {name} {_percent(getattr(chances, seat)[0])}"
            for name, chances in against.items()
        )
        yield f"As {MARKS[player]} it {verdict}; {told} (won / drawn / lost, in percent)"
    met = figures.reachable_blunders
    yield (
        f"Blunders: {figures.blunders[0]:,} of {game.decisions:,} positions, "
        f"{met.x[0]:,} of them met as X and {met.o[0]:,} as O; NashConv {figures.nash_conv[0]:.4g}"
    )
    play = OwnPlay(game, policy)
    found = mistakes(play)
    for cause in causes(play, found, atlas(game, found)):
        seat = f" as {MARKS[cause.seat]}" if cause.seat else ""
        where = ", ".join(position_text(game, position) for position in cause.positions)
        yield (
            f"Likely cause: {KINDS[cause.kind]}{seat}: {cause.number:,} of {cause.of:,} "
            f"({cause.by_chance:,.0f} by chance), as in {where}"
        )


def _values(game: Game, q: NDArray[np.float64]) -> Iterator[str]:
    """Tell how far the values that are known are from those of best play, on their own scale."""
    known = ~np.isnan(q)
    values, truth = q[known], optimal_q(game)[known]
    yield (
        f"Values: {len(values):,} of {game.pairs:,} moves, "
        f"from {values.min():.4g} to {values.max():.4g}"
    )
    for outcome, name in ((1, "won"), (0, "drawn"), (-1, "lost")):
        of = values[truth == outcome]
        if len(of):
            low, median, high = np.quantile(of, (0.1, 0.5, 0.9))
            yield (
                f"  of moves that are {name} with best play: median {median:+.3f}, "
                f"from {low:+.3f} to {high:+.3f} (10% to 90%)"
            )
    if values.min() >= -1 and values.max() <= 1:
        off = np.abs(values - truth)
        yield f"  distance to best play, -1 to 1: mean {off.mean():.3f}, largest {off.max():.3f}"


def _percent(chances: Chances) -> str:
    return " / ".join(f"{100 * chance:.2f}" for chance in chances)
