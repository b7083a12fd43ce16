"""What is exact: optimal play, where the best answer decides, and the task of an agent."""

from app.sources import sources
from app.tictactoe.notation import MARKS
from app.web.algorithms.algorithm import COUNTS, Algorithm, UpdateRule, seen_by
from app.web.algorithms.formula import Formula, combined, just, number, target_alone
from app.web.algorithms.sentences import expected, square, worth_to_other
from app.web.algorithms.targets import Pair, Reply, ValueReason, after_answer, before_answer
from app.web.numbers import signed


def _sentences(pair: Pair, reason: ValueReason) -> list[str]:
    best = reason.given
    if best[0].cell is None:
        return ["The game is over with this move."]
    if len(best) == len(reason.answers):
        return [f"No answer of {MARKS[-pair.mover]} changes that."]
    places = " or ".join(square(pair, answer.cell) for answer in best)
    return [f"{MARKS[-pair.mover]} makes it so by answering at {places}."]


def _equations(_pair: Pair, reason: ValueReason) -> list[str]:
    values = ", ".join(number(answer.target, 0) for answer in reason.answers)
    return [rf"v = \min({values}) = {number(reason.target, 0)}"]


def _gamma(pair: Pair) -> float:
    return pair.task.gamma if pair.task else 1.0


def _task_sentences(pair: Pair, reason: ValueReason) -> list[str]:
    """Say what the move is worth with optimal play in the task, answer by answer."""
    best = reason.given[0]
    if best.cell is None:
        return ["The game is over with this move, and its reward is all there is."]
    if best.found is None or pair.task is None or pair.task.plies != 1:
        return [expected(pair, reason)]
    other = MARKS[-pair.mover]
    return [
        f"The best answer of {other} is {square(pair, best.cell)}, worth {signed(best.found)} to "
        f"{other}, and what is good for {other} is bad for {MARKS[pair.mover]}."
    ]


def _task_target(pair: Pair, answer: Reply) -> str:
    return combined(answer, -_gamma(pair))


TASK_AFTER_ANSWER = UpdateRule(after_answer, _task_sentences, target_alone)
TASK_BEFORE_ANSWER = UpdateRule(
    lambda pair: before_answer(pair, _gamma(pair)),
    _task_sentences,
    lambda pair, reason: [f"y = {_task_target(pair, reason.given[0])}"],
    worth_to_other,
    _task_target,
    shared=COUNTS,
)

ALGORITHM = Algorithm(
    title="Minimax: optimal play",
    rule=UpdateRule(before_answer, _sentences, _equations, worth_to_other, just, shared=COUNTS),
    start=seen_by("truth", "6587"),
    sources=sources("garcia-1990"),
    formula=Formula(
        (
            r"v(s) = \begin{cases} \max\limits_{s'} v(s') & \text{where X is to move} \\ "
            r"\min\limits_{s'} v(s') & \text{where O is} \end{cases}",
        ),
        {
            "v": "the value of a position, in X’s view",
            "s′": "a position that a move leads to",
        },
    ),
)
