"""Q-learning backward over each game, with one value for symmetric moves."""

import numpy as np

from app.web.algorithms.algorithm import (
    Algorithm,
    Section,
    Story,
    UpdateRule,
    UpdateStyle,
    build_sentence,
)
from app.web.algorithms.formula import Q_STEP, Formula, format_cases
from app.web.algorithms.q_learning import TARGET
from app.web.algorithms.sentences import (
    describe_order,
    describe_symmetries,
    describe_update,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    remove_target,
    target_after_reply,
)
from app.web.formatting import format_count
from app.web.site_data import SiteData

ADDED_UP = "Its targets are added up, so the value is drawn to nothing and has no end."


def name_shared_moves(pair: ValueQuery) -> list[str]:
    """Return a list with a sentence on the moves that share the value, or []."""
    if pair.recipe.key == "afterstate":
        return describe_symmetries(pair)
    classes = pair.game.spread_pairs(pair.game.pair_class, -1)
    moves = np.count_nonzero(classes == classes[pair.position, pair.cell])
    if moves == 1:
        return []
    return [f"One value serves {moves} moves, which are the same by symmetry."]


def draw_to_answer(pair: ValueQuery, ending: float = 1.0) -> ValueReason:
    """Return the average target over the replies; no target if targets are summed.

    `ending` is the weight of a reply that ends the game.
    """
    reason = target_after_reply(pair, ending)
    return remove_target(reason) if pair.recipe.update == "sum" else reason


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [ADDED_UP, *name_shared_moves(pair)]
    return [
        *describe_update(pair, reason),
        *describe_order(reason),
        *name_shared_moves(pair),
    ]


def _facts(site: SiteData) -> dict[str, object]:
    game = site.game
    positions = np.unique(game.symmetry_class)
    return {
        "decisions": format_count(int((positions < game.decisions).sum())),
        "pairs": format_count(len(np.unique(game.pair_class))),
        # without the empty board, which no move makes
        "afterstates": format_count(len(positions) - 1),
    }


ALGORITHM = Algorithm(
    title="Q-learning backward over each game",
    story=Story(build_sentence(TARGET, backward=True)),
    rule=UpdateRule(draw_to_answer, _sentences),
    facts=_facts,
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="order",
        line=r"y = r + \gamma \max\limits_{a'} Q(s', a')",
        words="The update of Q-learning, but after the game, from its last move back to the first.",
    ),
    section=Section(
        title="Q-learning backward over the game",
        lens="q-table",
        record="4",
        sources=(
            "nested-software",
            "sutton-barto-2018",
        ),
        formula=Formula(
            lines=(
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
