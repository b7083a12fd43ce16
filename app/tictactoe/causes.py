"""Find the likely causes of a policy's blunders, each only if the numbers support it.

Only the policy's moves are known, not its values. So a cause is a pattern that the moves show much
more often than random moves would. Arrays [D] have an element for each position with a player to
move.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.atlas import BlunderClasses, BlunderDecisions
from app.tictactoe.game import FloatArray, Game, IndexArray, O, X
from app.tictactoe.policy import (
    CellMask,
    Policy,
    compute_optimal_q,
    find_best_moves,
    find_completing_cells,
)
from app.tictactoe.reachable_play import ReachablePlay

# If a policy follows a simple rule in this share of the positions, the rule explains all its moves.
MIN_RULE_SHARE = 0.95
# With fewer positions, a pattern may be accidental.
MIN_PATTERN_POSITIONS = 10
# Random moves have the skill 0, and play without blunders has the skill 1. A skill this near to 0
# counts as random play.
MAX_RANDOM_SKILL = 0.15
MIN_GOOD_SKILL = 0.5
# A cause has to explain at least this share of the blunders.
MIN_EXPLAINED_SHARE = 0.75
# A policy that blocks at most this share of the threats does not know how to block.
MAX_UNSKILLED_BLOCK_CHANCE = 0.5

CauseKind = Literal[
    "untrained", "other-side", "first-cell", "no-block", "images", "unreachable"
]
SimpleRule = Literal["", "any", "first", "last", "chance"]
# One flag for each of the D positions with a player to move.
DecisionMask = NDArray[np.bool_]


class BlunderCause(NamedTuple):
    """A pattern in a policy's moves that is a likely cause of its blunders, with numbers.

    `matching_count` of `possible_count` positions show the pattern. With random moves,
    `expected_by_chance` of them would show it. `example_positions` has a position with the pattern,
    and perhaps a second one to compare it with. `player` is the player who blunders: +1 for X, -1
    for O, 0 for both. `rule` is the simple rule that the moves follow, or "".
    """

    kind: CauseKind
    matching_count: int
    possible_count: int
    example_positions: tuple[int, ...]
    expected_by_chance: float = 0.0
    player: int = 0
    rule: SimpleRule = ""

    @property
    def halfway_count(self) -> float:
        """The middle between `expected_by_chance` and `possible_count`."""
        return (self.expected_by_chance + self.possible_count) / 2


class PositionFacts(NamedTuple):
    """Properties of the D positions with a player to move, equal for all policies."""

    has_several_moves: DecisionMask
    random_move_chance: FloatArray
    first_empty_cells: CellMask
    last_empty_cells: CellMask
    is_blunder_possible: DecisionMask
    # the chance that a random move is no blunder
    random_safe_chance: FloatArray
    # The moves with the lowest value. If all moves have the same value, these are all moves.
    worst_moves: CellMask
    # the chance that a random move is a worst move
    random_worst_chance: FloatArray
    # the value with optimal play, mover's view
    optimal_value: FloatArray
    winning_moves: CellMask
    # The only cell with which the opponent would win next. No cell is selected if there are no or
    # several such cells, or if the player to move can win at once.
    forced_block: CellMask


@dataclass(frozen=True, eq=False)
class AnalysedPolicy:
    """A policy with its blunders; the methods find likely causes of the blunders."""

    game: Game
    facts: PositionFacts
    policy: Policy
    # [D, cells] the moves that the policy may play
    possible_moves: CellMask
    # [D] whether the policy's games, against any opponent, can reach the position
    is_reachable: DecisionMask
    # [D] the chance that the policy's move is no blunder
    safe_chance: FloatArray
    # [D] the change of the mover's value by the policy's worst move: 0 or less
    worst_change: FloatArray
    blunders: IndexArray
    blunder_classes: BlunderClasses

    def find_simple_rules(self) -> list[BlunderCause]:
        """Find the players whose moves follow a simple rule in 95% of the positions.

        The rules are: play any empty cell, the first one, or the last one. Two causes with the same
        rule become one cause for both players.
        """
        rules: dict[SimpleRule, CellMask] = {
            "any": self.game.legal,
            "first": self.facts.first_empty_cells,
            "last": self.facts.last_empty_cells,
        }
        causes = []
        for rule, moves in rules.items():
            follows = (self.possible_moves == moves).all(axis=1)
            for player in (X, O):
                is_turn = self.game.to_move == player
                possible = self.facts.has_several_moves & is_turn
                matching = possible & follows
                if matching.sum() < MIN_RULE_SHARE * possible.sum():
                    continue
                by_chance = float(self.facts.random_move_chance[possible].sum())
                cause = self._make_cause("untrained", matching, possible, by_chance)
                # Random moves follow the rule "any" too, so they are no comparison.
                if rule == "any":
                    cause = cause._replace(expected_by_chance=0.0)
                causes.append(cause._replace(player=player, rule=rule))
        return _merge_seats(causes)

    def find_random_play(self) -> list[BlunderCause]:
        """Find out whether both players move at random, or only one while the other plays well."""
        skills = {player: self._measure_skill(player) for player in (X, O)}
        causes = []
        for player, (skill, cause) in skills.items():
            other_skill = skills[-player][0]
            is_like_chance = abs(skill) < MAX_RANDOM_SKILL
            differs_from_other = other_skill > MIN_GOOD_SKILL
            is_like_other = abs(other_skill) < MAX_RANDOM_SKILL
            if (
                is_like_chance
                and cause.possible_count >= MIN_PATTERN_POSITIONS
                and (differs_from_other or is_like_other)
            ):
                causes.append(cause)
        return _merge_seats(causes)

    def find_worst_play(self, player: int) -> list[BlunderCause]:
        """Find out whether a player mostly plays the worst moves.

        Such play is typical of learners whose values have the wrong sign.
        """
        possible = self._find_possible_blunders(player)
        plays_worst = (self.possible_moves <= self.facts.worst_moves).all(axis=1)
        by_chance = float(self.facts.random_worst_chance[possible].sum())
        cause = self._make_cause(
            "other-side", possible & plays_worst, possible, by_chance
        )
        is_rare = cause.matching_count <= cause.halfway_count
        if cause.possible_count < MIN_PATTERN_POSITIONS or is_rare:
            return []
        return [cause._replace(player=player)]

    def find_fixed_cell_order(self, unexplained: DecisionMask) -> list[BlunderCause]:
        """Find out whether most blunders are moves on the first empty cell, or on the last one.

        Programs without values, or with equal values, often choose this cell.
        """
        possible = np.zeros_like(unexplained)
        possible[self.blunders] = unexplained[self.blunders]
        by_chance = float(self.facts.random_move_chance[possible].sum())
        rules: dict[SimpleRule, CellMask] = {
            "first": self.facts.first_empty_cells,
            "last": self.facts.last_empty_cells,
        }
        causes = []
        for rule, moves in rules.items():
            matching = possible & (self.possible_moves == moves).all(axis=1)
            cause = self._make_cause("first-cell", matching, possible, by_chance)
            least = max(MIN_EXPLAINED_SHARE * cause.possible_count, cause.halfway_count)
            if (
                cause.possible_count >= MIN_PATTERN_POSITIONS
                and cause.matching_count >= least
            ):
                causes.append(cause._replace(rule=rule))
        return causes

    def find_missing_blocks(self, unexplained: DecisionMask) -> list[BlunderCause]:
        """Find out whether the policy plays winning moves but rarely blocks."""
        wins, threat = self.facts.winning_moves, self.facts.forced_block
        reachable = unexplained & self.is_reachable
        threatened = reachable & threat.any(axis=1)
        could_win = reachable & wins.any(axis=1)
        block_chance = (self.policy * threat).sum(axis=1)
        win_chance = (self.policy * wins).sum(axis=1)
        if threatened.sum() < MIN_PATTERN_POSITIONS:
            return []
        blocked = block_chance[threatened].mean()
        won = win_chance[could_win].mean() if could_win.any() else 1.0
        if blocked > MAX_UNSKILLED_BLOCK_CHANCE or won < blocked:
            return []
        by_chance = float((1 - self.facts.random_move_chance[threatened]).sum())
        missing = round(float((1 - block_chance)[threatened].sum()))
        unblocked = threatened & (block_chance < 1)
        cause = self._make_cause("no-block", unblocked, threatened, by_chance)
        return [cause._replace(matching_count=missing)]

    def find_asymmetric_blunders(self, unexplained: DecisionMask) -> list[BlunderCause]:
        """Find out whether most blunders are made in some symmetric positions but not in all.

        A learner that treats symmetric positions alike would blunder in all of them or in none.
        """
        # A group of symmetric blunders counts once, by its example.
        examples = self.blunders[self.blunder_classes.example_rows]
        symmetric_counts = self.blunder_classes.symmetric_counts
        possible = unexplained[examples] & (symmetric_counts > 1)
        matching = possible & (
            self.blunder_classes.blundering_counts < symmetric_counts
        )
        counts = int(matching.sum()), int(possible.sum())
        if (
            counts[1] < MIN_PATTERN_POSITIONS
            or counts[0] < MIN_EXPLAINED_SHARE * counts[1]
        ):
            return []
        position = int(examples[matching.argmax()])
        images = self.game.symmetric_positions[:, position]
        is_right = ~np.isin(images, self.blunders)
        return [
            BlunderCause("images", *counts, (position, int(images[is_right.argmax()])))
        ]

    def find_unreachable_blunders(self) -> list[BlunderCause]:
        """Find out whether the policy's games never reach the positions of its blunders."""
        if self.is_reachable[self.blunders].any():
            return []
        number = len(self.blunders)
        return [BlunderCause("unreachable", number, number, (int(self.blunders[0]),))]

    def _find_possible_blunders(self, player: int) -> DecisionMask:
        is_turn: DecisionMask = self.game.to_move == player
        return self.is_reachable & self.facts.is_blunder_possible & is_turn

    def _measure_skill(self, player: int) -> tuple[float, BlunderCause]:
        """Return a player's skill, from 0 for random moves to 1 for no blunders, and its cause.

        In the cause, `matching_count` is the expected number of blunders, and `possible_count` is
        the number of positions in which a blunder is possible. `expected_by_chance` is the number
        of blunders that random moves would make there.
        """
        possible = self._find_possible_blunders(player)
        if not possible.any():
            return 1.0, BlunderCause("untrained", 0, 0, ())
        safe = self.safe_chance[possible]
        random_safe = self.facts.random_safe_chance[possible]
        random_share = random_safe.mean()
        skill = float((safe.mean() - random_share) / (1 - random_share))
        cause = BlunderCause(
            "untrained",
            matching_count=round(float((1 - safe).sum())),
            possible_count=len(safe),
            example_positions=self._pick_example(possible & (self.safe_chance == 0)),
            expected_by_chance=float((1 - random_safe).sum()),
            player=player,
            rule="chance",
        )
        return skill, cause

    def _make_cause(
        self,
        kind: CauseKind,
        matching: DecisionMask,
        possible: DecisionMask,
        by_chance: float,
    ) -> BlunderCause:
        example = self._pick_example(matching)
        counts = int(matching.sum()), int(possible.sum())
        return BlunderCause(kind, *counts, example, by_chance)

    def _pick_example(self, candidates: DecisionMask) -> tuple[int, ...]:
        """Return the best example in a tuple, or () without candidates.

        Positions that the policy's games reach come first, then costly blunders, then early
        positions.
        """
        listed = np.flatnonzero(candidates)
        if not len(listed):
            return ()
        reachable = self.is_reachable[listed]
        order = np.lexsort((listed, self.worst_change[listed], ~reachable))
        return (int(listed[order[0]]),)


