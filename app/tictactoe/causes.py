"""Likely causes of a policy's blunders, each named only if the numbers support it.

Only the moves of the policy are known, not its values.  So a cause is a pattern that the moves
show much more often than random moves would.  A decision is a position with a player to move;
arrays [D] have an element for each decision.
"""

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

# If a rule explains this share of a player's positions, the player has learned nothing but the rule.
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
    player: int  # as this player the policy blunders: +1 X, -1 O, 0 both
    rule: Rule  # the rule that the policy plays by, "" for other causes
    matching_count: int  # number of positions that show the pattern
    possible_count: int  # number of positions that could show the pattern
    # expected number of positions with this pattern if all moves were random
    expected_by_chance: float
    # indices of decisions: an example, perhaps followed by one for comparison
    example_positions: tuple[int, ...]


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


class AnalysedPolicy(NamedTuple):
    """A policy with its properties, used to derive causes."""

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


def list_causes(
    reachable_play: ReachablePlay,
    blunder_decisions: BlunderDecisions,
    blunder_classes: BlunderClasses,
) -> list[Cause]:
    """Return the likely causes of a policy's blunders.

    `blunder_decisions` has the decisions with a blunder, `blunder_classes` their classes of
    symmetric positions.

    Causes that explain all blunders of a player come first; further causes are searched for
    players that are not explained yet.
    """
    if not len(blunder_decisions.positions):
        return []
    game = reachable_play.game
    policy = reachable_play.policy
    facts = _compute_facts(game)
    possible_moves = policy > 0
    analysed = AnalysedPolicy(
        game=game,
        facts=facts,
        policy=policy,
        possible_moves=possible_moves,
        is_reachable=reachable_play.is_reachable,
        safe_chance=(policy * find_best_moves(game)).sum(axis=1),
        worst_change=np.where(possible_moves, compute_optimal_q(game), 1).min(axis=1)
        - facts.optimal_value,
    )
    complete_causes = _find_simple_rule(analysed) or _find_random_play(analysed)
    complete_causes += [
        cause for player in (X, O) for cause in _find_worst_play(analysed, player)
    ]
    explained = {
        player
        for cause in complete_causes
        for player in (X, O)
        if cause.player in (player, 0)
    }
    unexplained = ~np.isin(game.to_move, list(explained))
    others = [
        *_find_cell_order_causes(analysed, blunder_decisions, unexplained),
        *_find_missing_block_causes(analysed, unexplained),
    ]
    others += [
        *_find_asymmetry_causes(
            analysed, blunder_decisions, blunder_classes, unexplained
        ),
        *_find_unreachability_causes(analysed, blunder_decisions),
    ]
    return complete_causes + others


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


def _find_simple_rule(analysed_policy: AnalysedPolicy) -> list[Cause]:
    """Return a cause for each player, X or O, for whom the policy plays by a simple rule."""
    game = analysed_policy.game
    facts = analysed_policy.facts
    rules: dict[Rule, CellMask] = {
        "any": game.legal,
        "first": facts.first_empty,
        "last": facts.last_empty,
    }
    causes = []
    for rule, moves in rules.items():
        plays_by_rule = facts.has_several_moves & (
            analysed_policy.possible_moves == moves
        ).all(axis=1)
        for player in (X, O):
            possible = facts.has_several_moves & (game.to_move == player)
            matching = possible & plays_by_rule
            if matching.sum() >= ALWAYS_SHARE * possible.sum():
                by_chance = (
                    0.0
                    if rule == "any"
                    else float(facts.random_chances[possible].sum())
                )
                example = _pick_example(analysed_policy, matching)
                cause = Cause(
                    "untrained",
                    player,
                    rule,
                    int(matching.sum()),
                    int(possible.sum()),
                    by_chance,
                    example,
                )
                causes.append(cause)
    return _merge_seats(causes)


