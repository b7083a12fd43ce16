"""Q-learning backward over each game: the last move is updated first; symmetric moves share a value."""

import numpy as np

from app.reference import build_rules
from app.textbook.loop import Update
from app.textbook.q_table import QTable
from app.web.algorithms.algorithm import (
    Algorithm,
    GameDescriber,
    Section,
    UpdateRule,
    UpdateStyle,
    build_update_describer,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.learners import StoredValues, list_transition
from app.web.algorithms.q_learning import TARGET_TEXT
from app.web.algorithms.sentences import (
    describe_backward_order,
    describe_shared_boards,
    describe_target_and_past,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
    remove_target,
)
from app.web.formatting import format_count
from app.web.site_data import SiteData

ADDED_TARGETS_TEXT = (
    "The targets of this value are added up, so the value grows without limit."
)


def describe_shared_moves(query: ValueQuery) -> list[str]:
    """Return a sentence on the symmetric moves or boards that share the value, [] if none does."""
    if query.recipe.key == "afterstate":
        return describe_shared_boards(query)
    classes = query.game.spread_pairs(query.game.pair_class, -1)
    moves = np.count_nonzero(classes == classes[query.position, query.cell])
    if moves == 1:
        return []
    return [f"This value belongs to {moves} moves, which are the same by symmetry."]


def _update_after_reply(
    query: ValueQuery, reply_cell: int | None, _next_cell: int | None
) -> Update:
    """Return the update after a reply; for double Q-learning both tables hold their average."""
    learner = QTable(build_rules(query.game), query.recipe)
    learner.q = StoredValues(query.game, query.table)
    update: Update = learner.update(*list_transition(query, reply_cell))
    return update


def compute_averaged_reason(
    query: ValueQuery, ending_weight: float = 1.0
) -> ValueReason:
    """Return the average target over the replies; no target if updates add up their targets.

    A reply that ends the game counts with the weight `ending_weight`.
    """
    reason = build_reason_after_reply(query, _update_after_reply, ending_weight)
    return remove_target(reason) if query.recipe.update == "sum" else reason


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value that symmetric moves share."""
    if not reason.has_target:
        return [ADDED_TARGETS_TEXT, *describe_shared_moves(query)]
    return [
        *describe_target_and_past(query, reason),
        *describe_backward_order(reason),
        *describe_shared_moves(query),
    ]


def _compute_facts(site: SiteData) -> dict[str, object]:
    """Return the numbers of decisions, moves and afterstates, counting symmetric ones once."""
    game = site.game
    positions = np.unique(game.symmetry_class)
    return {
        "decisions": format_count(int((positions < game.decisions).sum())),
        "pairs": format_count(len(np.unique(game.pair_class))),
        # The empty board is no afterstate.
        "afterstates": format_count(len(positions) - 1),
    }


ALGORITHM = Algorithm(
    title="Q-learning backward over each game",
    game_describer=GameDescriber(build_update_describer(TARGET_TEXT, is_backward=True)),
    update_rule=UpdateRule(compute_averaged_reason, _describe_reason),
    compute_facts=_compute_facts,
    update_style=UpdateStyle(
        family="step",
        starts_at_zero=True,
        next_mover="own",
        differing_part="order",
        target_latex=r"y = r + \gamma \max\limits_{a'} Q(s', a')",
        difference_text=(
            "The updates of Q-learning, but made after the game, from its last move back to "
            "the first."
        ),
    ),
    section=Section(
        title="Q-learning backward over the game",
        value_source="q-table",
        example_record="4",
        source_slugs=(
            "nested-software",
            "sutton-barto-2018",
        ),
        formula=Formula(
            latex_lines=(
                Q_STEP,
                format_cases(
                    "y",
                    ("r", "for the last move"),
                    (r"\gamma \max\limits_{a'} Q(s', a')", "for the others"),
                ),
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table; symmetric moves share an entry",
                "a′": "a possible move in the learner’s next position",
            },
        ),
    ),
)
