"""Q-iteration with sticky losses: each update replaces a value by the target of a random reply.

A sticky loss is a value that is not updated again once it is the value of a loss.
"""

from types import SimpleNamespace

from app.textbook.loop import Update
from app.tictactoe.notation import MARKS, format_position
from app.web.algorithms.algorithm import Algorithm, Section, UpdateRule, UpdateStyle
from app.web.algorithms.formula import Formula, format_cases
from app.web.algorithms.learners import load_learner
from app.web.algorithms.sentences import (
    MIN_SHOWN_DIFFERENCE,
    describe_distance,
    describe_later_changes,
    describe_target,
    name_cell,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    build_reason_after_reply,
    remove_target,
)
from app.web.formatting import format_signed, join_words
from app.web.translation import gettext_noop


def _update_after_reply(
    query: ValueQuery, reply_cell: int | None, _next_cell: int | None
) -> Update:
    """Return the update by a reply, as if it had been drawn."""
    opponent = SimpleNamespace(choose=lambda _board, _rng: reply_cell)
    board = format_position(query.game, query.position)
    update: Update = load_learner(query).update(
        board, query.cell, SimpleNamespace(player=opponent), None
    )
    return update


def _compute_reason(query: ValueQuery) -> ValueReason:
    """Return the average target over the replies; a sticky loss has no target."""
    reason = build_reason_after_reply(query, _update_after_reply)
    stuck = (
        query.is_known
        and query.recipe.sticky
        and query.value == query.compute_reward(-1)
    )
    return remove_target(reason) if stuck else reason


def _describe_reason(query: ValueQuery, reason: ValueReason) -> list[str]:
    """Return sentences on a value that each update replaces by a target."""
    if not reason.has_target:
        return [_describe_sticky_loss(query, reason)]
    sentences = [describe_target(query, reason)]
    if not query.game.is_over(query.next_position):
        sentences += [
            "An update replaces the value by the target after one of these moves."
        ]
    sentences += describe_distance(reason)
    if not query.is_known or abs(reason.value_minus_target) < MIN_SHOWN_DIFFERENCE:
        return sentences
    # The value is the target of a single reply, not an average over the replies.
    alike = [
        reply
        for reply in reason.possible_replies
        if abs(reply.target - query.value) < MIN_SHOWN_DIFFERENCE
    ]
    if not alike:
        return [
            *sentences,
            "No move of the opponent has a target equal to the value now. "
            f"{describe_later_changes(query)}",
        ]
    places = join_words([name_cell(query, reply.cell) for reply in alike], "or")
    return [
        *sentences,
        f"The value is the target after {places}: this move may have been drawn in the last update.",
    ]


def _describe_sticky_loss(query: ValueQuery, reason: ValueReason) -> str:
    """Return a sentence on the replies that can have made a value a sticky loss."""
    loss = format_signed(query.value, 0)
    causes = [reply for reply in reason.replies if reply.target == query.value]
    by = "this move of the opponent" if len(causes) == 1 else "one of these moves"
    kinds = {
        True: "winning at once",
        False: f"leaving {MARKS[query.mover]} only moves that are {loss}",
    }
    sticking = "; ".join(
        f"{' or '.join(name_cell(query, reply.cell) for reply in replies)}, {how}"
        for ended, how in kinds.items()
        if (
            replies := [
                cause for cause in causes if (cause.outcome is not None) == ended
            ]
        )
    )
    return f"A value of {loss} is never updated again. The value became {loss} by {by}: {sticking}."


ALGORITHM = Algorithm(
    title="Q-iteration",
    name_training_unit=lambda _recipe: "sweeps over every move of every position",
    origin_text=gettext_noop(
        "Works out every position by sweeps, without playing a game."
    ),
    no_game_reason=(
        "This training has no games to show: in each sweep it goes through every "
        "position and every move, and updates each value by one move of the opponent."
    ),
    update_rule=UpdateRule(_compute_reason, _describe_reason),
    update_style=UpdateStyle(
        family="step",
        next_mover="own",
        differing_part="order",
        target_latex=r"Q \leftarrow r + \gamma \max\limits_{a'} Q(s', a')",
        difference_text="The step size is 1, and every move of every position is updated in turn.",
    ),
    section=Section(
        title="Q-iteration with sticky losses",
        value_source="q-iteration",
        example_record="4",
        source_slugs=(
            "flesch",
            "bellman-1957",
        ),
        formula=Formula(
            latex_lines=(
                r"Q(s, a) \leftarrow y \text{, unless already } Q(s, a) = {-1}",
                format_cases(
                    "y",
                    ("r", "if the game is over"),
                    (r"r + \gamma \max\limits_{a'} Q(s', a')", "otherwise"),
                ),
            ),
            symbol_meanings={
                "Q": "the value of a move, an entry of the table; γ is 1 for this agent",
            },
        ),
    ),
)
