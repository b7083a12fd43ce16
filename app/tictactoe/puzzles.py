"""Positions in which an agent surely errs, to predict before they are opened: the same for all.

A puzzle is a decision that an agent meets in games of its own, where it plays one cell only, and
that cell is a blunder that it has learned to play: its values there tell which one
it is.  Only the rules and the agents decide which puzzles there are, and in which order.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.atlas import atlas, mistakes
from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import Policy
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.values import Solution, optimal

LEVELS = range(3)  # from easy to hard
AT_ONCE, FORK = 1, 3  # plies until the blunder is punished, or until the win that it misses
MANY = 6  # empty squares
COUNT = 120
ROUND = 10  # puzzles in a row
LADDER = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2)  # the levels of a round, where there are puzzles left


class Puzzle(NamedTuple):
    """A decision, and what its agent does there."""

    agent: str
    record: str  # a game of the agent's own that leads there
    position: int
    wrong: int  # the cell that it plays
    right: list[int]  # the cells that keep what the position is worth
    before: int  # the value of the game, mover's view: +1 or 0
    after: int  # what the blunder leaves of it: 0 or -1
    refutation: str  # the record from there to the end: the blunder, then best play
    level: int  # in LEVELS
    chance: float  # of meeting one of its images in a game against `uniform`


def puzzles(
    game: Game,
    policies: Mapping[str, Policy],
    values: Mapping[str, NDArray[np.floating]],
    first: Collection[str] = (),
) -> list[Puzzle]:
    """Choose at most COUNT puzzles of these agents and put them in their order, rounds of ten.

    `policies` and `values` are [D, cells] by agent: how it plays, and what it expects as that is
    written on a square, NaN where it knows nothing.  A round climbs LADDER; its agents take turns,
    in the first round those of `first` alone while these have any left, and no position (up to
    symmetry) comes twice in all, not even under two agents.
    """
    stock: dict[tuple[int, str], list[Puzzle]] = {}
    for name, policy in policies.items():
        for puzzle in candidates(game, name, policy, values[name]):
            stock.setdefault((puzzle.level, name), []).append(puzzle)
    opening = {kind: found for kind, found in stock.items() if kind[1] in first}
    used: set[int] = set()
    turns: dict[str, int] = dict.fromkeys(policies, 0)
    chosen: list[Puzzle] = []
    while len(chosen) < COUNT:
        level = LADDER[len(chosen) % ROUND]
        begun = len(chosen) >= ROUND
        following = None if begun else _next(game, opening, used, turns, level)
        following = following or _next(game, stock, used, turns, level)
        if following is None:
            break
        used.add(_class(game, following))
        turns[following.agent] += 1
        chosen.append(following)
    return chosen


def candidates(game: Game, name: str, policy: Policy, values: NDArray[np.floating]) -> list[Puzzle]:
    """Find every puzzle of one agent, those first that it meets most often."""
    solution, play = optimal(game), ReachablePlay(game, policy)
    found = mistakes(play)
    order = atlas(game, found)
    played, expected = policy[found.position] > 0, values[found.position]
    highest = expected == np.fmax.reduce(expected, axis=1, keepdims=True)
    # Elsewhere it may play right, or what it never tried, or what its values do not tell apart.
    told = (played.sum(axis=1) == 1) & (played == highest).all(axis=1)
    made = []
    for row, chance in zip(order.row.tolist(), order.chance.tolist(), strict=True):
        position = int(found.position[row])
        if not told[row]:
            continue
        record = play.games[int(game.to_move[position])].record(position)
        if record is None:
            continue  # it never comes there
        wrong, before, after = (
            int(played[row].argmax()),
            int(found.before[row]),
            int(found.after[row]),
        )
        line = _best_line(game, solution, int(game.successor[position, wrong]))
        made.append(
            Puzzle(
                agent=name,
                record=record,
                position=position,
                wrong=wrong,
                right=np.flatnonzero(found.right[row]).tolist(),
                before=before,
                after=after,
                refutation=DIGITS[wrong] + line,
                level=_level(game, solution, position, wrong, after),
                chance=chance,
            )
        )
    return made


def _level(game: Game, solution: Solution, position: int, wrong: int, after: int) -> int:
    """How far one has to look, and among how many squares.

    Easy is one ply ahead, medium a fork or one ply ahead among MANY squares, hard what is further.
    """
    if after < 0:
        plies = int(solution.plies[game.successor[position, wrong]])
    else:
        plies = int(solution.plies[position])  # it misses a win
    if plies <= AT_ONCE:
        return int(game.legal[position].sum() >= MANY)
    return 1 if plies <= FORK else 2


def _best_line(game: Game, solution: Solution, position: int) -> str:
    """Play the best moves of both sides to the end, the first cell among equals."""
    line = ""
    while not game.is_over(position):
        mover = int(game.to_move[position])
        after = game.successor[position]
        value = np.where(after >= 0, solution.value[after] * mover, -2).astype(int)
        hurry = np.where(value > 0, -1, 1) * solution.plies[after]
        cell = int(np.lexsort((-hurry, -value))[0])
        line += DIGITS[cell]
        position = int(after[cell])
    return line


def _next(
    game: Game,
    stock: Mapping[tuple[int, str], list[Puzzle]],
    used: set[int],
    turns: Mapping[str, int],
    wanted: int,
) -> Puzzle | None:
    """Take an unused puzzle of the agent that had the fewest, at the level nearest to this."""
    for level in sorted(range(len(LEVELS)), key=lambda level: (abs(level - wanted), level)):
        for name in sorted(turns, key=lambda name: turns[name]):
            for puzzle in stock.get((level, name), []):
                if _class(game, puzzle) not in used:
                    return puzzle
    return None


def _class(game: Game, puzzle: Puzzle) -> int:
    return int(game.symmetry_class[puzzle.position])
