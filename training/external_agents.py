"""Evaluate the agents of other programs on the command line.

Such an agent is a table in a file, a link of the page /judge, or a Python function.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import islice
from operator import attrgetter, index
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

import numpy as np

from app.recipes import MAX_NAME_LENGTH
from app.tables.options import TableOptions
from app.tables.reader import read_table
from app.tables.values import TableError
from app.tictactoe.agents import Agent
from app.tictactoe.atlas import group_blunder_decisions, list_blunder_decisions
from app.tictactoe.causes import list_causes
from app.tictactoe.game import GAME, SEATS, FloatArray
from app.tictactoe.notation import MARKS, format_position
from app.tictactoe.policy import CellMask, Policy, compute_optimal_q, policy_from_values
from app.tictactoe.policy_codec import (
    ALPHABET,
    decode_moves,
    encode_moves,
    policy_from_moves,
)
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.report import (
    Chances,
    ChancesBySeat,
    Figures,
    compute_figures,
    compute_policy_figures,
    find_lost_games,
)
from app.tictactoe.views import RewardScale

FUNCTION_PATTERN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
# A function may return an endless iterator, and no board has this many cells.
MAX_MOVES = 50
MAX_QUOTED_LENGTH = 40
MAX_FILE_BYTES = 64 << 20
TABLE_SUFFIXES = {
    ".npz",
    ".npy",
    ".json",
    ".jsonl",
    ".csv",
    ".tsv",
    ".txt",
    ".dat",
    ".gz",
}
# To load a pickle is to run its code, so it is refused; the error message has a command that
# converts it.
PICKLE_SUFFIXES = {".pkl", ".pickle", ".p"}
# An error message ends with the description of the form in which the agent was given.
FORM_DESCRIPTIONS = {
    "table": "A table is JSON, CSV, npz, npy, or a dict or list as Python prints it. It has boards, "
    "and for each the values of its cells in reading order, values by cell, or the cell that is "
    'played: {"X.O......": [null, 0.1, null, 0.2, 0.7, 0, 0.3, 0.1, 0.4]}. The page /judge lists '
    "all forms.",
    "link": "A link of /judge has its moves after moves=, to its end.",
    "function": "A function, MODULE:FUNCTION, is given the board, a tuple in reading order with 1 "
    "for X, -1 for O and 0, and the player to move, 1 or -1. It returns the number of an empty "
    "cell, counted from 0, or a list of several that it plays with equal chances.",
}
CAUSE_TEXTS = {
    "untrained": "never trained",
    "other-side": "values in the other side's view",
    "first-cell": "always one cell on ties",
    "no-block": "never learned to block",
    "images": "one position played in different ways",
    "unreachable": "blunders only where it never comes",
}


class ExternalAgent(NamedTuple):
    """The moves of another program's agent, its values if they are known, and notes."""

    # [D, cells] the moves that the agent may play
    chosen_moves: CellMask
    # [D, cells] in the mover's view, NaN for a move without a value; None if only moves are known
    q: FloatArray | None = None
    notes: Iterable[str] = ()
    # [D, cells] the chances of the chosen moves; None if those in a position have equal chances
    policy: Policy | None = None
    # why some rows of the table could not be read, or ""
    fault: str = ""


def find_agent_form(agent_text: str) -> str:
    """Return "table", "link" or "function" for a text that names one, otherwise ""."""
    if Path(agent_text).suffix.lower() in TABLE_SUFFIXES | PICKLE_SUFFIXES:
        return "table"
    if "moves=" in agent_text or (
        len(agent_text) > MAX_NAME_LENGTH and ALPHABET.fullmatch(agent_text)
    ):
        return "link"
    return "function" if FUNCTION_PATTERN.fullmatch(agent_text) else ""


def judge_external_agent(
    agent_text: str, options: TableOptions, site_url: str
) -> Iterator[str]:
    """Yield the exact results of another program's agent, line by line.

    `agent_text` names a table, a link or a function, as FORM_DESCRIPTIONS explains; `options` say
    how to read a table. Raises ValueError if the agent cannot be read; the message says what is
    wrong, where, and what would be valid. If only some rows of a table cannot be read, the error
    comes after the results of the others.
    """
    external_agent = read_external_agent(agent_text, options)
    if external_agent.notes:
        yield from external_agent.notes
        yield ""
    yield from _report_play(external_agent)
    if external_agent.q is not None:
        yield ""
        yield from _report_value_errors(external_agent.q)
    yield ""
    yield f"{site_url}/judge?moves={encode_moves(GAME, external_agent.chosen_moves)}"
    if external_agent.policy is not None:
        yield "(The link has the moves that are drawn, each with an equal chance.)"
    if external_agent.fault:
        raise ValueError(
            f"{agent_text}: the other rows were judged, these cannot be read: {external_agent.fault}"
        )


