"""Likely causes of a policy's blunders, each named only if the numbers support it.

Only the moves of the policy are known, not its values.  So a cause is a pattern in the moves,
compared with the same count for random moves.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.tictactoe.atlas import BlunderClasses, Mistakes
from app.tictactoe.game import Game, O, X
from app.tictactoe.policy import (
    Choice,
    Policy,
    compute_optimal_q,
    find_best_moves,
    find_completing_cells,
)
from app.tictactoe.reachable_play import ReachablePlay

# A rule that explains at least this share of a seat's positions is its policy: nothing was learned.
ALWAYS_SHARE = 0.95
MIN_POSITIONS = 10  # a cause needs at least this many positions
# Skill is 0 for random moves and 1 for right moves; a lower skill counts as random play.
CHANCE_MARGIN = 0.15
GOOD_SKILL = 0.5  # a seat with at least this skill counts as good
OFTEN_SHARE = 0.75  # a cause explains at least this share of the blunders
RARELY_SHARE = 0.5  # a policy that blocks at most this share of threats does not block

Kind = Literal[
    "untrained", "other-side", "first-cell", "no-block", "images", "unreachable"
]
Rule = Literal["", "any", "first", "last", "chance"]
Decisions = NDArray[np.bool_]  # [D] a selection of decisions


class Cause(NamedTuple):
    """A likely cause of blunders, and the numbers that support it."""

    kind: Kind
    seat: int  # +1 X, -1 O, 0 both
    rule: Rule  # the rule that the seat plays by, "" for other causes
    matching_count: int  # number of positions that show the pattern
    possible_count: int  # number of positions that could show the pattern
    # expected number of positions with this pattern if all moves were random
    expected_by_chance: float
    example_positions: tuple[
        int, ...
    ]  # an example, perhaps followed by one for comparison


class PositionFacts(NamedTuple):
    """Properties of the decisions of a game, independent of a policy; each is [D], or [D, cells]."""

    has_several_moves: Decisions  # whether there is more than one move
    random_chances: NDArray[np.float64]  # the chance of each move if moves are random
    first_empty: Choice  # the first empty cell
    last_empty: Choice  # the last empty cell
    is_blunder_possible: Decisions  # whether a blunder is possible
    random_safe_chance: NDArray[
        np.float64
    ]  # the chance that a random move is no blunder
    worst_moves: Choice  # the moves with the lowest value
    # the chance that a random move is a worst move
    random_worst_chance: NDArray[np.float64]
    value: NDArray[np.float64]  # mover's view
    winning_moves: Choice  # moves that win at once
    # the only cell with which the opponent would win next, if no move wins at once
    forced_block: Choice


class AnalysedPolicy(NamedTuple):
    """A policy with its properties, used to derive causes."""

    game: Game
    facts: PositionFacts
    policy: Policy  # [D, cells] chances of the moves
    possible_moves: Choice  # [D, cells] the moves with a chance above 0
    is_reachable: Decisions  # the decisions that its own games can reach
    # [D] the chance that its move is no blunder
    safe_chance: NDArray[np.float64]
    # [D] the change of the game's value by the worst of its moves, 0 or less
    worst_change: NDArray[np.float64]


def list_causes(
    reachable_play: ReachablePlay, mistakes: Mistakes, atlas: BlunderClasses
) -> list[Cause]:
    """Return the likely causes of the blunders `mistakes` of a policy; `atlas` is their atlas.

    Causes that explain all blunders of a seat come first; further causes are searched in seats
    that are not explained yet.
    """
    if not len(mistakes.positions):
        return []
    game = reachable_play.game
    policy = reachable_play.policy
    facts = _compute_facts(game)
    choice = policy > 0
    analysed = AnalysedPolicy(
        game=game,
        facts=facts,
        policy=policy,
        possible_moves=choice,
        is_reachable=reachable_play.is_reachable,
        safe_chance=(policy * find_best_moves(game)).sum(axis=1),
        worst_change=np.where(choice, compute_optimal_q(game), 1).min(axis=1)
        - facts.value,
    )
    whole = _find_untrained(analysed) or _find_like_chance(analysed)
    whole += [cause for seat in (X, O) for cause in _find_other_side(analysed, seat)]
    explained = {seat for cause in whole for seat in (X, O) if cause.seat in (seat, 0)}
    unexplained = ~np.isin(game.to_move, list(explained))
    others = [
        *_find_one_cell(analysed, mistakes, unexplained),
        *_find_no_block(analysed, unexplained),
    ]
    others += [
        *_find_images(analysed, mistakes, atlas, unexplained),
        *_find_unreachable(analysed, mistakes),
    ]
    return whole + others


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
        first_empty=_choose_cell(legal, legal.argmax(axis=1)),
        last_empty=_choose_cell(legal, last),
        is_blunder_possible=(right != legal).any(axis=1),
        random_safe_chance=right.sum(axis=1) / moves,
        worst_moves=worst_moves,
        random_worst_chance=worst_moves.sum(axis=1) / moves,
        value=np.fmax.reduce(values, axis=1),
        winning_moves=wins,
        forced_block=threats & one[:, None],
    )


def _find_untrained(analysed_policy: AnalysedPolicy) -> list[Cause]:
    """Return the cause "untrained": a seat, or both, plays by a simple rule; [] if neither does."""
    game = analysed_policy.game
    facts = analysed_policy.facts
    rules: dict[Rule, Choice] = {
        "any": game.legal,
        "first": facts.first_empty,
        "last": facts.last_empty,
    }
    named = []
    for rule, moves in rules.items():
        alike = facts.has_several_moves & (analysed_policy.possible_moves == moves).all(
            axis=1
        )
        for seat in (X, O):
            of = facts.has_several_moves & (game.to_move == seat)
            so = of & alike
            if so.sum() >= ALWAYS_SHARE * of.sum():
                by_chance = (
                    0.0 if rule == "any" else float(facts.random_chances[of].sum())
                )
                shown = _pick_example(analysed_policy, so)
                cause = Cause(
                    "untrained",
                    seat,
                    rule,
                    int(so.sum()),
                    int(of.sum()),
                    by_chance,
                    shown,
                )
                named.append(cause)
    return _merge_seats(named)


def _find_like_chance(analysed_policy: AnalysedPolicy) -> list[Cause]:
    """Return the cause that both seats err like random moves, or one seat while the other is good."""
    skills = {seat: _measure_skill(analysed_policy, seat) for seat in (X, O)}
    named = []
    for seat, (skill, number, of, by_chance) in skills.items():
        other = skills[-seat][0]
        is_like_chance = abs(skill) < CHANCE_MARGIN and of >= MIN_POSITIONS
        differs_from_other = other > GOOD_SKILL
        is_like_other = abs(other) < CHANCE_MARGIN
        if is_like_chance and (differs_from_other or is_like_other):
            shown = _pick_example(
                analysed_policy,
                _mark_possible_blunders(analysed_policy, seat)
                & (analysed_policy.safe_chance == 0),
            )
            named.append(
                Cause("untrained", seat, "chance", number, of, by_chance, shown)
            )
    return _merge_seats(named)


def _merge_seats(named: list[Cause]) -> list[Cause]:
    """Return one cause for both seats if the causes have the same rule, else the given causes."""
    if len(named) != 2 or named[0].rule != named[1].rule:
        return named
    one, other = named
    both = one._replace(
        seat=0,
        matching_count=one.matching_count + other.matching_count,
        possible_count=one.possible_count + other.possible_count,
        expected_by_chance=one.expected_by_chance + other.expected_by_chance,
    )
    return [both]


def _find_other_side(analysed_policy: AnalysedPolicy, seat: int) -> list[Cause]:
    """Return the cause that a seat plays the worst moves, like values of the wrong sign; [] if not."""
    hanging = _mark_possible_blunders(analysed_policy, seat)
    plays_worst = (
        analysed_policy.possible_moves <= analysed_policy.facts.worst_moves
    ).all(axis=1)
    so = hanging & plays_worst
    number = int(so.sum())
    of = int(hanging.sum())
    by_chance = float(analysed_policy.facts.random_worst_chance[hanging].sum())
    halfway = (by_chance + of) / 2  # halfway between random moves and always the worst
    if of < MIN_POSITIONS or number <= halfway:
        return []
    return [
        Cause(
            "other-side",
            seat,
            "",
            number,
            of,
            by_chance,
            _pick_example(analysed_policy, so),
        )
    ]


def _find_one_cell(
    analysed_policy: AnalysedPolicy, mistakes: Mistakes, unexplained: Decisions
) -> list[Cause]:
    """Return the cause that most blunders are on the first or the last empty cell; [] if not.

    Programs without values, or with equal values, often break ties this way.
    """
    here = mistakes.positions[unexplained[mistakes.positions]]
    if len(here) < MIN_POSITIONS:
        return []
    by_chance = float(analysed_policy.facts.random_chances[here].sum())
    rules: dict[Rule, Choice] = {
        "first": analysed_policy.facts.first_empty,
        "last": analysed_policy.facts.last_empty,
    }
    named = []
    for rule, moves in rules.items():
        follows = (analysed_policy.possible_moves[here] == moves[here]).all(axis=1)
        so = here[follows]
        halfway = (by_chance + len(here)) / 2
        if len(so) >= max(OFTEN_SHARE * len(here), halfway):
            marked = np.zeros_like(unexplained)
            marked[so] = True
            shown = _pick_example(analysed_policy, marked)
            named.append(
                Cause("first-cell", 0, rule, len(so), len(here), by_chance, shown)
            )
    return named


def _find_no_block(
    analysed_policy: AnalysedPolicy, unexplained: Decisions
) -> list[Cause]:
    """Return the cause that the policy plays winning moves but does not block; [] if not."""
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
    number = round(float((1 - block_chance)[threatened].sum()))
    by_chance = float((1 - analysed_policy.facts.random_chances[threatened]).sum())
    shown = _pick_example(analysed_policy, threatened & (block_chance < 1))
    return [Cause("no-block", 0, "", number, int(threatened.sum()), by_chance, shown)]


def _find_images(
    analysed_policy: AnalysedPolicy,
    mistakes: Mistakes,
    atlas: BlunderClasses,
    unexplained: Decisions,
) -> list[Cause]:
    """Return a cause if most blunders occur in only some of several symmetric positions, else []."""
    game = analysed_policy.game
    example = mistakes.positions[
        atlas.example_rows
    ]  # an example of each symmetry class
    has_images = unexplained[example] & (atlas.symmetric_counts > 1)
    so = has_images & (atlas.erring_counts < atlas.symmetric_counts)
    number = int(so.sum())
    of = int(has_images.sum())
    if of < MIN_POSITIONS or number < OFTEN_SHARE * of:
        return []
    position = int(example[so.argmax()])
    images = game.images[:, position]
    is_right = ~np.isin(images, mistakes.positions)
    other = int(images[is_right.argmax()])
    return [Cause("images", 0, "", number, of, 0.0, (position, other))]


def _find_unreachable(
    analysed_policy: AnalysedPolicy, mistakes: Mistakes
) -> list[Cause]:
    """Return the cause that the policy's own games reach none of its blunders; [] if they do."""
    if analysed_policy.is_reachable[mistakes.positions].any():
        return []
    number = len(mistakes.positions)
    return [
        Cause("unreachable", 0, "", number, number, 0.0, (int(mistakes.positions[0]),))
    ]


