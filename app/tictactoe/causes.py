"""Why a policy blunders: likely causes, each named only if the numbers support it.

Only the policy's moves are known, not its values.  So a cause is a pattern that the moves show much
more often than random moves would.  A decision is a position with a player to move; arrays [D] have
an element for each decision.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.atlas import BlunderClasses, BlunderDecisions
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import (
    CellMask,
    Policy,
    compute_optimal_q,
    find_best_moves,
    find_completing_cells,
)
from app.tictactoe.reachable_play import ReachablePlay

# If a simple rule explains this share of a player's positions, it is the whole policy.
ALWAYS_SHARE = 0.95
MIN_POSITIONS = 10  # a cause needs at least this many positions that could show it
# Skill is 0 for random moves and 1 for right moves; below this number it counts as random play.
CHANCE_MARGIN = 0.15
GOOD_SKILL = 0.5  # a seat with at least this skill counts as good
OFTEN_SHARE = 0.75  # a cause explains at least this share of the blunders
RARELY_SHARE = 0.5  # a policy that blocks at most this share of threats does not block

Kind = Literal[
    "untrained", "other-side", "first-cell", "no-block", "images", "unreachable"
]
Rule = Literal["", "any", "first", "last", "chance"]
DecisionMask = NDArray[np.bool_]  # [D] whether each decision is selected


class Cause(NamedTuple):
    """A likely cause of blunders, and the numbers that support it."""

    kind: Kind
    matching_count: int  # number of positions that show the pattern
    possible_count: int  # number of positions that could show the pattern
    # indices of decisions: an example, and perhaps a second one to compare it with
    example_positions: tuple[int, ...]
    # expected number of positions with this pattern if all moves were random
    expected_by_chance: float = 0.0
    player: int = 0  # as this player the policy blunders: +1 X, -1 O, 0 both
    rule: Rule = ""  # the rule that the policy plays by, "" for other causes

    @property
    def halfway_count(self) -> float:
        """Halfway between the count that random moves would have and the largest possible one."""
        return (self.expected_by_chance + self.possible_count) / 2


class PositionFacts(NamedTuple):
    """Properties of the decisions of a game, independent of a policy; each is [D], or [D, cells]."""

    has_several_moves: DecisionMask  # whether the decision has more than one move
    random_chances: NDArray[np.float64]  # the chance of each move if moves are random
    first_empty: CellMask  # the first empty cell in reading order
    last_empty: CellMask  # the last empty cell
    is_blunder_possible: DecisionMask  # whether any move is a blunder
    # the chance that a random move is no blunder
    random_safe_chance: NDArray[np.float64]
    worst_moves: (
        CellMask  # the moves with the lowest value; all moves if they are equal
    )
    # the chance that a random move is a worst move
    random_worst_chance: NDArray[np.float64]
    optimal_value: NDArray[np.float64]  # the value with optimal play, mover's view
    winning_moves: CellMask  # moves that win at once
    # The only cell with which the opponent would win next, if no move wins at once.
    # No cell is selected if there are no or several such cells.
    forced_block: CellMask


@dataclass(frozen=True, eq=False)
class AnalysedPolicy:
    """A policy with its blunders and properties, from which its causes follow."""

    game: Game
    facts: PositionFacts
    policy: Policy  # [D, cells] chances of the moves
    possible_moves: CellMask  # [D, cells] the moves with a chance above 0
    # [D] the decisions that games of the policy against any opponent can reach
    is_reachable: DecisionMask
    # [D] the chance that the policy's move is no blunder
    safe_chance: NDArray[np.float64]
    # [D] 0 or less: how much the worst move that the policy can play lowers the mover's value
    worst_change: NDArray[np.float64]
    blunders: NDArray[np.intp]  # the decisions with a blunder
    blunder_classes: BlunderClasses

    def find_simple_rules(self) -> list[Cause]:
        """Return a cause for each player, X or O, for whom the policy plays by a simple rule."""
        rules: dict[Rule, CellMask] = {
            "any": self.game.legal,
            "first": self.facts.first_empty,
            "last": self.facts.last_empty,
        }
        causes = []
        for rule, moves in rules.items():
            follows = (self.possible_moves == moves).all(axis=1)
            for player in (X, O):
                is_turn = self.game.to_move == player
                possible = self.facts.has_several_moves & is_turn
                matching = possible & follows
                if matching.sum() < ALWAYS_SHARE * possible.sum():
                    continue
                by_chance = float(self.facts.random_chances[possible].sum())
                cause = self._make_cause("untrained", matching, possible, by_chance)
                if rule == "any":  # every move is one of any moves
                    cause = cause._replace(expected_by_chance=0.0)
                causes.append(cause._replace(player=player, rule=rule))
        return _merge_seats(causes)

    def find_random_play(self) -> list[Cause]:
        """Return a cause if both seats play randomly, or if one does and the other plays well."""
        skills = {player: self._measure_skill(player) for player in (X, O)}
        causes = []
        for player, (skill, cause) in skills.items():
            other_skill = skills[-player][0]
            is_like_chance = abs(skill) < CHANCE_MARGIN
            differs_from_other = other_skill > GOOD_SKILL
            is_like_other = abs(other_skill) < CHANCE_MARGIN
            if (
                is_like_chance
                and cause.possible_count >= MIN_POSITIONS
                and (differs_from_other or is_like_other)
            ):
                causes.append(cause)
        return _merge_seats(causes)

    def find_worst_play(self, player: int) -> list[Cause]:
        """Return a cause if a player mostly plays the worst moves, else [].

        This happens if the values have the wrong sign.
        """
        possible = self._find_possible_blunders(player)
        plays_worst = (self.possible_moves <= self.facts.worst_moves).all(axis=1)
        by_chance = float(self.facts.random_worst_chance[possible].sum())
        cause = self._make_cause(
            "other-side", possible & plays_worst, possible, by_chance
        )
        is_rare = cause.matching_count <= cause.halfway_count
        if cause.possible_count < MIN_POSITIONS or is_rare:
            return []
        return [cause._replace(player=player)]

    def find_cell_order(self, unexplained: DecisionMask) -> list[Cause]:
        """Return a cause if most blunders are moves on the first or the last empty cell, else [].

        Programs without values, or with equal values, often break ties this way.
        """
        possible = np.zeros_like(unexplained)
        possible[self.blunders] = unexplained[self.blunders]
        by_chance = float(self.facts.random_chances[possible].sum())
        rules: dict[Rule, CellMask] = {
            "first": self.facts.first_empty,
            "last": self.facts.last_empty,
        }
        causes = []
        for rule, moves in rules.items():
            matching = possible & (self.possible_moves == moves).all(axis=1)
            cause = self._make_cause("first-cell", matching, possible, by_chance)
            least = max(OFTEN_SHARE * cause.possible_count, cause.halfway_count)
            if cause.possible_count >= MIN_POSITIONS and cause.matching_count >= least:
                causes.append(cause._replace(rule=rule))
        return causes

    def find_missing_blocks(self, unexplained: DecisionMask) -> list[Cause]:
        """Return a cause if the policy plays winning moves but rarely blocks, else []."""
        wins, threat = self.facts.winning_moves, self.facts.forced_block
        reachable = unexplained & self.is_reachable
        threatened = reachable & threat.any(axis=1)
        could_win = reachable & wins.any(axis=1)
        block_chance = (self.policy * threat).sum(axis=1)
        win_chance = (self.policy * wins).sum(axis=1)
        if threatened.sum() < MIN_POSITIONS:
            return []
        blocked = block_chance[threatened].mean()
        won = win_chance[could_win].mean() if could_win.any() else 1.0
        if blocked > RARELY_SHARE or won < blocked:
            return []
        by_chance = float((1 - self.facts.random_chances[threatened]).sum())
        missing = round(float((1 - block_chance)[threatened].sum()))
        unblocked = threatened & (block_chance < 1)
        cause = self._make_cause("no-block", unblocked, threatened, by_chance)
        return [cause._replace(matching_count=missing)]

    def find_asymmetry(self, unexplained: DecisionMask) -> list[Cause]:
        """Return a cause if the policy mostly blunders in some symmetric positions but not in others."""
        # one decision of each symmetry class
        examples = self.blunders[self.blunder_classes.example_rows]
        symmetric_counts = self.blunder_classes.symmetric_counts
        possible = unexplained[examples] & (symmetric_counts > 1)
        matching = possible & (self.blunder_classes.erring_counts < symmetric_counts)
        counts = int(matching.sum()), int(possible.sum())
        if counts[1] < MIN_POSITIONS or counts[0] < OFTEN_SHARE * counts[1]:
            return []
        position = int(examples[matching.argmax()])
        images = self.game.symmetric_positions[:, position]
        is_right = ~np.isin(images, self.blunders)
        return [Cause("images", *counts, (position, int(images[is_right.argmax()])))]

    def find_unreachability(self) -> list[Cause]:
        """Return a cause if the policy's own games reach none of its blunders, else []."""
        if self.is_reachable[self.blunders].any():
            return []
        number = len(self.blunders)
        return [Cause("unreachable", number, number, (int(self.blunders[0]),))]

    def _find_possible_blunders(self, player: int) -> DecisionMask:
        """Return the reachable decisions of a player, [D], in which a legal move is a blunder."""
        is_turn: DecisionMask = self.game.to_move == player
        return self.is_reachable & self.facts.is_blunder_possible & is_turn

    def _measure_skill(self, player: int) -> tuple[float, Cause]:
        """Return the policy's skill as a player: 0 for random moves, 1 without blunders; and a Cause.

        Its three counts are the expected blunders of the policy, the decisions in which a blunder is
        possible, and the expected blunders of random moves in them.
        """
        possible = self._find_possible_blunders(player)
        if not possible.any():
            return 1.0, Cause("untrained", 0, 0, ())
        safe = self.safe_chance[possible]
        random_safe = self.facts.random_safe_chance[possible]
        random_share = random_safe.mean()
        skill = float((safe.mean() - random_share) / (1 - random_share))
        cause = Cause(
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
        kind: Kind,
        matching: DecisionMask,
        possible: DecisionMask,
        by_chance: float,
    ) -> Cause:
        """Return a cause with the decisions that show a pattern, and those that could show it."""
        example = self._pick_example(matching)
        counts = int(matching.sum()), int(possible.sum())
        return Cause(kind, *counts, example, by_chance)

    def _pick_example(self, candidates: DecisionMask) -> tuple[int, ...]:
        """Return the best example in a tuple, () without candidates.

        Reachable decisions come first, then costly blunders, then early positions.
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
) -> list[Cause]:
    """Return the likely causes of a policy's blunders.

    `blunder_decisions` has the decisions with a blunder, `blunder_classes` their classes of
    symmetric positions.

    Causes that explain all blunders of a player come first. Other causes are only searched for
    players without such a cause.
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
        *analysed.find_cell_order(unexplained),
        *analysed.find_missing_blocks(unexplained),
        *analysed.find_asymmetry(unexplained),
        *analysed.find_unreachability(),
    ]


@lru_cache(maxsize=2)
def _compute_facts(game: Game) -> PositionFacts:
    """Return the properties of all decisions of a game."""
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
        random_chances=1 / moves,
        first_empty=_mask_single_cells(legal, legal.argmax(axis=1)),
        last_empty=_mask_single_cells(legal, last),
        is_blunder_possible=(right != legal).any(axis=1),
        random_safe_chance=right.sum(axis=1) / moves,
        worst_moves=worst_moves,
        random_worst_chance=worst_moves.sum(axis=1) / moves,
        optimal_value=np.fmax.reduce(values, axis=1),
        winning_moves=wins,
        forced_block=threats & one[:, None],
    )


def _merge_seats(causes: list[Cause]) -> list[Cause]:
    """Return one cause for both seats if two causes have the same rule, else the given causes."""
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


def _mask_single_cells(legal: CellMask, cells: NDArray[np.intp]) -> CellMask:
    """Return a mask of the shape of `legal`, [D, cells], that selects the cell `cells[d]`, [D]."""
    mask = np.zeros_like(legal)
    mask[np.arange(len(legal)), cells] = True
    return mask