def describe_external_agent(
    agent_text: str, options: TableOptions, site_url: str
) -> dict[str, Any]:
    """Return the exact results of another program's agent as a dict for JSON.

    The dict also has a link to the results, notes on how a table was read, and unreadable rows
    under "unread". Raises ValueError if the agent cannot be read.
    """
    external_agent = read_external_agent(agent_text, options)
    figures = _compute_figures(external_agent)
    policy = _get_policy(external_agent)
    moves = encode_moves(GAME, external_agent.chosen_moves)
    record = {
        "agent": agent_text,
        **describe_play(policy, figures),
        "link": f"{site_url}/judge?moves={moves}",
        "notes": [*external_agent.notes],
    }
    return record | ({"unread": external_agent.fault} if external_agent.fault else {})


def describe_chosen_moves(chosen_moves: CellMask, site_url: str) -> dict[str, Any]:
    """Return the exact results of an agent as a dict for JSON, with a link to its page.

    `chosen_moves`, [D, cells], marks the moves that it may play.
    """
    figures = _compute_figures(ExternalAgent(chosen_moves))
    record = describe_play(policy_from_moves(chosen_moves), figures)
    return {
        **record,
        "link": f"{site_url}/judge?moves={encode_moves(GAME, chosen_moves)}",
    }


def _get_policy(external_agent: ExternalAgent) -> Policy:
    if external_agent.policy is not None:
        return external_agent.policy
    return policy_from_moves(external_agent.chosen_moves)


def _compute_figures(external_agent: ExternalAgent) -> Figures:
    if external_agent.policy is None:
        table = external_agent.chosen_moves[GAME.legal].astype(np.float32)
        return compute_figures(GAME, table[None], [0], RewardScale())
    return compute_policy_figures(GAME, external_agent.policy)


def describe_shipped_agent(agent: Agent) -> dict[str, Any]:
    card = agent.card
    table = agent.q[GAME.legal][None]
    figures = compute_figures(
        GAME, table, [card.updates], card.reward_scale, card.play_rule
    )
    head = {"agent": card.id, "title": card.title, "recipe": card.recipe}
    return head | describe_play(policy_from_values(agent.q, card.play_rule), figures)


def describe_play(policy: Policy, figures: Figures) -> dict[str, Any]:
    """Return the exact results of a policy as a dict for JSON, under the names of docs/judge.py.

    Under "against_...", each seat ("x" and "o") has the chances of a win, a draw and a loss. Under
    "losing_games", each seat has the cells of a game that the policy loses, or None if there is
    none.
    """

    def list_chances(chances_by_seat: ChancesBySeat) -> dict[str, list[float]]:
        return {seat: [*getattr(chances_by_seat, seat)[-1]] for seat in SEATS}

    lost = find_lost_games(GAME, policy)
    return {
        "blunders": figures.blunders[-1],
        "decisions": GAME.decisions,
        "reachable_blunders": {
            seat: getattr(figures.reachable_blunders, seat)[-1] for seat in SEATS
        },
        "nash_conv": figures.nash_conv[-1],
        "unbeatable_as": [
            seat.upper() for seat, record in lost.items() if record is None
        ],
        "losing_games": {
            seat: None if record is None else [*map(int, record)]
            for seat, record in lost.items()
        },
        "against_random": list_chances(figures.outcome_chances_by_baseline["random"]),
        "against_t_hand": list_chances(figures.outcome_chances_by_baseline["t-hand"]),
        "against_strongest": list_chances(figures.best_response),
    }


def read_external_agent(agent_text: str, options: TableOptions) -> ExternalAgent:
    """Read an agent from a table, a link or a function; raises ValueError for an unreadable one."""
    form = find_agent_form(agent_text)
    try:
        if form == "link":
            return ExternalAgent(decode_moves(GAME, agent_text.rpartition("moves=")[2]))
        if form == "function":
            return ExternalAgent(_read_function(agent_text))
        return _read_file(Path(agent_text), options)
    except OSError as error:
        raise ValueError(f"{agent_text}: {error.strerror}") from None
    except ValueError as error:
        where = "the link" if form == "link" else agent_text
        raise ValueError(f"{where}: {error}\n{FORM_DESCRIPTIONS[form]}") from None