def list_causes(
    reachable_play: ReachablePlay,
    blunder_decisions: BlunderDecisions,
    blunder_classes: BlunderClasses,
) -> list[BlunderCause]:
    """Return the likely causes of a policy's blunders.

    `blunder_decisions` has the positions with a blunder, and `blunder_classes` groups them by
    symmetry. If a cause explains all blunders of a player, it comes first, and no other pattern in
    this player's moves is searched.
    """
    if not len(blunder_decisions.positions):
        return []
    game, policy = reachable_play.game, reachable_play.policy
    facts = _compute_facts(game)
    possible_moves = policy > 0
    worst_values = np.where(possible_moves, compute_optimal_q(game), 1).min(axis=1)
    analysed = AnalysedPolicy(
        game=game,
        facts=facts,
        policy=policy,
        possible_moves=possible_moves,
        is_reachable=reachable_play.is_reachable,
        safe_chance=(policy * find_best_moves(game)).sum(axis=1),
        worst_change=worst_values - facts.optimal_value,
        blunders=blunder_decisions.positions,
        blunder_classes=blunder_classes,
    )
    complete_causes = analysed.find_simple_rules() or analysed.find_random_play()
    for player in (X, O):
        complete_causes += analysed.find_worst_play(player)
    explained = {
        player
        for cause in complete_causes
        for player in (X, O)
        if cause.player in (player, 0)
    }
    unexplained = ~np.isin(game.to_move, list(explained))
    return [
        *complete_causes,
        *analysed.find_fixed_cell_order(unexplained),
        *analysed.find_missing_blocks(unexplained),
        *analysed.find_asymmetric_blunders(unexplained),
        *analysed.find_unreachable_blunders(),
    ]


