"""Q-iteration with sticky losses: a value is the last target that was drawn."""

from app.tictactoe.notation import MARKS
from app.web.algorithms.algorithm import Algorithm, Section, UpdateRule, UpdateStyle
from app.web.algorithms.formula import Formula, format_cases
from app.web.algorithms.sentences import (
    NEAR,
    describe_changes,
    describe_distance,
    describe_target,
    name_cell,
)
from app.web.algorithms.targets import (
    ValueQuery,
    ValueReason,
    remove_target,
    target_after_reply,
)
from app.web.formatting import format_signed, join_words
from app.web.translation import gettext_noop


def _reason(pair: ValueQuery) -> ValueReason:
    """Return the target of the next update; no target for a sticky loss."""
    reason = target_after_reply(pair)
    stuck = pair.known and pair.recipe.sticky and pair.value == pair.reward(-1)
    return remove_target(reason) if stuck else reason


def _sentences(pair: ValueQuery, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [_stuck(pair, reason)]
    sentences = [describe_target(pair, reason)]
    if not pair.game.is_over(pair.after):
        sentences += ["An update puts the target of one such answer in its place."]
    sentences += describe_distance(reason)
    if not pair.known or abs(reason.above) < NEAR:
        return sentences
    # The value is a single target, not an average.
    alike = [
        answer for answer in reason.given if abs(answer.target - pair.value) < NEAR
    ]
    if not alike:
        return [*sentences, f"No answer brings that now. {describe_changes(pair)}"]
    places = join_words([name_cell(pair, answer.cell) for answer in alike], "or")
    return [
        *sentences,
        f"That is the target after {places}: such an answer may have been drawn last.",
    ]


def _stuck(pair: ValueQuery, reason: ValueReason) -> str:
    """Return a sentence on the answers that made the loss stick."""
    loss = format_signed(pair.value, 0)
    causes = [answer for answer in reason.answers if answer.target == pair.value]
    by = "this answer" if len(causes) == 1 else "one of these answers"
    kinds = {
        True: "winning at once",
        False: f"leaving {MARKS[pair.mover]} only moves that are {loss}",
    }
    sticking = "; ".join(
        f"{' or '.join(name_cell(pair, answer.cell) for answer in answers)}, {how}"
        for ended, how in kinds.items()
        if (
            answers := [
                cause for cause in causes if (cause.outcome is not None) == ended
            ]
        )
    )
    return f"Once it is {loss} it is never updated again. It became so by {by}: {sticking}."


ALGORITHM = Algorithm(
    title="Q-iteration",
    turns=lambda _recipe: "sweeps over every move of every position",
    origin=gettext_noop("Works out every position by sweeps, without playing a game."),
    untold=(
        "There are no games to tell: it goes through every position and every move, sweep after "
        "sweep, and values each by one answer."
    ),
    rule=UpdateRule(_reason, _sentences),
    update=UpdateStyle(
        family="step",
        next_mover="own",
        differs="order",
        line=r"Q \leftarrow r + \gamma \max\limits_{a'} Q(s', a')",
        words="The step size is 1, and every move of every position is updated in turn.",
    ),
    section=Section(
        title="Q-iteration with sticky losses",
        lens="q-iteration",
        record="4",
        sources=(
            "flesch",
            "bellman-1957",
        ),
        formula=Formula(
            lines=(
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