def _read_file(file: Path, options: TableOptions) -> ExternalAgent:
    if file.stat().st_size > MAX_FILE_BYTES:
        raise TableError(f"the file is larger than {MAX_FILE_BYTES >> 20} MB")
    reading = read_table(file.read_bytes(), options)
    return ExternalAgent(
        chosen_moves=reading.chosen_moves,
        q=reading.q,
        notes=[reading.summary_sentence, *reading.notes],
        policy=reading.policy if reading.is_proportional else None,
        fault=reading.fault_sentence,
    )


def _read_function(function_name: str) -> CellMask:
    module, _, name = function_name.partition(":")
    try:
        play = attrgetter(name)(import_module(module))
    # The function is foreign code, which may raise anything.
    except (Exception, SystemExit) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    return read_moves(play)


def read_moves(play: Callable[..., Any]) -> CellMask:
    """Call a function with every position; return its moves as a mask, [D, cells].

    Raises ValueError, with the position, if the function fails, or if it returns anything but one
    or several empty cells.
    """
    chosen_moves = np.zeros_like(GAME.legal)
    for decision in range(GAME.decisions):
        where = f"in {format_position(GAME, decision)}"
        try:
            given = play(
                tuple(GAME.board[decision].tolist()), int(GAME.to_move[decision])
            )
            moves = list(islice(given, MAX_MOVES)) if np.iterable(given) else [given]
        except Exception as error:
            frame = extract_tb(error.__traceback__)[-1]
            line = f"{Path(frame.filename).name}, line {frame.lineno}"
            raise ValueError(
                f"{where}: {type(error).__name__}: {error} ({line})"
            ) from None
        if isinstance(given, tuple):
            raise ValueError(
                f"{where} it returns the tuple {_quote_repr(given)}, which may be a row and a column: "
                "return a cell, 3 * row + column, or a list of cells"
            )
        try:
            cells = {index(move) for move in moves}
        except TypeError:
            cells = set()
        empty_cells = np.flatnonzero(GAME.legal[decision]).tolist()
        if not cells or not cells <= {*empty_cells}:
            raise ValueError(
                f"{where} it plays {_quote_repr(moves)}, not an empty cell"
            )
        chosen_moves[decision, list(cells)] = True
    return chosen_moves


def _quote_repr(item: object) -> str:
    try:
        text = repr(item)
    # The repr of a foreign class may fail, and that of a huge number does.
    except Exception:
        text = f"a {type(item).__name__}"
    return text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}…"


def _report_play(external_agent: ExternalAgent) -> Iterator[str]:
    policy = _get_policy(external_agent)
    figures = _compute_figures(external_agent)
    for seat, record in find_lost_games(GAME, policy).items():
        verdict = (
            "cannot be beaten, proved" if record is None else f"loses the game {record}"
        )
        against = {
            "random": figures.outcome_chances_by_baseline["random"],
            "its best responder": figures.best_response,
        }
        told = ", ".join(
            f"against {name} {_format_percent(getattr(chances, seat)[0])}"
            for name, chances in against.items()
        )
        yield f"As {seat.upper()} it {verdict}; {told} (won / drawn / lost, in percent)"
    met = figures.reachable_blunders
    yield (
        f"Blunders: {figures.blunders[0]:,} of {GAME.decisions:,} positions, "
        f"{met.x[0]:,} of them met as X and {met.o[0]:,} as O; NashConv {figures.nash_conv[0]:.4g}"
    )
    play = ReachablePlay(GAME, policy)
    found = list_blunder_decisions(play)
    for cause in list_causes(play, found, group_blunder_decisions(GAME, found)):
        seat = f" as {MARKS[cause.player]}" if cause.player else ""
        where = ", ".join(
            format_position(GAME, position) for position in cause.example_positions
        )
        yield (
            f"Likely cause: {CAUSE_TEXTS[cause.kind]}{seat}: {cause.matching_count:,} "
            f"of {cause.possible_count:,} "
            f"({cause.expected_by_chance:,.0f} by chance), as in {where}"
        )


def _report_value_errors(q: FloatArray) -> Iterator[str]:
    known = ~np.isnan(q)
    values = q[known]
    truth = compute_optimal_q(GAME)[known]
    yield (
        f"Values: {len(values):,} of {GAME.pairs:,} moves, "
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


def _format_percent(chances: Chances) -> str:
    return " / ".join(f"{100 * chance:.2f}" for chance in chances)
