"""The truth: the best answer decides."""

from app.tictactoe.notation import MARKS
from app.web.why.answers import Pair, Reason
from app.web.why.equations import just
from app.web.why.expression import Node, listed, number, row
from app.web.why.phrases import square, worth_to_other
from app.web.why.reasons import before_answer
from app.web.why.rules.rule import COUNTS, Rule


def _sentences(pair: Pair, reason: Reason) -> list[str]:
    best = reason.given
    if best[0].cell is None:
        return ["The game is over with this move."]
    if len(best) == len(reason.answers):
        return [f"No answer of {MARKS[-pair.mover]} changes that."]
    places = " or ".join(square(pair, answer.cell) for answer in best)
    return [f"{MARKS[-pair.mover]} makes it so by answering at {places}."]


def _equations(_pair: Pair, reason: Reason) -> list[Node]:
    values = listed([number(answer.target, 0) for answer in reason.answers], ",")
    return [row("v = min (", values, ") =", number(reason.target, 0))]


RULE = Rule(before_answer, _sentences, _equations, worth_to_other, just, shared=COUNTS)