def _find_random_play(analysed_policy: AnalysedPolicy) -> list[Cause]:
    """Return a cause if both seats play randomly, or one does and the other is good, else []."""
    skills = {player: _measure_skill(analysed_policy, player) for player in (X, O)}
    causes = []
    for player, (skill, error_count, possible_count, by_chance) in skills.items():
        other_skill = skills[-player][0]
        is_like_chance = abs(skill) < CHANCE_MARGIN and possible_count >= MIN_POSITIONS
        differs_from_other = other_skill > GOOD_SKILL
        is_like_other = abs(other_skill) < CHANCE_MARGIN
        if is_like_chance and (differs_from_other or is_like_other):
            example = _pick_example(
                analysed_policy,
                _find_possible_blunders(analysed_policy, player)
                & (analysed_policy.safe_chance == 0),
            )
            causes.append(
                Cause(
                    "untrained",
                    player,
                    "chance",
                    error_count,
                    possible_count,
                    by_chance,
                    example,
                )
            )
    return _merge_seats(causes)


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


def _find_worst_play(analysed_policy: AnalysedPolicy, player: int) -> list[Cause]:
    """Return a cause if a player mostly plays the worst moves, else [].

    So play learners whose values have the wrong sign.
    """
    possible = _find_possible_blunders(analysed_policy, player)
    plays_worst = (
        analysed_policy.possible_moves <= analysed_policy.facts.worst_moves
    ).all(axis=1)
    matching = possible & plays_worst
    matching_count = int(matching.sum())
    possible_count = int(possible.sum())
    by_chance = float(analysed_policy.facts.random_worst_chance[possible].sum())
    # the required count: halfway between random play and always the worst move
    halfway = (by_chance + possible_count) / 2
    if possible_count < MIN_POSITIONS or matching_count <= halfway:
        return []
    return [
        Cause(
            "other-side",
            player,
            "",
            matching_count,
            possible_count,
            by_chance,
            _pick_example(analysed_policy, matching),
        )
    ]


def _find_cell_order_causes(
    analysed_policy: AnalysedPolicy,
    blunder_decisions: BlunderDecisions,
    unexplained: DecisionMask,
) -> list[Cause]:
    """Return a cause if most blunders are moves on the first or the last empty cell, else [].

    Programs without values, or with equal values, often break ties this way.
    """
    decisions = blunder_decisions.positions[unexplained[blunder_decisions.positions]]
    if len(decisions) < MIN_POSITIONS:
        return []
    by_chance = float(analysed_policy.facts.random_chances[decisions].sum())
    rules: dict[Rule, CellMask] = {
        "first": analysed_policy.facts.first_empty,
        "last": analysed_policy.facts.last_empty,
    }
    causes = []
    for rule, moves in rules.items():
        follows = (analysed_policy.possible_moves[decisions] == moves[decisions]).all(
            axis=1
        )
        matching = decisions[follows]
        halfway = (by_chance + len(decisions)) / 2
        if len(matching) >= max(OFTEN_SHARE * len(decisions), halfway):
            is_matching = np.zeros_like(unexplained)
            is_matching[matching] = True
            example = _pick_example(analysed_policy, is_matching)
            causes.append(
                Cause(
                    "first-cell",
                    0,
                    rule,
                    len(matching),
                    len(decisions),
                    by_chance,
                    example,
                )
            )
    return causes


def _find_missing_block_causes(
    analysed_policy: AnalysedPolicy, unexplained: DecisionMask
) -> list[Cause]:
    """Return a cause if the policy plays winning moves but rarely blocks, else []."""
    wins = analysed_policy.facts.winning_moves
    threat = analysed_policy.facts.forced_block
    reachable = unexplained & analysed_policy.is_reachable
    threatened = reachable & threat.any(axis=1)
    could_win = reachable & wins.any(axis=1)
    block_chance = (analysed_policy.policy * threat).sum(axis=1)
    win_chance = (analysed_policy.policy * wins).sum(axis=1)
    blocked = (
        block_chance[threatened].mean() if threatened.sum() >= MIN_POSITIONS else 1.0
    )
    won = win_chance[could_win].mean() if could_win.any() else 1.0
    if blocked > RARELY_SHARE or won < blocked:
        return []
    missing_count = round(float((1 - block_chance)[threatened].sum()))
    by_chance = float((1 - analysed_policy.facts.random_chances[threatened]).sum())
    example = _pick_example(analysed_policy, threatened & (block_chance < 1))
    return [
        Cause(
            "no-block", 0, "", missing_count, int(threatened.sum()), by_chance, example
        )
    ]


