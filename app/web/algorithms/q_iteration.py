"""Q-iteration with sticky losses: a value is the last target that was drawn."""

from app.sources import sources
from app.tictactoe.notation import MARKS
from app.web.algorithms.algorithm import Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import Formula, target_alone
from app.web.algorithms.sentences import NEAR, distance, expected, moved_on, square
from app.web.algorithms.targets import Pair, Reply, ValueReason, after_answer, without_target
from app.web.language import marked
from app.web.numbers import listed, signed


def _is_stuck(pair: Pair) -> bool:
    """Whether the value is a loss, which is never updated again."""
    return pair.known and bool(pair.option("sticky")) and pair.value == pair.reward(-1)


def _reason(pair: Pair) -> ValueReason:
    reason = after_answer(pair)
    return without_target(reason) if _is_stuck(pair) else reason


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    if not reason.has_target:
        return [_stuck(pair, reason)]
    told = [expected(pair, reason)]
    if not pair.game.is_over(pair.after):
        told += ["An update puts the target of one such answer in its place."]
    return [*told, *distance(reason), *_last_drawn(pair, reason)]


def _last_drawn(pair: Pair, reason: ValueReason) -> list[str]:
    """Say why a value that is one target is not the average of all."""
    if not pair.known or abs(reason.above) < NEAR:
        return []
    alike = [answer for answer in reason.given if abs(answer.target - pair.value) < NEAR]
    if not alike:
        return [f"No answer brings that now. {moved_on(pair)}"]
    places = listed([square(pair, answer.cell) for answer in alike], "or")
    return [f"That is the target after {places}: such an answer may have been drawn last."]


def _stuck(pair: Pair, reason: ValueReason) -> str:
    loss = signed(pair.value, 0)
    causes = [answer for answer in reason.answers if answer.target == pair.value]
    by = "this answer" if len(causes) == 1 else "one of these answers"
    return (
        f"Once it is {loss} it is never updated again. "
        f"It became so by {by}: {_sticking(pair, causes)}."
    )


def _sticking(pair: Pair, causes: list[Reply]) -> str:
    """Say which answers win at once, and which leave nothing better."""
    loss = signed(pair.value, 0)
    kinds = {
        True: "winning at once",
        False: f"leaving {MARKS[pair.mover]} only moves that are {loss}",
    }
    return "; ".join(
        f"{' or '.join(square(pair, answer.cell) for answer in answers)}, {how}"
        for ended, how in kinds.items()
        if (answers := [cause for cause in causes if (cause.outcome is not None) == ended])
    )


ALGORITHM = Algorithm(
    title="Q-iteration",
    heading="Q-iteration with sticky losses",
    turns=lambda _recipe: "sweeps over every move of every position",
    origin=marked("Works out every position by sweeps, without playing a game."),
    untold=(
        "There are no games to tell: it goes through every position and every move, sweep after "
        "sweep, and values each by one answer."
    ),
    rule=UpdateRule(_reason, _sentences, target_alone),
    start=seen_by("q-iteration", "4"),
    sources=sources("flesch"),
    formula=Formula(
        (
            r"Q(s, a) \leftarrow r + \gamma \max\limits_{a'} Q(s', a')",
            r"\text{unless already } Q(s, a) = {-1}",
        ),
        {"Q": "the table; γ is 1 here"},
    ),
)