def _mark_possible_blunders(analysed_policy: AnalysedPolicy, seat: int) -> Decisions:
    """Return the decisions that a seat can reach and in which a blunder is possible, [D]."""
    hanging: Decisions = (
        analysed_policy.is_reachable
        & analysed_policy.facts.is_blunder_possible
        & (analysed_policy.game.to_move == seat)
    )
    return hanging


def _measure_skill(
    analysed_policy: AnalysedPolicy, seat: int
) -> tuple[float, int, int, float]:
    """Return the skill of a seat, from 0 (random moves) to 1 (right moves), and three counts.

    The counts are the positions where the seat errs, the positions where it could
    err, and the expected errors of random moves.
    """
    hanging = _mark_possible_blunders(analysed_policy, seat)
    if not hanging.any():
        return 1.0, 0, 0, 0.0
    kept = analysed_policy.safe_chance[hanging]
    kept_by_chance = analysed_policy.facts.random_safe_chance[hanging]
    random_share = kept_by_chance.mean()
    skill = float((kept.mean() - random_share) / (1 - random_share))
    errors = round(float((1 - kept).sum()))
    errors_by_chance = float((1 - kept_by_chance).sum())
    return skill, errors, int(hanging.sum()), errors_by_chance


def _pick_example(
    analysed_policy: AnalysedPolicy, candidates: Decisions
) -> tuple[int, ...]:
    """Return the best example among some decisions: reachable, costly, and early in the game."""
    listed = np.flatnonzero(candidates)
    if not len(listed):
        return ()
    reachable = analysed_policy.is_reachable[listed]
    order = np.lexsort((listed, analysed_policy.worst_change[listed], ~reachable))
    return (int(listed[order[0]]),)


def _choose_cell(legal: Choice, cell: NDArray[np.intp]) -> Choice:
    """Return the choice of a single cell in each decision, [D, cells], from `cell`, [D]."""
    choice = np.zeros_like(legal)
    choice[np.arange(len(legal)), cell] = True
    return choice