@lru_cache(maxsize=2)
def _compute_facts(game: Game) -> PositionFacts:
    legal = game.legal
    right = find_best_moves(game)
    values = compute_optimal_q(game)
    moves = legal.sum(axis=1)
    board = game.board[: game.decisions]
    wins = find_completing_cells(game, board == game.to_move[:, None])
    threats = find_completing_cells(game, board == -game.to_move[:, None])
    one = (threats.sum(axis=1) == 1) & ~wins.any(axis=1)
    worst_moves = values == np.fmin.reduce(values, axis=1, keepdims=True)
    last = game.cells - 1 - legal[:, ::-1].argmax(axis=1)
    return PositionFacts(
        has_several_moves=moves > 1,
        random_move_chance=1 / moves,
        first_empty_cells=_mask_single_cells(legal, legal.argmax(axis=1)),
        last_empty_cells=_mask_single_cells(legal, last),
        is_blunder_possible=(right != legal).any(axis=1),
        random_safe_chance=right.sum(axis=1) / moves,
        worst_moves=worst_moves,
        random_worst_chance=worst_moves.sum(axis=1) / moves,
        optimal_value=np.fmax.reduce(values, axis=1),
        winning_moves=wins,
        forced_block=threats & one[:, None],
    )


def _merge_seats(causes: list[BlunderCause]) -> list[BlunderCause]:
    if len(causes) != 2 or causes[0].rule != causes[1].rule:
        return causes
    one, other = causes
    both = one._replace(
        player=0,
        matching_count=one.matching_count + other.matching_count,
        possible_count=one.possible_count + other.possible_count,
        expected_by_chance=one.expected_by_chance + other.expected_by_chance,
    )
    return [both]


def _mask_single_cells(legal: CellMask, cells: IndexArray) -> CellMask:
    mask = np.zeros_like(legal)
    mask[np.arange(len(legal)), cells] = True
    return mask
