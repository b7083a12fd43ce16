"""MENACE: a box of beads for each position; the result of a game adds or removes beads."""

from typing import NamedTuple

import numpy as np

from app.recipes import Recipe
from app.recipes.games import TrainingGame
from app.tictactoe.beads import count_beads, count_symmetric_cells
from app.tictactoe.game import O, X
from app.tictactoe.policy import policy_from_values
from app.tictactoe.values import compute_outcome_chances
from app.web.algorithms.algorithm import (
    OVER,
    RESULTS,
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
)
from app.web.algorithms.formula import Formula
from app.web.algorithms.targets import ValueQuery, ValueReason, remove_target
from app.web.formatting import MINUS, format_count, format_percent, spell_bead_count
from app.web.site_data import SiteData
from app.web.translation import gettext_noop

# the parameter that pays each result
PAID = {"won": "win", "drawn": "draw", "lost": "loss"}


class Box(NamedTuple):
    """The box of a position, seen from one of its moves."""

    held: float  # beads of the move
    total: float  # number of beads of all moves
    squares: int  # number of symmetric cells that share the beads
    # probability of each result of a training game after the move
    ends: dict[str, float]
    # beads of the move after a game with each result
    left: dict[str, float]


def _box(pair: ValueQuery) -> Box:
    game, plays = pair.game, pair.agent.card.play_rule
    squares = game.spread_pairs(count_symmetric_cells(game), 0)
    held = game.spread_pairs(count_beads(game, pair.table[game.legal], plays))
    # In training its moves are always drawn by the beads.
    own = policy_from_values(held / np.maximum(squares, 1), "proportional")
    other = own if pair.opponent is None else pair.site.policies[pair.opponent]
    x, o = (own, other) if pair.mover == X else (other, own)
    chances = compute_outcome_chances(game, x, o)[pair.after].tolist()[:: pair.mover]
    row, here = held[pair.position], float(held[pair.position, pair.cell])
    return Box(
        held=here,
        total=float(np.nansum(row / np.maximum(squares[pair.position], 1))),
        squares=int(squares[pair.position, pair.cell]),
        ends=dict(zip(PAID, chances, strict=True)),
        left={
            end: max(0.0, here + getattr(pair.recipe, paid))
            for end, paid in PAID.items()
        },
    )


def _reason(pair: ValueQuery) -> ValueReason:
    """Return the mean number of beads after a game with the move, without replies.

    Without a bead the move is not played, so there is no target.
    """
    box = _box(pair)
    target = sum(chance * box.left[end] for end, chance in box.ends.items())
    reason = ValueReason(
        box.held, [], target, compared=False, hedge="about ", in_beads=True
    )
    return reason if box.held else remove_target(reason)


def _sentences(pair: ValueQuery, _reason: ValueReason) -> list[str]:
    box = _box(pair)
    total = f"Its box has {spell_bead_count(box.total)} in all."
    if not box.held:
        return [
            f"{total} This move is not drawn again, unless the box is emptied and refilled."
        ]
    drawn = f"So it is drawn in {format_percent(box.held / box.total, 1)}% of the games that come here"
    if pair.recipe.plays == "greedy":
        share = format_percent(box.held / box.total, 1)
        drawn = f"In training it is drawn in {share}% of the games here"
    if box.squares > 1:
        drawn += f", and then any of the {box.squares} squares that are the same move by symmetry"
    ends = [
        f"{end} in {format_percent(chance, 1)}%"
        for end, chance in box.ends.items()
        if chance
    ]
    paid = {end: f"{getattr(pair.recipe, name):+.0f}" for end, name in PAID.items()}
    pays = ", ".join(f"{beads} if {end}" for end, beads in paid.items()).replace(
        "-", MINUS
    )
    return [
        f"{total} {drawn}.",
        f"Beads expect nothing: they are what games have paid. A game pays every move {pays}.",
        f"If training went on, a game after this move would be {', '.join(ends)}.",
    ]


def _facts(site: SiteData) -> dict[str, object]:
    """Return the numbers of boxes, with and without those of O, and the number of refills."""
    game = site.game
    decision = np.unique(game.symmetry_class[: game.decisions])
    needed = game.legal[decision].sum(axis=1) > 1  # the last square needs no box
    michie = int((needed & (game.to_move[decision] == X)).sum())
    both = michie + int((needed & (game.to_move[decision] == O)).sum())
    refills = (
        site.agents["menace"].card.refill_count
        if "menace" in site.shipped_agents
        else None
    )
    return {
        "michie": format_count(michie),
        "boxes": format_count(both),
        "refills": "" if refills is None else format_count(refills),
    }


def _story(_recipe: Recipe, game: TrainingGame, update: int) -> str:
    """Return a sentence on the beads that a game paid for a move."""
    if not update:
        if game.played_both_sides:
            return f"{OVER}, every move of a side is paid alike."
        return f"The game was {RESULTS[game.result]}: now every move that was drawn is paid alike."
    change = game.updates[update - 1]
    mover = game.moves[change.move_index].mark
    result = (
        RESULTS[game.get_result_for(mover)] + f" by {mover}" * game.played_both_sides
    )
    emptied = "; it keeps none, and if its box is empty it is filled again" * (
        not change.new
    )
    drawn = f"Move {change.move_index + 1} was drawn from a box with {change.old:.0f} beads of it"
    return (
        f"{drawn}. The game was {result}, so now there are {change.new:.0f}{emptied}."
    )


ALGORITHM = Algorithm(
    title="MENACE: beads in matchboxes",
    origin=gettext_noop("Matchboxes that gained and lost beads in games against {}."),
    story=Story(
        _story,
        choice=lambda _game, _move: "drawn",
    ),
    rule=UpdateRule(
        _reason,
        _sentences,
    ),
    facts=_facts,
    update=UpdateStyle(
        family="beads",
        next_mover="own",
        differs="result",
        line=r"b \leftarrow \max(0, b + r)",
        words="No target: each move of a game gets the same number of beads for the result of the game.",
    ),
    section=Section(
        title="MENACE: beads in matchboxes",
        lens="menace",
        record="04",
        sources=("michie-1963",),
        formula=Formula(
            lines=(
                r"P(a) = \frac{b(s, a)}{\sum_c b(s, c)}",
                r"b(s, a) \leftarrow \max(0, b(s, a) + r)",
            ),
            symbol_meanings={
                "P": "the probability that the move a is drawn",
                "a": "a move; symmetric squares are the same move",
                "b": "the number of beads of a move in the box of the position",
                "c": "any move of the box; the sum is over all moves",
                "r": "the beads added for the result: 3 for a win, 1 for a draw, −1 for a loss",
            },
        ),
    ),
)
