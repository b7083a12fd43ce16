"""Make puzzles: a visitor predicts an agent's move in a position in which the agent blunders.

The agent reaches the position in its own games, and it always plays the same cell there. The
visitor can tell this cell from the agent's values. Puzzles and their order depend only on the rules
and the agents, so all visitors get the same puzzles.
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

# The levels of difficulty are easy, medium and hard.
PUZZLE_LEVELS = range(3)
# An immediate loss or missed win is at most this many plies away.
MAX_IMMEDIATE_PLIES = 1
# A loss or a missed win by a fork is at most this many plies away.
MAX_FORK_PLIES = 3
# An immediate loss or win is harder to see with at least this many empty cells.
MIN_CELLS_TO_OVERLOOK = 6
MAX_PUZZLES = 120
PUZZLES_PER_ROUND = 10
# The level of each puzzle in a round. If no puzzle of a level is left, another level is taken.
LEVELS_IN_ROUND = (0, 0, 0, 0, 1, 1, 1, 2, 2, 2)


class Puzzle(NamedTuple):
    """A position in which an agent blunders, and its solution."""

    agent_id: str
    # the moves of a game of the agent that leads to the position
    record: str
    position: int
    blunder_cell: int
    correct_cells: list[int]
    # the value with optimal play before the blunder, mover's view: +1 or 0
    value_before: int
    # the value with optimal play after the blunder, mover's view: 0 or -1
    value_after: int
    # the blunder and the moves of optimal play after it, to the end
    refutation: str
    level: int
    # the chance that a game between random players reaches this position or a symmetric one
    position_chance: float


def make_puzzles(
    game: Game,
    policies_by_agent: Mapping[str, Policy],
    values_by_agent: Mapping[str, NDArray[np.floating]],
    preferred_agents: Collection[str] = (),
) -> list[Puzzle]:
    """Return at most MAX_PUZZLES puzzles about these agents, in rounds of ten.

    `policies_by_agent` has the chances of each agent's moves, [D, cells]. `values_by_agent` has its
    values, rounded as on pages, [D, cells], NaN where they are unknown. LEVELS_IN_ROUND gives the
    levels in a round. The agents take turns, but the first round prefers `preferred_agents`. No two
    puzzles have the same position or symmetric positions.
    """
    # The keys are a level and an agent's id.
    candidates: dict[tuple[int, str], list[Puzzle]] = {}
    for name, policy in policies_by_agent.items():
        for puzzle in list_candidate_puzzles(game, name, policy, values_by_agent[name]):
            candidates.setdefault((puzzle.level, name), []).append(puzzle)
    first_stock = {
        key: listed for key, listed in candidates.items() if key[1] in preferred_agents
    }
    # the symmetry classes of the positions in the chosen puzzles
    used_classes: set[int] = set()
    puzzle_counts: dict[str, int] = dict.fromkeys(policies_by_agent, 0)
    chosen_puzzles: list[Puzzle] = []
    while len(chosen_puzzles) < MAX_PUZZLES:
        level = LEVELS_IN_ROUND[len(chosen_puzzles) % PUZZLES_PER_ROUND]
        is_first_round = len(chosen_puzzles) < PUZZLES_PER_ROUND
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
    """Return all possible puzzles about an agent, with the likeliest positions first."""
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
            # The agent's own games never reach this position.
            continue
        wrong = int(played[row].argmax())
        after = int(found.value_after[row])
        line = _find_optimal_moves(game, solution, int(game.successor[position, wrong]))
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
    """Return the level of a puzzle, 0 to 2: how far ahead one has to look to see the blunder.

    Easy (0): one move. Medium (1): a fork, or one move on a board with many empty cells. Hard (2):
    more moves.
    """
    # If the blunder does not lose the game, it misses a win.
    is_loss = value_after < 0
    plies = int(
        solution.plies_to_end[
            game.successor[position, blunder_cell] if is_loss else position
        ]
    )
    if plies <= MAX_IMMEDIATE_PLIES:
        return int(game.legal[position].sum() >= MIN_CELLS_TO_OVERLOOK)
    return 1 if plies <= MAX_FORK_PLIES else 2


def _find_optimal_moves(game: Game, solution: Solution, position: int) -> str:
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
    """Return an unused puzzle of the nearest level, if possible about an agent with few puzzles."""
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
