"""Make puzzles, in which visitors predict an agent's move in a position in which it always blunders.

The agent can reach the position in its own games, and it always plays the same cell there. Its
values show which cell that is. Puzzles and their order depend only on the rules and the agents, so
all visitors get the same puzzles.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.atlas import group_blunder_decisions, list_blunder_decisions
from app.tictactoe.game import Game
from app.tictactoe.notation import DIGITS
from app.tictactoe.policy import Policy
from app.tictactoe.reachable_play import ReachablePlay
from app.tictactoe.values import Solution, solve_game

PUZZLE_LEVELS = range(3)  # The levels are easy, medium and hard.
# The number of plies from a blunder to an immediate loss, or to the win that it missed.
IMMEDIATE_PLIES = 1
# The number of plies from a blunder to a loss by a fork, or to the missed win by a fork.
FORK_PLIES = 3
# A puzzle with at least this many empty cells is harder.
HARD_CELL_COUNT = 6
MAX_PUZZLES = 120
ROUND_LENGTH = 10
# The level of each puzzle in a round. If no puzzle of a level is left, another level is taken.
ROUND_LEVELS = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2)


class Puzzle(NamedTuple):
    """A position in which an agent blunders, with the moves and values that the puzzle's page shows."""

    agent_id: str
    record: str  # a game of the agent that leads to the position, as cells
    position: int
    blunder_cell: int
    correct_cells: list[int]
    value_before: int  # the value with optimal play, mover's view: +1 or 0
    value_after: int  # the value after the blunder: 0 or -1
    refutation: (
        str  # the blunder and optimal play by both sides to the end, as a record
    )
    level: int  # the level of difficulty, one of PUZZLE_LEVELS
    # the chance that a game against random moves has the position or a symmetric one
    position_chance: float


def make_puzzles(
    game: Game,
    policies_by_agent: Mapping[str, Policy],
    values_by_agent: Mapping[str, NDArray[np.floating]],
    preferred_agents: Collection[str] = (),
) -> list[Puzzle]:
    """Return at most MAX_PUZZLES puzzles about these agents, in their order, in rounds of ten.

    `policies_by_agent` and `values_by_agent` have arrays [D, cells] for each agent: the chances of
    its moves, and its values as squares show them, NaN where unknown. ROUND_LEVELS gives the
    levels in a round. The agents take turns; the first round prefers `preferred_agents` as long as
    they have puzzles. No position occurs twice, not even in a symmetric form or with another agent.
    """
    candidates: dict[
        tuple[int, str], list[Puzzle]
    ] = {}  # The keys are a level and an agent's id.
    for name, policy in policies_by_agent.items():
        for puzzle in list_candidate_puzzles(game, name, policy, values_by_agent[name]):
            candidates.setdefault((puzzle.level, name), []).append(puzzle)
    first_stock = {
        key: listed for key, listed in candidates.items() if key[1] in preferred_agents
    }
    # They are the classes of positions that puzzles have already.
    used_classes: set[int] = set()
    puzzle_counts: dict[str, int] = dict.fromkeys(policies_by_agent, 0)
    chosen_puzzles: list[Puzzle] = []
    while len(chosen_puzzles) < MAX_PUZZLES:
        level = ROUND_LEVELS[len(chosen_puzzles) % ROUND_LENGTH]
        is_first_round = len(chosen_puzzles) < ROUND_LENGTH
        picked = (
            _pick_puzzle(game, first_stock, used_classes, puzzle_counts, level)
            if is_first_round
            else None
        )
        picked = picked or _pick_puzzle(
            game, candidates, used_classes, puzzle_counts, level
        )
        if picked is None:
            break
        used_classes.add(_get_symmetry_class(game, picked))
        puzzle_counts[picked.agent_id] += 1
        chosen_puzzles.append(picked)
    return chosen_puzzles


def list_candidate_puzzles(
    game: Game, agent_id: str, policy: Policy, agent_values: NDArray[np.floating]
) -> list[Puzzle]:
    """Return all puzzles about an agent, those with the likeliest positions first."""
    solution = solve_game(game)
    play = ReachablePlay(game, policy)
    found = list_blunder_decisions(play)
    order = group_blunder_decisions(game, found)
    played = policy[found.positions] > 0
    shown = agent_values[found.positions]
    is_highest = shown == np.fmax.reduce(shown, axis=1, keepdims=True)
    # The move can be predicted if it is the agent's only move and alone has the highest value.
    # Otherwise the agent may play an untried move, or any of several with equal values.
    predictable = (played.sum(axis=1) == 1) & (played == is_highest).all(axis=1)
    listed = []
    for row, chance in zip(
        order.example_rows.tolist(), order.chances.tolist(), strict=True
    ):
        position = int(found.positions[row])
        if not predictable[row]:
            continue
        record = play.games_by_player[int(game.to_move[position])].find_record(position)
        if record is None:
            continue  # The agent's games do not reach the position.
        wrong = int(played[row].argmax())
        after = int(found.value_after[row])
        line = _find_best_line(game, solution, int(game.successor[position, wrong]))
        listed.append(
            Puzzle(
                agent_id=agent_id,
                record=record,
                position=position,
                blunder_cell=wrong,
                correct_cells=np.flatnonzero(found.correct_moves[row]).tolist(),
                value_before=int(found.value_before[row]),
                value_after=after,
                refutation=DIGITS[wrong] + line,
                level=_grade_level(game, solution, position, wrong, after),
                position_chance=chance,
            )
        )
    return listed


def _grade_level(
    game: Game, solution: Solution, position: int, blunder_cell: int, value_after: int
) -> int:
    """Return how difficult a puzzle is, by the number of moves that one has to look ahead.

    Easy (0): one move. Medium (1): a fork, or one move on a board with many empty cells. Hard (2):
    more moves.
    """
    is_loss = value_after < 0  # Otherwise the blunder misses a win.
    plies = int(
        solution.plies_to_end[
            game.successor[position, blunder_cell] if is_loss else position
        ]
    )
    if plies <= IMMEDIATE_PLIES:
        return int(game.legal[position].sum() >= HARD_CELL_COUNT)
    return 1 if plies <= FORK_PLIES else 2


def _find_best_line(game: Game, solution: Solution, position: int) -> str:
    """Return the rest of the game with optimal play by both sides, as a record; ties: the first cell."""
    line = ""
    while not game.is_over(position):
        mover = int(game.to_move[position])
        after = game.successor[position]
        # The successor of an illegal move is -1, which numpy reads as the last position. The value
        # -2, lower than all others, excludes such moves.
        values = solution.values[after].astype(int) * mover
        values[after < 0] = -2
        preferred_length = np.where(values > 0, -1, 1) * solution.plies_to_end[after]
        cell = int(np.lexsort((-preferred_length, -values))[0])
        line += DIGITS[cell]
        position = int(after[cell])
    return line


def _pick_puzzle(
    game: Game,
    candidates: Mapping[tuple[int, str], list[Puzzle]],
    used_classes: set[int],
    puzzle_counts: Mapping[str, int],
    target_level: int,
) -> Puzzle | None:
    """Return an unused puzzle of the wanted level or the nearest, from an agent with few puzzles."""
    for level in sorted(
        PUZZLE_LEVELS, key=lambda level: (abs(level - target_level), level)
    ):
        for name in sorted(puzzle_counts, key=lambda name: puzzle_counts[name]):
            for puzzle in candidates.get((level, name), []):
                if _get_symmetry_class(game, puzzle) not in used_classes:
                    return puzzle
    return None


def _get_symmetry_class(game: Game, puzzle: Puzzle) -> int:
    return int(game.symmetry_class[puzzle.position])
