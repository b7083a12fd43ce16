"""Q-learning in self-play with one table: the other side's best move is the mover's loss."""

from app.tictactoe.notation import MARKS
from app.web.numbers import signed
from app.web.why.answers import Answer, Pair, Reason
from app.web.why.equations import combined, moved
from app.web.why.expression import Node, row
from app.web.why.phrases import distance, end, memory, square, worth_to_other
from app.web.why.reasons import before_answer
from app.web.why.rules.rule import COUNTS, Rule


def _reason(pair: Pair) -> Reason:
    return before_answer(pair, pair.parameter("gamma"))


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    best = reason.given[0]
    said = end(pair, best) if best.cell is None else _best_answer(pair, best)
    return [said, *distance(pair, reason), *memory(pair, reason)]


def _best_answer(pair: Pair, best: Answer) -> str:
    mark, other = MARKS[pair.mover], MARKS[-pair.mover]
    return (
        "One table serves both sides, and nothing is left to chance: the best answer of "
        f"{other} is {square(pair, best.cell)}, worth {signed(best.found or 0.0)} to {other}, "
        f"and what is good for {other} is bad for {mark}. The target is {signed(best.target)}."
    )


def _target(pair: Pair, answer: Answer) -> Node:
    return combined(answer, -pair.parameter("gamma"))


def _equations(pair: Pair, reason: Reason) -> list[Node]:
    written = row("y =", _target(pair, reason.given[0]))
    return [written, *moved(pair, pair.parameter("alpha"), reason.target)]


RULE = Rule(_reason, _sentences, _equations, worth_to_other, _target, shared=COUNTS)