def _find_asymmetry_causes(
    analysed_policy: AnalysedPolicy,
    blunder_decisions: BlunderDecisions,
    blunder_classes: BlunderClasses,
    unexplained: DecisionMask,
) -> list[Cause]:
    """Return a cause if most blunders occur in only some of several symmetric positions, else []."""
    game = analysed_policy.game
    # one decision of each symmetry class
    examples = blunder_decisions.positions[blunder_classes.example_rows]
    symmetric_counts = blunder_classes.symmetric_counts
    possible = unexplained[examples] & (symmetric_counts > 1)
    matching = possible & (blunder_classes.erring_counts < symmetric_counts)
    matching_count = int(matching.sum())
    possible_count = int(possible.sum())
    if possible_count < MIN_POSITIONS or matching_count < OFTEN_SHARE * possible_count:
        return []
    position = int(examples[matching.argmax()])
    symmetric_positions = game.symmetric_positions[:, position]
    is_right = ~np.isin(symmetric_positions, blunder_decisions.positions)
    other = int(symmetric_positions[is_right.argmax()])
    return [
        Cause("images", 0, "", matching_count, possible_count, 0.0, (position, other))
    ]


def _find_unreachability_causes(
    analysed_policy: AnalysedPolicy, blunder_decisions: BlunderDecisions
) -> list[Cause]:
    """Return a cause if the policy's own games reach none of its blunders, else []."""
    if analysed_policy.is_reachable[blunder_decisions.positions].any():
        return []
    number = len(blunder_decisions.positions)
    return [
        Cause(
            "unreachable",
            0,
            "",
            number,
            number,
            0.0,
            (int(blunder_decisions.positions[0]),),
        )
    ]


def _find_possible_blunders(
    analysed_policy: AnalysedPolicy, player: int
) -> DecisionMask:
    """Return the reachable decisions of a player, [D], in which at least one legal move is a blunder."""
    possible_blunders: DecisionMask = (
        analysed_policy.is_reachable
        & analysed_policy.facts.is_blunder_possible
        & (analysed_policy.game.to_move == player)
    )
    return possible_blunders


def _measure_skill(
    analysed_policy: AnalysedPolicy, player: int
) -> tuple[float, int, int, float]:
    """Return the skill as a player, from 0 (random moves) to 1 (no blunders), and three counts.

    The counts are the expected blunders as this player (rounded), the decisions with a possible
    blunder, and the expected blunders of random moves there.
    """
    possible = _find_possible_blunders(analysed_policy, player)
    if not possible.any():
        return 1.0, 0, 0, 0.0
    safe_chances = analysed_policy.safe_chance[possible]
    random_safe_chances = analysed_policy.facts.random_safe_chance[possible]
    random_share = random_safe_chances.mean()
    skill = float((safe_chances.mean() - random_share) / (1 - random_share))
    errors = round(float((1 - safe_chances).sum()))
    errors_by_chance = float((1 - random_safe_chances).sum())
    return skill, errors, int(possible.sum()), errors_by_chance


def _pick_example(
    analysed_policy: AnalysedPolicy, candidates: DecisionMask
) -> tuple[int, ...]:
    """Return the best example in a tuple, () without candidates.

    Reachable decisions come first, then costly blunders, then early positions.
    """
    listed = np.flatnonzero(candidates)
    if not len(listed):
        return ()
    reachable = analysed_policy.is_reachable[listed]
    order = np.lexsort((listed, analysed_policy.worst_change[listed], ~reachable))
    return (int(listed[order[0]]),)


def _mask_single_cells(legal: CellMask, cells: NDArray[np.intp]) -> CellMask:
    """Return a mask of the shape of `legal`, [D, cells], that selects the cell `cells[d]`, [D]."""
    mask = np.zeros_like(legal)
    mask[np.arange(len(legal)), cells] = True
    return mask
